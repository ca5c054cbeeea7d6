"""Tests of code as raters read it."""

from __future__ import annotations

import html
import re
from time import thread_time

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
    difference,
)

TAG = re.compile(r"</?span[^>]*>")


def text_of(shown: str) -> str:
    return html.unescape(TAG.sub("", shown))


@given(st.text(), st.sampled_from(["java", "python", "klingon"]))
def test_every_character_is_shown_as_it_is(text: str, language: str) -> None:
    # Pages have one kind of line break, which `shown_text` ensures.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    assert text_of(coloured(text, language)) == text
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
    began = thread_time()
    shown = coloured(f"return 1;{hostile}", "java")
    assert thread_time() - began < 1
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


@given(st.text(alphabet="<&a\n", max_size=40), st.text(alphabet="<&a\n", max_size=40))
def test_a_difference_has_the_lines_that_changed(before: str, after: str) -> None:
    shown = difference(before, after)
    assert "<" not in TAG.sub("", shown)
    lines = text_of(shown).split("\n")
    assert (shown == "") == (before.splitlines() == after.splitlines())
    grown = sum(line[:1] == "+" for line in lines) - sum(line[:1] == "-" for line in lines)
    assert grown == len(after.splitlines()) - len(before.splitlines())


def test_texts_of_many_lines_are_not_compared() -> None:
    assert difference("a\n" * (MOST_COMPARED + 1), "b") == ""
