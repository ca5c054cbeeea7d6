"""Comparison of two to four entrants of a board: are they different, where, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_safe

from evaluation.engine.metrics.differences import Comparison
from evaluation.engine.metrics.paired import LEVEL
from leaderboard.benchmarks.models import Benchmark, Task
from leaderboard.boards import comparing, queries
from leaderboard.boards.arranging import slices_of
from leaderboard.boards.facts import chance_above
from leaderboard.boards.rows import Row, rows_without_scores
from leaderboard.boards.scores import WHOLE, ScoresByEvaluation, ShownScore, Slice, in_metric_order
from leaderboard.pages.boards import compare_sentences, sentences, words
from leaderboard.pages.boards.chances import chance_text
from leaderboard.pages.boards.compare_sentences import Pair
from leaderboard.pages.boards.docs import doc_url
from leaderboard.pages.boards.menus import Choice, Menu
from leaderboard.pages.boards.views.selection import Selected, reader, select
from leaderboard.pages.shared.crumbs import Crumb
from leaderboard.pages.shared.drawing import Axis, interval_axis, unit_of
from leaderboard.pages.shared.mark_words import MARK_WORDS, mark_kind
from leaderboard.pages.shared.record import render_page
from leaderboard.scores.models import Board

MOST = 4
# Rows of a comparison without a choice: the leader and its closest rivals.
_RIVALS = 3
# Slices with more values than this have a menu, but no bars.
_MOST_BARS = 30
# Links to tasks that are shown at once.
_MOST_TASKS = 40


@dataclass(frozen=True, slots=True)
class Offer:
    """A board with the leader and its closest rivals."""

    title: str
    setting: str
    names: Sequence[str]
    url: str
    answer: str


@dataclass(frozen=True, slots=True)
class Bars:
    """A slice's value with each entrant's score; the first line is the first entrant's."""

    title: str
    lines: Sequence[tuple[Row, ShownScore | None, str]]


@dataclass(frozen=True, slots=True)
class OnlyOne:
    entry: Row
    tasks: Sequence[tuple[int, str]]

    @property
    def first(self) -> Sequence[tuple[int, str]]:
        return self.tasks[:_MOST_TASKS]

    @property
    def rest(self) -> Sequence[tuple[int, str]]:
        return self.tasks[_MOST_TASKS:]


@dataclass(frozen=True, slots=True)
class OnlyOnes:
    """The tasks that `only` one solves, and the numbers of tasks that all, none, or any do."""

    only: Sequence[OnlyOne]
    every: int
    none: int
    tasks: int


# By kind of verdict: its words, and the count and the share of each entrant's generations.
Verdicts: TypeAlias = list[tuple[str, str | Promise, list[tuple[int, float]]]]


@dataclass
class Chosen:
    """The entrants, the slice and the breakdown of the address, on a selected board."""

    selected: Selected
    asked: Sequence[str]
    slice: Slice
    by: str

    @cached_property
    def all(self) -> list[Row]:
        board = self.selected.board
        if board is None:
            return []
        return rows_without_scores([board.pk], self.selected.user)[board.pk]

    @cached_property
    def entries(self) -> list[Row]:
        """The chosen entries in the board's order; without a choice, the leader and its closest
        rivals."""
        if not self.asked:
            return [one for one in self.all if one.place is not None][:_RIVALS]
        return [one for one in self.all if one.entrant.slug in self.asked][:MOST]

    @cached_property
    def values(self) -> ScoresByEvaluation:
        return comparing.all_scores(self.entries)

    def value(self, entry: Row, metric: str, part: Slice | None = None) -> ShownScore | None:
        return self.values.get(entry.evaluation, {}).get((metric, *(part or self.slice)))

    @cached_property
    def codes(self) -> Mapping[int | None, set[int]]:
        """As `comparing.readable`; empty where results by task are not shown."""
        if self.selected.scales:
            return {}
        return comparing.readable(self.entries, self.selected.user)

    def readable(self, number: int | None = None) -> list[Row]:
        """The entrants whose code of the task (None: of every task) the reader may see."""
        seen = self.codes.get(None, set()) | self.codes.get(number, set())
        return [one for one in self.entries if one.submission in seen]

    @cached_property
    def slices(self) -> dict[str, list[str]]:
        """The values of each slice of the board's metric that any of the entrants has. Empty if
        people rate: a test on a part would not know who rated whom."""
        if self.selected.scales:
            return {}
        return slices_of(self.selected.metric, self.values.values())

    @property
    def whole(self) -> bool:
        return self.slice == WHOLE

    @property
    def part(self) -> str:
        return "" if self.whole else words.slice_value(*self.slice)

    @cached_property
    def metrics(self) -> list[str]:
        """The metrics with a value, the board's metric first; on rated boards the scales."""
        found = {
            metric
            for values in self.values.values()
            for (metric, name, _value), score in values.items()
            if (name, _value) == self.slice and score.value is not None
        }
        rest = in_metric_order(found - {self.selected.metric})
        return [self.selected.metric, *rest]

    def query(self, **changes: object) -> str:
        """The query of this comparison with these changes, including the "?"."""
        name, value = ("", "") if self.whole else self.slice
        kept = dict(self.selected.filters.kept)
        known = {
            **kept,
            "entrant": [one.entrant.slug for one in self.entries],
            "slice": name,
            "value": value,
            "by": self.by,
        } | changes
        return "?" + urlencode([(key, one) for key, one in known.items() if one], doseq=True)


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    user = reader(request)
    every = queries.current_boards(queries.benchmark_list(user), tests=True)
    boards = list(filter(queries.ranks_by_own_metric, every))
    entries = rows_without_scores([board.pk for board in boards], user)
    offers = [
        _offer(board, ranked[:_RIVALS])
        for board in boards
        if len(ranked := [one for one in entries.get(board.pk, ()) if one.place is not None]) > 1
    ]
    return render(request, "boards/compare_index.html", {"offers": offers})


def _offer(board: Board, entries: Sequence[Row]) -> Offer:
    benchmark = board.revision.benchmark
    query = urlencode(
        {"setting": board.setting, "entrant": [one.entrant.slug for one in entries]}, doseq=True
    )
    return Offer(
        benchmark.title,
        words.setting_title(board.setting),
        [one.entrant.name for one in entries],
        f"{reverse('compare-board', args=[benchmark.slug])}?{query}",
        _offered_answer(comparing.board_p(board, entries[0], entries[1])),
    )


def _offered_answer(p: float | None) -> str:
    if p is None:
        return ""
    if p <= LEVEL:
        return gettext("the first two differ by more than chance would explain")
    return gettext("the first two cannot be distinguished from chance")


@require_safe
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    chosen = chosen_in(request, slug)
    found = _comparison(chosen)
    pairs = list(_pairs(chosen, found)) if found else []
    answer = _answer(chosen, found, pairs) if found and pairs else None
    page = ComparePage(chosen, found, pairs, answer, _problem(chosen), _only_ones(chosen))
    return render_page(request, "boards/compare.html", page)


@dataclass(frozen=True)
class ComparePage:
    """`pairs` are those of the `comparison`; `problem` says why the page does not show exactly what
    the address asks for."""

    chosen: Chosen
    comparison: Comparison | None
    pairs: list[Pair]
    answer: sentences.Answer | None
    problem: str
    by_task: OnlyOnes | None

    @property
    def selected(self) -> Selected:
        return self.chosen.selected

    @property
    def benchmark(self) -> Benchmark:
        return self.selected.benchmark

    @property
    def entries(self) -> list[Row]:
        return self.chosen.entries

    @property
    def top(self) -> int | None:
        return self.selected.top

    @property
    def crumbs(self) -> list[Crumb]:
        board = self.benchmark.get_absolute_url() + self.selected.query
        return [Crumb(gettext("Compare"), reverse("compare")), Crumb(self.selected.title, board)]

    @property
    def title(self) -> str:
        if len(self.entries) < 2:
            return gettext("Compare entrants")
        *names, last = (row.entrant.name for row in self.entries)
        return gettext("%(names)s and %(last)s") % {"names": ", ".join(names), "last": last}

    @property
    def needed(self) -> str:
        """The heading of the sample size needed; "" if people judge, because the number would
        depend on how the raters differ."""
        board = self.selected.board
        if board is None or self.top is not None:
            return ""
        headings = {
            "repository": gettext("repositories needed"),
            "project": gettext("projects needed"),
        }
        return headings.get(board.facts.get("cluster", ""), gettext("tasks needed"))

    @property
    def raters_differ(self) -> bool:
        return self.comparison is not None and any(
            pair.raters_differ for pair in self.comparison.pairs
        )

    @property
    def chances(self) -> bool:
        return any(pair.chance for pair in self.pairs)

    @property
    def axis(self) -> Axis:
        return interval_axis(self.pairs, unit_of(self.top))

    @property
    def metrics(self) -> list[tuple[str, list[ShownScore | None]]]:
        chosen = self.chosen
        return [(name, [chosen.value(e, name) for e in self.entries]) for name in chosen.metrics]

    @cached_property
    def verdicts(self) -> Verdicts:
        return [] if self.selected.scales else _verdicts(self.chosen)

    @property
    def bars(self) -> list[Bars]:
        return list(_bars(self.chosen))

    @property
    def kinds(self) -> list[Choice]:
        return [
            Choice(
                words.slice_words(name, values).heading,
                self.chosen.query(by=name),
                name == _kind(self.chosen),
            )
            for name, values in self.chosen.slices.items()
            if len(values) <= _MOST_BARS
        ]

    @property
    def untranslated(self) -> bool:
        return words.untranslated_in(self.chosen.slices)

    @cached_property
    def menus(self) -> list[Menu]:
        return _menus(self.chosen)

    @property
    def how(self) -> str:
        return doc_url("metrics")

    @property
    def tabs(self) -> list[Choice]:
        return [
            Choice(
                words.setting_title(setting),
                self.chosen.query(setting=setting, slice="", value="", by=""),
                setting == self.selected.setting,
            )
            for setting in queries.settings_of(self.benchmark)
        ]

    @property
    def whole_query(self) -> str:
        return self.chosen.query(slice="", value="")

    @property
    def codes(self) -> str:
        """The query of the pages of code; "" if the reader may not see every task's."""
        readable = len(self.chosen.readable()) > 1
        return self.chosen.query(slice="", value="", by="") if readable else ""

    @cached_property
    def shown_codes(self) -> list[tuple[str, str]]:
        return _shown_codes(self.chosen)

    @property
    def selection_query(self) -> str:
        return self.selected.query


def chosen_in(request: HttpRequest, slug: str) -> Chosen:
    selected = select(request, slug)
    asked = list(dict.fromkeys(one for one in request.GET.getlist("entrant") if one))
    part = request.GET.get("slice", ""), request.GET.get("value", "")
    chosen = Chosen(selected, asked, WHOLE, request.GET.get("by", ""))
    if part[1] in chosen.slices.get(part[0], []):
        chosen.slice = part
    return chosen


def _problem(chosen: Chosen) -> str:
    """Why the page does not show exactly what the address asks for, and what to do."""
    known = {one.entrant.slug for one in chosen.all}
    missing = [slug for slug in chosen.asked if slug not in known]
    if missing:
        text = gettext("These entrants have no published result on this board: %(names)s.")
        return text % {"names": ", ".join(missing)}
    if len(chosen.asked) > MOST:
        text = ngettext(
            "You chose %(number)s entrant. The page compares the first four of them; choose two "
            "to four.",
            "You chose %(number)s entrants. The page compares the first four of them; choose two "
            "to four.",
            len(chosen.asked),
        )
        return text % {"number": len(chosen.asked)}
    if chosen.asked and len(chosen.entries) == 1:
        return gettext("You chose one entrant. Choose one to three others below.")
    return ""


def _comparison(chosen: Chosen) -> Comparison | None:
    board = chosen.selected.board
    if board is None:
        return None
    return comparing.comparison_of(board, chosen.entries, chosen.slice, lower=_lower(chosen))


def _lower(chosen: Chosen) -> bool:
    """Whether less of the board's metric is better."""
    found = (chosen.value(one, chosen.selected.metric, WHOLE) for one in chosen.entries)
    return any(value.lower_is_better for value in found if value)


def _pairs(chosen: Chosen, found: Comparison) -> Iterator[Pair]:
    board, top = chosen.selected.board, chosen.selected.top
    assert board is not None
    entries = {one.evaluation: one for one in chosen.entries}
    for pair in found.pairs:
        first, second = entries[int(pair.first)], entries[int(pair.second)]
        adjusted = comparing.board_p(board, first, second) if chosen.whole else pair.adjusted
        sign, span = -1 if pair.value < 0 else 1, 1 if top is None else top - 1
        ends = [one * sign * span for one in (pair.low, pair.high) if one is not None]
        better, worse = (first, second)[::sign]
        yield Pair(
            better=better.entrant.name,
            worse=worse.entrant.name,
            value=abs(pair.value) * span,
            low=min(ends, default=None),
            high=max(ends, default=None),
            own_p=pair.p,
            p=adjusted,
            top=top,
            needed=pair.needed,
            chance=_chance(chosen, better, worse),
        )


def _chance(chosen: Chosen, better: Row, worse: Row) -> str:
    """The chance in words. Boards have chances only as a whole, so "" for a part."""
    board = chosen.selected.board
    if board is None or not chosen.whole:
        return ""
    return chance_text(chance_above(board, _ranked(chosen), better.place, worse.place))


def _ranked(chosen: Chosen) -> int:
    return sum(one.place is not None for one in chosen.all)


def _answer(chosen: Chosen, found: Comparison, pairs: Sequence[Pair]) -> sentences.Answer:
    board = chosen.selected.board
    settled = sum(one.place is not None for one in chosen.entries)
    return compare_sentences.answer(
        pairs,
        part=chosen.part,
        entrants=_ranked(chosen) if chosen.whole else settled,
        tasks=found.tasks,
        clusters=found.clusters,
        cluster=board.facts.get("cluster", "task") if board else "task",
    )


def _only_ones(chosen: Chosen) -> OnlyOnes | None:
    """None if results by task are not public or not passes."""
    selected = chosen.selected
    if selected.board is None or selected.scales or len(chosen.entries) < 2:
        return None
    found = comparing.by_task(selected.board, chosen.entries, chosen.slice)
    if found is None:
        return None
    only = [OnlyOne(one, found.only[one.evaluation]) for one in chosen.entries]
    return OnlyOnes(only, found.every, found.none, found.tasks)


def _verdicts(chosen: Chosen) -> Verdicts:
    """By kind of verdict that occurs: the count and the share of each entrant's generations."""
    counts = comparing.verdicts_of(chosen.entries, chosen.slice)
    own: list[Counter[str]] = []
    for entry in chosen.entries:
        kinds: Counter[str] = Counter()
        for (status, integrity), number in counts.get(entry.evaluation, {}).items():
            kinds[mark_kind(status, integrity)] += number
        own.append(kinds)
    totals = [each.total() for each in own]
    return [
        (
            kind,
            text,
            [
                (each.get(kind, 0), each.get(kind, 0) / total if total else 0.0)
                for each, total in zip(own, totals, strict=True)
            ],
        )
        for kind, text in MARK_WORDS.items()
        if any(each.get(kind) for each in own)
    ]


def _kind(chosen: Chosen) -> str:
    """The name of the slice that the bars show."""
    fitting = [name for name, values in chosen.slices.items() if len(values) <= _MOST_BARS]
    return chosen.by if chosen.by in fitting else next(iter(fitting), "")


def _bars(chosen: Chosen) -> Iterator[Bars]:
    kind = _kind(chosen)
    for value in chosen.slices.get(kind, []):
        scores = [chosen.value(e, chosen.selected.metric, (kind, value)) for e in chosen.entries]
        widths = [_width(one) for one in scores]
        lines = list(zip(chosen.entries, scores, widths, strict=True))
        yield Bars(words.slice_value(kind, value), lines)


def _width(score: ShownScore | None) -> str:
    share = score.value if score and score.value is not None else 0.0
    return f"{min(1.0, max(0.0, share)) * 100:.1f}%"


def _menus(chosen: Chosen) -> list[Menu]:
    """Links to the same entrants on other boards and slices."""
    selected = chosen.selected
    current = selected.benchmark.pk
    bare = urlencode({"entrant": [one.entrant.slug for one in chosen.entries]}, doseq=True)
    benchmarks = [
        Choice(title, f"{reverse('compare-board', args=[slug])}?{bare}", pk == current)
        for pk, slug, title in queries.benchmark_list(selected.user).values_list(
            "pk", "slug", "title"
        )
    ]
    menus = [Menu(gettext("Benchmark"), selected.benchmark.title, False, tuple(benchmarks))]
    for name, values in chosen.slices.items():
        active = chosen.slice[0] == name
        choices = [Choice(gettext("any"), chosen.query(slice="", value=""), not active)]
        choices += [
            Choice(
                words.slice_value(name, value),
                chosen.query(slice=name, value=value),
                chosen.slice == (name, value),
            )
            for value in values
        ]
        title = words.slice_words(name, values).title
        menus.append(Menu(title, chosen.part if active else gettext("any"), active, tuple(choices)))
    return menus


def _shown_codes(chosen: Chosen) -> list[tuple[str, str]]:
    """Names and addresses of the tasks on which the reader may compare code; empty if the reader
    may do so on every task."""
    if len(chosen.readable()) > 1:
        return []
    numbers = [one for one in chosen.codes if one is not None and len(chosen.readable(one)) > 1]
    tasks = Task.objects.filter(revision=chosen.selected.revision, number__in=numbers)
    query = chosen.query(slice="", value="", by="")
    return [
        (name, reverse("compare-codes", args=[chosen.selected.benchmark.slug, number]) + query)
        for number, name in tasks.order_by("number").values_list("number", "external_id")
    ]
