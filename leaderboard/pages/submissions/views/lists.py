"""The submissions and the unfinished uploads of the user's teams."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Prefetch, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evaluation.models import Evaluation, EvaluationState
from leaderboard.generation.runs import open_runs
from leaderboard.pages.boards.words import setting_words
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.submissions.queries import may_declare, team_submissions, unfinished_uploads
from leaderboard.scores.models import Score
from leaderboard.submissions.models import Submission, UploadState

PER_PAGE = 30
UPLOADS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Line:
    submission: Submission
    setting: str
    evaluation: Evaluation | None
    judged: int
    total: int
    score: Score | None


@login_required
@require_safe
def submissions(request: HttpRequest) -> HttpResponse:
    """Newest first and paginated, with a constant number of queries."""
    user = signed_in(request)
    page = Paginator(_with_results(team_submissions(user)), PER_PAGE).get_page(
        request.GET.get("page")
    )
    context = {
        "page": page,
        "lines": [_line(submission) for submission in page],
        "uploads": unfinished_uploads(user).exclude(state=UploadState.REFUSED)[:UPLOADS_SHOWN],
        "refused": unfinished_uploads(user).filter(state=UploadState.REFUSED)[:UPLOADS_SHOWN],
        "runs": open_runs(user)[:UPLOADS_SHOWN],
        "declares": may_declare(user),
    }
    return render(request, "submissions/list.html", context)


def _with_results(rows: QuerySet[Submission]) -> QuerySet[Submission]:
    overall = Prefetch("scores", queryset=Score.objects.filter(slice="overall"))
    current = Evaluation.objects.filter(current=True).annotate(
        judged=Sum("chunks__judged"), total=Sum("chunks__size")
    )
    return rows.prefetch_related(
        Prefetch("evaluations", queryset=current.prefetch_related(overall), to_attr="current_ones")
    )


def _line(submission: Submission) -> Line:
    found: list[Evaluation] = submission.current_ones  # type: ignore[attr-defined]  # prefetched
    evaluation = found[0] if found else None
    metric = submission.revision.benchmark.metric_in(submission.setting)
    done = evaluation is not None and evaluation.state == EvaluationState.DONE
    scores = evaluation.scores.all() if evaluation and done else []
    return Line(
        submission=submission,
        setting=setting_words(submission.setting),
        evaluation=evaluation,
        judged=getattr(evaluation, "judged", None) or 0,
        total=getattr(evaluation, "total", None) or 0,
        score=next((score for score in scores if score.metric == metric), None),
    )
