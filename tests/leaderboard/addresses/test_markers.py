"""What is hidden, private or another team's turns up in no answer to whoever may not see it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.boards.findings import CHARTS
from leaderboard.submissions.intake import Understood
from tests.leaderboard.addresses.marked import (
    HIDDEN,
    MEMBER,
    OTHER,
    ROLES,
    SEEN_BY,
    STAFF,
    Site,
    predictions,
    uploaded,
    wrong,
)
from tests.leaderboard.addresses.table import TABLE, admin_addresses, hidden_page
from tests.leaderboard.addresses.visiting import body, undone, visitor

LIVE = {"HX-Request": "true"}
# What may change what an address shows: filters, orders, pages, revisions, and nonsense.
QUERIES = (
    "?sort=latest&page=2&weights=open&size=large",
    "?sort=hardest&verdict=passed&revision=sample&organisation=Northwood",
    "?sort=codeif-function&verdict=review&setting=base&organisation=Fenland",
    "?setting=two_round&level=L-1&seen=now",
    "?revision=none",
    "?benchmark=codeif-function&setting=base&entrant=birch&board=codeif-function/base",
)


def addresses(site: Site) -> list[str]:
    found = list(dict.fromkeys(line.url(site) for line in TABLE))
    slugs = [site.benchmark.slug, site.unlisted.slug]
    found += [reverse("chart", args=[slug, name]) for slug in slugs for name in CHARTS]
    found += [
        reverse("submission-task", args=[submission.pk, number])
        for submission in (site.published, site.private, site.judging, site.theirs)
        for number in (1, 11, 999)
    ]
    found += [thing.get_absolute_url() for thing in (site.theirs, site.their_upload)]
    found += [site.cast.fenland.get_absolute_url()]
    return [*found, "/nothing/here/", "/docs/nothing/", "/uploads/0/", "/static/nothing.css"]


def answers(site: Site, role: str) -> Iterator[tuple[str, str]]:
    """Whatever the role can get the site to say, without the admin."""
    client = visitor(site, role)
    for url in addresses(site):
        plain = client.get(url)
        yield url, body(plain)
        if plain.status_code in (302, 404, 405):
            continue  # whatever is asked of it beside
        yield f"{url} live", body(client.get(url, headers=LIVE))
        for query in QUERIES:
            yield url + query, body(client.get(url + query))
    for line in TABLE:
        with undone():
            yield f"POST {line.name}", body(client.post(line.url(site), line.data))


def found_in(said: Iterator[tuple[str, str]]) -> dict[str, set[str]]:
    """By mark where it was seen."""
    found: dict[str, set[str]] = {}
    for place, text in said:
        for mark in SEEN_BY:
            if mark in text:
                found.setdefault(mark, set()).add(place)
    return found


@pytest.mark.parametrize("role", ROLES)
def test_nobody_is_told_what_is_not_theirs(site: Site, role: str) -> None:
    found = found_in(answers(site, role))
    allowed = {mark for mark, roles in SEEN_BY.items() if role in roles} - set(HIDDEN)
    assert {mark: sorted(found[mark])[:3] for mark in found.keys() - allowed} == {}
    # Where nothing was there to be seen, nothing was tried.
    assert allowed - found.keys() - ONLY_IN_THE_ADMIN == set()


# Machines are the admin's; pages count them. So is what a benchmark's own programs did.
ONLY_IN_THE_ADMIN = {"veiled-machinery", "veiled-reference"}


def test_what_is_hidden_stands_on_one_page_of_the_admin(site: Site) -> None:
    client = visitor(site, STAFF)
    pages = {url: body(client.get(url)) for url in admin_addresses(site)}
    shown = {url for url, text in pages.items() if any(mark in text for mark in HIDDEN)}
    assert shown == {hidden_page(site)}
    assert all(mark in pages[hidden_page(site)] for mark in HIDDEN[:3])


def test_errors_say_nothing_of_what_they_are_about(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_args: object) -> Any:
        raise ValueError(f"{HIDDEN[0]} {site.private.entrant}")

    monkeypatch.setattr("leaderboard.boards.queries.results_of", broken)
    client = visitor(site, STAFF)
    for url in (reverse("home"), site.benchmark.get_absolute_url()):
        answer = client.get(url)
        assert (answer.status_code, "veiled-" in body(answer)) == (500, False)


def test_the_log_holds_no_text_of_anybody(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for role in (OTHER, MEMBER):
        client = visitor(site, role)
        for line in TABLE:
            client.get(line.url(site))
            with undone():
                client.post(line.url(site), line.data)
    uploaded(site.larch, site.benchmark, "veiled-upload-name", wrong("veiled-report"))
    said = "\n".join(f"{one.getMessage()} {one.exc_text}" for one in caplog.records)
    assert [mark for mark in SEEN_BY if mark in said] == []


@pytest.mark.parametrize("content", ["good", "wrong", "unknown"])
def test_a_report_quotes_the_file_and_never_the_benchmark(site: Site, content: str) -> None:
    files = {
        "good": predictions(site.benchmark),
        "wrong": wrong("veiled-report"),
        "unknown": b'{"task_id": 0, "requirement": "veiled-own", "completion": 4}',
    }
    upload = uploaded(site.larch, site.benchmark, "predictions", files[content])
    assert Understood.of(upload).ok == (content == "good")
    assert [mark for mark in HIDDEN if mark in str(upload.report)] == []


def test_what_is_scored_and_stored_holds_nothing_hidden(site: Site) -> None:
    for evaluation in site.evaluations:
        rows = [*evaluation.scores.values(), *evaluation.task_results.values()]
        assert [mark for mark in HIDDEN if mark in str(rows)] == []


def test_a_withdrawn_team_member_loses_sight_at_once(site: Site) -> None:
    bob = visitor(site, "member")
    url = site.private.get_absolute_url()
    assert bob.get(url).status_code == 200
    site.membership.delete()
    assert bob.get(url).status_code == 404


def test_signing_out_ends_the_session(site: Site) -> None:
    bob = visitor(site, "member")
    old = bob.cookies["sessionid"].value
    bob.post(reverse("sign-out"))
    again = Client()
    again.cookies["sessionid"] = old
    assert again.get(site.private.get_absolute_url()).status_code == 404
