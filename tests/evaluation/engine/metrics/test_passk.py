from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.metrics.passk import pass_at_k, run_variance


@pytest.mark.parametrize("c", [0, 1, 4])
def test_fewer_samples_than_k_have_no_value(c: int) -> None:
    assert pass_at_k(4, c, 5) is None


@given(st.integers(1, 7), st.data())
def test_it_is_the_share_of_k_subsets_that_hold_a_right_one(n: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    lucky = sum(min(subset) < c for subset in combinations(range(n), k))
    assert pass_at_k(n, c, k) == lucky / comb(n, k)


def test_large_counts_keep_every_digit() -> None:
    # C(n-1, k) / C(n, k) = (n - k) / n, although the binomials exceed the range of floats
    assert pass_at_k(100_000, 1, 1_000) == 1_000 / 100_000
    assert pass_at_k(1_000_000, 1, 1) == 1e-6


@pytest.mark.parametrize(("k", "chance"), [(1, 0.3), (2, 0.3), (3, 0.7)])
def test_the_variance_from_run_to_run_is_estimated_without_bias(k: int, chance: float) -> None:
    n = 6
    rows = []
    for c in range(n + 1):
        value, noise = pass_at_k(n, c, k), run_variance(n, c, k)
        assert value is not None and noise is not None
        rows.append((comb(n, c) * chance**c * (1 - chance) ** (n - c), value, noise))
    mean = sum(weight * value for weight, value, _noise in rows)
    variance = sum(weight * (value - mean) ** 2 for weight, value, _noise in rows)
    assert sum(weight * noise for weight, _value, noise in rows) == pytest.approx(variance)


def test_the_variance_from_run_to_run_needs_two_draws() -> None:
    assert run_variance(1, 1, 1) is None
    assert run_variance(9, 4, 5) is None


@pytest.mark.parametrize(("n", "c", "k"), [(3, 4, 1), (3, -1, 1), (3, 1, 0)])
def test_impossible_counts_are_refused(n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError, match="pass@"):
        pass_at_k(n, c, k)
