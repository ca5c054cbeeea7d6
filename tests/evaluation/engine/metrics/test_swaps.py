"""Tests of reusing swap tests from an earlier board: they are not computed again, and results stay
the same."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.metrics import paired
from evaluation.engine.metrics.paired import Showing, Table
from evaluation.engine.metrics.ranking import rank
from evaluation.engine.metrics.swaps import DIGEST, Swaps


def board(entrants: int, *, samples: int = 2) -> list[Showing]:
    """Entrants on 40 tasks, with eight levels of skill in turn."""
    random = np.random.default_rng(3)
    skills = np.linspace(0.1, 0.9, 8)
    return [
        Showing(
            number,
            {
                task: random.binomial(1, skills[number % 8], samples).astype(float).tolist()
                for task in range(40)
            },
        )
        for number in range(entrants)
    ]


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of pairs that each call of the swap test computes."""
    found: list[int] = []
    count = paired._counts_of_swaps

    def counted(table: Table, missing: paired.NDArray[np.bool_]) -> paired.Counts:
        found.append(int(missing.sum()))
        return count(table, missing)

    monkeypatch.setattr(paired, "_counts_of_swaps", counted)
    return found


def test_one_more_entrant_costs_one_row_of_pairs(computed: list[int]) -> None:
    entrants, swaps = board(30), Swaps()
    rank(entrants[:29], swaps=swaps)
    assert computed[0] > 100
    kept = Swaps.unpacked(swaps.packed())
    made = rank(entrants, swaps=kept)
    assert computed[1] <= 29
    assert made == rank(entrants)
    rank(entrants, swaps=kept)
    assert len(computed) == 3, "nothing is computed twice"


def test_a_result_that_changed_is_compared_again(computed: list[int]) -> None:
    entrants, swaps = board(30), Swaps()
    rank(entrants, swaps=swaps)
    changed = Showing(7, {task: [1.0, 1.0] for task in range(40)})
    others = [changed if one.entrant == 7 else one for one in entrants]
    assert rank(others, swaps=swaps) == rank(others)
    assert computed[1] <= 29


def test_the_order_of_entrants_and_those_who_left_do_not_matter() -> None:
    entrants, swaps = board(12), Swaps()
    rank(entrants, swaps=swaps)
    some: Sequence[Showing] = entrants[::-1][:7]
    assert rank(some, swaps=swaps) == rank(some)
    assert len(swaps.digests) == 7


def test_other_clusters_are_other_tests() -> None:
    entrants, swaps = board(8), Swaps()
    rank(entrants, swaps=swaps)
    clusters = {task: task // 4 for task in range(40)}
    assert rank(entrants, clusters, swaps) == rank(entrants, clusters)


def test_the_same_units_at_other_places_are_another_result() -> None:
    totals, sizes = np.ones((1, 3, 3)), np.ones((1, 3, 3))
    sizes[:, :, 2] = totals[:, :, 2] = 0
    swapped = [part[:, :, [0, 2, 1]] for part in (totals, sizes)]
    narrow = [part[:, :, :2] for part in (totals, sizes)]
    found = [Table(*parts).digests for parts in ((totals, sizes), swapped, narrow)]
    assert found[0] != found[1]
    assert found[0] == found[2]


@given(st.integers(0, 40))
def test_what_is_packed_comes_back(results: int) -> None:
    random = np.random.default_rng(results)
    counts = random.integers(-1, 2000, (results, results)).astype(np.int16)
    digests = tuple(random.bytes(DIGEST) for _ in range(results))
    maxima = random.random(9 * (results % 2))
    found = Swaps.unpacked(Swaps(digests, counts, maxima).packed())
    assert found.digests == digests
    assert np.array_equal(found.counts, counts)
    assert np.array_equal(found.maxima, maxima)
    assert found.joined == frozenset(digests if results % 2 else ())
    assert Swaps.unpacked(b"").digests == ()
