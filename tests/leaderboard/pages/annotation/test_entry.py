"""Tests of how a rater's form is read, and of the format of numbers and times beside it."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone
from django.utils.translation import gettext, override
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine import registry
from evaluation.engine.families.aixbench_nl.criteria import CRITERIA
from evaluation.engine.family import ByPeople
from leaderboard.annotation.rating import MOST_COMMENT
from leaderboard.pages.annotation.entry import Entered, comment_field, mark_field, scales
from leaderboard.pages.shared.score_words import moment
from leaderboard.pages.templatetags.rating import minutes

pytestmark = pytest.mark.any_database

FIELDS = [mark_field(one.name) for one in CRITERIA] + [comment_field(one.name) for one in CRITERIA]
NAMES = {one.name for one in CRITERIA}


@given(st.dictionaries(st.sampled_from([*FIELDS, "seconds", "version", "reason"]), st.text()))
def test_any_form_is_read(form: dict[str, str]) -> None:
    found = Entered.of(form, CRITERIA)
    assert found.marks.keys() <= NAMES
    assert found.comments.keys() == NAMES
    assert all("\0" not in text for text in (*found.comments.values(), found.reason))
    assert found.seconds is None or found.seconds >= 0
    assert len(scales(CRITERIA, found)) == 3


@given(st.integers(min_value=0, max_value=999_999))
def test_a_mark_is_read_as_it_was_written(mark: int) -> None:
    found = Entered.of({"mark-code-quality": str(mark)}, CRITERIA)
    assert found.marks == {"code quality": mark}


def test_what_is_no_number_is_no_mark() -> None:
    for text in ("", "-1", "+1", "1.0", " 1", "\u0661", "1" * 7):
        assert Entered.of({"mark-correctness": text}, CRITERIA).marks == {}


def test_a_comment_is_cut_where_it_is_too_long() -> None:
    found = Entered.of({"comment-correctness": "x" * (MOST_COMMENT + 1)}, CRITERIA)
    assert len(found.comments["correctness"]) == MOST_COMMENT


def test_scales_show_the_best_mark_first_with_what_is_entered() -> None:
    shown = scales(CRITERIA, Entered(marks={"correctness": 2}), {"code quality": ["Missing."]})
    marks = shown[0].marks
    assert [mark.value for mark in marks] == [4, 3, 2, 1]
    assert [mark.value for mark in marks if mark.chosen] == [2]
    assert (shown[1].wrong, shown[0].wrong) == ("Missing.", "")
    assert marks[-1].meaning == CRITERIA[0].anchors[0]


@pytest.mark.parametrize("code", ["ru", "zh-hans"])
def test_every_scale_and_every_meaning_is_translated(code: str) -> None:
    rated = [one.judged for one in registry.FAMILIES.values() if isinstance(one.judged, ByPeople)]
    assert rated
    texts = [
        text for judged in rated for one in judged.criteria for text in (one.name, *one.anchors)
    ]
    with override(code):
        assert [text for text in texts if gettext(text) == text] == []


def test_work_whose_clock_did_not_run_is_missing_and_not_zero() -> None:
    assert (minutes(90), minutes(600)) == ("2", "10")
    assert minutes(None) == minutes(0) != "0"


def test_a_moment_is_told_like_dates_elsewhere() -> None:
    this_year = datetime(timezone.localdate().year, 11, 22, 17, 34, tzinfo=UTC)
    assert moment(this_year) == "22 Nov, 17:34 UTC"
    assert moment(datetime(1999, 1, 2, 3, 4, tzinfo=UTC)) == "2 Jan 1999, 03:04 UTC"
