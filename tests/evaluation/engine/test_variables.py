"""Environment variables by kind: right values are read, wrong ones are named."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.errors import SettingError
from evaluation.engine.variables import Variables, matching

NAME = "ASSAY_KNOB"
Reader = Callable[[Variables], Any]
READERS: dict[str, Reader] = {
    "whole": lambda found: found.whole(NAME, -1, "bytes", least=1, most=999),
    "number": lambda found: found.number(NAME, -1.0, "hours", least=0.5, most=99),
    "switch": lambda found: found.switch(NAME, default=True),
    "one of": lambda found: found.one_of(NAME, {"bridge": "b", "host": "h"}, "-"),
    "parsed": lambda found: found.parsed(NAME, matching("a+"), "-", "the letter a"),
    "each": lambda found: found.each(NAME, matching("a+"), "the letter a", default=["aa"]),
}


def knob(text: str) -> Variables:
    return Variables({NAME: text})


def said(read: Reader, text: str) -> str:
    with pytest.raises(SettingError) as caught:
        read(knob(text))
    return str(caught.value)


@pytest.mark.parametrize("read", READERS.values(), ids=READERS.keys())
@given(text=st.text(max_size=30))
def test_any_text_is_read_or_refused_by_name(read: Reader, text: str) -> None:
    try:
        read(knob(text))
    except SettingError as error:
        assert str(error).startswith(f"{NAME} ")
        assert len(error.problems) == 1


@pytest.mark.parametrize("text", ["1_0", "+5", "5.0", "٣", "1e2", "0x5", "nan", "9" * 5000])
def test_what_only_python_takes_for_a_whole_number_is_refused(text: str) -> None:
    assert "it must be a whole number of bytes" in said(READERS["whole"], text)


@pytest.mark.parametrize("text", ["0.4", "99.01", "nan", "inf", "-1", "1e1", "1_0", ".", "5."])
def test_other_numbers_are_refused(text: str) -> None:
    assert said(READERS["number"], text) == (
        f"{NAME} is '{text}': it must be a number of hours, from 0.5 to 99."
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", True), ("TRUE", True), ("Yes", True), ("on", True)]
    + [("0", False), ("False", False), ("NO", False), (" off ", False)],
)
def test_a_switch_has_four_words_for_each_state(text: str, value: bool) -> None:
    assert knob(text).switch(NAME, default=not value) is value


def test_long_values_are_cut() -> None:
    assert f"is '{'b' * 100}...'" in said(READERS["parsed"], "b" * 101)
