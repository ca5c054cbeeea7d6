"""Tests of code as raters read it."""

import html
import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.benchmarks.models import Task
from leaderboard.pages.shared.code import (
    MOST_COLOURED,
    MOST_COMPARED,
    PAGE_BYTES,
    Budget,
    code_lines,
    coloured,
    coloured_lines,
    shown_text,
    text_changes,
    unseen_note,
)
from tests.support.linear import at_most

TAG = re.compile(r"</?span[^>]*>")


def text_of(shown: str) -> str:
    return html.unescape(TAG.sub("", shown))


@given(st.text(), st.sampled_from(["java", "python", "klingon"]))
def test_every_character_is_shown_as_it_is(text: str, language: str) -> None:
    shown = coloured(text, language)
    text = text.replace("\r\n", "\n").replace("\0", "\N{REPLACEMENT CHARACTER}")
    assert text_of(shown) == text
    lines = [text_of(line) for line in coloured_lines(text, language, Budget())]
    assert "\n".join(lines) == text.removesuffix("\n")


def test_a_colour_ends_with_its_line() -> None:
    assert [*coloured_lines("/* a\nb */ c\n\n", "java", Budget())] == [
        '<span class="comment">/* a</span>',
        '<span class="comment">b */</span> c',
        "",
    ]


@given(st.text(alphabet="<>&\"'/*x \n", max_size=60))
def test_no_character_of_the_code_is_markup(text: str) -> None:
    assert "<" not in TAG.sub("", coloured(text, "java"))


def test_keywords_comments_and_texts_are_set_apart() -> None:
    shown = coloured('// why\nreturn "a" + 1;', "java")
    assert '<span class="comment">// why</span>' in shown
    assert '<span class="keyword">return</span>' in shown
    assert '<span class="string">&quot;a&quot;</span>' in shown
    assert '<span class="number">1</span>' in shown


def test_what_is_very_long_is_shown_without_colours() -> None:
    text = "return 1; " * (MOST_COLOURED // 10 + 1)
    assert coloured(text, "java") == text


@pytest.mark.parametrize("hostile", ["\n" * 20_000, "a " * 10_000], ids=["lines", "words"])
def test_a_text_that_makes_a_lexer_slow_is_shown_in_time(
    hostile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.pages.shared.code.SECONDS", 0.02)
    with at_most(1):
        shown = coloured(f"return 1;{hostile}", "java")
    assert shown.startswith('<span class="keyword">return</span>')
    assert text_of(shown) == f"return 1;{hostile}"


def test_texts_of_a_page_share_its_budget() -> None:
    budget, text, task = Budget(), '1 "&\n' * 100, Task(language="java")
    budget.size = PAGE_BYTES // 2 + 1
    (first, cut), (second, also_cut) = (code_lines(text, task, budget) for _ in range(2))
    assert (cut, also_cut) == (False, False)
    assert ("<span" in first[0], second[0]) == (True, "1 &quot;&amp;")
    budget.size = 300
    third, cut = code_lines(text, task, budget)
    assert cut and 0 < len(third) < 10
    assert budget.plain(text) == ""
    budget.size = 1_000
    assert 500 < len(budget.plain("\u200b\u200c" * 9_000).encode()) <= 1_000


@given(st.text(alphabet="<&a\n", max_size=40), st.text(alphabet="<&a\n", max_size=40))
def test_a_difference_has_the_lines_that_changed(before: str, after: str) -> None:
    shown = text_changes(before, after)
    assert "<" not in TAG.sub("", shown)
    lines = text_of(shown).split("\n")
    assert (shown == "") == (before.splitlines() == after.splitlines())
    grown = sum(line[:1] == "+" for line in lines) - sum(line[:1] == "-" for line in lines)
    assert grown == len(after.splitlines()) - len(before.splitlines())


def test_texts_of_many_lines_are_not_compared() -> None:
    assert text_changes("a\n" * (MOST_COMPARED + 1), "b") == ""


FILLERS = set("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U00016fe4\U0001d159")


def is_seen(char: str) -> bool:
    variation = "\ufe00" <= char <= "\ufe0f" or "\u180b" <= char <= "\u180f"
    if variation or char in FILLERS or "\U000e0000" <= char <= "\U000e0fff":
        return False
    unseen = unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp", "Zs")
    return char in " \n\t" or not unseen


def test_every_character_that_cannot_be_seen_has_a_mark_and_no_other() -> None:
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        if unicodedata.category(char) != "Cn":
            shown = shown_text(char)
            assert ("codepoint" in shown) != is_seen(char), f"U+{code:04X}"
            assert (f'data-code="U+{code:04X}"' in shown) != is_seen(char)


def test_runs_are_marked_once_and_the_note_names_each_character() -> None:
    text = "\u202e/* }\u2066\u2066 */\n\u00a0x\u202e"
    lines = list(coloured_lines(text, "java", Budget()))
    assert 'data-code="U+2066 ×2">\u2066\u2066</span>' in lines[0]
    note = unseen_note(lines)
    assert "U+00A0 NO-BREAK SPACE, U+202E RIGHT-TO-LEFT OVERRIDE, U+2066 LEFT-TO-RIGHT" in note
    assert (unseen_note(["seen"]), unseen_note(""), unseen_note(None)) == ("", "", "")


def test_code_cannot_forge_a_mark() -> None:
    forged = '<span class="codepoint" data-code="U+202E">'
    assert "<span" not in shown_text(forged)
    assert unseen_note(shown_text(forged)) == ""


def test_a_difference_is_by_line_breaks_alone_and_shows_what_differs() -> None:
    shown = text_changes("a\u2028b\r\n", "a\u2029b\n")
    assert text_of(shown).split("\n")[1:] == ["-a\u2028b", "+a\u2029b"]
    assert 'data-code="U+2029"' in shown
