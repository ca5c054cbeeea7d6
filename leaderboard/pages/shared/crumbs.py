"""Breadcrumbs: the pages above a page."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.accounts.models import Entrant, Team
from leaderboard.submissions.models import Submission


@dataclass(frozen=True, slots=True)
class Crumb:
    """A link of parts/breadcrumbs.html; plain text if `url` is empty."""

    text: str
    url: str = ""


def account_crumbs(team: Team | None = None) -> list[Crumb]:
    account = Crumb(_("Account and teams"), reverse("account"))
    return [account, *([Crumb(team.name, team.get_absolute_url())] if team else [])]


def entrant_crumbs(entrant: Entrant, *, is_member: bool) -> list[Crumb]:
    """Only members get links to the team's own pages."""
    return [
        Crumb(entrant.team.name, entrant.team.get_absolute_url() if is_member else ""),
        Crumb(entrant.shown_name, entrant.get_absolute_url()),
        Crumb(_("Submissions"), reverse("submissions") if is_member else ""),
    ]


def submission_crumbs(submission: Submission, *, is_member: bool) -> list[Crumb]:
    title = _("%(benchmark)s, submission %(number)d") % {
        "benchmark": submission.revision.benchmark.title,
        "number": submission.pk,
    }
    return [
        *entrant_crumbs(submission.entrant, is_member=is_member)[:2],
        Crumb(title, submission.get_absolute_url()),
    ]
