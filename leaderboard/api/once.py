"""Idempotency-Key: a request that is repeated after a lost connection has no second effect.

An operation's effect and its answer are stored in one transaction. A process that dies before the
commit leaves a claim, which the next repetition takes over after LEASE; two that run at once cannot
both commit."""

import hashlib
import secrets
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import wraps
from typing import Any

from django.db import transaction
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from ninja.responses import Status

from leaderboard.accounts.models import TokenAnswer
from leaderboard.api.access import token_in
from leaderboard.api.problems import Refused
from leaderboard.submissions.intake import file_sha256

HEADER, MOST_CHARACTERS = "Idempotency-Key", 200
# As long as the proxy waits for an answer: a large file is hashed and copied in the lease.
LEASE, KEPT = timedelta(seconds=300), timedelta(hours=24)
# Seconds after which a client should repeat a request that still runs.
AGAIN = 2
Operation = Callable[..., Any]


def once(view: Operation) -> Operation:
    """A decorator for operations that write: a repeated request gets the first answer. The
    operation runs in a transaction. Raises Refused."""

    def whole(request: HttpRequest, *args: Any, **values: Any) -> Any:
        if request.method != "POST":
            return view(request, *args, **values)
        with transaction.atomic():
            answer = view(request, *args, **values)
            settle(request, answer)
        return answer

    return once_in_parts(wraps(view)(whole))


def once_in_parts(view: Operation) -> Operation:
    """As `once`, for an operation that calls `settle` in a transaction of its own."""

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **values: Any) -> Any:
        key = request.headers.get(HEADER)
        if key is None or request.method != "POST":
            return view(request, *args, **values)
        if not key.strip() or len(key) > MOST_CHARACTERS:
            raise Refused(422, f"The {HEADER} has 1 to {MOST_CHARACTERS} characters.")
        claim = _claimed(request, key)
        if claim.status is not None:
            headers = {"Idempotent-Replayed": "true"}
            return JsonResponse(claim.body, status=claim.status, headers=headers)
        request.claim = claim  # type: ignore[attr-defined]
        try:
            return view(request, *args, **values)
        except BaseException:
            # An error has no effect, so the same key may be tried again.
            with suppress(Exception):
                TokenAnswer.objects.filter(pk=claim.pk, owner=claim.owner, status=None).delete()
            raise

    return answered


def settle(request: HttpRequest, answer: Status[Any]) -> None:
    """Stores the answer, in the transaction of the effect. Raises Refused if another request with
    the key has taken over."""
    claim: TokenAnswer | None = getattr(request, "claim", None)
    if claim is None:
        return
    mine = TokenAnswer.objects.filter(pk=claim.pk, owner=claim.owner, status=None)
    if not mine.update(status=answer.status_code, body=answer.value.model_dump(mode="json")):
        raise _still_running()


def forget_answers() -> None:
    TokenAnswer.objects.filter(begun__lt=timezone.now() - KEPT).delete()


def _claimed(request: HttpRequest, key: str) -> TokenAnswer:
    """The row of the key, with the stored answer or claimed by this request."""
    now, owner, digest = timezone.now(), secrets.token_urlsafe(16), _digest(request)
    # A token that was replaced is the same person's in the same team.
    membership = token_in(request).membership
    place = {"membership": membership, "key": hashlib.sha256(_bytes(key)).hexdigest()}
    rows = TokenAnswer.objects.filter(**place)
    rows.filter(begun__lt=now - KEPT).delete()
    values = {"request": digest, "owner": owner, "begun": now}
    row, is_new = rows.get_or_create(defaults=values, **place)
    if is_new:
        return row
    if row.request != digest:
        raise Refused(
            422, f"This {HEADER} was sent with another request. Choose another one for this."
        )
    if row.status is None:
        abandoned = rows.filter(pk=row.pk, owner=row.owner, status=None, begun__lt=now - LEASE)
        if not abandoned.update(owner=owner, begun=now):
            raise _still_running()
        row.owner = owner
    return row


def _still_running() -> Refused:
    return Refused(409, f"A request with this {HEADER} still runs. Send it again.", (), AGAIN)


def _digest(request: HttpRequest) -> str:
    """Of the method, the address and the content; a form's boundary does not count."""
    digest = hashlib.sha256(_bytes(f"{request.method} {request.get_full_path()}\n"))
    if request.content_type != "multipart/form-data":
        digest.update(request.body)
        return digest.hexdigest()
    digest.update(_bytes(repr(sorted(request.POST.lists()))))
    for name, files in sorted(request.FILES.lists()):
        for file in files:
            digest.update(_bytes(f"\n{name} {file.name!r} {file_sha256(file)}"))
    return digest.hexdigest()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
