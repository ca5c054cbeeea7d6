"""Means over pairs of turns, and when their intervals can be trusted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.metrics.conversations import in_pairs
from evaluation.engine.metrics.intervals import Interval, places_interval
from evaluation.engine.records import TaskResult
from tests.evaluation.engine.conversations.simulated import published


def results(*conversations: list[float]) -> list[TaskResult]:
    return [
        TaskResult(task, "IA", 1, 0, turn=turn, value=value)
        for task, turns in enumerate(conversations)
        for turn, value in enumerate(turns, 1)
    ]


TURNS = st.lists(st.floats(0, 1), min_size=1, max_size=9)


def interval(*conversations: list[float]) -> Interval:
    return places_interval([[pairs] for pairs in in_pairs(results(*conversations)).values()])


@given(st.lists(TURNS, min_size=1, max_size=8))
def test_the_mean_is_the_published_one(conversations: list[list[float]]) -> None:
    assert interval(*conversations).value == pytest.approx(published(conversations), abs=1e-12)


def test_by_hand() -> None:
    assert in_pairs(results([1.0, 0.0, 1.0], [0.0])) == {0: [0.5, 1.0], 1: [0.0]}
    assert interval([1.0, 0.0, 1.0], [0.0]).value == 5 / 8


def test_without_turns_there_is_nothing() -> None:
    assert in_pairs([]) == {}
    assert interval() == Interval(None, None, None, 0, 0)


def test_a_pair_that_one_conversation_reaches_leaves_no_interval() -> None:
    """The mean of each such pair decides a fifth of the score, and one value does not show how it
    varies."""
    short = [[1.0, 0.5]] * 25 + [[1.0, 1.0]] * 24
    whole = interval(*short)
    assert whole.low is not None
    longer = interval(*short, [0.0] * 10)
    assert longer.value == pytest.approx(0.2 * whole.value * 49 / 50, abs=0.01)  # type: ignore[operator]
    assert (longer.low, longer.high) == (None, None)


def test_the_width_is_that_of_the_mean_when_tasks_are_drawn_again() -> None:
    random = np.random.default_rng(7)
    talks = [[float(x) for x in random.random(random.integers(3, 7))] for _ in range(120)]
    found = interval(*talks)
    drawn = [published([talks[n] for n in random.integers(120, size=120)]) for _ in range(400)]
    assert (found.high - found.low) / 2 / 2.0 == pytest.approx(np.std(drawn), rel=0.2)
