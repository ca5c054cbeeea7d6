"""Boards for the tests of charts, invented but always the same."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import orjson

from leaderboard.boards import frames
from leaderboard.boards.frames import Frame
from leaderboard.pages.boards.board_charts import CHARTS
from leaderboard.pages.boards.charts.drawing import Chart

NAMES = (
    "Quartz 3 Large", "Larch Coder 70B", "Basalt 2", "Larch Coder 32B", "Marl 1.5",
    "Quartz 3 Mini", "Heron 14B", "Ochre 8B", "Heron 7B", "Sprig 3B",
)  # fmt: skip
SIZES = (None, 70, None, 32, None, None, 14, 8, 7, 3)
PARTS = ("Strings", "Mathematics", "Lists and mappings", "Logic", "Text in other languages")
SCALES = {"correctness": 4, "code quality": 3, "maintainability": 5}
FIRST_DAY = datetime(2026, 8, 30, 12, tzinfo=UTC)


def framed(name: str, rows: Iterable[Sequence[object]]) -> Frame:
    """The frame with this name, from rows in the order of its columns."""
    columns = frames.COLUMNS[name]
    return frames.frame_of(name, (dict(zip(columns, row, strict=True)) for row in rows))


@dataclass(frozen=True)
class Made:
    """The frames of a board, as BoardFrames has them."""

    rows: Frame
    scores: Frame
    samples: Frame
    results: Frame
    tasks: Frame
    metric: str = "pass@1"
    human: float | None = 0.9
    references: list[tuple[str, float]] = field(
        default_factory=lambda: [("pass_oracle@1", 1.0), ("pass_stub_pass@1", 0.0)]
    )
    top: int | None = None
    marks: Frame = field(default_factory=lambda: framed("marks", []))
    agreements: Frame = field(default_factory=lambda: framed("agreements", []))
    turns: Frame = field(default_factory=lambda: framed("turns", []))
    turns_from_one: bool = False
    task_url: str = "/benchmarks/x/tasks/@/"
    stated: Frame = field(default_factory=lambda: frames.stated_frame({}))


def of_cells(cells: Sequence[tuple[int, ...]], *names: str) -> Made:
    """A board from tuples of evaluation, task, n, c and open. It has each task that occurs;
    entrants are ranked in the order of `names`."""
    numbers = sorted({task for _evaluation, task, *_counts in cells})
    rows = ((n, name, None, None, n + 1, f"entrant-{n}") for n, name in enumerate(names))
    return Made(
        rows=framed("rows", rows),
        scores=framed("scores", []),
        samples=counted(cells),
        results=framed("results", cells),
        tasks=framed("tasks", ((number, number, f"t{number}") for number in numbers)),
        human=None,
        references=[],
    )


def of_counts(*counts: Sequence[int], n: int = 10) -> Made:
    """An entrant for each list of correct samples by task, the first ranked first."""
    cells = [(entrant, task, n, c, 0) for entrant, row in enumerate(counts)
             for task, c in enumerate(row)]  # fmt: skip
    return of_cells(cells, *(f"Entrant {entrant}" for entrant in range(len(counts))))


def chart(name: str, board: Made, by: str = "") -> Chart:
    found = CHARTS[name](board, by)
    assert found is not None
    return found


def drawn(name: str, board: Made, by: str = "") -> dict[str, Any]:
    """The figure as the browser gets it."""
    figure: dict[str, Any] = orjson.loads(chart(name, board, by).figure().json())
    return figure


def made(entrants: int = 10, tasks: int = 164, samples: int = 10, unsolved: int = 9) -> Made:
    """A board whose entrants grow weaker from row to row and whose last tasks nobody solves."""
    results = _results(entrants, tasks, samples, unsolved)
    return Made(
        rows=framed("rows", (_row(entrant, entrants) for entrant in range(entrants))),
        scores=framed("scores", _scores(results)),
        samples=counted(results),
        results=framed("results", results),
        tasks=framed("tasks", ((task, task, f"task/{task}") for task in range(tasks))),
        marks=framed("marks", _marks(entrants)),
        agreements=agreements(),
        turns=framed("turns", _turns(entrants)),
        stated=frames.stated_frame(
            {entrant: said(300 + 97 * entrant) for entrant in range(entrants)}
        ),
    )


def said(each: int, answers: int = 10) -> dict[str, object]:
    """A team's statement of its output tokens per answer, a thousand of which cost a dollar."""
    tokens, price = {"sent": 1, "answered": each * answers}, {"total": each * answers / 1000}
    return {"answers": answers, "tokens": tokens, "price": price}


def _turns(entrants: int) -> Iterator[tuple[object, ...]]:
    """Rows for six turns after Base. From turn to turn, everyone follows less, keeps less and
    forgets more."""
    for entrant in range(entrants):
        weakness = 0.4 * entrant / entrants
        for turn in range(7):
            fall = turn * (0.05 + 0.02 * (entrant % 3))
            yield turn_row("IA", entrant, turn, 0.9 - weakness - fall / 2)
            yield turn_row("CA", entrant, turn, 0.9 - weakness - fall)
            if turn:
                yield turn_row("IFR", entrant, turn, 0.05 + weakness / 2 + fall)


def turn_row(
    metric: str, entrant: int, turn: int, value: float, tasks: int = 50
) -> tuple[object, ...]:
    """A row with an interval of six points to both sides."""
    value = min(1.0, max(0.0, value))
    ends = max(0.0, value - 0.06), min(1.0, value + 0.06)
    return metric, entrant, str(turn), value, *ends, tasks


def _marks(entrants: int) -> Iterator[tuple[object, ...]]:
    """Rows in which the first entrant is the best and the last one lacks a tenth of the tasks."""
    for scale, top in SCALES.items():
        for entrant in range(entrants):
            best = 1 - entrant / entrants
            missing = 0.1 if entrant == entrants - 1 else 0.0
            shares = [1 - best, *[0.0] * (top - 2), best]
            yield mark_row(entrant, scale, shares, missing)


def mark_row(
    entrant: int, scale: str, shares: Sequence[float], missing: float = 0.0
) -> tuple[object, ...]:
    """A published mean with an interval of a fifth of a mark to both sides."""
    top = SCALES[scale]
    mean = sum(share * mark for mark, share in enumerate(shares, 1))
    low, high = max(1.0, mean - 0.2), min(float(top), mean + 0.2)
    return entrant, scale, top, mean, low, high, list(shares), missing


def provisional_row(entrant: int, scale: str) -> tuple[object, ...]:
    return entrant, scale, SCALES[scale], None, None, None, None, None


def agreements(low: float = 0.6, high: float = 0.9, lack: str = "") -> Frame:
    """Alpha and kappa with the same interval on every scale; the least agreement is 0.667."""
    value = None if lack else (low + high) / 2
    ends = (None, None) if lack else (low, high)
    return framed(
        "agreements",
        (
            (1, "Autumn", scale, measure, value, *ends, lack, 0.667)
            for scale in SCALES
            for measure in ("alpha", "kappa")
        ),
    )


def counted(results: Sequence[tuple[int, ...]]) -> Frame:
    """Results as the database counts them: evaluation, n, c, open, and how often they occur
    together."""
    times: dict[tuple[int, ...], int] = {}
    for evaluation, _task, n, c, unsettled in results:
        key = (evaluation, n, c, unsettled)
        times[key] = times.get(key, 0) + 1
    return framed("samples", ((*key, number) for key, number in times.items()))


def _row(entrant: int, entrants: int) -> tuple[object, ...]:
    # After the first ten the names repeat: two teams may choose the same one.
    name = NAMES[entrant % len(NAMES)]
    day = FIRST_DAY + timedelta(days=(entrant * 37) % 83)
    return entrant, name, SIZES[entrant % len(SIZES)], day, entrant + 1, f"entrant-{entrant}"


@cache
def _results(entrants: int, tasks: int, samples: int, unsolved: int) -> Sequence[tuple[int, ...]]:
    """Tuples of evaluation, task, n, c and open. Most tests draw the same few boards."""
    chance, found = random.Random(entrants * 1_000 + tasks), []
    for entrant in range(entrants):
        for task in range(tasks):
            ease = 1.15 - 1.0 * task / tasks - 0.75 * entrant / entrants
            sure = min(0.995, max(0.0, ease + chance.gauss(0, 0.25)))
            right = sum(chance.random() < sure for _ in range(samples))
            found.append((entrant, task, samples, 0 if task >= tasks - unsolved else right, 0))
    return found


def _scores(results: Sequence[tuple[int, ...]]) -> list[tuple[object, ...]]:
    shares: dict[int, list[float]] = {}
    for entrant, _task, n, c, _open in results:
        shares.setdefault(entrant, []).append(c / n)
    found: list[tuple[object, ...]] = []
    for entrant, values in shares.items():
        mean = sum(values) / len(values)
        found.append((entrant, "overall", "", mean, mean - 0.05, mean + 0.05))
        for number, part in enumerate(PARTS):
            value = min(1.0, max(0.0, mean + 0.08 * (2 - number) * (1 - mean)))
            low, high = max(0.0, value - 0.09), min(1.0, value + 0.09)
            found.append((entrant, "category", part, value, low, high))
    return found
