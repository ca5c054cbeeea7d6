"""The generations of two to four entrants on a task, for readers who may see all of these texts."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from leaderboard.benchmarks.models import Task
from leaderboard.boards.rows import Row
from leaderboard.pages.boards.views.compare import compare_page
from leaderboard.pages.shared.code import rule_of
from leaderboard.pages.shared.crumbs import Crumb
from leaderboard.pages.shared.public import task_title
from leaderboard.pages.submissions.views.rights import Rights
from leaderboard.pages.submissions.views.tasks import PER_PAGE, Sample, generations_of, sample_of
from leaderboard.submissions.models import Submission


@dataclass(frozen=True, slots=True)
class Side:
    entry: Row
    rights: Rights
    samples: list[Sample]


@require_safe
def codes(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Raises Http404 unless the reader may see the code of at least two of the entrants."""
    compared = compare_page(request, slug)
    selected, readable = compared.selected, compared.readable(number)
    if len(readable) < 2:
        raise Http404
    task = get_object_or_404(Task, revision=selected.revision, number=number)
    back = reverse("compare-board", args=[slug]) + compared.query()
    visible = Submission.objects.visible_to(selected.user).select_related("revision__benchmark")
    sides = []
    for entry in readable:
        submission = get_object_or_404(visible, pk=entry.submission)
        rights = Rights.of(selected.user, submission, task)
        evaluation = submission.evaluations.filter(current=True).first()
        rows = generations_of(submission, task, evaluation, rights)[:PER_PAGE]
        samples = [sample_of(row, submission, task, rights) for row in rows]
        sides.append(Side(entry, rights, samples))
    context = {
        "selected": selected,
        "benchmark": selected.benchmark,
        "task": task,
        "title": task_title(task),
        "rule": rule_of(selected.benchmark),
        "sides": sides,
        "crumbs": [
            Crumb(gettext("Compare"), reverse("compare")),
            Crumb(selected.title, back),
            Crumb(task.external_id),
        ],
        "selection_query": selected.query,
    }
    return render(request, "submissions/codes.html", context)
