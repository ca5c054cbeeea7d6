"""The audit log: who read private rows, signed in as staff, or changed what counts.

auditlog itself records saves and deletions of the models that the settings name. Conditional
updates send no signal: their callers call `record_change`."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from auditlog.cid import get_cid
from auditlog.context import set_extra_data
from auditlog.models import LogEntry
from django.contrib.admin.models import LogEntry as AdminEntry
from django.contrib.auth.signals import user_logged_in
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model, Q, TextField
from django.db.models.functions import Cast
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from leaderboard.accounts.models import Team, User, teams_of
from leaderboard.limits import client_host

# Within this time, another look of the same person at the same address is not recorded.
AGAIN = timedelta(hours=1)
_View = Callable[[HttpRequest], HttpResponse]


def actor(get_response: _View) -> _View:
    """Middleware: names the user and the address of a request in its entries."""

    def answer(request: HttpRequest) -> HttpResponse:
        # The user is not loaded before an entry needs it.
        facts = {"actor": request.user, "remote_addr": client_host(request) or None}
        with set_extra_data(facts):
            return get_response(request)

    return answer


def record_access(request: HttpRequest, *rows: Model) -> None:
    """Records that a member of staff looks at these rows of one model, or acts on them. Rows of
    the person's own teams are not recorded."""
    user = request.user
    if not rows or not isinstance(user, User) or not user.is_staff:
        return
    entrants = {getattr(row, "entrant_id", None) for row in rows} - {None}
    teams = teams_of(user).filter(entrants__in=entrants) if entrants else Team.objects.none()
    own_entrants = set(teams.values_list("entrants", flat=True))
    recent = LogEntry.objects.get_for_model(type(rows[0])).filter(
        action=LogEntry.Action.ACCESS, actor=user, timestamp__gt=timezone.now() - AGAIN,
        **({"object_pk": str(rows[0].pk)} if len(rows) == 1 else {}),
    )  # fmt: skip
    same_page = recent.filter(additional_data__path=request.path)
    recorded = set(same_page.values_list("object_pk", flat=True))
    # In bulk, because staff may act on all rows of a list. No signal completes these entries.
    LogEntry.objects.bulk_create(
        LogEntry(
            content_type=ContentType.objects.get_for_model(row), object_pk=str(row.pk),
            object_id=row.pk, object_repr=str(row), action=LogEntry.Action.ACCESS, actor=user,
            additional_data={"path": request.path}, remote_addr=client_host(request) or None,
            cid=get_cid(),
        )
        for row in rows
        if str(row.pk) not in recorded and getattr(row, "entrant_id", None) not in own_entrants
    )  # fmt: skip


def record_deletion(row: Model) -> None:
    """Before the row is deleted. An account that is deleted loses its name here too."""
    _record(row, LogEntry.Action.DELETE)


def record_change(row: Model, **changes: tuple[Any, Any]) -> None:
    """By field, the old and the new value."""
    texts = {name: [str(value) for value in pair] for name, pair in changes.items()}
    _record(row, LogEntry.Action.UPDATE, changes=texts)


def _record(row: Model, action: int, **facts: Any) -> None:
    LogEntry.objects.log_create(row, force_log=True, action=action, **facts)


def forget_names(user: User) -> None:
    """Removes names and addresses from this log and the admin's. The entries stay."""
    LogEntry.objects.filter(actor=user).update(actor_email=None, remote_addr=None)
    about = LogEntry.objects.get_for_object(user)
    about.update(object_repr="")
    about.filter(actor=None).update(remote_addr=None)  # of the sign-up
    types = ContentType.objects.get_for_models(User, EmailAddress)
    others = EmailAddress.objects.exclude(user=user).values(key=Cast("pk", TextField()))
    of_address = Q(content_type=types[EmailAddress]) & ~Q(object_id__in=others)
    of_user = Q(content_type=types[User], object_id=str(user.pk))
    AdminEntry.objects.filter(of_user | of_address).update(object_repr="", change_message="")


@receiver(user_logged_in)
def record_sign_in(*, user: User, **_signal: Any) -> None:
    if user.is_staff:
        _record(user, LogEntry.Action.ACCESS, actor=user, additional_data={"event": "sign-in"})
