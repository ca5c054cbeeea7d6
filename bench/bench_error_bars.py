"""How good our error bars are: coverage of intervals and of differences, separations on boards and
their power, chances of ranks, parts of standard errors, and signs of memorisation.

    python -m bench.bench_error_bars [--write] [--replicates 1000] [--boards 200]

Simulates what `bench/simulated.py` describes, with fixed seeds, and prints the tables of
docs/users/error-bars.md; --write writes the page. Exits 1 where a bound is broken. Takes about 20
minutes.
"""

from __future__ import annotations

import argparse
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import partial
from itertools import chain
from math import sqrt
from typing import TypeVar

import numpy as np

from bench import board_power, pair_intervals, planted, rank_chances, standard_errors
from bench.board_power import Claim, claim
from bench.pair_intervals import Draw
from bench.planted import Planting, plantings
from bench.rank_chances import Calibration, calibration
from bench.simulated import (
    METRICS,
    OF_CLUSTER,
    OF_TASK,
    TASKS,
    Design,
    Groups,
    Lengths,
    Random,
    RatedDesign,
    mean_mark,
    mixed,
    own_three,
    pairs_of_turns,
    repeated,
    same_three,
    single,
    six_turns,
    skewed_sizes,
    talk_lengths,
    turns,
    two_in_common,
    two_of_six,
)
from bench.standard_errors import Recovery, recoveries
from evaluation.engine.metrics.chances import FEWEST_ENTRANTS
from evaluation.engine.metrics.intervals import Interval, mean_interval, places_interval
from evaluation.engine.metrics.means import Estimate, over_benchmarks
from evaluation.engine.metrics.paired import LEVEL, p_values
from scripts.environment import ROOT

_Part = TypeVar("_Part")
PAGE = ROOT / "docs" / "users" / "error-bars.md"
CLUSTERS, TRUTHS = (12, 50, 164), (0.03, 0.5, 0.9, 0.97, 0.99)
LEAST, MOST = 0.93, 0.99
# Where coverage must not be too high either: from this number of clusters on, in this range.
NOT_WIDE, MIDDLE = 50, (0.2, 0.8)
# Boards are simulated fewer times with this many entrants, to bound the time.
ENTRANTS = {2: 1.0, 5: 1.0, 20: 1.0, 100: 0.5}
# Monte Carlo errors that a share may lie above the level before it breaks the bound.
ERRORS = 2.0
GAIN = 0.15
# Power is estimated from this many times fewer boards than the level.
FEWER = 4

DESIGNS = (
    Design("164 tasks, one sample", lambda _: [1] * 164, single),
    Design("14 tasks, one sample", lambda _: [1] * 14, single),
    Design("50 tasks, ten samples", lambda _: [1] * 50, repeated),
    Design("50 tasks, ten samples, scores near 95 %", lambda _: [1] * 50, repeated, mean=0.95),
    Design("95 uneven repositories", lambda random: skewed_sizes(random, 95), single),
    Design("27 uneven repositories", lambda random: skewed_sizes(random, 27), single),
    Design("IFE of 50 conversations", lambda _: [1] * 50, single, by_place=True),
    Design("mean marks of 100 tasks", lambda _: [1] * 100, mean_mark),
)
RATED = (
    RatedDesign("marks of the same 3 raters", same_three),
    RatedDesign("marks of 2 of 6 raters, by chance", two_of_six),
    RatedDesign("marks of 3 raters, 2 of them in common", two_in_common),
    RatedDesign("marks of 3 raters, none in common", own_three),
)
# Marks are simulated one by one, so fewer of these boards are large.
RATED_ENTRANTS = {2: 1.0, 5: 1.0, 20: 1.0, 100: 0.25}
# Of the means over benchmarks.
BENCHMARKS = 3


# The designs for the power that boards claim and the chances of ranks.
RANKED = ("164 tasks, one sample", "50 tasks, ten samples", "27 uneven repositories")
# Boards for each chance of a rank, as a multiple of those for a share of separations.
OF_RANKS = 5


@dataclass(frozen=True, slots=True)
class Coverage:
    """`covered` of the `shown` intervals hold the truth; the others of the `drawn` show none."""

    covered: int
    shown: int
    drawn: int

    @property
    def share(self) -> float:
        return self.covered / self.shown if self.shown else LEAST

    @property
    def error(self) -> float:
        """Twice the Monte Carlo error, where few of the intervals are shown."""
        return 2 * sqrt(0.05 * 0.95 / self.shown) if 0 < self.shown < self.drawn else 0.0


@dataclass(frozen=True, slots=True)
class Cell:
    metric: str
    design: str
    clusters: int
    truth: float
    found: Coverage
    # Whether too high a coverage breaks the bound too.
    above: bool = True

    def __str__(self) -> str:
        if not self.found.shown:
            return "–"
        part = self.found.shown / self.found.drawn
        return f"{self.found.share * 100:.1f}" + (f" ({part * 100:.0f} %)" if part < 1 else "")

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
    covered = shown = 0
    for _ in range(replicates):
        found = draw(random, clusters, truth)
        if found.low is None or found.high is None:
            continue
        shown += 1
        covered += found.low <= truth <= found.high
    return Coverage(covered, shown, replicates)


def draws() -> Iterator[tuple[str, str, Draw]]:
    def of_means(groups: Callable[[Random, int, float], Groups]) -> Draw:
        return lambda random, clusters, truth: mean_interval(groups(random, clusters, truth))

    for metric, values in METRICS.items():
        for design, made in TASKS.items():
            yield metric, design, of_means(partial(made, values))
    yield "IA, CA, IFR, turns", "conversations", of_means(partial(turns, talk_lengths))
    for design, lengths in (("conversations", talk_lengths), ("even conversations", six_turns)):
        yield "IFE, pairs of turns", design, partial(_of_pairs, lengths)
    yield f"mean over {BENCHMARKS} benchmarks", "mixed tasks", _over_benchmarks


def _of_pairs(lengths: Lengths, random: Random, talks: int, truth: float) -> Interval:
    found = pairs_of_turns(lengths, random, talks, truth)
    return places_interval([[talk] for talk in found])


def _over_benchmarks(random: Random, tasks: int, truth: float) -> Interval:
    each = [mean_interval(mixed(single, random, tasks, truth)) for _ in range(BENCHMARKS)]
    found = over_benchmarks([Estimate(one.value or 0.0, one.low, one.high) for one in each])
    return Interval(found.value, found.low, found.high, BENCHMARKS * tasks, BENCHMARKS * tasks)


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
    on which an entrant that is better by GAIN is separated from the second."""

    design: str
    entrants: int
    boards: int
    false: float
    power: float

    @property
    def error(self) -> float:
        return sqrt(max(self.false, 0.01) * (1 - self.false) / self.boards)

    @property
    def holds(self) -> bool:
        return self.false <= LEVEL + ERRORS * self.error


def separations(design: Design | RatedDesign, entrants: int, boards: int) -> Separations:
    random = np.random.default_rng([zlib.crc32(design.title.encode()), entrants])
    off_diagonal = ~np.eye(entrants, dtype=np.bool_)
    false = power = 0
    gains = np.zeros(entrants)
    gains[0] = GAIN
    for _ in range(boards):
        table, margins = design.board(random, entrants)
        false += bool((p_values(table, margins=margins)[off_diagonal] <= LEVEL).any())
    for _ in range(boards // FEWER):
        table, margins = design.board(random, entrants, gains)
        power += bool(p_values(table, margins=margins)[0, 1] <= LEVEL)
    return Separations(design.title, entrants, boards, false / boards, power * FEWER / boards)


# --- The page -----------------------------------------------------------------------------

INTRODUCTION = (
    "# How good are our error bars",
    "We test our own error bars on results that we make up, so that the truth is known. This page "
    "is generated by `bench/bench_error_bars.py`, which `make acceptance` runs; its seeds are "
    "fixed. The formulas are under [metrics](metrics.md).",
    "## Coverage of intervals",
    "A 95 % interval should contain the true value in 95 of 100 repetitions. Each cell is the "
    "share of {replicates} repetitions in which it does, in per cent, for the true value at the "
    "head of the column. The bound is at least {least:.0f} %, and at most {most:.0f} % in the "
    "column 0.5 from {wide} clusters on. The Monte Carlo error of a cell is about 0.7 points.",
    "- **Tasks alike** are equally hard; **mixed tasks** are not: the correlation of two samples "
    "of a task is {of_task}.\n"
    "- **Even clusters** are repositories of 8 tasks each; **skewed clusters** have between one "
    "task and dozens. The correlation of two tasks of a cluster is {of_cluster}.\n"
    "- **Conversations** have 2 to 10 turns, and few are long; **even conversations** have 6.\n"
    "- A number in brackets is the share of repetitions with an interval, if some have none: IFE "
    "has none if fewer than six conversations reach some pair of turns. A dash: none has one.",
)
BOARDS = (
    "## Separations on boards",
    "All entrants of a simulated board are equally good on average; how good each one is on a "
    "repository, task or conversation differs by chance. **False** is the share of boards on "
    "which any two entrants are separated, with its Monte Carlo error in brackets; the bound is "
    "5 % and twice this error. **Power** is the share of boards on which one entrant that is "
    "better by {gain:.0f} points is separated from another one.",
    "The 5 % hold for a board as a whole; therefore power falls with the number of entrants. "
    "Entrants rated by different people are never separated: the difference may be one between "
    "the raters ([why](metrics.md#ratings-by-people)).",
)


@dataclass(frozen=True, slots=True)
class Found:
    cells: Sequence[Cell]
    differences: Sequence[Cell]
    boards: Sequence[Separations]
    claims: Sequence[Claim]
    ranks: Sequence[Calibration]
    errors: Sequence[Recovery]
    signs: Sequence[Planting]

    @property
    def broken(self) -> list[str]:
        every = (getattr(self, part.name) for part in fields(self))
        return [repr(one) for one in chain.from_iterable(every) if not one.holds]


def page(found: Found, replicates: int) -> str:
    told = {
        "replicates": f"{replicates:,}",
        "least": LEAST * 100,
        "most": MOST * 100,
        "wide": NOT_WIDE,
        "of_task": OF_TASK,
        "of_cluster": OF_CLUSTER,
        "gain": GAIN * 100,
    }
    parts = [
        *INTRODUCTION,
        _table(["metric", "design", "clusters", *map(str, TRUTHS)], _coverage_rows(found.cells)),
        *pair_intervals.INTRODUCTION,
        _table(
            ["scores", "design", "clusters", *map(str, pair_intervals.DIFFERENCES)],
            _coverage_rows(found.differences),
        ),
        *BOARDS,
        _table(["board", "entrants", "boards", "false", "power"], map(_board_row, found.boards)),
    ]
    further = [
        *board_power.INTRODUCTION,
        _table(board_power.HEAD, map(board_power.row, found.claims)),
        *rank_chances.section(found.ranks),
        _table(rank_chances.HEAD, map(rank_chances.row, found.ranks)),
        *rank_chances.REASON,
        _table(rank_chances.REASON_HEAD, map(rank_chances.reason_row, rank_chances.FEW)),
        *standard_errors.INTRODUCTION,
        _table(standard_errors.HEAD, map(standard_errors.row, found.errors)),
        *planted.INTRODUCTION,
        _table(planted.HEAD, map(planted.row, found.signs)),
    ]
    return "\n\n".join([*(part.format(**told) for part in parts), *further]) + "\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _coverage_rows(cells: Sequence[Cell]) -> Iterator[Sequence[str]]:
    rows: dict[tuple[str, str, int], list[str]] = {}
    for cell in cells:
        rows.setdefault((cell.metric, cell.design, cell.clusters), []).append(str(cell))
    for (metric, design, clusters), shown in rows.items():
        yield [metric, design, str(clusters), *shown]


def _board_row(one: Separations) -> Sequence[str]:
    false = f"{one.false:.1%} (± {one.error:.1%})".replace("%", " %")
    return [one.design, str(one.entrants), str(one.boards), false, f"{one.power * 100:.0f} %"]


def simulated(replicates: int, boards: int) -> Found:
    began = time.monotonic()

    def done(name: str, found: Iterable[_Part]) -> list[_Part]:
        parts = list(found)
        print(f"{name}: {len(parts)}, {time.monotonic() - began:.0f} s", file=sys.stderr)
        return parts

    ranked = [design for design in DESIGNS if design.title in RANKED]
    return Found(
        done("intervals", coverages(draws(), TRUTHS, replicates)),
        done(
            "differences",
            coverages(pair_intervals.draws(), pair_intervals.DIFFERENCES, replicates, above=False),
        ),
        done("boards", _all_separations(boards)),
        done(
            "power",
            (claim(design, size, boards) for design in ranked for size in board_power.ENTRANTS),
        ),
        done("chances of ranks", _calibrations(ranked, OF_RANKS * boards)),
        done("parts of standard errors", recoveries(boards, CLUSTERS)),
        done("signs of memorisation", plantings(boards)),
    )


def _all_separations(boards: int) -> Iterator[Separations]:
    for designs, sizes in ((DESIGNS, ENTRANTS), (RATED, RATED_ENTRANTS)):
        for design in designs:
            for entrants, part in sizes.items():
                yield separations(design, entrants, max(1, int(boards * part)))


def _calibrations(designs: Sequence[Design], boards: int) -> Iterator[Calibration]:
    """Every spread, and boards that show no chances, for the first design only."""
    for design in designs:
        first = design is designs[0]
        for entrants in rank_chances.ENTRANTS:
            for spread in rank_chances.SPREADS if first else rank_chances.FEW_SPREADS:
                if first or entrants >= FEWEST_ENTRANTS:
                    yield calibration(design, entrants, spread, boards)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--boards", type=int, default=200)
    given = parser.parse_args()
    found = simulated(given.replicates, given.boards)
    text = page(found, given.replicates)
    print(text)
    if given.write:
        PAGE.write_text(text, "utf-8")
    print(*(["broken:", *found.broken] if found.broken else ["all bounds hold"]), sep="\n")
    return 1 if found.broken else 0


if __name__ == "__main__":
    sys.exit(main())
