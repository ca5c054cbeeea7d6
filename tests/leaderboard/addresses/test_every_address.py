"""Tests of every address of the project, as every role, against one table."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from itertools import product
from typing import Any, TypeVar

import pytest
from django.db import models
from django.test import Client
from django.urls import resolve

from evaluation.models import Evaluation
from leaderboard.accounts.models import Entrant, Membership, Team
from leaderboard.benchmarks.models import Revision, Task
from leaderboard.generation.models import Run
from leaderboard.pages.caching import is_shared
from leaderboard.submissions.models import Submission, Upload
from tests.leaderboard.addresses.marked import OTHER, OWNER, SEEN_BY, STAFF, STRANGER, Site
from tests.leaderboard.addresses.table import (
    MODELS,
    PAGES,
    TABLE,
    admin_addresses,
    hidden_page,
    model_page,
)
from tests.leaderboard.addresses.visiting import body, route_of, routes, undone, visitor, word
from tests.leaderboard.addresses.walking import Expected, Walk, every_role
from tests.support.cast import confirmed_user

T = TypeVar("T")

# Views whose texts are translated, besides those that a walk tries.
VIEWED = (
    "?slice=category&value=Code+Standard&sort=entrant",
    "?slice=level&value=easy&provenance=upload",
    "?by=language&weights=unknown&q=larch",
    "?by=natural_language&hide=judged&level=easy",
)

# django-rq has its pages twice: for the site and for the admin's index.
RQ = ("admin/queue/", "admin/django_rq/dashboard/")
# Everyone can sign in to the admin; signing out is tried below.
ADMINS_OWN = {"admin/login/", "admin/logout/"}
RQ_ARGS = {
    "queue_index": 0,
    "job_id": "chunk-1-1",
    "result_id": "1-0",
    "key": "worker",
    "scheduler_index": 0,
    "connection_index": 0,
    "scheduler_name": "none",
    "cron_job_name": "none",
    "token": "guessed",
}


def rq_addresses() -> list[str]:
    """The dashboard's addresses in the installed version of the package."""
    found = []
    for route in sorted(routes()):
        if route.startswith(RQ) and "object_id" not in route:
            path = route.replace("/?$", "").replace(r"(?P<token>[\w]+)?", "guess")
            for name, value in RQ_ARGS.items():
                for kind in ("int", "str", "path"):
                    path = path.replace(f"<{kind}:{name}>", str(value))
            found.append("/" + path)
    return found


@pytest.mark.any_database
def test_the_table_names_every_address(site: Site) -> None:
    named = {route_of(line.url(site)) for line in TABLE}
    named |= {route_of(url) for url in (*admin_addresses(site), *rq_addresses())}
    known = {route for route in routes() if not route.startswith("admin/django_rq/dashboard/<")}
    assert known - named - ADMINS_OWN - RQ_UNUSED == set()


# The dashboard has no rows to add or change, and no page for it.
RQ_UNUSED = {"admin/django_rq/dashboard/add/"}


@every_role
def test_answers_to_get_are_those_of_the_table(walk: Walk) -> None:
    assert words(walk.got) == {place: expected for place, (expected, _) in walk.got.items()}


@every_role
def test_no_link_is_empty(walk: Walk) -> None:
    """A template shows nothing for an attribute that does not exist. Links that change the query
    of a page's own address are empty if it has no query."""
    shown = {place: answer for place, (_, answer) in walk.got.items() if answer.status == 200}
    assert {name for (name, _), one in shown.items() if one.has_empty_link} <= {"tasks"}


@pytest.mark.any_database
@pytest.mark.parametrize("role", [OWNER, STAFF], scope="session")
def test_no_address_has_english_left_over(walk: Walk) -> None:
    """Staff look at what an owner of a team may not see."""
    site = walk.site()
    names, found = known_english(site), dict[str, list[str]]()
    for line in TABLE:
        if walk.role == OWNER or line.expected("GET")[OWNER] != "200":
            _, answer = walk.got[line.name, line.url(site)]
            if not line.name.startswith("doc") and (left := left_over(answer.english, names)):
                found[line.url(site)] = left
    assert found == {}


@pytest.mark.any_database
@pytest.mark.parametrize("role", [STRANGER], scope="session")
def test_no_view_of_public_pages_has_english_left_over(walk: Walk) -> None:
    """Tries views that are filtered, sorted, limited to a part, or by other columns."""
    found = {url: answer.english for url, answer in walk.beyond.items()}
    site = walk.site()
    Task.objects.filter(number__lt=6).update(level="easy", category="Code Standard")
    with walk.asking(site) as ask:
        for (name, url), (_, plain) in walk.got.items():
            if plain.status == 200 and not name.startswith("doc") and is_shared(resolve(url)):
                # What a page does not read cannot change its answer.
                for query in filter(plain.depends_on, VIEWED):
                    found[url + query] = ask("GET", url + query).english
    names = known_english(site)
    assert {url: left for url, texts in found.items() if (left := left_over(texts, names))} == {}


def known_english(site: Site) -> str:
    """What is English in every language: tasks and the names of datasets."""
    names = [str(one) for one in Revision.objects.all()]
    return f"{names} {list(Task.objects.values_list('public', flat=True))}"


def left_over(texts: Iterable[str], names: str) -> list[str]:
    return [text for text in texts if text not in names]


@every_role
def test_answers_to_post_are_those_of_the_table(walk: Walk) -> None:
    assert words(walk.posted) == {place: expected for place, (expected, _) in walk.posted.items()}


@pytest.mark.postgresql
def test_postgresql_answers_as_the_table_says(site: Site) -> None:
    """An owner asks for each address, or staff if an owner is refused: here only the queries
    matter, so that nobody asks where the method or the reader is refused without one."""
    with Walk(OWNER).asking(site) as owner, Walk(STAFF).asking(site) as staff:
        for method, line in product(("GET", "POST"), TABLE):
            expected, data = line.expected(method), line.data if method == "POST" else None
            if set(expected.values()) <= {"in", "405"} or line.name.startswith("doc"):
                continue
            role, ask = (OWNER, owner) if expected[OWNER] in ("200", "go") else (STAFF, staff)
            place = (method, line.name, line.url(site))
            assert (*place, ask(method, line.url(site), data).word) == (*place, expected[role])
        for url, expected_word in admin_addresses(site).items():
            assert (url, staff("GET", url).word) == (url, expected_word)


def words(answers: Mapping[T, Expected]) -> dict[T, str]:
    return {place: answer.word for place, (_, answer) in answers.items()}


@pytest.mark.any_database
@pytest.mark.parametrize("role", [STRANGER, OTHER])
def test_a_rival_changes_nothing(site: Site, role: str) -> None:
    before = rows(site)
    for line in TABLE:
        if line.post != "405":
            visitor(site, role).post(line.url(site), line.data)
    assert rows(site) == before


def rows(site: Site) -> dict[str, list[Any]]:
    """All rows of Northwood's."""
    ours = {"entrant__team": site.cast.northwood}
    found: dict[str, models.QuerySet[Any]] = {
        "team": Team.objects.filter(pk=site.cast.northwood.pk),
        "members": Membership.objects.filter(team=site.cast.northwood),
        "entrants": Entrant.objects.filter(team=site.cast.northwood),
        "uploads": Upload.objects.filter(**ours),
        "submissions": Submission.objects.filter(**ours),
        "runs": Run.objects.filter(**ours),
        "evaluations": Evaluation.objects.filter(submission__entrant__team=site.cast.northwood),
    }
    return {name: list(rows.order_by("pk").values()) for name, rows in found.items()}


@pytest.mark.any_database
@pytest.mark.parametrize("role", [STAFF], scope="session")
def test_staff_read_the_admin(walk: Walk) -> None:
    assert words(walk.admin) == {url: expected for url, (expected, _) in walk.admin.items()}


# The admin and the queue's pages only ask whether a user is staff.
not_staff = pytest.mark.parametrize("role", [STRANGER, OWNER])


@pytest.mark.any_database
@not_staff
def test_the_admin_shows_nothing_to_others_and_takes_nothing_from_them(
    site: Site, role: str
) -> None:
    client = visitor(site, role)
    for url in admin_addresses(site):
        assert word(client.get(url)) == "in", url
        assert word(client.post(url, {"action": "delete_selected"})) == "in", url


@pytest.mark.any_database
def test_staff_without_rights_see_no_rows_in_the_admin(site: Site) -> None:
    clerk = confirmed_user("clerk", "clerk@example.org", "x", is_staff=True)
    client = Client()
    client.force_login(clerk)
    pages = [model_page(model, page) for model in MODELS for page in PAGES]
    assert {word(client.get(url)) for url in pages} == {"403"}
    assert client.get(hidden_page(site)).status_code == 403


@pytest.mark.any_database
def test_staff_without_rights_get_what_any_other_account_gets(site: Site) -> None:
    """And no text of anybody."""
    client = Client(raise_request_exception=False)
    client.force_login(confirmed_user("clerk", "clerk@example.org", "x", is_staff=True))
    cookies, answers, expected = deepcopy(client.cookies), {}, {}
    for method, line in product(("GET", "POST"), TABLE):
        by_role = line.expected(method)
        # Rights only add: where staff with all of them are refused as others are, so is a clerk.
        if by_role[STAFF] == by_role[OTHER] and (method == "POST" or by_role[OTHER] != "200"):
            continue
        client.cookies = deepcopy(cookies)
        data = line.data if method == "POST" else None
        with undone():
            answer = (client.get if method == "GET" else client.post)(line.url(site), data)
        marks = [mark for mark in SEEN_BY if mark in body(answer)]
        answers[method, line.url(site)] = word(answer), marks
        expected[method, line.url(site)] = by_role[OTHER], []
    # The other accounts' own team.
    expected["GET", f"{site.cast.fenland.get_absolute_url()}results/"] = "404", []
    assert {place: one for place, one in answers.items() if one != expected[place]} == {}


@pytest.mark.any_database
@not_staff
def test_the_queue_is_for_staff_alone(site: Site, role: str) -> None:
    client = visitor(site, role)
    answers = {url: word(client.get(url)) for url in rq_addresses()}
    figures = {url for url in answers if "stats.json" in url or "metrics" in url}
    assert {answers[url] for url in figures} == {"401"}
    assert {answers[url] for url in answers.keys() - figures} == {"in"}
    assert {word(client.post(url)) for url in answers.keys() - figures} == {"in"}
