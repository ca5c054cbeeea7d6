"""The submissions and the unfinished uploads of the user's teams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
from leaderboard.pages.submissions.views.rated import rated_words
from leaderboard.scores.models import Score
from leaderboard.submissions.models import Submission, UploadState

PER_PAGE = 30
# Maximum rows of the lists above and below the submissions: shortened, and in full.
SHORT, FULL = 10, 500


@dataclass(frozen=True, slots=True)
class ListedSubmission:
    submission: Submission
    setting: str
    evaluation: Evaluation | None
    score: Score | None
    # The progress of its rating by people; "" if tests judge it.
    rated: str


@dataclass(frozen=True, slots=True)
class Short:
    """The beginning of a list, and the number of `more` rows."""

    rows: Sequence[Any]
    more: int

    @classmethod
    def of(cls, rows: QuerySet[Any], most: int) -> Short:
        shown = list(rows[:most])
        return cls(shown, rows.count() - most if len(shown) == most else 0)


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
    rows = team_submissions(user).prefetch_related(evaluations)
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    rated = rated_words([submission.pk for submission in page if submission.is_rated])
    full = "all" in request.GET
    most = FULL if full else SHORT
    uploads = unfinished_uploads(user)
    context = {
        "page": page,
        "full": full,
        "lines": [_line(submission, rated.get(submission.pk, "")) for submission in page],
        "uploads": Short.of(uploads.exclude(state=UploadState.REFUSED), most),
        "refused": Short.of(uploads.filter(state=UploadState.REFUSED), most),
        "runs": Short.of(open_runs(user), most),
        "declares": may_declare(user),
    }
    return render(request, "submissions/list.html", context)


def _line(submission: Submission, rated: str) -> ListedSubmission:
    current: list[Evaluation] = submission.current_ones  # type: ignore[attr-defined]  # prefetched
    evaluation = current[0] if current else None
    metric = submission.revision.benchmark.metric_in(submission.setting)
    done = evaluation is not None and evaluation.state == EvaluationState.DONE
    scores = evaluation.scores.all() if evaluation and done else []
    return ListedSubmission(
        submission=submission,
        setting=setting_words(submission.setting),
        evaluation=evaluation,
        score=next((score for score in scores if score.metric == metric), None),
        rated="" if evaluation and evaluation.state == EvaluationState.CANCELLED else rated,
    )
