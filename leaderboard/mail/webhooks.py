"""Webhooks of teams, by the Standard Webhooks specification, and the notifier's steps for them. An
event arrives at least once; copies have the same id."""

import asyncio
import hmac
import json
import secrets
import time
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import OuterRef, Subquery
from django.db.models.functions import Now
from django.utils import timezone

from evaluation.engine.generation.guard import Allowed, allowed_origin
from leaderboard.accounts.models import Membership, Team, User
from leaderboard.leases import claimed, held, owner
from leaderboard.mail.models import Delivery, Event, Webhook
from leaderboard.mail.outbox import LEASE_SECONDS, mail_users, put_off, waiting
from leaderboard.sealing import box

_PURPOSE = "assay: secrets of webhooks"
# Of a team.
MOST_WEBHOOKS = 5
# Webhooks that are called at the same time, and seconds for each.
WIDTH, SECONDS = 20, 10.0
# Attempts of an event, failures until a webhook is off, and the log.
MOST_DAYS, OFF_DAYS, LOG_DAYS = 1, 7, 30


def allowed() -> Allowed:
    """Raises EndpointError if the operator's setting is invalid."""
    return Allowed.of(settings.ENDPOINTS)


def make_webhook(*, team: Team, url: str) -> tuple[Webhook, str]:
    """Returns also its secret, which nobody can read later."""
    secret = f"whsec_{b64encode(secrets.token_bytes(32)).decode()}"
    sealed = box(_PURPOSE).encrypt(secret.encode()).decode()
    return Webhook.objects.create(team=team, url=url, sealed=sealed), secret


def add_deliveries(webhooks: Iterable[Webhook], event: Event, data: Mapping[str, str]) -> None:
    """Has the event sent once the caller's transaction is committed."""
    now = f"{timezone.now():%Y-%m-%dT%H:%M:%SZ}"
    body = json.dumps({"type": event, "timestamp": now, "data": data})
    Delivery.objects.bulk_create(Delivery(webhook=w, event=event, body=body) for w in webhooks)


def deliver_waiting() -> int:
    """Tries one delivery of each webhook, the oldest of those that failed least. Returns how many
    arrived. Raises DatabaseError."""
    rows = waiting(Delivery.objects.filter(sent=None))
    first = rows.filter(webhook=OuterRef("pk")).order_by("failures", "pk").values("pk")[:1]
    firsts = Webhook.objects.annotate(first=Subquery(first)).exclude(first=None).order_by("first")
    keys = list(firsts.values_list("first", flat=True)[:WIDTH])
    claims = [claimed(rows, pk=key, owner=owner(), seconds=LEASE_SECONDS) for key in keys]
    claims_held = [row for row in claims if row is not None]
    # Before the calls, which cannot ask the database.
    present = Webhook.objects.in_bulk([row.webhook_id for row in claims_held])
    deliveries = [(r, present[r.webhook_id]) for r in claims_held if r.webhook_id in present]

    async def call_all() -> list[int | BaseException]:
        calls = (_call(*delivery) for delivery in deliveries)
        return await asyncio.gather(*calls, return_exceptions=True)

    answers = asyncio.run(call_all()) if deliveries else []
    return sum(_note(row, answer) for (row, _), answer in zip(deliveries, answers, strict=True))


async def _call(row: Delivery, webhook: Webhook) -> int:
    """Returns the answer's status. Does not read its content."""
    # Imports the HTTP client, which the site's pages do not need.
    from evaluation.engine.generation.connections import pinned_client

    secret = box(_PURPOSE).decrypt(webhook.sealed.encode()).decode().removeprefix("whsec_")
    timestamp = str(int(time.time()))
    signed = f"{row.message_id}.{timestamp}.{row.body}".encode()
    signature = b64encode(hmac.digest(b64decode(secret), signed, "sha256")).decode()
    headers = {
        "Content-Type": "application/json", "User-Agent": "Assay",
        "webhook-id": str(row.message_id), "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{signature}",
    }  # fmt: skip
    async with (
        asyncio.timeout(SECONDS),
        pinned_client(allowed_origin(webhook.url, allowed())) as client,
        client.stream("POST", webhook.url, content=row.body, headers=headers) as response,
    ):
        return response.status_code


@transaction.atomic
def _note(row: Delivery, answer: int | BaseException) -> bool:
    """Returns whether the delivery arrived. Its webhook may be deleted during the call."""
    webhooks = Webhook.objects.filter(pk=row.webhook_id)
    if isinstance(answer, int) and 200 <= answer < 300:
        held(Delivery.objects.all(), row).update(sent=Now(), cause="", lease_until=None)
        webhooks.update(failing_since=None, off=None)
        return True
    is_answer = isinstance(answer, int)
    put_off(row, f"HTTP {answer}" if is_answer else f"{type(answer).__name__}: {answer}", MOST_DAYS)
    stored = Delivery.objects.select_related("webhook__team").filter(pk=row.pk).first()
    if stored is None:
        return False
    row, others = stored, Delivery.objects.filter(webhook=row.webhook_id, sent=None)
    if not isinstance(answer, int) or answer >= 500:
        # A receiver that is down is not called for each of its events.
        others.filter(due__lt=row.due).update(due=row.due)
    webhooks.filter(failing_since=None).update(failing_since=Now())
    since = Now() - timedelta(days=OFF_DAYS)
    if webhooks.filter(off=None, failing_since__lt=since).update(off=Now()):
        others.filter(given_up=None).update(given_up=Now())
        team = row.webhook.team
        text = (
            f"For a week nothing has arrived that Assay sent to a webhook of your team {team}, so "
            f"it is off.\nThe last error: {row.cause}\n\nTo turn it on, send a test from the page "
            "of the team's webhooks.\n"
        )
        role = Membership.Role.OWNER
        owners = User.objects.filter(memberships__team=team, memberships__role=role)
        mail_users(owners, f"Assay: a webhook of {team} is off", text)
    return False


def forget_deliveries() -> None:
    Delivery.objects.filter(created__lt=Now() - timedelta(days=LOG_DAYS)).delete()
