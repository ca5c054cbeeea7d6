"""Boards from rows that are in no database, for tests of what is computed from them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from evaluation.models import EvaluationState
from leaderboard.pages.boards.queries import (
    OVERALL,
    BoardResult,
    ShownEntrant,
    ShownSubmission,
)
from leaderboard.scores.models import Board, Score

JUDGED = datetime(2026, 11, 12, tzinfo=UTC)


def board(p: Sequence[float] | None = None, **more: object) -> Board:
    facts = {} if p is None else {"tasks": 164, "test": "bootstrap", "p": list(p)}
    return Board(**{"metric": "pass@1", "setting": "base", "facts": facts, **more})


def score(value: float | None, metric: str = "pass@1", **more: object) -> Score:
    ends = {} if value is None else {"low": value - 0.05, "high": value + 0.05}
    return Score(**{"metric": metric, "value": value, "n": 164, "tasks": 164, **ends, **more})


def result(
    name: str,
    place: int | None,
    *scores: Score,
    ranks: tuple[int, int] | None = None,
    groups: Sequence[int] = (),
    count: int = 1640,
    **entrant: Any,
) -> BoardResult:
    """A row. By default, `ranks` are its place."""
    low, high = ranks or (place, place)
    facts = {"organisation": "", "parameters": None, "weights": ""}
    return BoardResult(
        place=place,
        rank_low=low,
        rank_high=high,
        groups=list(groups),
        kept=False,
        state=EvaluationState.DONE,
        engine_version="1.4.0",
        image="python:abc",
        finished=JUDGED,
        submission=ShownSubmission(
            pk=7,
            asked_here=False,
            generations_count=count,
            published=None,
            ledger_team=None,
            entrant=ShownEntrant(team_id=1, name=name, slug="x", **{**facts, **entrant}),
        ),
        scores={(s.metric, s.slice or OVERALL, s.slice_value): s for s in scores},
    )


def ranked(*values: float) -> list[BoardResult]:
    """Rows named A, B, C, ... at the places 1, 2, 3, ... with these scores."""
    return [
        result(chr(ord("A") + index), index + 1, score(value)) for index, value in enumerate(values)
    ]
