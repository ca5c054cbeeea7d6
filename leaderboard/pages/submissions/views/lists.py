"""The submissions, the unfinished uploads and the declared runs of the user's teams."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Page, Paginator
from django.db.models import Prefetch, Sum
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluation.engine.errors import UploadError
from evaluation.models import Evaluation, EvaluationState
from leaderboard.accounts.audit import record_access
from leaderboard.generation.runs import open_runs
from leaderboard.pages.shared.access import signed_in, tell
from leaderboard.pages.shared.record import Short, render_page
from leaderboard.pages.submissions.forms import DeclareForm, board_initial
from leaderboard.pages.submissions.queries import (
    may_declare,
    team_declarations,
    team_submissions,
    unfinished_uploads,
)
from leaderboard.pages.submissions.views.rated import rated_words
from leaderboard.scores.models import Score
from leaderboard.submissions.declaring import declare, withdraw_declaration
from leaderboard.submissions.models import Declaration, Submission, UploadState

# Rows of a page: submissions, and declared runs.
PER_PAGE, DECLARED = 30, 50
# Maximum rows of the lists above and below the submissions: shortened, and in full.
SHORT, FULL = 10, 500


class SubmissionLine(NamedTuple):
    """`rated`: the progress of its rating by people; "" if tests judge it."""

    submission: Submission
    evaluation: Evaluation | None
    score: Score | None
    rated: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionsPage:
    """`full`: the lists above and below the submissions are not shortened."""

    page: Page[Submission]
    lines: list[SubmissionLine]
    full: bool
    uploads: Short
    refused: Short
    runs: Short
    declares: bool


@login_required
@require_safe
def submissions(request: HttpRequest) -> HttpResponse:
    """Newest first and paginated, with a constant number of queries."""
    user = signed_in(request)
    overall = Prefetch("scores", queryset=Score.objects.filter(slice="overall"))
    current = Evaluation.objects.filter(current=True).annotate(
        judged=Sum("chunks__judged", default=0), total=Sum("chunks__size", default=0)
    )
    evaluations = Prefetch(
        "evaluations", queryset=current.prefetch_related(overall), to_attr="current_ones"
    )
    rows: Any = team_submissions(user).prefetch_related(evaluations)
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    rated = rated_words([submission.pk for submission in page if submission.is_rated])
    lines = []
    for submission in page:
        evaluation = next(iter(submission.current_ones), None)
        state = evaluation.state if evaluation else None
        metric = submission.revision.benchmark.metric_in(submission.setting)
        scores = evaluation.scores.all() if evaluation and state == EvaluationState.DONE else ()
        line = SubmissionLine(
            submission,
            evaluation,
            next((score for score in scores if score.metric == metric), None),
            "" if state == EvaluationState.CANCELLED else rated.get(submission.pk, ""),
        )
        lines.append(line)
    full = "all" in request.GET
    most, uploads = FULL if full else SHORT, unfinished_uploads(user)
    record = SubmissionsPage(
        page=page,
        lines=lines,
        full=full,
        uploads=Short.of(uploads.exclude(state=UploadState.REFUSED), most),
        refused=Short.of(uploads.filter(state=UploadState.REFUSED), most),
        runs=Short.of(open_runs(user), most),
        declares=may_declare(user),
    )
    return render_page(request, "submissions/list.html", record)


@dataclass(frozen=True, slots=True)
class DeclarationsPage:
    form: DeclareForm
    page: Page[Declaration]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def declarations(request: HttpRequest) -> HttpResponse:
    user, status = signed_in(request), 200
    form = DeclareForm(initial=board_initial(request.GET.dict()), user=user)
    if request.method == "POST":
        form, status = DeclareForm(request.POST, user=user), 422
        if form.is_valid():
            benchmark, setting = form.target()
            assert benchmark.current is not None, "open benchmarks have a revision"
            try:
                declare(
                    user=user,
                    entrant=form.cleaned_data["entrant"],
                    revision=benchmark.current,
                    setting=setting,
                    samples=form.cleaned_data["samples"],
                    model=form.cleaned_data["model"],
                )
            except UploadError as error:
                form.refuse("board", error)
            else:
                messages.success(request, _("Declared. You can upload its file now."))
                return redirect("declarations")
    page = Paginator(team_declarations(user), DECLARED).get_page(request.GET.get("page"))
    record = DeclarationsPage(form, page)
    return render_page(request, "submissions/declarations.html", record, status=status)


@require_POST
def declaration_withdraw(request: HttpRequest, pk: int) -> HttpResponseBase:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("declarations"))
    declaration = get_object_or_404(Declaration.objects.editable_by(request.user), pk=pk)
    record_access(request, declaration)
    done = withdraw_declaration(declaration=declaration, user=signed_in(request))
    sentence = _("A file was uploaded for this run, or it was withdrawn before.")
    tell(request, done, _("Withdrawn. Boards count it as withdrawn."), sentence)
    return redirect("declarations")
