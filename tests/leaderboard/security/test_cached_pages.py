"""Tests of pages cached for visitors: always current, and without anybody else's data."""

import gzip
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from unittest import mock
from urllib.parse import quote

import pytest
from django.apps import apps
from django.core.cache import cache, caches
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import resolve, reverse
from pytest_django.fixtures import Settings

from evaluation.management.commands.reconcile import storing_charts
from evaluation.models import Evaluation
from leaderboard.benchmarks.models import Benchmark, Task, TaskExclusion
from leaderboard.pages.caching import is_shared
from leaderboard.pages.models import PublicChange
from leaderboard.pages.triggers import MOST_CHANGES, WATCHED
from leaderboard.submissions.publishing import publish, withdraw
from tests.leaderboard.addresses.marked import OWNER, STRANGER, Site
from tests.leaderboard.addresses.table import TABLE
from tests.leaderboard.addresses.visiting import visitor
from tests.leaderboard.addresses.walking import QUERIES, Request, answer_of
from tests.support.commands import ROOT

# Tables that public pages read and the site does not watch: they change together with a row that it
# watches.
FOLLOWS = {
    "benchmarks_taskhidden": "a revision's tasks are imported with it",
    "pages_boardpart": "a page draws a chart that is not stored, and the stored one is the same",
    "evaluation_recheckedtask": "counts of a task change with a recheck",
    "evaluation_verdict": "verdicts are public once their evaluation is done",
    "scores_editionrow": "rows of an edition are stored with it",
    "scores_taskresult": "results of tasks are stored with their score",
    "scores_taskstatistics": "statistics of tasks are made with their board",
    "submissions_generation": "generations are stored with their submission",
}


@pytest.fixture
def cached(site: Site, settings: Settings) -> Site:
    settings.CACHED_PAGES = 400
    return site


def public_addresses(site: Site) -> list[str]:
    """All public addresses except the file of all results, which is cached separately:
    boards/test_matrix.py; and files of verdicts, which are not."""
    streamed = ("board-matrix", "api:verdicts", "api:receipt_verdicts")
    public = (line for line in TABLE if line.expected("GET")[STRANGER] == "200")
    lines = [line for line in public if line.name not in streamed]
    found = {line.url(site) for line in lines}
    return sorted(url for url in found if is_shared(resolve(url)))


def pages_of(client: Client, site: Site) -> dict[str, bytes]:
    return {url: client.get(url).content for url in public_addresses(site)}


def rename(site: Site) -> None:
    site.larch.name = "Larch the second"
    site.larch.save()


def exclude(site: Site) -> None:
    task = Task.objects.filter(revision=site.benchmark.current, exclusion=None).first()
    TaskExclusion.objects.create(task=task, reason="Broken too.", decided_by=site.cast.dora)


def draw(_: Site) -> None:
    """Stores what is drawn after the change that it belongs to."""
    assert [*storing_charts()]


def publish_private(site: Site) -> None:
    publish(submission=site.private)


def unlist(site: Site) -> None:
    Benchmark.objects.filter(pk=site.benchmark.pk).update(listed=False)


CHANGES: list[Callable[[Site], object]] = [
    draw,
    publish_private,
    lambda site: withdraw(submission=site.published),
    rename,
    exclude,
    unlist,
]


@pytest.mark.any_database
def test_every_page_costs_one_query_and_is_current_after_public_changes(
    cached: Site, settings: Settings
) -> None:
    client = visitor(cached, STRANGER)
    before = pages_of(client, cached)
    assert len(before) > 10
    # What is drawn later, results, and pages that are gone; others are recorded like these, below.
    for change in (draw, publish_private, unlist):
        for url, page in before.items():
            with CaptureQueriesContext(connection) as queries:
                answer = client.get(url)
            assert answer.content == page
            assert answer.status_code != 200 or len(queries) == 1, url
        change(cached)
        after = pages_of(client, cached)
        settings.CACHED_PAGES = 0
        assert after == pages_of(visitor(cached, STRANGER), cached)
        settings.CACHED_PAGES = 400
        assert after != before
        before = after


PUBLISH = """
import sys, django
django.setup()
from leaderboard.submissions.models import Submission
from leaderboard.submissions.publishing import publish
publish(submission=Submission.objects.get(pk=int(sys.argv[1])))
"""


def publish_elsewhere(key: int) -> None:
    """Publishes the submission from another process with the test's database."""
    at = connection.settings_dict
    url = f"postgresql://{at['USER']}@{quote(at['HOST'], safe='')}:{at['PORT']}/{at['NAME']}"
    environment = {**os.environ, "DATABASE_URL": url}
    environment.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    words = [sys.executable, "-c", PUBLISH, str(key)]
    subprocess.run(words, cwd=ROOT, env=environment, check=True)


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_every_warm_page_is_current_after_a_change_by_another_process(
    cached: Site, settings: Settings
) -> None:
    """Which changes are public is tested above for every address, and that triggers record them,
    below."""
    client, board = visitor(cached, STRANGER), cached.benchmark.get_absolute_url()
    compared, badge = board.replace("/benchmarks/", "/compare/"), f"{board}badge.svg"
    more = (
        *("/?by=skill", "/?weights=open", f"{board}?weights=open"),
        *(f"{board}tasks/?sort=hardest", f"{board}?slice=level&value=easy"),
        *(f"{compared}?entrant=larch&entrant=birch", f"{badge}?entrant=larch"),
    )
    urls = ["/", "/entrants/", board, compared, f"{board}tasks/", f"{board}board.csv", *more]
    others = ("/", board, f"{compared}?entrant=larch&entrant=birch")
    asked = [(url, {}) for url in urls]
    asked += [(url, {"accept-language": "ru"}) for url in others]
    asked += [(url, {"accept-encoding": "gzip"}) for url in others]
    warm = answers(client, asked)
    publish_elsewhere(cached.private.pk)
    after = answers(client, asked)
    assert after != warm
    cache.clear()
    settings.CACHED_PAGES = 0
    assert after == answers(visitor(cached, STRANGER), asked)


def answers(client: Client, asked: Sequence[tuple[str, Mapping[str, str]]]) -> list[bytes]:
    found = [client.get(url, headers=headers) for url, headers in asked]
    # A page that is compressed twice has other bytes.
    return [
        gzip.decompress(one.content) if one.has_header("Content-Encoding") else one.content
        for one in found
    ]


@pytest.mark.any_database
def test_pages_of_people_are_not_stored_and_not_answered_from_the_cache(cached: Site) -> None:
    owner, stranger = visitor(cached, OWNER), visitor(cached, STRANGER)
    # The API and embedded boards ignore cookies, so their answers are everybody's.
    own_to_nobody = ("/api/", "/embed/")
    shared = {url for url in public_addresses(cached) if url.startswith(own_to_nobody)}
    with mock.patch.object(caches["pages"], "set") as stored:
        own = {url: owner.get(url).content for url in public_addresses(cached) if url not in shared}
    assert not stored.called
    public = pages_of(stranger, cached)
    assert [url for url, page in public.items() if b"veiled-alice" in page] == []
    assert {url: owner.get(url).content for url in shared} == {url: public[url] for url in shared}
    pages = [url for url, page in own.items() if page.startswith(b"<!doctype html>")]
    again = pages_of(owner, cached)
    assert [url for url in pages if b"veiled-alice" not in again[url]] == []
    assert len(pages) > 8


@pytest.mark.any_database
def test_what_differs_between_visitors_has_pages_of_its_own(cached: Site) -> None:
    client = visitor(cached, STRANGER)
    board = reverse("benchmark", args=[cached.benchmark.slug])
    english = client.get(board)
    assert b'lang="ru"' in client.get(board, headers={"accept-language": "ru"}).content
    packed = client.get(board, headers={"accept-encoding": "gzip"})
    assert packed["Content-Encoding"] == "gzip"
    assert len(packed.content) * 3 < len(english.content)
    assert client.get(board).content == english.content
    cookie = Client(headers={"cookie": "django_language=zh-hans"})
    assert b'lang="zh-hans"' in cookie.get(board).content
    assert b"evil%3D1" in client.get(f"{board}?evil=1").content
    assert b"evil%3D1" not in client.get(board).content


@pytest.mark.any_database
def test_a_request_for_a_part_of_a_page_does_not_meet_the_cache(cached: Site) -> None:
    client = visitor(cached, STRANGER)
    board = reverse("benchmark", args=[cached.benchmark.slug])
    with mock.patch.object(caches["pages"], "set") as stored:
        client.get(board, headers={"HX-Request": "true"})
    assert not stored.called
    client.get(board)
    with mock.patch.object(caches["pages"], "get") as found:
        client.get(board, headers={"HX-Request": "true"})
    assert not found.called


@pytest.mark.any_database
def test_a_browser_that_has_the_page_gets_no_body(cached: Site) -> None:
    client = visitor(cached, STRANGER)
    board = reverse("benchmark", args=[cached.benchmark.slug])
    first = client.get(board)
    assert first["Cache-Control"] == "no-cache"
    again = client.get(board, headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    rename(cached)
    assert client.get(board, headers={"if-none-match": first["ETag"]}).status_code == 200


@pytest.mark.any_database
def test_every_table_that_public_pages_read_is_watched(site: Site) -> None:
    client, read = visitor(site, STRANGER), set()
    for url in public_addresses(site):
        with (
            CaptureQueriesContext(connection) as queries,
            mock.patch("django.test.client.WSGIRequest", Request),
        ):
            # What a page does not read cannot change what it asks.
            plain = answer_of(client.get(url))
            for query in filter(plain.depends_on, QUERIES):
                client.get(url + query)
        for one in queries:
            read |= set(re.findall(r'(?:FROM|JOIN) "(\w+)"', one["sql"]))
    watched = {apps.get_model(label)._meta.db_table for label in WATCHED}
    assert read - watched - FOLLOWS.keys() == set()
    assert read >= {"scores_standing", "benchmarks_task", "accounts_entrant"}


def test_each_public_change_is_recorded(site: Site) -> None:
    for change in CHANGES:
        before = PublicChange.objects.count()
        change(site)
        assert PublicChange.objects.count() > before


def test_changes_are_recorded_whoever_makes_them_and_old_ones_deleted(site: Site) -> None:
    before = PublicChange.objects.count()
    with connection.cursor() as cursor:
        for label in WATCHED:
            table = apps.get_model(label)._meta
            key = table.pk.column
            cursor.execute(f'UPDATE "{table.db_table}" SET "{key}" = "{key}"')
        recorded = PublicChange.objects.count() - before
        assert recorded >= sum(apps.get_model(label).objects.exists() for label in WATCHED)
        PublicChange.objects.bulk_create(PublicChange() for _ in range(MOST_CHANGES))
        for _ in range(50):
            cursor.execute("UPDATE accounts_team SET name = name WHERE slug = 'northwood'")
    assert PublicChange.objects.count() <= MOST_CHANGES


def test_a_renewed_lease_is_no_public_change(site: Site) -> None:
    before = PublicChange.objects.count()
    Evaluation.objects.update(lease_until=None, rung=None, owner="", attempt=3)
    assert PublicChange.objects.count() == before


def test_migrate_restores_a_trigger_that_is_gone(site: Site) -> None:
    on = ' ON "accounts_entrant"' if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f'DROP TRIGGER "public_accounts_entrant_update"{on}')
    before = PublicChange.objects.count()
    rename(site)
    assert PublicChange.objects.count() == before
    call_command("migrate", verbosity=0)
    rename(site)
    assert PublicChange.objects.count() == before + 1
