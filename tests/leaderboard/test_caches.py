"""Tests that the shared cache contains only JSON."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.caches import JsonSerializer

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_values_come_back_as_they_went_in(value: object) -> None:
    found = JsonSerializer().dumps(value)
    stored = str(found).encode() if type(found) is int else found
    assert JsonSerializer().loads(stored) == value


def test_pickles_are_not_read() -> None:
    with pytest.raises(ValueError):
        JsonSerializer().loads(pickle.dumps({"a": 1}))
