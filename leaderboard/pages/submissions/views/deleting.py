"""Pages that say what a deletion removes and what stays, and delete by a POST. Only for members of
the team."""

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from evaluation.work.deleting import NotDeletable, delete_entrant, delete_submissions, hindrance
from leaderboard.accounts.models import Entrant
from leaderboard.pages.shared.record import render_page
from leaderboard.pages.submissions.queries import own_entrants, team_submissions
from leaderboard.submissions.models import Submission


@dataclass(frozen=True, slots=True)
class DeletionPage:
    """The page that deletes a submission or an entrant, and this number of `submissions`."""

    subject: Submission | Entrant
    is_entrant: bool
    hindrance: str
    submissions: int


@login_required
def submission_delete(request: HttpRequest, pk: int) -> HttpResponse:
    rows = team_submissions(request.user).filter(pk=pk)
    submission = get_object_or_404(rows)
    return _deletion(request, submission, rows, lambda: delete_submissions(rows))


@login_required
def entrant_delete(request: HttpRequest, slug: str) -> HttpResponse:
    entrant = get_object_or_404(own_entrants(request.user), slug=slug)
    rows = team_submissions(request.user).filter(entrant=entrant)
    return _deletion(request, entrant, rows, lambda: delete_entrant(entrant))


def _deletion(
    request: HttpRequest,
    subject: Submission | Entrant,
    submissions: QuerySet[Submission],
    delete: Callable[[], None],
) -> HttpResponse:
    name, status = str(subject), 200
    if request.method == "POST":
        try:
            delete()
        except NotDeletable:
            status = 422
        else:
            messages.success(request, _("%(name)s is deleted.") % {"name": name})
            return redirect("submissions")
    page = DeletionPage(
        subject, isinstance(subject, Entrant), hindrance(submissions), submissions.count()
    )
    return render_page(request, "submissions/delete.html", page, status=status)
