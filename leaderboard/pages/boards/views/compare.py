"""Comparison of two to four entrants of a board: are they different, where, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_safe

from evaluation.engine.metrics.differences import Comparison
from evaluation.engine.metrics.paired import LEVEL
from leaderboard.benchmarks.models import Task
from leaderboard.pages.boards import compare_sentences, comparing, queries, sentences, words
from leaderboard.pages.boards.arranging import slices_of
from leaderboard.pages.boards.chances import chance_above, chance_text
from leaderboard.pages.boards.compare_sentences import Pair
from leaderboard.pages.boards.comparing import Entry, Value
from leaderboard.pages.boards.docs import doc_url
from leaderboard.pages.boards.filters import Choice, Menu
from leaderboard.pages.boards.queries import WHOLE, Slice
from leaderboard.pages.boards.rows import in_metric_order
from leaderboard.pages.boards.views.selection import Selection, reader, select
from leaderboard.pages.shared.crumbs import Crumb
from leaderboard.pages.shared.drawing import interval_axis, unit_of
from leaderboard.pages.shared.mark_words import MARK_WORDS
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
    lines: Sequence[tuple[Entry, Value | None, str]]


@dataclass(frozen=True, slots=True)
class OnlyOne:
    entry: Entry
    tasks: Sequence[tuple[int, str]]

    @property
    def first(self) -> Sequence[tuple[int, str]]:
        return self.tasks[:_MOST_TASKS]

    @property
    def rest(self) -> Sequence[tuple[int, str]]:
        return self.tasks[_MOST_TASKS:]


@dataclass
class Chosen:
    """The entrants, the slice and the breakdown of the address, on a selected board."""

    selected: Selection
    asked: Sequence[str]
    slice: Slice
    by: str

    @cached_property
    def all(self) -> list[Entry]:
        board = self.selected.board
        if board is None:
            return []
        return comparing.entries_of([board.pk], self.selected.user)[board.pk]

    @cached_property
    def entries(self) -> list[Entry]:
        """The chosen entries in the board's order; without a choice, the leader and its closest
        rivals."""
        if not self.asked:
            return [one for one in self.all if one.place is not None][:_RIVALS]
        return [one for one in self.all if one.slug in self.asked][:MOST]

    @cached_property
    def values(self) -> comparing.Values:
        return comparing.values_of(self.entries)

    def value(self, entry: Entry, metric: str, part: Slice | None = None) -> Value | None:
        return self.values.get(entry.evaluation, {}).get((metric, *(part or self.slice)))

    @cached_property
    def codes(self) -> Mapping[int | None, set[int]]:
        """As `comparing.readable`; empty where results by task are not shown."""
        if self.selected.scales:
            return {}
        return comparing.readable(self.entries, self.selected.user)

    def readable(self, number: int | None = None) -> list[Entry]:
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
            "entrant": [one.slug for one in self.entries],
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
    entries = comparing.entries_of([board.pk for board in boards], user)
    offers = [
        _offer(board, ranked[:_RIVALS])
        for board in boards
        if len(ranked := [one for one in entries[board.pk] if one.place is not None]) > 1
    ]
    return render(request, "boards/compare_index.html", {"offers": offers})


def _offer(board: Board, entries: Sequence[Entry]) -> Offer:
    benchmark = board.revision.benchmark
    query = urlencode(
        {"setting": board.setting, "entrant": [one.slug for one in entries]}, doseq=True
    )
    return Offer(
        benchmark.title,
        words.setting_title(board.setting),
        [one.name for one in entries],
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
    selected, entries = chosen.selected, chosen.entries
    found = _comparison(chosen)
    pairs = list(_pairs(chosen, found)) if found else []
    context = {
        "chosen": chosen,
        "selected": selected,
        "benchmark": selected.benchmark,
        "crumbs": _crumbs(chosen),
        "title": _title(entries),
        "problem": _problem(chosen),
        "entries": entries,
        "answer": _answer(chosen, found, pairs) if found and pairs else None,
        "pairs": pairs,
        "needed": _needed_heading(chosen),
        "raters_differ": any(pair.raters_differ for pair in found.pairs) if found else False,
        "chances": any(pair.chance for pair in pairs),
        "axis": interval_axis(pairs, unit_of(selected.top)),
        "metrics": [
            (metric, [chosen.value(e, metric) for e in entries]) for metric in chosen.metrics
        ],
        "top": selected.top,
        "by_task": _only_ones(chosen),
        "verdicts": [] if selected.scales else _verdicts(chosen),
        "bars": list(_bars(chosen)),
        "kinds": _kinds(chosen),
        "untranslated": words.untranslated_in(chosen.slices),
        "menus": _menus(chosen),
        "how": doc_url("metrics"),
        "tabs": _tabs(chosen),
        "whole_query": chosen.query(slice="", value=""),
        "codes": chosen.query(slice="", value="", by="") if len(chosen.readable()) > 1 else "",
        "shown_codes": _shown_codes(chosen),
        "selection_query": selected.query,
    }
    return render(request, "boards/compare.html", context)


def chosen_in(request: HttpRequest, slug: str) -> Chosen:
    selected = select(request, slug)
    asked = list(dict.fromkeys(one for one in request.GET.getlist("entrant") if one))
    part = request.GET.get("slice", ""), request.GET.get("value", "")
    chosen = Chosen(selected, asked, WHOLE, request.GET.get("by", ""))
    if part[1] in chosen.slices.get(part[0], []):
        chosen.slice = part
    return chosen


def _title(entries: Sequence[Entry]) -> str:
    if len(entries) < 2:
        return gettext("Compare entrants")
    *names, last = (one.name for one in entries)
    return gettext("%(names)s and %(last)s") % {"names": ", ".join(names), "last": last}


def _problem(chosen: Chosen) -> str:
    """Why the page does not show exactly what the address asks for, and what to do."""
    known = {one.slug for one in chosen.all}
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
            better=better.name,
            worse=worse.name,
            value=abs(pair.value) * span,
            low=min(ends, default=None),
            high=max(ends, default=None),
            own_p=pair.p,
            p=adjusted,
            top=top,
            needed=pair.needed,
            chance=_chance(chosen, better, worse),
        )


def _chance(chosen: Chosen, better: Entry, worse: Entry) -> str:
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


def _needed_heading(chosen: Chosen) -> str:
    """The heading of the sample size needed; "" if people judge, because the number would depend on
    how the raters differ."""
    board = chosen.selected.board
    if board is None or chosen.selected.top is not None:
        return ""
    headings = {
        "repository": gettext("repositories needed"),
        "project": gettext("projects needed"),
    }
    return headings.get(board.facts.get("cluster", ""), gettext("tasks needed"))


def _only_ones(chosen: Chosen) -> dict[str, object] | None:
    """None if results by task are not public or not passes."""
    selected = chosen.selected
    if selected.board is None or selected.scales or len(chosen.entries) < 2:
        return None
    found = comparing.by_task(selected.board, chosen.entries, chosen.slice)
    if found is None:
        return None
    only = [OnlyOne(one, found.only[one.evaluation]) for one in chosen.entries]
    return {"only": only, "every": found.every, "none": found.none, "tasks": found.tasks}


def _verdicts(chosen: Chosen) -> list[tuple[str, str | Promise, list[tuple[int, float]]]]:
    """By kind of verdict that occurs: the count and the share of each entrant's generations."""
    counts = comparing.verdicts_of(chosen.entries, chosen.slice)
    own: list[Mapping[str, int]] = [counts.get(one.evaluation, {}) for one in chosen.entries]
    totals = [sum(each.values()) for each in own]
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


def _width(score: Value | None) -> str:
    share = score.value if score and score.value is not None else 0.0
    return f"{min(1.0, max(0.0, share)) * 100:.1f}%"


def _kinds(chosen: Chosen) -> list[Choice]:
    return [
        Choice(words.slice_name(name, values), chosen.query(by=name), name == _kind(chosen))
        for name, values in chosen.slices.items()
        if len(values) <= _MOST_BARS
    ]


def _menus(chosen: Chosen) -> list[Menu]:
    """Links to the same entrants on other boards and slices."""
    selected = chosen.selected
    current = selected.benchmark.pk
    bare = urlencode({"entrant": [one.slug for one in chosen.entries]}, doseq=True)
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
        title = words.slice_title(name, values)
        menus.append(Menu(title, chosen.part if active else gettext("any"), active, tuple(choices)))
    return menus


def _tabs(chosen: Chosen) -> list[Choice]:
    return [
        Choice(
            words.setting_title(setting),
            chosen.query(setting=setting, slice="", value="", by=""),
            setting == chosen.selected.setting,
        )
        for setting in queries.settings_of(chosen.selected.benchmark)
    ]


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


def _crumbs(chosen: Chosen) -> list[Crumb]:
    selected = chosen.selected
    board = selected.benchmark.get_absolute_url() + selected.query
    return [Crumb(gettext("Compare"), reverse("compare")), Crumb(selected.title, board)]
