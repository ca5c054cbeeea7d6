"""Editions: the order of a board each time that it was made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.metrics import METRICS_VERSION
from leaderboard.scores.models import Board, Edition, EditionRow, Score, Standing

# Kept editions: the newest _RECENT ones of the last day, then the last one of each day for _DAYS
# days, then the last one of each month.
_RECENT = 20
_DAYS = 60


def keep_edition(
    *, board: Board, standings: Sequence[Standing], scores: dict[int, Score], now: datetime
) -> Edition | None:
    """Stores the order, and deletes earlier editions that are too many. Stores nothing and returns
    None if the newest edition has the same rows. `scores` are by evaluation. Two queries and a row
    for each entrant; call it in the transaction that stores the order."""
    rows = [_row(one, scores[one.evaluation_id]) for one in standings if one.place is not None]
    made_by = {"metric": board.metric, "engine": ENGINE_VERSION, "metrics": METRICS_VERSION}
    last = Edition.objects.filter(board=board, **made_by).first()
    if last and _alike(rows, list(last.rows.all())):
        return None
    edition = Edition.objects.create(board=board, made_at=now, ranked=len(rows), **made_by)
    for row in rows:
        row.edition = edition
    EditionRow.objects.bulk_create(rows)
    stored = Edition.objects.filter(board=board).values_list("pk", "made_at")
    Edition.objects.filter(pk__in=list(_surplus(list(stored), now))).delete()
    return edition


def _row(standing: Standing, score: Score) -> EditionRow:
    assert standing.rank_low is not None and standing.rank_high is not None
    assert score.value is not None  # a row with a place is settled
    return EditionRow(
        submission=standing.submission,
        rank_low=standing.rank_low,
        rank_high=standing.rank_high,
        value=score.value,
        low=score.low,
        high=score.high,
    )


def _alike(rows: Sequence[EditionRow], others: Sequence[EditionRow]) -> bool:
    def facts(row: EditionRow) -> tuple[object, ...]:
        return row.submission_id, row.rank_low, row.rank_high, row.value, row.low, row.high

    return set(map(facts, rows)) == set(map(facts, others))


def _surplus(editions: Sequence[tuple[int, datetime]], now: datetime) -> Iterator[int]:
    """The keys of editions to delete; `editions` (key, time) are in order, newest first."""
    recent, seen = 0, set()
    for key, made_at in editions:
        if made_at > now - timedelta(days=1):
            recent += 1
            period = f"{made_at:%Y-%m-%d} {recent}" if recent <= _RECENT else None
        elif made_at > now - timedelta(days=_DAYS):
            period = f"{made_at:%Y-%m-%d}"
        else:
            period = f"{made_at:%Y-%m}"
        if period is None or period in seen:
            yield key
        else:
            seen.add(period)
