"""Tests of which member of a zip answers which task."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.aixbench_auto.extraction import member_task


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("AixcoderOld0.java", 0),
        ("out/java/GPT4_186.java", 186),
        ("out\\Model17.java", 17),
        ("Old007.java", None),
        ("GenerateMethodBase.java", None),
        ("Old12.java.txt", None),
        ("Old12/Other.java", None),
        ("__MACOSX/._Old12.java", None),
        ("Old١٢.java", None),
        ("Old1234567890.java", None),
        ("", None),
    ],
)
def test_the_number_at_the_end_is_the_tasks(name: str, id: int | None) -> None:
    assert member_task(name) == id


PREFIXES = st.text(st.characters(exclude_characters="/\\.", exclude_categories=["N", "Cs"]))


@given(PREFIXES, st.integers(0, 999_999_999))
def test_any_prefix_will_do_that_ends_in_no_digit(prefix: str, id: int) -> None:
    assert member_task(f"{prefix}{id}.java") == id


@given(st.text())
def test_any_name_has_an_answer(name: str) -> None:
    assert member_task(name) is None or name.endswith(f"{member_task(name)}.java")
