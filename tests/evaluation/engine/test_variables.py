"""Environment variables by kind: right values are read, wrong ones are named."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.errors import SettingError
from evaluation.engine.variables import Variables, matching

NAME = "ASSAY_KNOB"
BLANK = st.text(" \t\n", max_size=2)
Reader = Callable[[Variables], Any]
READERS: dict[str, Reader] = {
    "whole": lambda found: found.whole(NAME, -1, "bytes", least=1, most=999),
    "number": lambda found: found.number(NAME, -1.0, "hours", least=0.5, most=99),
    "switch": lambda found: found.switch(NAME, default=True),
    "one of": lambda found: found.one_of(NAME, {"bridge": "b", "host": "h"}, "-"),
    "parsed": lambda found: found.parsed(NAME, matching("a+"), "-", "the letter a"),
    "each": lambda found: found.each(NAME, matching("a+"), "the letter a", default=["aa"]),
}
every_kind = pytest.mark.parametrize("read", READERS.values(), ids=READERS.keys())


def knob(text: str) -> Variables:
    return Variables({NAME: text})


def said(read: Reader, text: str) -> str:
    with pytest.raises(SettingError) as caught:
        read(knob(text))
    return str(caught.value)


@every_kind
@given(blank=BLANK)
def test_an_empty_or_blank_value_counts_as_not_set(read: Reader, blank: str) -> None:
    assert read(knob(blank)) == read(Variables({}))


@every_kind
@given(text=st.text(max_size=30))
def test_any_text_is_read_or_refused_by_name(read: Reader, text: str) -> None:
    try:
        read(knob(text))
    except SettingError as error:
        assert str(error).startswith(f"{NAME} ")
        assert len(error.problems) == 1


@given(st.integers(1, 999), BLANK)
def test_whole_numbers_in_range_are_read(number: int, blank: str) -> None:
    assert READERS["whole"](knob(f"{blank}{number}{blank}")) == number


@given(st.integers().filter(lambda number: not 1 <= number <= 999))
def test_whole_numbers_out_of_range_are_refused(number: int) -> None:
    assert said(READERS["whole"], str(number)) == (
        f"{NAME} is '{number}': it must be a whole number of bytes, from 1 to 999."
    )


@pytest.mark.parametrize("text", ["1_0", "+5", "5.0", "٣", "1e2", "0x5", "nan", "9" * 5000])
def test_what_only_python_takes_for_a_whole_number_is_refused(text: str) -> None:
    assert "it must be a whole number of bytes" in said(READERS["whole"], text)


def test_a_whole_number_may_have_no_upper_limit() -> None:
    assert knob("123456789012").whole(NAME, 0) == 123456789012
    assert said(lambda found: found.whole(NAME, 0), "-1") == (
        f"{NAME} is '-1': it must be a whole number, at least 0."
    )


@given(st.decimals(min_value="0.5", max_value=99, places=3))
def test_numbers_in_range_are_read(number: object) -> None:
    assert READERS["number"](knob(str(number))) == float(str(number))


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


def test_a_word_that_is_no_choice_is_shown_with_the_choices() -> None:
    assert said(READERS["one of"], "none") == f"{NAME} is 'none': it must be one of bridge, host."


@given(st.lists(st.text("a", min_size=1), min_size=1), BLANK)
def test_parts_are_read_without_blanks(parts: list[str], blank: str) -> None:
    text = ",".join(f"{blank}{part}{blank}" for part in parts)
    assert READERS["each"](knob(f",{text}, ,")) == parts


def test_the_part_that_is_wrong_is_shown_alone() -> None:
    assert said(READERS["each"], "aa, veiled, a") == (
        f"{NAME} has 'veiled': each part must be the letter a."
    )


def test_secrets_are_not_shown() -> None:
    for text in (
        said(lambda found: found.parsed(NAME, int, 0, "a key", secret=True), "veiled"),
        said(lambda found: found.each(NAME, int, "a key", secret=True), "1,veiled"),
    ):
        assert "veiled" not in text
        assert "a value that is not shown here" in text


def test_long_values_are_cut() -> None:
    assert f"is '{'b' * 100}...'" in said(READERS["parsed"], "b" * 101)


def test_a_text_keeps_its_blanks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, " pass word ")
    assert Variables().text(NAME) == " pass word "
