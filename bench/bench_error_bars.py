"""How good our error bars are: coverage of intervals and of differences, separations on boards and
their power, parts of standard errors, and signs of memorisation.

    python -m bench.bench_error_bars [--write] [--replicates 1000] [--boards 1000]

Simulates what `bench/simulated.py` describes, with fixed seeds, and compares the figures with the
CSV files of docs/users/error-bars/; --write writes them, and the page's tables and charts. Exits 1
if a bound is broken or a figure differs. Takes about 40 minutes of one core, of which intervals
take 17 and boards 12.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache, partial
from itertools import chain
from math import sqrt
from typing import Protocol, TypeVar

import numpy as np

from bench import (
    board_power,
    equal_means,
    error_bar_page,
    inverted,
    pair_intervals,
    planted,
    rated,
    standard_errors,
    talks,
)
from bench.board_power import Claim, claim
from bench.equal_means import Equality, equalities
from bench.inverted import Inversion, inversions
from bench.pair_intervals import Draw
from bench.planted import Planting, plantings
from bench.rated import Agreed, agreements, panel_interval
from bench.simulated import (
    METRICS,
    TASKS,
    Design,
    Groups,
    Lengths,
    Random,
    RatedDesign,
    Values,
    best_of_five,
    clustered,
    even_sizes,
    mean_mark,
    mixed,
    of_two,
    own_three,
    pairs_in_projects,
    pairs_of_turns,
    repeated,
    same_three,
    share_of_tests,
    single,
    six_turns,
    skewed_sizes,
    talk_lengths,
    turns,
    two_in_common,
    two_of_six,
)
from bench.standard_errors import Recovery, recoveries
from evaluation.engine.metrics.differences import difference_interval
from evaluation.engine.metrics.intervals import (
    Estimate,
    Floats,
    Interval,
    mean_interval,
    over_benchmarks,
    over_settings,
    places_interval,
)
from evaluation.engine.metrics.paired import (
    LEVEL,
    Table,
    joint_maxima,
    p_values,
    rotations,
    swap_p_values,
)


class _Bounded(Protocol):
    @property
    def holds(self) -> bool: ...


_Part = TypeVar("_Part", bound=_Bounded)
CLUSTERS, TRUTHS = (12, 50, 164), (0.03, 0.5, 0.9, 0.97, 0.99)
LEAST, MOST = 0.93, 0.99
# Coverage must not be too high either, from this number of clusters on and for true values in this
# range.
NOT_WIDE, MIDDLE = 50, (0.2, 0.8)
# Boards are simulated fewer times with this many entrants, to bound the time.
ENTRANTS = {2: 0.5, 5: 0.5, 20: 0.2, 100: 0.025}
# Number of Monte Carlo errors by which a share may exceed the level.
ERRORS = 2.0
GAIN = 0.15
# Power, its claims, parts of errors and signs are estimated from this many times fewer boards than
# the level.
FEWER = 5
# Maximum number of intervals drawn per replicate, so that as many intervals are shown as there are
# replicates.
MORE = 12

DESIGNS = (
    Design("164 tasks, one sample", lambda _: [1] * 164, single),
    Design("12 tasks, one sample", lambda _: [1] * 12, single),
    Design("12 tasks, ten samples, unlike entrants", lambda _: [1] * 12, repeated, unlike=True),
    Design("50 tasks, one sample, unlike entrants", lambda _: [1] * 50, single, unlike=True),
    Design("50 tasks, ten samples, unlike entrants", lambda _: [1] * 50, repeated, unlike=True),
    Design(
        "27 uneven repositories, unlike entrants",
        lambda random: skewed_sizes(random, 27),
        single,
        unlike=True,
    ),
    Design("50 tasks, ten samples", lambda _: [1] * 50, repeated),
    Design("50 tasks, ten samples, scores near 95 %", lambda _: [1] * 50, repeated, mean=0.95),
    Design("95 uneven repositories", lambda random: skewed_sizes(random, 95), single),
    Design("27 uneven repositories", lambda random: skewed_sizes(random, 27), single),
    Design("IFE of 50 conversations", lambda _: [1] * 50, single, by_place=True),
    Design("mean marks of 100 tasks", lambda _: [1] * 100, mean_mark),
    Design("50 tasks, pass@5 of ten samples", lambda _: [1] * 50, best_of_five),
    Design("100 tasks, share of tests", lambda _: [1] * 100, share_of_tests),
    Design(
        "turns of 100 conversations",
        lambda random: [length - 1 for length in talk_lengths(random, 100)],
        single,
    ),
    Design(
        "IFE of conversations in 40 projects",
        lambda random: (1 + random.binomial(4, 0.5, 40)).tolist(),
        single,
        by_place=True,
    ),
)
RATED = (
    RatedDesign("marks of the same 3 raters", same_three),
    RatedDesign("marks of 2 of 6 raters, by chance", two_of_six),
    RatedDesign("marks of 3 raters, 2 of them in common", two_in_common),
    RatedDesign("marks of 3 raters, none in common", own_three),
)
# Benchmarks in the means over benchmarks.
BENCHMARKS = 3


# Many benchmarks, some of which are at the end of their scale.
MANY = (8, 20)
# The designs for the power that boards claim; the small ones in addition.
SMALL = (
    Design("8 tasks, one sample", lambda _: [1] * 8, single),
    Design("30 tasks, one sample", lambda _: [1] * 30, single),
    Design("50 tasks, one sample, scores near 90 %", lambda _: [1] * 50, single, mean=0.9),
)
RANKED = ("164 tasks, one sample", "50 tasks, ten samples", "27 uneven repositories")


@dataclass(frozen=True, slots=True)
class Coverage:
    """`covered` of the `shown` intervals contain the true value; the others of the `drawn` results
    have no interval. `replicates` intervals were to be shown."""

    covered: int
    shown: int
    drawn: int
    replicates: int

    @property
    def share(self) -> float:
        return self.covered / self.shown if self.shown else LEAST


@dataclass(frozen=True, slots=True)
class Cell:
    metric: str
    design: str
    clusters: int
    truth: float
    found: Coverage
    # Whether too high a coverage is out of bounds as well.
    above: bool = True

    @property
    def shown(self) -> tuple[str, str]:
        """The per cent of intervals that contain the true value, and of results with one."""
        part = f"{self.found.shown / self.found.drawn * 100:.0f}"
        return (f"{self.found.share * 100:.1f}" if self.found.shown else "", part)

    @property
    def holds(self) -> bool:
        middle = self.above and self.clusters >= NOT_WIDE and MIDDLE[0] <= self.truth <= MIDDLE[1]
        return self.found.share >= LEAST and not (middle and self.found.share > MOST)


def measure(
    draw: Draw,
    clusters: int,
    truth: float,
    replicates: int,
    name: str,
) -> Coverage:
    random = np.random.default_rng([zlib.crc32(name.encode()), clusters, int(truth * 1000)])
    covered = shown = drawn = 0
    while shown < replicates and drawn < MORE * replicates:
        found = draw(random, clusters, truth)
        drawn += 1
        if found.low is None or found.high is None:
            continue
        shown += 1
        covered += found.low <= truth <= found.high
    return Coverage(covered, shown, drawn, replicates)


def draws() -> Iterator[tuple[str, str, Draw]]:
    def of_means(groups: Callable[[Random, int, float], Groups]) -> Draw:
        return lambda random, clusters, truth: mean_interval(groups(random, clusters, truth))

    for metric, values in METRICS.items():
        for design, made in TASKS.items():
            yield metric, design, of_means(partial(made, values))
    for raters in rated.PANELS:
        yield f"mean mark, {raters} raters", "mixed tasks", partial(panel_interval, raters)
    yield "IA", "conversations", of_means(partial(turns, talk_lengths))
    for metric in talks.METRICS:
        yield metric, "conversations", of_means(partial(talks.conversations, metric))
    for design, lengths in (("conversations", talk_lengths), ("even conversations", six_turns)):
        yield "IFE, pairs of turns", design, partial(_of_pairs, lengths)
    for design, sizes in (("even projects", even_sizes), ("skewed projects", skewed_sizes)):
        yield "IFE, pairs of turns", design, partial(_of_projects, sizes)
    yield from _draws_of_means()


def _draws_of_means() -> Iterator[tuple[str, str, Draw]]:
    name, skewed = f"mean over {BENCHMARKS} benchmarks", partial(clustered, skewed_sizes)
    yield name, "mixed tasks", partial(_over_benchmarks, mixed, (1,) * BENCHMARKS)
    yield (
        name,
        "mixed tasks, the second of 2, the third of 4 times as many",
        partial(_over_benchmarks, mixed, (1, 2, 4)),
    )
    yield name, "skewed clusters", partial(_over_benchmarks, skewed, (1,) * BENCHMARKS)
    yield name, "mixed tasks, in two settings each", _over_settings
    for number in MANY:
        many = partial(_over_benchmarks, mixed, (1,) * number)
        yield f"mean over {number} benchmarks", "mixed tasks", many


def _draws_of_rated() -> Iterator[tuple[str, str, Draw]]:
    """Differences of two equal entrants that partly other people rated."""
    for design in RATED[1:3]:
        yield design.title, "with the margin of the raters", partial(_rated_pair, design)


def _rated_pair(design: RatedDesign, random: Random, tasks: int, _truth: float) -> Interval:
    table, apart = replace(design, tasks=tasks).board(random, 2)
    low, high = difference_interval(table, 0, 1, float(apart[0, 1]))
    return Interval(float(table.scores[0] - table.scores[1]), low, high, tasks, tasks)


def _of_pairs(lengths: Lengths, random: Random, talks: int, truth: float) -> Interval:
    found = pairs_of_turns(lengths, random, talks, truth)
    return places_interval([[talk] for talk in found])


def _of_projects(
    sizes: Callable[[Random, int], list[int]], random: Random, projects: int, truth: float
) -> Interval:
    return places_interval(pairs_in_projects(sizes, random, projects, truth))


def _over_benchmarks(
    made: Callable[[Values, Random, int, float], Groups],
    sizes: Sequence[int],
    random: Random,
    tasks: int,
    truth: float,
) -> Interval:
    """The interval of a mean over benchmarks; `sizes` are the benchmarks' sizes as multiples of
    `tasks`."""
    each = (mean_interval(made(single, random, size * tasks, truth)) for size in sizes)
    return _joined([_estimate(one) for one in each], sum(sizes) * tasks)


def _over_settings(random: Random, tasks: int, truth: float) -> Interval:
    """The interval of a mean over benchmarks. Each has two settings, and a task has the same chance
    of being solved in both."""
    parts = []
    for _ in range(BENCHMARKS):
        both = mixed(of_two(single, 1.0), random, tasks, truth)
        own = ([[one[0][place]] for one in both] for place in (0, 1))  # type: ignore[index]
        parts.append(over_settings([_estimate(mean_interval(groups)) for groups in own]))
    return _joined(parts, BENCHMARKS * tasks)


def _estimate(one: Interval) -> Estimate:
    return Estimate(one.value or 0.0, one.low, one.high)


def _joined(parts: Sequence[Estimate], tasks: int) -> Interval:
    found = over_benchmarks(parts)
    return Interval(found.value, found.low, found.high, tasks, tasks)


def coverages(
    drawn: Iterable[tuple[str, str, Draw]],
    truths: Sequence[float],
    replicates: int,
    *,
    above: bool = True,
) -> Iterator[Cell]:
    for metric, design, draw in drawn:
        for clusters in CLUSTERS:
            for truth in truths:
                found = measure(draw, clusters, truth, replicates, f"{metric}, {design}")
                yield Cell(metric, design, clusters, truth, found, above)


# --- Boards -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Separations:
    """The share of boards with a false separation, its Monte Carlo error, and the share of boards
    on which an entrant that is better by GAIN is separated from the second: by both tests, and by
    the swap test of the pair `alone` (None if people rate)."""

    design: str
    entrants: int
    boards: int
    false: float
    power: float
    alone: float | None = None

    @property
    def error(self) -> float:
        return sqrt(max(self.false, 0.01) * (1 - self.false) / self.boards)

    def error_of(self, power: float) -> float:
        kept = min(0.99, max(0.01, power))
        return sqrt(kept * (1 - kept) / max(1, self.boards // FEWER))

    @property
    def holds(self) -> bool:
        return self.false <= LEVEL + ERRORS * self.error


def separations(design: Design | RatedDesign, entrants: int, boards: int) -> Separations:
    random = np.random.default_rng([zlib.crc32(design.title.encode()), entrants])
    off_diagonal = ~np.eye(entrants, dtype=np.bool_)
    false = power = alone = 0
    gains = np.zeros(entrants)
    gains[0] = GAIN
    for _ in range(boards):
        table, margins = design.board(random, entrants)
        p = p_values(table, maxima=_maxima(table), margins=margins)
        false += bool((p[off_diagonal] <= LEVEL).any())
    better = max(1, boards // FEWER)
    for _ in range(better):
        table, margins = design.board(random, entrants, gains)
        p = p_values(table, maxima=_maxima(table), margins=margins)
        power += bool(p[0, 1] <= LEVEL)
        if margins is None:
            pair = table.select([0, 1])
            alone += bool(swap_p_values(pair, np.ones((2, 2), np.bool_))[0, 1] <= LEVEL)
    own = None if isinstance(design, RatedDesign) else alone / better
    return Separations(design.title, entrants, boards, false / boards, power / better, own)


def _maxima(table: Table) -> Floats:
    return joint_maxima(table, directions=_rotations(table.clusters))


@lru_cache(maxsize=2)
def _rotations(clusters: int) -> Sequence[Floats]:
    return list(rotations(clusters))


# --- The files ----------------------------------------------------------------------------

SEPARATIONS_HEAD = (
    *("board", "entrants", "boards", "false", "error of false", "power", "error of power"),
    *("swaps alone", "error of swaps alone"),
)


@dataclass(frozen=True, slots=True)
class Found:
    cells: Sequence[Cell]
    differences: Sequence[Cell]
    equal: Sequence[Equality]
    boards: Sequence[Separations]
    claims: Sequence[Claim]
    errors: Sequence[Recovery]
    signs: Sequence[Planting]
    flags: Sequence[Inversion]
    agreements: Sequence[Agreed]

    @property
    def broken(self) -> list[str]:
        every = (getattr(self, part.name) for part in fields(self))
        return [repr(one) for one in chain.from_iterable(every) if not one.holds]


def tables(found: Found) -> dict[str, str]:
    """The CSV files of FOLDER by name."""
    shown = ("covered", "with an interval")
    return {
        f"{name}.csv": _csv([head, *rows])
        for name, head, rows in (
            (
                "intervals",
                ("metric", "design", "clusters", "true value", *shown),
                map(_coverage_row, found.cells),
            ),
            (
                "differences",
                ("scores", "design", "clusters", "true difference", *shown),
                map(_coverage_row, found.differences),
            ),
            ("equal", equal_means.HEAD, map(equal_means.row, found.equal)),
            ("separations", SEPARATIONS_HEAD, map(_board_row, found.boards)),
            ("power", board_power.HEAD, map(board_power.row, found.claims)),
            ("parts", standard_errors.HEAD, map(standard_errors.row, found.errors)),
            ("signs", planted.HEAD, map(planted.row, found.signs)),
            ("inverted", inverted.HEAD, map(inverted.row, found.flags)),
            ("agreement", rated.HEAD, map(rated.row, found.agreements)),
        )
    }


def _csv(rows: Iterable[Sequence[str]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _coverage_row(cell: Cell) -> Sequence[str]:
    return [cell.metric, cell.design, str(cell.clusters), str(cell.truth), *cell.shown]


def _board_row(one: Separations) -> Sequence[str]:
    false = [f"{share * 100:.1f}" for share in (one.false, one.error)]
    shares = [
        cell
        for power in (one.power, one.alone)
        for cell in (
            ("", "")
            if power is None
            else (f"{power * 100:.0f}", f"{one.error_of(power) * 100:.0f}")
        )
    ]
    return [one.design, str(one.entrants), str(one.boards), *false, *shares]


def simulated(replicates: int, boards: int) -> Found:
    began = time.monotonic()

    def done(name: str, found: Iterable[_Part]) -> list[_Part]:
        parts = list(found)
        print(f"{name}: {len(parts)}, {time.monotonic() - began:.0f} s", file=sys.stderr)
        broken = [repr(one) for one in parts if not one.holds]
        print(*broken, sep="\n", end="\n" * bool(broken), file=sys.stderr, flush=True)
        return parts

    fewer = max(1, boards // FEWER)
    ranked = [design for design in DESIGNS if design.title in RANKED]
    powered: list[Design | RatedDesign] = [*ranked, *SMALL, RATED[0]]
    return Found(
        done("intervals", coverages(draws(), TRUTHS, replicates)),
        done(
            "differences",
            chain(
                coverages(
                    pair_intervals.draws(), pair_intervals.DIFFERENCES, replicates, above=False
                ),
                coverages(_draws_of_rated(), (0.0,), replicates, above=False),
            ),
        ),
        done("equal means", equalities(replicates)),
        done("boards", _all_separations(boards)),
        done(
            "power",
            (claim(design, size, fewer) for design in powered for size in board_power.ENTRANTS),
        ),
        done("parts of standard errors", recoveries(fewer, CLUSTERS)),
        done("signs of memorisation", plantings(fewer)),
        done("inverted tests", inversions(fewer)),
        done("agreement", agreements(replicates, CLUSTERS)),
    )


def _all_separations(boards: int) -> Iterator[Separations]:
    for design in (*DESIGNS, *RATED):
        for entrants, part in ENTRANTS.items():
            yield separations(design, entrants, max(1, int(boards * part)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--boards", type=int, default=1000)
    given = parser.parse_args()
    found = simulated(given.replicates, given.boards)
    made = tables(found)
    if given.write:
        for name, text in made.items():
            (error_bar_page.FOLDER / name).write_text(text, "utf-8")
        error_bar_page.write()
    elif vars(given) == vars(parser.parse_args([])):
        stored = {name: (error_bar_page.FOLDER / name).read_text("utf-8") for name in made}
        if stored != made:
            # The seeds are fixed, so the files are of another version of the metrics.
            print("the files have other figures: write them anew with --write")
            return 1
    print(*(["broken:", *found.broken] if found.broken else ["all bounds hold"]), sep="\n")
    return 1 if found.broken else 0


if __name__ == "__main__":
    sys.exit(main())
