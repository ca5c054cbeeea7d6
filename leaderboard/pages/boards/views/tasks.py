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
from leaderboard.benchmarks.models import Task, TaskExclusion
from leaderboard.boards import queries
from leaderboard.pages.boards.views.selection import Selected, SelectedPage, select
from leaderboard.pages.boards.words import discrimination_words, reference_words, untranslated_in
from leaderboard.pages.shared.code import TEXT_SHOWN, code_lines, judged_part
from leaderboard.pages.shared.conversations.reading import has_conversations
from leaderboard.pages.shared.crumbs import Crumb
from leaderboard.pages.shared.drawing import MARKS_SHOWN
from leaderboard.pages.shared.public import Field, fields_in, task_title
from leaderboard.pages.shared.record import render_page
from leaderboard.scores.models import Board, Standing, TaskStatistics
from leaderboard.submissions.models import Consent, Submission
from leaderboard.text import storable

PAGE = 50
# Maximum entrants whose code a task's page shows.
CODES = 5
_DIGEST = re.compile(r",? ?\bsha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class TaskLine:
    task: Task
    statistics: TaskStatistics | None

    @property
    def title(self) -> str:
        return task_title(self.task)

    @property
    def solve_rate(self) -> float | None:
        return getattr(self.task, "solve_rate", None)

    @property
    def left_out(self) -> bool:
        return hasattr(self.task, "exclusion")


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


@require_safe
def tasks(request: HttpRequest, slug: str) -> HttpResponse:
    selected = select(request, slug)
    sort = request.GET.get("sort", "")
    by_rate = {
        "hardest": F("solve_rate").asc(nulls_last=True),
        "easiest": F("solve_rate").desc(nulls_last=True),
    }
    level, category = (storable(request.GET.get(name, "")) for name in ("level", "category"))
    chosen = {"level": level, "category": category}
    matching = _tasks(selected).filter(**{name: value for name, value in chosen.items() if value})
    in_order = matching.order_by(*([by_rate[sort]] if sort in by_rate else []), "number")
    page = Paginator(in_order, PAGE).get_page(request.GET.get("page"))
    statistics = queries.statistics_of(page, selected.board)
    levels, categories = queries.levels_of(selected.revision)
    lines = [TaskLine(task, statistics.get(task.pk)) for task in page]
    context = {
        "selected": selected,
        "benchmark": selected.benchmark,
        "crumbs": _crumbs(selected),
        "page": page,
        "lines": lines,
        "discriminates": any(row.discrimination is not None for row in statistics.values()),
        "sort": sort if sort in by_rate else "",
        "untranslated": untranslated_in({"level": levels, "category": categories}),
        "levels": levels,
        "categories": categories,
        "level": level,
        "category": category,
        "settled": queries.settled_count(selected.board, selected.user),
        "selection_query": selected.query,
    }
    return render(request, "boards/tasks.html", context)


def _tasks(selected: Selected) -> QuerySet[Task]:
    tasks = Task.objects.filter(revision=selected.revision).select_related("exclusion")
    # A mean mark by task could tell a rater what others gave.
    return queries.with_solve_rates(tasks, None if selected.scales else selected.board)


@require_safe
def task(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    selected = select(request, slug)
    task = get_object_or_404(_tasks(selected).select_related("exclusion", "shown"), number=number)
    fields, title = fields_in(task.public), task_title(task)
    *way, last = _crumbs(selected)
    address = reverse("tasks", args=[slug]) + selected.query
    rows = queries.standings_page(None if selected.scales else selected.board, selected.user)
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    consents = queries.consents_to(task, page, selected.user)
    near = Task.objects.filter(revision=selected.revision, number__in=[number - 1, number + 1])
    numbers = set(near.values_list("number", flat=True))
    record = TaskPage(
        selected=selected,
        task=task,
        title=title,
        crumbs=[*way, Crumb(last.text, address), Crumb(task.external_id)],
        fields=[field for field in fields if field.kind != "fact"],
        facts=[field for field in fields if field.kind == "fact" and field.value != title],
        statistics=queries.statistics_of([task], selected.board).get(task.pk),
        page=page,
        lines=_entrant_lines(task, selected.board, page, consents) if selected.board else [],
        codes=_codes(task, page, consents),
        references=[(reference_words(row.name), row) for row in queries.references_of(task)],
        before=number - 1 if number - 1 in numbers else None,
        after=number + 1 if number + 1 in numbers else None,
    )
    return render_page(request, "boards/task.html", record)


@dataclass(frozen=True)
class TaskPage(SelectedPage):
    """`references` are verdicts on the benchmark's own programs. Only the admin shows reasons: they
    may quote hidden content."""

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
    def untranslated(self) -> bool:
        return untranslated_in({"level": [self.task.level], "category": [self.task.category]})

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
    shown = [row.submission_id for row in rows if row.submission_id in consents][:CODES]
    first = queries.first_shown(task, [consents[submission] for submission in shown])
    codes = []
    for submission in filter(first.get, shown):
        consent = consents[submission]
        code = judged_part(first[submission], task, consent.submission)
        codes.append(ShownCode(consent, code_lines(code, task), len(code) > TEXT_SHOWN))
    return codes


def _entrant_lines(
    task: Task, board: Board, rows: Iterable[Standing], consents: Mapping[int, Consent]
) -> list[EntrantLine]:
    standings = list(rows)
    marks = queries.task_marks(task, standings)
    sums = queries.task_results(task, standings, board.result_metric)
    return [
        EntrantLine(
            row.submission,
            consents.get(row.submission_id),
            marks[row.evaluation_id][:MARKS_SHOWN],
            max(0, len(marks[row.evaluation_id]) - MARKS_SHOWN),
            *sums.get(row.evaluation_id, (0, 0)),
        )
        for row in standings
    ]


def _crumbs(selected: Selected) -> list[Crumb]:
    return [
        Crumb(gettext("Benchmarks"), reverse("benchmarks")),
        Crumb(selected.title, selected.benchmark.get_absolute_url() + selected.query),
        Crumb(gettext("Tasks")),
    ]
