"""Editions: the order of a board each time that it was made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from operator import attrgetter

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
    rows = []
    for standing in standings:
        if standing.place is None:
            continue
        score = scores[standing.evaluation_id]
        assert standing.rank_low is not None and standing.rank_high is not None
        assert score.value is not None  # a row with a place is settled
        rows.append(
            EditionRow(
                submission=standing.submission,
                rank_low=standing.rank_low,
                rank_high=standing.rank_high,
                value=score.value,
                low=score.low,
                high=score.high,
            )
        )
    made_by = {"metric": board.metric, "engine": ENGINE_VERSION, "metrics": METRICS_VERSION}
    last = Edition.objects.filter(board=board, **made_by).first()
    facts = attrgetter("submission_id", "rank_low", "rank_high", "value", "low", "high")
    if last and set(map(facts, rows)) == set(map(facts, last.rows.all())):
        return None
    edition = Edition.objects.create(board=board, made_at=now, ranked=len(rows), **made_by)
    for row in rows:
        row.edition = edition
    EditionRow.objects.bulk_create(rows)
    stored = Edition.objects.filter(board=board).values_list("pk", "made_at")
    Edition.objects.filter(pk__in=surplus(stored, now)).delete()
    return edition


def surplus(editions: Iterable[tuple[int, datetime]], now: datetime) -> list[int]:
    """The keys of editions to delete; `editions` (key, time) are in order, newest first.

    Kept are the newest of the last day, and for each day and then each month before it the last.
    """
    recent, periods, keys = 0, set(), []
    for key, made_at in editions:
        if made_at > now - timedelta(days=1):
            recent += 1
            period = f"{made_at:%Y-%m-%d} {min(recent, _RECENT)}"
        elif made_at > now - timedelta(days=_DAYS):
            period = f"{made_at:%Y-%m-%d}"
        else:
            period = f"{made_at:%Y-%m}"
        if period in periods:
            keys.append(key)
        periods.add(period)
    return keys
