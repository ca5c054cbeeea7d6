"""Deletion of an account. Results that the public has seen stay under the names of its teams."""

from collections.abc import Mapping

from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from auditlog.context import disable_auditlog
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from evaluation.work.deleting import empty_entrants, end_work, remove_submissions
from leaderboard.accounts import teams
from leaderboard.accounts.audit import forget_names
from leaderboard.accounts.models import Entrant, Membership, Team, User, teams_of
from leaderboard.annotation.models import Draft
from leaderboard.generation.models import Run
from leaderboard.mail.outbox import forget_mail_to
from leaderboard.submissions.models import Submission, Upload


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
    teams.forget_invitations_of(user)
    # In lower case. An address that the person never confirmed may be somebody else's.
    rows = EmailAddress.objects.filter(user=user)
    claimed = rows.filter(verified=False).values_list("email", flat=True)
    confirmed = set(rows.filter(verified=True).values_list("email", flat=True))
    unsure = {user.email.lower(), *claimed} - confirmed
    of_others = EmailAddress.objects.exclude(user=user).filter(email__in=unsure)
    forget_mail_to(confirmed | unsure - set(of_others.values_list("email", flat=True)))
    sessions = UserSession.objects.filter(user=user).values("session_key")
    Session.objects.filter(pk__in=sessions).delete()
    forget_names(user)
    # Nothing is recorded as the act of an account that is gone.
    with disable_auditlog():
        user.delete()


def _empty(team: Team) -> None:
    """Removes what the public never saw. A team that boards still need stays."""
    team.invitations.all().delete()
    team.webhooks.all().delete()
    # Before the submissions are read: an upload that is being stored becomes one now or never.
    end_work(Upload.objects.filter(entrant__team=team), Run.objects.filter(entrant__team=team))
    submissions = Submission.objects.filter(entrant__team=team)
    remove_submissions(submissions)
    empty_entrants(Entrant.objects.filter(team=team).exclude(submissions__in=submissions))
    Team.objects.filter(pk=team.pk, entrants=None, ledger=None, declarations=None).delete()
