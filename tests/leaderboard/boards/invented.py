"""Boards from rows that are in no database, for tests of what is computed from them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from evaluation.models import EvaluationState
from leaderboard.boards.queries import ShownEntrant
from leaderboard.boards.rows import Row
from leaderboard.boards.scores import ShownScore
from leaderboard.scores.models import Board

JUDGED = datetime(2026, 11, 12, tzinfo=UTC)


def board(p: Sequence[float] | None = None, **more: object) -> Board:
    facts = {} if p is None else {"tasks": 164, "test": "bootstrap", "p": list(p)}
    return Board(**{"metric": "pass@1", "setting": "base", "facts": facts, **more})


def score(value: float | None, metric: str = "pass@1", **more: Any) -> ShownScore:
    ends = {} if value is None else {"low": value - 0.05, "high": value + 0.05}
    return ShownScore(**{"metric": metric, "value": value, "n": 164, "tasks": 164, **ends, **more})


def entrant(name: str = "A", **facts: Any) -> ShownEntrant:
    plain = {"organisation": "", "parameters": None, "weights": ""}
    return ShownEntrant(
        **{"pk": 1, "team_id": 1, "shown_name": name, "slug": "x", **plain, **facts}
    )


def result(
    name: str,
    place: int | None,
    *scores: ShownScore,
    ranks: tuple[int, int] | None = None,
    groups: Sequence[int] = (),
    count: int = 1640,
    **facts: Any,
) -> Row:
    """A row. By default, `ranks` are its place; `facts` are the entrant's."""
    low, high = ranks or (place, place)
    return Row(
        entrant(name, **facts),
        submission=7,
        place=place,
        rank_low=low,
        rank_high=high,
        groups=list(groups),
        state=EvaluationState.DONE,
        engine_version="1.4.0",
        image="python:abc",
        finished=JUDGED,
        generations_count=count,
        scores={(s.metric, s.slice, s.slice_value): s for s in scores},
    )


def ranked(*values: float) -> list[Row]:
    """Rows named A, B, C, ... at the places 1, 2, 3, ... with these scores."""
    return [
        result(chr(ord("A") + index), index + 1, score(value)) for index, value in enumerate(values)
    ]
