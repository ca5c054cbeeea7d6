"""When judging probably ends, from the plan and from speeds."""

from __future__ import annotations

import pytest

from evaluation.state.forecast import Interval, TimedChunk, forecast


def chunk(
    evaluation: int, runs: int, left: float, began: float | None = None, ended: float | None = None
) -> TimedChunk:
    return TimedChunk(evaluation, 1, runs, left, began, ended)


def test_without_workers_or_open_runs_there_is_no_forecast() -> None:
    left, done = chunk(1, 10, 10), chunk(1, 10, 0, 0, 5)
    assert forecast(1, [left], now=0, workers=0, planned=1) is None
    assert forecast(1, [done], now=9, workers=2, planned=1) is None


def middle(found: Interval | None) -> float:
    assert found is not None
    return float((found.low * found.high) ** 0.5)


def test_it_begins_with_the_plan_and_follows_its_own_speed() -> None:
    plan = forecast(1, [chunk(1, 10, 10)] * 4, now=0, workers=1, planned=2)
    chunks = [chunk(1, 10, 0, 0, 4)] * 4 + [chunk(1, 10, 10)] * 4
    own = forecast(1, chunks, now=4, workers=1, planned=2)
    assert middle(plan) == pytest.approx(80, rel=0.2)
    assert middle(own) == pytest.approx(16, rel=0.3)
    assert plan is not None and own is not None
    assert plan.high / plan.low > own.high / own.low


def test_more_workers_end_it_sooner_and_others_later() -> None:
    own, other = [chunk(1, 10, 10)] * 8, [chunk(2, 10, 10)] * 80
    one = middle(forecast(1, own, now=0, workers=1, planned=1))
    assert middle(forecast(1, own, now=0, workers=4, planned=1)) < one / 2
    # The other has more work: until this one ends, each gets half of the worker.
    assert middle(forecast(1, [*own, *other], now=0, workers=1, planned=1)) == pytest.approx(
        2 * one
    )


def test_a_chunk_that_gives_no_sign_moves_the_upper_end() -> None:
    found = forecast(1, [chunk(1, 10, 10, 0)], now=3600, workers=1, planned=1)
    assert found is not None and found.high >= 3600
