"""Deletion of an account. Results that the public has seen stay under the names of its teams."""

from __future__ import annotations

from collections.abc import Mapping

from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from auditlog.context import disable_auditlog
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _

from evaluation.models import Evaluation
from evaluation.state import scheduling
from leaderboard.accounts import teams
from leaderboard.accounts.audit import forget_person
from leaderboard.accounts.models import Entrant, Membership, Team, User, teams_of
from leaderboard.annotation.models import Draft, Item
from leaderboard.generation import runs
from leaderboard.generation.models import Run
from leaderboard.mail.outbox import forget_mail_to
from leaderboard.scores.models import EditionRow
from leaderboard.submissions.intake import drop_submissions
from leaderboard.submissions.models import Submission, Upload, UploadState, Visibility


@transaction.atomic
def delete_account(*, user: User, successors: Mapping[int, int]) -> None:
    """Deletes the account; rows that name it stay without it. `successors`, memberships by
    team (primary keys), become owners where nobody else is one. Raises ValidationError for the last
    superuser, and LastOwner."""
    teams.lock_teams(teams_of(user))
    superusers = User.objects.filter(is_superuser=True, is_active=True)
    locked = superusers.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True)
    if user.is_superuser and set(locked) <= {user.pk}:
        raise ValidationError(_("You are the last superuser. Make another one first."))
    for team in teams.teams_with_others(user).filter(owners=False):
        others = team.memberships.exclude(user=user)
        successor = others.filter(pk=successors.get(team.pk, 0)).first()
        if not team.others:
            _empty(team)
        elif successor is None:
            raise teams.LastOwner
        else:
            teams.set_role(membership=successor, role=Membership.Role.OWNER)
    Draft.objects.filter(assignment__rater__user=user).delete()
    teams.forget_person(user)
    forget_mail_to(_own_addresses(user))
    sessions = UserSession.objects.filter(user=user).values("session_key")
    Session.objects.filter(pk__in=sessions).delete()
    forget_person(user)
    # Nothing is recorded as the act of an account that is gone.
    with disable_auditlog():
        user.delete()


def _own_addresses(user: User) -> set[str]:
    """In lower case. An address that the person never confirmed may be somebody else's."""
    rows = EmailAddress.objects.filter(user=user)
    claimed = rows.filter(verified=False).values_list("email", flat=True)
    others = EmailAddress.objects.exclude(user=user)
    confirmed = set(rows.filter(verified=True).values_list("email", flat=True))
    unsure = {user.email.lower(), *claimed} - confirmed
    return confirmed | unsure - set(others.filter(email__in=unsure).values_list("email", flat=True))


def _empty(team: Team) -> None:
    """Removes what the public never saw. A team that boards still need stays."""
    team.invitations.all().delete()
    team.webhooks.all().delete()
    orders = Run.objects.filter(entrant__team=team)
    for run in orders:
        runs.stop_run(run=run)
    orders.update(expires=Now())
    uploads = Upload.objects.filter(entrant__team=team)
    # Before the submissions are read: an upload that is being stored becomes one now or never.
    uploads.exclude(state=UploadState.STORED).update(state=UploadState.DISCARDED)
    uploads.update(expires=Now())
    submissions = Submission.objects.filter(entrant__team=team)
    rated = Item.objects.filter(generation__submission__in=submissions)
    lasting = submissions.filter(
        Q(visibility=Visibility.PUBLISHED)
        | Q(pk__in=EditionRow.objects.filter(submission__in=submissions).values("submission"))
        | Q(pk__in=rated.values("generation__submission"))
    )
    lasting_keys = {key for keys in lasting.values_list("pk", "base") for key in keys if key}
    unseen = submissions.exclude(pk__in=lasting_keys)
    for evaluation in Evaluation.objects.filter(submission__in=unseen):
        scheduling.cancel(evaluation=evaluation)
    drop_submissions(unseen)
    for entrant in Entrant.objects.filter(team=team).exclude(submissions__in=lasting_keys):
        name = f"deleted-{get_random_string(12).lower()}"
        Entrant(pk=entrant.pk, team=team, name=name, slug=name, created=entrant.created).save()
    Team.objects.filter(pk=team.pk, entrants=None, ledger=None, declarations=None).delete()
