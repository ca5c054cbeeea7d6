"""Pages that say what a deletion removes and what stays, and delete by a POST. Only for members of
the team."""

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from evaluation.work.deleting import NotDeletable, delete_entrant, delete_submissions, hindrance
from leaderboard.accounts.models import Entrant
from leaderboard.pages.shared.crumbs import entrant_crumbs, submission_crumbs
from leaderboard.pages.submissions.queries import own_entrants, team_submissions
from leaderboard.submissions.models import Submission


@login_required
def submission_delete(request: HttpRequest, pk: int) -> HttpResponse:
    row = get_object_or_404(team_submissions(request.user), pk=pk)
    crumbs = submission_crumbs(row, own=True)
    rows = team_submissions(request.user).filter(pk=pk)
    return _page(request, rows, lambda: delete_submissions(rows), subject=row, crumbs=crumbs)


@login_required
def entrant_delete(request: HttpRequest, slug: str) -> HttpResponse:
    row = get_object_or_404(own_entrants(request.user), slug=slug)
    crumbs = entrant_crumbs(row, own=True)[:2]
    rows = team_submissions(request.user).filter(entrant=row)
    return _page(
        request, rows, lambda: delete_entrant(row), subject=row, crumbs=crumbs, is_entrant=True
    )


def _page(
    request: HttpRequest,
    submissions: QuerySet[Submission],
    delete: Callable[[], None],
    *,
    subject: Submission | Entrant,
    **context: object,
) -> HttpResponse:
    name = str(subject)
    status = 200
    if request.method == "POST":
        try:
            delete()
        except NotDeletable:
            status = 422
        else:
            messages.success(request, _("%(name)s is deleted.") % {"name": name})
            return redirect("submissions")
    context |= {
        "name": name,
        "subject": subject,
        "hindrance": hindrance(submissions),
        "submissions": submissions.count(),
    }
    return render(request, "submissions/delete.html", context, status=status)
