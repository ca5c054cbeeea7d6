import re
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from django.template import Context, Template
from django.test import RequestFactory
from django.utils import translation

from evaluation.engine.records import Integrity, Status
from leaderboard.pages.shared import mark_words, score_words
from leaderboard.pages.shared.drawing import PLAIN, interval_axis
from leaderboard.pages.templatetags import assay, board

DASH = '<span class="missing">–</span>'


@pytest.fixture(autouse=True)
def _in_english() -> Iterator[None]:
    with translation.override("en"):
        yield


def rendered(source: str, **context: Any) -> str:
    return Template("{% load assay %}" + source).render(Context(context)).strip()


@pytest.mark.parametrize(
    ("name", "values", "text"),
    [
        ("percent", (0.784,), "78.4"),
        ("percent", (0.57,), "57.0"),
        ("percent", (0,), "0.0"),
        ("measure", (3.578, PLAIN), "3.58"),
        ("signed", (0.314,), "+0.31"),
        ("signed", (-0.2,), "−0.20"),
        ("signed", (-0.001,), "0.00"),
        ("count", (412380,), "412,380"),
        ("seconds", (311,), "0.311 s"),
        ("seconds", (20,), "0.020 s"),
        ("seconds", (12345,), "12.3 s"),
    ],
)
def test_numbers_are_rounded_in_their_unit(name: str, values: tuple[Any, ...], text: str) -> None:
    assert getattr(assay, name)(*values) == text


@pytest.mark.parametrize(
    "name", ["percent", "measure", "signed", "count", "seconds", "compact_date"]
)
def test_a_missing_number_is_a_dash(name: str) -> None:
    assert getattr(assay, name)(None) == DASH


def test_a_score_that_is_a_count_is_no_per_cent() -> None:
    assert score_words.score_number({"value": 1802.0, "is_count": True}) == "1,802"
    assert score_words.score_number({"value": 118.9583, "is_count": True}) == "118.96"
    assert score_words.score_number({"value": None, "is_count": True}) == DASH


@pytest.mark.parametrize(
    ("top", "values", "words"),
    [
        (5, (0.5, 0.25, 0.75), ["3.00", "2.00–4.00", "3.0", "3.00 of 5"]),
        (None, (0.784, 0.7, 0.8), ["78.4", "70.0–80.0", "78", "78.4 %"]),
        (4, (None, None, None), [DASH] * 4),
    ],
    ids=["on its scale", "per cent without one", "provisional"],
)
def test_a_score_is_read_in_its_unit(
    top: int | None, values: tuple[float | None, ...], words: list[str]
) -> None:
    score = {"top": top, **dict(zip(("value", "low", "high"), values, strict=True))}
    names = ("score_number", "score_ends", "score_shortly", "score_told")
    assert [getattr(assay, name)(score) for name in names] == words


def test_plus_minus_says_both_sides_where_they_differ() -> None:
    assert board.plus_minus(0.784, 0.732, 0.836) == "±5.2"
    assert board.plus_minus(0.9, 0.8, 0.95) == "+5.0 −10.0"
    assert board.plus_minus(1.0, 0.676, 0.9999999999999999) == "+0.0 −32.4"
    assert board.plus_minus(None, 0.1, 0.2) == ""


@pytest.mark.parametrize(
    ("status", "integrity", "kind"),
    [
        ("passed", "clean", "passed"),
        ("passed", "cleared", "passed"),
        ("passed", "suspect", "review"),
        ("passed", "confirmed", "discounted"),
        ("failed", "suspect", "failed"),
        ("timeout", None, "timeout"),
        (None, None, "waiting"),
    ],
)
def test_only_a_doubted_pass_changes_its_mark(
    status: str | None, integrity: str | None, kind: str
) -> None:
    assert mark_words.mark_kind(status, integrity) == kind


def test_every_status_and_integrity_has_a_mark_with_its_own_shape() -> None:
    kinds = {mark_words.mark_kind(*pair) for pair in product(Status, Integrity)}
    assert kinds <= set(mark_words.MARK_WORDS)
    sprite = Template('{% include "parts/sprite.html" %}').render(Context())
    counts = {kind: sprite.count(f'id="mark-{kind}"') for kind in mark_words.MARK_WORDS}
    assert counts == dict.fromkeys(mark_words.MARK_WORDS, 1)


def test_a_mark_always_has_words() -> None:
    seen = rendered("{% verdict_mark 'timeout' %}")
    unseen = rendered("{% verdict_mark 'timeout' words=False %}")
    assert "<span>too slow</span>" in seen
    assert '<span class="visually-hidden">too slow</span>' in unseen


def test_a_strip_has_a_mark_for_each_verdict_and_says_what_it_shows() -> None:
    verdicts = [{"status": "passed"}] * 2 + [{"status": "timeout"}, None]
    strip = rendered("{% task_dots verdicts %}", verdicts=verdicts)
    assert re.findall(r'href="#mark-(\w+)"', strip) == ["passed", "passed", "timeout", "waiting"]
    assert 'aria-label="2 passed, 1 too slow, 1 not judged yet"' in strip

    assert rendered("{% task_dots verdicts %}", verdicts=[]) == DASH


def test_a_long_strip_goes_on_in_the_next_line() -> None:
    strip = assay.task_dots([None] * 21)
    assert 'width="238" height="22"' in strip
    last = strip.split("<use ")[21]
    assert last.startswith('href="#mark-waiting" class="mark-waiting" x="0" y="12"')


@pytest.mark.parametrize(
    ("value", "step"), [(0.0, 1), (0.16, 1), (0.17, 2), (0.5, 4), (1.0, 6), (1.2, 6), (None, None)]
)
def test_heat_has_six_steps(value: float | None, step: int | None) -> None:
    assert score_words.heat_step(value) == step


def test_a_cell_shows_per_cent_another_text_or_that_it_is_missing() -> None:
    cell = rendered("{% heat None %}")
    assert 'class="heat heat-missing"' in cell
    assert "not run" in cell
    assert rendered("{% heat 0.77 %}") == '<span class="heat heat-5">77</span>'
    assert rendered("{% heat 0.9 '3.58' %}") == '<span class="heat heat-6">3.58</span>'


def test_of_many_chunks_a_cell_shows_the_one_not_to_be_missed() -> None:
    strip = assay.chunks(["done"] * 799 + ["returned"])
    assert (len(strip["cells"]), strip["per_cell"]) == (100, 8)
    assert strip["cells"][-1] == "returned"
    assert strip["text"] == "799 done, 1 returned to the queue"


def test_drawings_hold_points_in_every_language() -> None:
    rows = [{"value": 0.784, "low": 0.7321, "high": 0.836}]
    with translation.override("ru"):
        drawing = rendered("{% interval row axis %}", row=rows[0], axis=interval_axis(rows))
    assert re.findall(r'="\d+,\d+%"', drawing) == []


@pytest.mark.parametrize(
    ("here", "current"), [("/benchmarks/", True), ("/benchmarks/x/", True), ("/", False)]
)
def test_a_link_of_the_header_is_current_on_the_pages_below_it(here: str, current: bool) -> None:
    links = rendered("{% main_links %}", request=RequestFactory().get(here))
    marked = re.findall(r'<a href="([^"]*)" aria-current="page">', links)
    assert marked == ["/benchmarks/" if current else "/"]


def test_the_languages_lead_back_to_the_page() -> None:
    request = RequestFactory().get("/benchmarks/", {"by": "<&"})
    with translation.override("ru"):
        links = rendered("{% language_links %}", request=request)
    russian = 'lang="ru" rel="nofollow" aria-current="true">Русский</a>'
    assert links.count("?next=%2Fbenchmarks%2F%3Fby%3D%253C%2526") == 3
    assert russian in links and links.count("aria-current") == 1
