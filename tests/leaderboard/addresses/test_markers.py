"""Tests that hidden data, private data and other teams' data appear in no answer to users who may
not see them."""

from collections.abc import Mapping

import pytest
from django.test import Client
from django.urls import resolve, reverse

from evaluation.models import Evaluation
from leaderboard.submissions.intake import Understood
from tests.leaderboard.addresses.marked import (
    HIDDEN,
    MEMBER,
    SEEN_BY,
    STAFF,
    STRANGER,
    Site,
    predictions,
    uploaded,
    wrong,
)
from tests.leaderboard.addresses.visiting import visitor
from tests.leaderboard.addresses.walking import (
    PUBLIC,
    QUERIES,
    Answer,
    Walk,
    every_role,
    logged,
    names_in,
)

pytestmark = pytest.mark.any_database


@every_role
def test_nobody_is_told_what_is_not_theirs(walk: Walk) -> None:
    answers = {" ".join(place): answer for place, (_, answer) in walk.got.items()}
    answers |= {f"POST {' '.join(place)}": answer for place, (_, answer) in walk.posted.items()}
    found = found_in(answers | walk.beyond)
    allowed = {mark for mark, roles in SEEN_BY.items() if walk.role in roles} - set(HIDDEN)
    assert {mark: found[mark][:3] for mark in found.keys() - allowed} == {}
    # A mark that no page shows would test nothing.
    assert allowed - found.keys() - ONLY_IN_THE_ADMIN == set()


def found_in(answers: Mapping[str, Answer]) -> dict[str, list[str]]:
    """By mark, the places that show it."""
    marks = set().union(*(answer.marks for answer in answers.values()))
    return {mark: [place for place in answers if mark in answers[place].marks] for mark in marks}


@pytest.mark.parametrize("role", [STRANGER, MEMBER], scope="session")
def test_each_page_is_asked_with_the_queries_that_it_reads(walk: Walk) -> None:
    tried = {
        url: [query for query in QUERIES if url + query in walk.beyond]
        for url in ("/", "/submissions/", "/docs/")
    }
    lives = [url for url in ("/submit/", "/docs/") if f"{url} live" in walk.beyond]
    if walk.role == STRANGER:
        assert (tried, lives) == ({"/": list(QUERIES), "/submissions/": [], "/docs/": []}, [])
    else:
        own = {"/": [], "/submissions/": [QUERIES[0]], "/docs/": []}
        assert (tried, lives) == (own, ["/submit/"])


def test_every_parameter_of_public_pages_is_in_a_query() -> None:
    assert PUBLIC - names_in(QUERIES) == set()
    assert {"q", "provenance", "since", "slice", "value", "hide"} < PUBLIC


# Only the admin shows the names of machines, the results of a benchmark's own programs, and the
# reasons of reviews. Other pages only count machines.
ONLY_IN_THE_ADMIN = {"veiled-review", "veiled-invited", "veiled-machinery", "veiled-reference"}


@pytest.mark.parametrize("role", [STAFF], scope="session")
def test_what_is_hidden_stands_on_two_pages_of_the_admin(walk: Walk) -> None:
    """The desk shows the reference solution next to a pass that waits for a review."""
    hidden = {
        resolve(url).url_name: answer.marks & set(HIDDEN) for url, (_, answer) in walk.admin.items()
    }
    assert {name for name, marks in hidden.items() if marks} == {
        "benchmarks_task_hidden",
        "evaluation_verdict_desk",
    }
    assert hidden["benchmarks_task_hidden"] >= set(HIDDEN[:3])
    assert hidden["evaluation_verdict_desk"] == {"veiled-canonical"}


@every_role
def test_the_log_holds_no_text_of_anybody(walk: Walk) -> None:
    assert walk.got and walk.posted and walk.logged
    assert [mark for mark in SEEN_BY if mark in "\n".join(walk.logged)] == []


def test_what_a_file_is_refused_for_is_not_logged(site: Site) -> None:
    messages: list[str] = []
    with logged(messages):
        uploaded(site.larch, site.benchmark, "veiled-upload-name", wrong("veiled-report"))
    assert [mark for mark in SEEN_BY if mark in "\n".join(messages)] == []


@pytest.mark.parametrize("content", ["good", "wrong", "unknown"])
def test_a_report_quotes_the_file_and_never_the_benchmark(site: Site, content: str) -> None:
    files = {
        "good": predictions(site.benchmark),
        "wrong": wrong("veiled-report"),
        "unknown": b'{"task_id": 0, "requirement": "veiled-own", "completion": 4}',
    }
    upload = uploaded(site.larch, site.benchmark, "predictions", files[content])
    assert Understood.from_upload(upload).ok == (content == "good")
    assert [mark for mark in HIDDEN if mark in str(upload.report)] == []


def test_what_is_scored_and_stored_holds_nothing_hidden(site: Site) -> None:
    for evaluation in Evaluation.objects.all():
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
