"""Units by task whose plain mean is the published mean over pairs of turns."""

from __future__ import annotations

from math import sqrt
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.metrics.turn_pairs import units
from evaluation.engine.records import TaskResult
from tests.evaluation.engine.conversations.simulated import published


def results(*conversations: list[float]) -> list[TaskResult]:
    return [
        TaskResult(task, "IA", 1, 0, turn=turn, value=value)
        for task, turns in enumerate(conversations)
        for turn, value in enumerate(turns, 1)
    ]


TURNS = st.lists(st.floats(0, 1), min_size=1, max_size=9)


@given(st.lists(TURNS, min_size=1, max_size=8))
def test_their_mean_is_the_published_one(conversations: list[list[float]]) -> None:
    found = units(results(*conversations))
    assert set(found) == set(range(len(conversations)))
    assert fmean(found.values()) == pytest.approx(published(conversations), abs=1e-12)


def test_by_hand() -> None:
    """Pairs: 1/2 and 1 of the first task, 0 of the second. Means 1/4 and 1, so 5/8; the first
    pulls its first pair up by 1/4, of which 1 / (2 pairs * 2 conversations) counts."""
    found = units(results([1.0, 0.0, 1.0], [0.0]))
    assert found == pytest.approx({0: 5 / 8 + 2 / 16, 1: 5 / 8 - 2 / 16})


def test_each_pair_weighs_the_same_however_few_conversations_reach_it() -> None:
    found = units(results(*[[0.0, 0.0]] * 9, [0.0, 0.0, 1.0, 1.0]))
    assert fmean(found.values()) == pytest.approx(1 / 2)


def test_who_are_alike_have_no_spread() -> None:
    assert set(units(results([1.0, 0.5, 0.0], [1.0, 0.5, 0.0])).values()) == {0.375}


def test_without_turns_there_is_nothing() -> None:
    assert units([]) == {}


def test_their_spread_is_that_of_the_mean_when_tasks_are_drawn_again() -> None:
    """Against a bootstrap over tasks."""
    random = np.random.default_rng(7)
    talks = [[float(x) for x in random.random(random.integers(1, 9))] for _ in range(60)]
    own = np.array([*units(results(*talks)).values()])
    drawn = [
        fmean(units(results(*(talks[n] for n in random.integers(60, size=60)))).values())
        for _ in range(400)
    ]
    assert own.std(ddof=1) / sqrt(60) == pytest.approx(np.std(drawn), rel=0.15)
