"""Tests of limits given as words on the command line."""

import argparse
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.cli.arguments import limit
from evaluation.engine.records import Limits


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("cpu=4s", ("cpu_seconds", 4.0)),
        ("cpu=0.5", ("cpu_seconds", 0.5)),
        ("wall=3", ("wall_factor", 3.0)),
        ("memory=512m", ("memory", 512 * 2**20)),
        ("memory=1.5GiB", ("memory", 1536 * 2**20)),
        ("output=8MB", ("output", 8 * 2**20)),
        ("pids=64", ("pids", 64)),
        ("files=256", ("open_files", 256)),
    ],
)
def test_a_limit_reads_as_it_is_said(word: str, meant: tuple[str, float]) -> None:
    assert limit(word) == meant


LIMITS = r"(cpu|wall|memory|output|pids|files)=[0-9.]{1,30}[a-z]{0,3}"


@given(st.text() | st.from_regex(LIMITS, fullmatch=True))
def test_any_text_is_a_limit_above_zero_or_refused_with_a_sentence(text: str) -> None:
    try:
        field, value = limit(text)
    except argparse.ArgumentTypeError as error:
        assert repr(text) in str(error)
    else:
        assert value > 0
        assert isinstance(value, type(getattr(Limits(1.0), field)))


@given(st.integers(1, 2**40), st.sampled_from([("", 0), ("k", 10), ("m", 20), ("g", 30)]))
def test_sizes_are_powers_of_1024(number: int, unit: tuple[str, int]) -> None:
    assert limit(f"memory={number}{unit[0]}") == ("memory", number << unit[1])


def test_no_limit_is_none_of_them() -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=re.escape("cpu, wall, memory")):
        limit("disk=3")
