"""The tasks of a benchmark with their solve rates, and each task's page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from evaluation.models import ReferenceVerdict
from leaderboard.benchmarks.models import Benchmark, Task, TaskExclusion
from leaderboard.boards import queries
from leaderboard.pages.boards.views.selection import Selected, select
from leaderboard.pages.boards.words import discrimination_words, reference_words, untranslated
from leaderboard.pages.shared.code import TEXT_SHOWN, code_lines, judged_part
from leaderboard.pages.shared.conversations.reading import has_conversations
from leaderboard.pages.shared.crumbs import Crumb
from leaderboard.pages.shared.drawing import MARKS_SHOWN
from leaderboard.pages.shared.public import Field, fields_of, task_title
from leaderboard.pages.shared.record import render_page
from leaderboard.scores.models import Board, Standing, TaskStatistics
from leaderboard.submissions.models import Consent, Generation, Submission
from leaderboard.text import storable

PAGE = 50
# Maximum entrants whose code a task's page shows.
CODES = 5
_DIGEST = re.compile(r",? ?\bsha256:[0-9a-f]{64}")
_SORTS = ("", "hardest", "easiest")


@dataclass(frozen=True, slots=True)
class TaskLine:
    task: Task
    title: str
    solve_rate: float | None
    left_out: bool
    statistics: TaskStatistics | None


@dataclass(frozen=True, slots=True)
class EntrantLine:
    """`marks` are the first verdicts, `unmarked` is the number of further ones. `consent` is set if
    everyone may read the generations."""

    submission: Submission
    consent: Consent | None
    marks: Sequence[Mapping[str, str]]
    unmarked: int
    correct: int
    of: int


@dataclass(frozen=True, slots=True)
class ShownCode:
    """The judged part of an entrant's first generation."""

    consent: Consent
    lines: Sequence[SafeString]
    cut: bool

    @classmethod
    def of(cls, consent: Consent, generation: Generation, task: Task) -> ShownCode:
        code = judged_part(generation, task, consent.submission)
        return cls(consent, code_lines(code, task), len(code) > TEXT_SHOWN)


@require_safe
def tasks(request: HttpRequest, slug: str) -> HttpResponse:
    selected = select(request, slug)
    sort = request.GET.get("sort", "")
    sort = sort if sort in _SORTS else ""
    level, category = (storable(request.GET.get(name, "")) for name in ("level", "category"))
    found = _tasks(selected)
    if level:
        found = found.filter(level=level)
    if category:
        found = found.filter(category=category)
    page = Paginator(_sorted(found, sort), PAGE).get_page(request.GET.get("page"))
    statistics = queries.statistics_of(page, selected.board)
    levels, categories = queries.levels_of(selected.revision)
    context = {
        "selected": selected,
        "benchmark": selected.benchmark,
        "crumbs": _crumbs(selected),
        "page": page,
        "lines": [_line(task, statistics.get(task.pk)) for task in page],
        "discriminates": any(one.discrimination is not None for one in statistics.values()),
        "sort": sort,
        "untranslated": untranslated(
            [*(("level", one) for one in levels), *(("category", one) for one in categories)]
        ),
        "levels": levels,
        "categories": categories,
        "level": level,
        "category": category,
        "settled": queries.settled_count(selected.board, selected.user),
        "selection_query": selected.query,
    }
    return render(request, "boards/tasks.html", context)


def _tasks(selected: Selected) -> QuerySet[Task]:
    found = Task.objects.filter(revision=selected.revision).select_related("exclusion")
    # A mean mark by task could tell a rater what others gave.
    return queries.with_solve_rates(found, None if selected.scales else selected.board)


def _sorted(found: QuerySet[Task], sort: str) -> QuerySet[Task]:
    if sort == "hardest":
        return found.order_by(F("solve_rate").asc(nulls_last=True), "number")
    if sort == "easiest":
        return found.order_by(F("solve_rate").desc(nulls_last=True), "number")
    return found.order_by("number")


def _line(task: Task, statistics: TaskStatistics | None) -> TaskLine:
    rate = getattr(task, "solve_rate", None)
    return TaskLine(task, task_title(task), rate, hasattr(task, "exclusion"), statistics)


@require_safe
def task(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    selected = select(request, slug)
    one = get_object_or_404(_tasks(selected).select_related("exclusion", "shown"), number=number)
    fields = fields_of(one)
    *way, last = _crumbs(selected)
    address = reverse("tasks", args=[slug]) + selected.query
    rows = queries.standings_page(None if selected.scales else selected.board, selected.user)
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    consents = queries.consents_to(one, page, selected.user)
    references = queries.references_of(one)
    statistics = queries.statistics_of([one], selected.board).get(one.pk)
    near = Task.objects.filter(revision=selected.revision, number__in=[number - 1, number + 1])
    numbers = set(near.values_list("number", flat=True))
    page_record = TaskPage(
        selected=selected,
        task=one,
        title=task_title(one),
        crumbs=[*way, Crumb(last.text, address), Crumb(one.external_id)],
        fields=[field for field in fields if field.kind != "fact"],
        facts=[f for f in fields if f.kind == "fact" and f.value != task_title(one)],
        statistics=statistics,
        page=page,
        lines=_entrant_lines(one, selected.board, page, consents) if selected.board else [],
        codes=_codes(one, page, consents),
        references=[(reference_words(row.name), row) for row in references],
        before=number - 1 if number - 1 in numbers else None,
        after=number + 1 if number + 1 in numbers else None,
    )
    return render_page(request, "boards/task.html", page_record)


@dataclass(frozen=True, slots=True)
class TaskPage:
    """`references` are verdicts on the benchmark's own programs. Only the admin shows reasons: they
    may quote hidden content."""

    selected: Selected
    task: Task
    title: str
    crumbs: list[Crumb]
    fields: list[Field]
    facts: list[Field]
    statistics: TaskStatistics | None
    page: Page[Standing]
    lines: list[EntrantLine]
    codes: list[ShownCode]
    references: list[tuple[str, ReferenceVerdict]]
    before: int | None
    after: int | None

    @property
    def benchmark(self) -> Benchmark:
        return self.selected.benchmark

    @property
    def selection_query(self) -> str:
        return self.selected.query

    @property
    def untranslated(self) -> bool:
        return untranslated([("level", self.task.level), ("category", self.task.category)])

    @property
    def solve_rate(self) -> float | None:
        return getattr(self.task, "solve_rate", None)

    @property
    def discrimination_words(self) -> str:
        value = self.statistics.discrimination if self.statistics else None
        return "" if value is None else discrimination_words(value)

    @property
    def conversing(self) -> bool:
        return has_conversations(self.selected.setting)

    @property
    def exclusion(self) -> TaskExclusion | None:
        return getattr(self.task, "exclusion", None)

    @property
    def unsound(self) -> bool:
        return any(row.unsound and not row.part for _name, row in self.references)

    @property
    def unsound_parts(self) -> list[str]:
        return [row.part for _name, row in self.references if row.unsound and row.part]

    @property
    def base(self) -> str:
        """The image, without its digest, which only the admin shows."""
        return _DIGEST.sub("", self.references[0][1].base) if self.references else ""

    @property
    def remains(self) -> bool:
        return bool(self.references and self.references[0][1].remains)


def _codes(
    task: Task, rows: Iterable[Standing], consents: Mapping[int, Consent]
) -> list[ShownCode]:
    """The code of the first entrants in the board's order; the rows link to the others' code."""
    shown = [one.submission_id for one in rows if one.submission_id in consents][:CODES]
    first = queries.first_shown(task, [consents[one] for one in shown])
    return [ShownCode.of(consents[one], first[one], task) for one in shown if one in first]


def _entrant_lines(
    task: Task, board: Board, rows: Iterable[Standing], consents: Mapping[int, Consent]
) -> list[EntrantLine]:
    standings = list(rows)
    marks = queries.task_marks(task, standings)
    sums = queries.task_results(task, standings, board.result_metric)
    return [
        EntrantLine(
            one.submission,
            consents.get(one.submission_id),
            marks[one.evaluation_id][:MARKS_SHOWN],
            max(0, len(marks[one.evaluation_id]) - MARKS_SHOWN),
            *sums.get(one.evaluation_id, (0, 0)),
        )
        for one in standings
    ]


def _crumbs(selected: Selected) -> list[Crumb]:
    return [
        Crumb(gettext("Benchmarks"), reverse("benchmarks")),
        Crumb(selected.title, selected.benchmark.get_absolute_url() + selected.query),
        Crumb(gettext("Tasks")),
    ]
