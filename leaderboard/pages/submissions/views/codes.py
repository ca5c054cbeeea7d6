"""The generations of two to four entrants on a task, for readers who may see all of these texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from leaderboard.accounts.models import Person


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
    context = {
        "selected": selected,
        "benchmark": selected.benchmark,
        "task": task,
        "title": task_title(task),
        "rule": rule_of(selected.benchmark),
        "sides": [_side(one, task, selected.user) for one in readable],
        "crumbs": [
            Crumb(gettext("Compare"), reverse("compare")),
            Crumb(selected.title, back),
            Crumb(task.external_id),
        ],
        "selection_query": selected.query,
    }
    return render(request, "submissions/codes.html", context)


def _side(entry: Row, task: Task, user: Person) -> Side:
    visible = Submission.objects.visible_to(user).select_related("revision__benchmark")
    found = get_object_or_404(visible, pk=entry.submission)
    rights = Rights.of(user, found, task)
    evaluation = found.evaluations.filter(current=True).first()
    rows = generations_of(found, task, evaluation, rights)[:PER_PAGE]
    return Side(entry, rights, [sample_of(one, found, task, rights) for one in rows])
