"""Tests of the headers that every answer has for browsers and caches."""

from collections.abc import Mapping

import pytest

from leaderboard.middleware import POLICY, queue_policy
from leaderboard.pages.boards.views.outside import EMBEDDED
from tests.leaderboard.addresses.marked import STRANGER
from tests.leaderboard.addresses.table import NO_POST, TABLE
from tests.leaderboard.addresses.walking import Walk, every_role

pytestmark = pytest.mark.any_database

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def carried(headers: Mapping[str, str]) -> dict[str, str | None]:
    return {name: headers.get(name) for name in HEADERS}


@every_role
def test_every_answer_carries_what_keeps_browsers_safe(walk: Walk) -> None:
    answers = {url: answer for (_, url), (_, answer) in walk.got.items()} | walk.beyond
    answers |= {url: answer for url, (_, answer) in walk.admin.items()}
    answers |= {f"POST {url}": answer for (_, url), (_, answer) in walk.posted.items()}
    found = {place: carried(answer.headers) for place, answer in answers.items()}
    framed = HEADERS | {"Content-Security-Policy": EMBEDDED, "X-Frame-Options": None}
    embedded = {
        p for p, answer in answers.items() if p.startswith("/embed/") and answer.status == 200
    }
    assert bool(embedded) == any(place.startswith("/embed/") for place in answers)
    expected = {place: framed if place in embedded else HEADERS for place in answers}
    for place in answers:
        if place.removeprefix("POST ").startswith(("/admin/queue/", "/admin/django_rq/")):
            expected[place] = HEADERS | {"Content-Security-Policy": queue_policy()}
    assert found == expected


# Files of public boards and charts that browsers may keep and ask about.
ASKED_ABOUT = {"board-matrix", "chart"}


@every_role
def test_what_depends_on_the_person_is_stored_nowhere(walk: Walk) -> None:
    answers = {f"POST {url}": answer for (_, url), (_, answer) in walk.posted.items()}
    answers |= {url: answer for (name, url), (_, answer) in walk.got.items()}
    answers |= {url: answer for url, (_, answer) in walk.admin.items()}
    kept = {
        url: control
        for url, answer in answers.items()
        if "no-store" not in (control := answer.headers.get("Cache-Control", ""))
        and (walk.role != STRANGER or "Set-Cookie" in answer.headers)
    }
    asked_about = {
        url for name, url in walk.got if name in ASKED_ABOUT or url.startswith("/api/")
    } | {f"POST {url}" for _, url in walk.posted if url.startswith("/api/")}
    assert kept.keys() <= asked_about, kept


@every_role
def test_what_depends_on_who_on_who_asks_is_kept_by_no_shared_cache(walk: Walk) -> None:
    for (name, url), (_, answer) in walk.got.items():
        # The API's answers depend on a token, and on nothing that a browser stores.
        sender = "Authorization" if url.startswith("/api/") else "Cookie"
        alone = {"private", "no-store"} & set(answer.headers.get("Cache-Control", "").split(", "))
        # These two tell everybody the same in every language.
        if name not in ("health", "receipt-keys") and answer.status == 200:
            assert alone or sender in answer.headers.get("Vary", ""), url


@pytest.mark.parametrize("role", [STRANGER], scope="session")
def test_visitors_get_no_cookie_and_no_token(walk: Walk) -> None:
    without_forms = {line.name for line in TABLE if line.post == NO_POST}
    pages = {
        place: answer
        for place, (_, answer) in walk.got.items()
        if place[0] in without_forms and answer.status == 200
    }
    assert len(pages) > 20
    assert [place for place, answer in pages.items() if "Set-Cookie" in answer.headers] == []
    assert [place for place, answer in pages.items() if answer.has_token] == []
