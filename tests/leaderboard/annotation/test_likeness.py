"""Tests of the groups of near-identical generations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.annotation.likeness import MOST_TOKENS, groups, near_identical, tokens

LONGEST = """
String longest(List<String> all) {
    String found = null;
    for (String one : all) {
        if (found == null || one.length() > found.length()) { found = one; }
    }
    return found;
}
"""
CODE = st.lists(st.sampled_from(["a", "b", "(", ")", "// x\n", "/* y */", '"/*"', " ", "\n"])).map(
    "".join
)


@pytest.mark.parametrize(
    ("other", "alike"),
    [
        (LONGEST.replace("    ", "\t"), True),
        (LONGEST.replace("null;", "null; // the first wins"), True),
        (LONGEST.replace("String found", "/* so far */ String found"), True),
        (LONGEST.replace("found == null", "null == found"), True),
        (LONGEST.replace("for (String one : all)", "while (all.next() && size < 3 * many)"), False),
        ("int one() { return 1; }", False),
        ("", False),
    ],
)
def test_what_differs_in_layout_comments_or_a_word_is_near_identical(
    other: str, alike: bool
) -> None:
    assert (groups([LONGEST, other], "java") == [0, 0]) is alike


def test_what_looks_like_a_comment_in_a_string_is_kept() -> None:
    assert "b" in tokens('f("//") + b', "java")
    assert "b" in tokens("f('#') + b", "python")
    assert tokens("a // b", "python") == ("a", "/", "/", "b")


def test_long_texts_are_compared_by_their_beginning() -> None:
    assert len(tokens("a " * 10_000, "java")) == MOST_TOKENS


@given(CODE, CODE)
def test_likeness_is_symmetric_and_everything_is_like_itself(one: str, other: str) -> None:
    first, second = tokens(one, "java"), tokens(other, "java")
    assert near_identical(first, first)
    assert near_identical(first, second) == near_identical(second, first)


@given(st.lists(CODE, max_size=6), st.sampled_from(["java", "python", "other"]))
def test_every_text_has_a_group_and_equal_ones_share_it(texts: list[str], language: str) -> None:
    found = groups(texts, language)
    assert len(found) == len(texts)
    assert sorted(set(found)) == list(range(len(set(found))))
    for text, number in zip(texts, found, strict=True):
        assert number == found[texts.index(text)]
