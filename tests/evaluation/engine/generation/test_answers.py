"""The requests that are retried, and the pauses between them."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.generation.answers import Patience, Unanswered, is_temporary, retry_after

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@given(st.integers(1, 7))
def test_each_pause_is_about_twice_the_one_before(tried: int) -> None:
    pause = Patience().pause(Unanswered("busy"), tried)
    assert 2 ** (tried - 1) / 2 <= pause <= min(60, 2 ** (tried - 1))


def test_tries_come_to_an_end() -> None:
    assert Patience(tries=3).pause(Unanswered("busy"), 3) is None
    assert Patience(tries=10**6).pause(Unanswered("busy"), 10**5) is not None


@given(st.floats(0, 900))
def test_who_asks_to_be_left_alone_is(after: float) -> None:
    pause = Patience().pause(Unanswered("busy", after), 1)
    assert pause >= after


def test_nobody_waits_for_an_hour() -> None:
    assert Patience().pause(Unanswered("busy", 3600.0), 1) is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": format_datetime(NOW + timedelta(seconds=90), usegmt=True)}, 90.0),
        ({"retry-after": format_datetime(NOW - timedelta(seconds=90), usegmt=True)}, 0.0),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "soon"}, None),
    ],
    ids=str,
)
def test_a_wish_is_a_number_or_a_date(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


@given(st.text())
def test_no_wish_whatever_is_negative_or_raises(text: str) -> None:
    found = retry_after({"retry-after": text}, NOW)
    assert found is None or found >= 0


def test_what_is_refused_for_good_is_not_asked_again() -> None:
    assert [is_temporary(status) for status in (400, 401, 404, 422)] == [False] * 4
    assert all(map(is_temporary, (408, 429, 500, 502, 503, 529)))
