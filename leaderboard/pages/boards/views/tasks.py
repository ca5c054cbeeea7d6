"""The tasks of a benchmark with their solve rates, and each task's page."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext

from evaluation.models import ReferenceVerdict
from evaluation.state.references import newest
from evaluation.state.rights import Rights
from leaderboard.benchmarks.models import Task
from leaderboard.boards import queries
from leaderboard.pages.boards.views.selection import Selected, SelectedPage, select
from leaderboard.pages.boards.words import discrimination_words, reference_words, untranslated_in
from leaderboard.pages.caching import MOST_BYTES
from leaderboard.pages.shared.code import Budget, rule_of
from leaderboard.pages.shared.conversations import has_conversations
from leaderboard.pages.shared.crumbs import Crumb
from leaderboard.pages.shared.drawing import MARKS_SHOWN
from leaderboard.pages.shared.public import Field, fields_in
from leaderboard.pages.shared.record import render_page
from leaderboard.pages.shared.samples import Sample, in_order, with_verdicts
from leaderboard.scores.models import Board, Standing, TaskStatistics
from leaderboard.submissions.models import Consent, Generation, Submission
from leaderboard.text import storable

PAGE = 50
# Size of the answers' texts as HTML: with the frames of 100 answers, less than the cache takes.
ANSWERS_BYTES = MOST_BYTES // 3
_DIGEST = re.compile(r",? ?\bsha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class EntrantLine:
    """`unmarked` counts the verdicts after `marks`; with `consent`, everyone may read the code."""

    submission: Submission
    consent: Consent | None
    marks: Sequence[Mapping[str, str]]
    unmarked: int
    correct: int
    of: int


@dataclass(frozen=True, slots=True)
class ShownAnswers:
    """An entrant's first wrong and first right answer to the task, as far as there is room."""

    rights: Rights
    samples: Sequence[Sample]
    cut: bool


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
    lines = [(task, statistics.get(task.pk)) for task in page]
    rows = queries.standings_page(selected.board, selected.user)
    context = {
        "selected": selected,
        "benchmark": selected.benchmark,
        "crumbs": [*selected.crumbs(), Crumb(gettext("Tasks"))],
        "page": page,
        "lines": lines,
        "discriminates": any(row.discrimination is not None for row in statistics.values()),
        "sort": sort if sort in by_rate else "",
        "untranslated": untranslated_in({"level": levels, "category": categories}),
        "levels": levels,
        "categories": categories,
        "level": level,
        "category": category,
        "settled": rows.filter(place__isnull=False).count(),
    }
    return render(request, "boards/tasks.html", context)


def _tasks(selected: Selected) -> QuerySet[Task]:
    tasks = Task.objects.filter(revision=selected.revision).select_related("exclusion")
    # A mean mark by task could tell a rater what others gave.
    return queries.with_solve_rates(tasks, None if selected.scales else selected.board)


def task(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    selected = select(request, slug)
    task = get_object_or_404(_tasks(selected).select_related("exclusion"), number=number)
    fields = fields_in(task.public)
    address = reverse("tasks", args=[slug]) + selected.query
    rows = queries.standings_page(None if selected.scales else selected.board, selected.user)
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    consents = queries.consents_of(page, selected.user)
    near = Task.objects.filter(revision=selected.revision, number__in=[number - 1, number + 1])
    numbers = set(near.order_by().values_list("number", flat=True))
    statistics = queries.statistics_of([task], selected.board).get(task.pk)
    discrimination = statistics.discrimination if statistics else None
    # In the image used last.
    references = [*newest(ReferenceVerdict.objects.filter(task=task)).get(task.pk, {}).values()]
    unsound = [row.part for row in references if row.unsound]
    record = TaskPage(
        selected=selected,
        task=task,
        crumbs=[*selected.crumbs(), Crumb(gettext("Tasks"), address), Crumb(task.external_id)],
        fields=[field for field in fields if field.kind != "fact"],
        facts=[field for field in fields if field.kind == "fact" and field.value != task.title],
        statistics=statistics,
        discrimination_words=(
            "" if discrimination is None else discrimination_words(discrimination)
        ),
        page=page,
        lines=_entrant_lines(task, selected.board, page, consents) if selected.board else [],
        answers=_answers(task, page, consents),
        rule=rule_of(selected.benchmark),
        references=[(reference_words(row.name), row) for row in references],
        unsound="" in unsound,
        unsound_parts=list(filter(None, unsound)),
        base=_DIGEST.sub("", references[0].base) if references else "",
        remains=bool(references and references[0].remains),
        conversing=has_conversations(selected.setting),
        untranslated=untranslated_in({"level": [task.level], "category": [task.category]}),
        before=number - 1 if number - 1 in numbers else None,
        after=number + 1 if number + 1 in numbers else None,
    )
    return render_page(request, "boards/task.html", record)


@dataclass(frozen=True)
class TaskPage(SelectedPage):
    """`references` are verdicts on the benchmark's own programs, and `base` is their image without
    its digest. Only the admin shows digests, and reasons, which may quote hidden content."""

    task: Task
    crumbs: list[Crumb]
    fields: list[Field]
    facts: list[Field]
    statistics: TaskStatistics | None
    discrimination_words: str
    page: Page[Standing]
    lines: list[EntrantLine]
    answers: list[ShownAnswers]
    rule: str
    references: list[tuple[str, ReferenceVerdict]]
    unsound: bool
    unsound_parts: list[str]
    base: str
    remains: bool
    conversing: bool
    untranslated: bool
    before: int | None
    after: int | None


def _answers(
    task: Task, rows: Iterable[Standing], consents: Mapping[int, Consent]
) -> list[ShownAnswers]:
    """In the board's order."""
    answers, budget = [], Budget(ANSWERS_BYTES)
    standings = [row for row in rows if row.submission_id in consents]
    keys = queries.shown_answers(task, standings, consents)
    rights = {key: Rights.of_everyone(consent) for key, consent in consents.items()}
    generations: dict[int, list[Generation]] = {row.submission_id: [] for row in standings}
    if keys:
        evaluations = [row.evaluation_id for row in standings]
        shown = in_order(Generation.objects.filter(pk__in=keys))
        for row in with_verdicts(shown, evaluations, next(iter(rights.values()))):
            generations[row.submission_id].append(row)
    for key, texts in generations.items():
        right, submission = rights[key], consents[key].submission
        samples = [
            Sample.of(row, submission, task, right, budget=budget)
            for row in texts
            if budget.size > 0
        ]
        answers += [ShownAnswers(right, samples, len(samples) < len(texts))] if texts else []
    return answers


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
