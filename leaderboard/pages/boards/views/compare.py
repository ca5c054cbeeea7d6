"""Comparison of two to four entrants of a board: are they different, where, and why."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext

from evaluation.engine.metrics.differences import Comparison
from evaluation.engine.metrics.paired import LEVEL
from leaderboard.boards import comparing, queries
from leaderboard.boards.comparing import ByTask
from leaderboard.boards.rows import Row, rows_without_scores
from leaderboard.boards.scores import (
    WHOLE,
    ScoresByEvaluation,
    ShownScore,
    Slice,
    in_metric_order,
    slices_of,
)
from leaderboard.pages.boards import compare_sentences, sentences, words
from leaderboard.pages.boards.compare_sentences import Pair
from leaderboard.pages.boards.menus import Choice, Menu, part_menus
from leaderboard.pages.boards.profiles import bar_width
from leaderboard.pages.boards.views.selection import SelectedPage, select
from leaderboard.pages.shared.crumbs import Crumb
from leaderboard.pages.shared.drawing import Axis, interval_axis, unit_of
from leaderboard.pages.shared.mark_words import MARK_WORDS, mark_kind
from leaderboard.pages.shared.record import render_page

MOST = 4
# Rows of a comparison without a choice: the leader and its closest rivals.
_RIVALS = 3
# Slices with more values than this have a menu, but no bars.
_MOST_BARS = 30


@dataclass(frozen=True, slots=True)
class Offer:
    """A board, its address, and the leader with its closest rivals."""

    title: str
    board: str
    setting: str
    names: Sequence[str]
    url: str
    answer: str


def index(request: HttpRequest) -> HttpResponse:
    user = request.user
    every = queries.current_boards(queries.benchmark_list(user), tests=True)
    boards = list(filter(queries.ranks_by_own_metric, every))
    # More than are shown: a row that was just withdrawn leaves its place empty.
    rows = rows_without_scores([board.pk for board in boards], user, 2 * _RIVALS)
    offers = []
    for board in boards:
        rivals = rows.get(board.pk, [])[:_RIVALS]
        if len(rivals) < 2:
            continue
        p = comparing.board_p(board, rivals[0], rivals[1])
        answer = ""
        if p is not None:
            answer = gettext("the first two cannot be distinguished from chance")
            if p <= LEVEL:
                answer = gettext("the first two differ by more than chance would explain")
        benchmark, slugs = board.revision.benchmark, [row.entrant.slug for row in rivals]
        query = urlencode({"setting": board.setting, "entrant": slugs}, doseq=True)
        offers.append(
            Offer(
                title=benchmark.title,
                board=f"{benchmark.get_absolute_url()}?{urlencode({'setting': board.setting})}",
                setting=words.setting_title(board.setting),
                names=[row.entrant.shown_name for row in rivals],
                url=f"{reverse('compare-board', args=[benchmark.slug])}?{query}",
                answer=answer,
            )
        )
    return render(request, "boards/compare_index.html", {"offers": offers})


@dataclass(frozen=True)
class ComparePage(SelectedPage):
    """The entrants (`slugs`) and the breakdown (`by`) of the address, on a selected board."""

    slugs: Sequence[str]
    by: str

    # --- What is compared ---

    @cached_property
    def rows(self) -> list[Row]:
        board = self.selected.board
        if board is None:
            return []
        return rows_without_scores([board.pk], self.selected.user)[board.pk]

    @cached_property
    def entries(self) -> list[Row]:
        """The chosen rows in the board's order; without a choice, the leader and its closest
        rivals."""
        if not self.slugs:
            return [row for row in self.rows if row.place is not None][:_RIVALS]
        return [row for row in self.rows if row.entrant.slug in self.slugs][:MOST]

    @cached_property
    def _scores(self) -> ScoresByEvaluation:
        return comparing.all_scores(self.entries)

    def _in_each(self, metric: str, part: Slice) -> list[ShownScore | None]:
        key = (metric, *part)
        return [self._scores.get(row.evaluation, {}).get(key) for row in self.entries]

    @cached_property
    def slices(self) -> dict[str, list[str]]:
        """The values of each slice of the board's metric that any of the entrants has. Empty if
        people rate: a test on a part would not know who rated whom."""
        if self.selected.scales:
            return {}
        return slices_of(self.selected.metric, self._scores.values())

    @cached_property
    def slice(self) -> Slice:
        name, value = self.selected.arrangement("slice"), self.selected.arrangement("value")
        return (name, value) if value in self.slices.get(name, []) else WHOLE

    @property
    def whole(self) -> bool:
        return self.slice == WHOLE

    @property
    def part(self) -> str:
        return "" if self.whole else words.slice_value(*self.slice)

    @property
    def number_of_parts(self) -> int:
        """The values of the slice that is compared; 1 for the whole board."""
        return len(self.slices.get(self.slice[0], [""]))

    @property
    def problem(self) -> str:
        """Why the page does not show exactly what the address asks for, and what to do; else ""."""
        missing = [slug for slug in self.slugs if slug not in {r.entrant.slug for r in self.rows}]
        if missing:
            text = gettext("These entrants have no published result on this board: %(names)s.")
            return text % {"names": ", ".join(missing)}
        if len(self.slugs) > MOST:
            text = ngettext(
                "You chose %(number)s entrant. The page compares the first four of them; choose "
                "two to four.",
                "You chose %(number)s entrants. The page compares the first four of them; choose "
                "two to four.",
                len(self.slugs),
            )
            return text % {"number": len(self.slugs)}
        if self.slugs and len(self.entries) == 1:
            return gettext("You chose one entrant. Choose one to three others below.")
        return ""

    # --- Whether they differ ---

    @cached_property
    def _comparison(self) -> Comparison | None:
        if self.selected.board is None:
            return None
        scores = self._in_each(self.selected.metric, WHOLE)
        lower = any(score.lower_is_better for score in scores if score)
        return comparing.comparison_of(self.selected.board, self.entries, self.slice, lower=lower)

    @cached_property
    def pairs(self) -> list[Pair]:
        board, top = self.selected.board, self.selected.top
        if board is None or self._comparison is None:
            return []
        entries = {row.evaluation: row for row in self.entries}
        pairs = []
        for pair in self._comparison.pairs:
            first, second = entries[int(pair.first)], entries[int(pair.second)]
            sign, span = -1 if pair.value < 0 else 1, 1 if top is None else top - 1
            ends = [end * sign * span for end in (pair.low, pair.high) if end is not None]
            better, worse = (first, second)[::sign]
            # The p of a part is corrected for the number of parts (C. E. Bonferroni), because a
            # reader looks at all of them.
            p = pair.adjusted
            if self.whole:
                p = comparing.board_p(board, first, second)
            elif p is not None:
                p = min(1.0, p * self.number_of_parts)
            pairs.append(
                Pair(
                    better=better.entrant.shown_name,
                    worse=worse.entrant.shown_name,
                    value=abs(pair.value) * span,
                    low=min(ends, default=None),
                    high=max(ends, default=None),
                    uncorrected_p=pair.p,
                    p=p,
                    top=top,
                )
            )
        return pairs

    @cached_property
    def answer(self) -> sentences.Answer | None:
        board, comparison = self.selected.board, self._comparison
        if board is None or comparison is None or not self.pairs:
            return None
        compared = self.rows if self.whole else self.entries
        return compare_sentences.comparison_answer(
            self.pairs,
            part=self.part,
            parts=self.number_of_parts,
            entrants=sum(row.place is not None for row in compared),
            tasks=comparison.tasks,
            clusters=comparison.clusters,
            cluster=board.facts.get("cluster", "task"),
        )

    @property
    def raters_differ(self) -> bool:
        pairs = self._comparison.pairs if self._comparison else ()
        return any(pair.raters_differ for pair in pairs)

    @property
    def axis(self) -> Axis:
        return interval_axis(self.pairs, unit_of(self.selected.top))

    # --- Where they differ ---

    @property
    def metrics(self) -> list[tuple[str, list[ShownScore | None]]]:
        """The metrics with a value, the board's metric first; on rated boards the scales."""
        others = {
            metric
            for scores in self._scores.values()
            for (metric, *part), score in scores.items()
            if tuple(part) == self.slice and score.value is not None
        }
        rest = in_metric_order(others - {self.selected.metric})
        return [(name, self._in_each(name, self.slice)) for name in (self.selected.metric, *rest)]

    @cached_property
    def verdicts(self) -> list[tuple[str, str | Promise, list[tuple[int, float]]]]:
        """By kind of verdict that occurs: its words, and the count and the share of each entrant's
        generations."""
        if self.selected.scales:
            return []
        counts = comparing.verdicts_of(self.entries, self.slice)
        counters: list[Counter[str]] = []
        for row in self.entries:
            counters.append(Counter())
            for verdict, number in counts.get(row.evaluation, {}).items():
                counters[-1][mark_kind(*verdict)] += number
        return [
            (kind, text, [(marks[kind], marks[kind] / max(1, marks.total())) for marks in counters])
            for kind, text in MARK_WORDS.items()
            if any(marks[kind] for marks in counters)
        ]

    @cached_property
    def by_task(self) -> ByTask | None:
        """None if results by task are not public or not passes."""
        selected = self.selected
        if selected.board is None or selected.scales or len(self.entries) < 2:
            return None
        return comparing.by_task(selected.board, self.entries, self.slice)

    @cached_property
    def _kinds(self) -> list[str]:
        """The slices that bars can show, the one that they show first."""
        fitting = [name for name, values in self.slices.items() if len(values) <= _MOST_BARS]
        return sorted(fitting, key=lambda name: name != self.by)

    @property
    def kinds(self) -> list[Choice]:
        return [
            Choice(
                words.slice_words(name, values).heading,
                self.query(by=name),
                name == self._kinds[0],
            )
            for name, values in self.slices.items()
            if name in self._kinds
        ]

    @property
    def bars(self) -> list[tuple[str, list[tuple[Row, ShownScore | None, str]]]]:
        """The values of a slice in words, each with the entrants' scores and the widths of their
        bars."""
        bars = []
        for kind in self._kinds[:1]:
            for value in self.slices[kind]:
                scores = self._in_each(self.selected.metric, (kind, value))
                widths = [bar_width(score.value if score else None) for score in scores]
                lines = list(zip(self.entries, scores, widths, strict=True))
                bars.append((words.slice_value(kind, value), lines))
        return bars

    @property
    def untranslated(self) -> bool:
        return words.untranslated_in(self.slices)

    # --- Links ---

    def query(self, **changes: object) -> str:
        """The query of this comparison with these changes, including the "?"."""
        name, value = ("", "") if self.whole else self.slice
        parameters = {
            **dict(self.selected.filters.parameters),
            "entrant": [row.entrant.slug for row in self.entries],
            "slice": name,
            "value": value,
            "by": self.by,
        } | changes
        return "?" + urlencode({key: v for key, v in parameters.items() if v}, doseq=True)

    @property
    def crumbs(self) -> list[Crumb]:
        board = self.benchmark.get_absolute_url() + self.selected.query
        return [Crumb(gettext("Compare"), reverse("compare")), Crumb(self.selected.title, board)]

    @property
    def title(self) -> str:
        if len(self.entries) < 2:
            return gettext("Compare entrants")
        *names, last = (row.entrant.shown_name for row in self.entries)
        return gettext("%(names)s and %(last)s") % {"names": ", ".join(names), "last": last}

    @cached_property
    def menus(self) -> list[Menu]:
        """Links to the same entrants on other boards and slices."""
        bare = urlencode({"entrant": [row.entrant.slug for row in self.entries]}, doseq=True)
        benchmarks = tuple(
            Choice(
                title,
                f"{reverse('compare-board', args=[slug])}?{bare}",
                slug == self.benchmark.slug,
            )
            for slug, title in queries.benchmark_list(self.selected.user).values_list(
                "slug", "title"
            )
        )
        return [
            Menu(gettext("Benchmark"), self.benchmark.title, False, benchmarks),
            *part_menus(self.slices, self.slice, self.query),
        ]

    @property
    def tabs(self) -> list[Choice]:
        return [
            Choice(
                words.setting_title(setting),
                self.query(setting=setting, slice="", value="", by=""),
                setting == self.selected.setting,
            )
            for setting in self.benchmark.settings
        ]

    @property
    def whole_query(self) -> str:
        return self.query(slice="", value="")

    # --- Both codes ---

    @cached_property
    def readable(self) -> list[Row]:
        """The entrants whose code the reader may see; empty where results by task are not shown."""
        if self.selected.scales:
            return []
        submissions = comparing.readable_submissions(self.entries, self.selected.user)
        return [row for row in self.entries if row.submission in submissions]

    @property
    def codes(self) -> str:
        """The query of the pages of code; "" if the reader may not see the code of two."""
        return self.query(slice="", value="", by="") if len(self.readable) > 1 else ""


def compare(request: HttpRequest, slug: str) -> HttpResponse:
    return render_page(request, "boards/compare.html", compare_page(request, slug))


def compare_page(request: HttpRequest, slug: str) -> ComparePage:
    return ComparePage(
        selected=select(request, slug),
        slugs=tuple(dict.fromkeys(filter(None, request.GET.getlist("entrant")))),
        by=request.GET.get("by", ""),
    )
