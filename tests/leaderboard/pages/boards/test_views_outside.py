"""Tests of badges, the feed, citations and link previews of results, and of the error pages."""

import html
import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.db import OperationalError, connection
from django.test import Client
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from leaderboard.benchmarks.models import Benchmark
from leaderboard.submissions.models import Submission, Visibility
from tests.leaderboard.pages.boards.published import page, results
from tests.leaderboard.pages.submissions.visits import SCRIPT, visitor
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database

BADGE = "/benchmarks/rucodeeval/badge.svg"


def test_a_badge_says_score_and_rank_until_the_result_is_withdrawn(
    cast: Cast, client: Client
) -> None:
    results(cast, 3)
    response = client.get(f"{BADGE}?entrant=model-02")
    assert response["Content-Type"] == "image/svg+xml"
    svg = ET.fromstring(response.content)  # noqa: S314 - our own page
    assert svg.attrib["aria-label"] == "ruCodeEval: pass@1 100.0 %, rank 1"
    Submission.objects.filter(entrant__slug="model-02").update(visibility=Visibility.PRIVATE)
    assert client.get(f"{BADGE}?entrant=model-02").status_code == 404
    assert visitor(cast.alice).get(f"{BADGE}?entrant=model-02").status_code == 404


@pytest.mark.parametrize("ending", ["tex", "md"])
def test_a_table_for_papers_has_the_rows_and_columns_of_the_screen(
    cast: Cast, client: Client, ending: str
) -> None:
    results(cast, 2)
    cast.judged_submission(cast.entrant("50% of_a | b & <i> $"))
    cast.judged_submission(cast.entrant("Cedar"), ("passed", "not_run", "failed"), samples=1)
    text = client.get(f"/benchmarks/rucodeeval/board.{ending}?hide=pass@5,judged").text
    assert "rucodeeval" in text.splitlines()[0]
    lines = text.splitlines()[1:]
    if ending == "tex":
        cells = [line.removesuffix(r" \\").split(" & ") for line in lines if " & " in line]
        name, unsettled = r"50\% of\_a | b \& <i> \$", ["", "Cedar", "--", "33.3--66.7"]
    else:
        cells = [line.strip("| ").split(" | ") for line in (lines[0], *lines[2:])]
        name, unsettled = r"50% of\_a \| b \& \<i\> \$", ["Cedar", "–", "33.3–66.7"]
    shown = page(client, "/benchmarks/rucodeeval/?hide=pass@5,judged")
    assert cells[0][:2] == ["Rank", "Entrant"]
    assert "pass@5" not in text
    assert len(cells) == 5
    # Without the bars of Markdown an empty rank is gone too.
    assert [cell.strip() for cell in cells[-1]][: len(unsettled)] == unsettled
    assert any(name in line for line in lines)
    (score,) = (cell for line in cells if line[1] == "Model 01" for cell in line[2:3])
    assert score.replace("\\", "").removesuffix(" %") in shown


def test_an_embedded_board_may_be_framed_and_runs_no_script(
    cast: Cast, settings: Any, client: Client
) -> None:
    results(cast, 1)
    settings.CACHED_PAGES = True
    for reader in (client, client, visitor(cast.alice)):
        response = reader.get("/embed/rucodeeval/")
        assert "frame-ancestors *" in response["Content-Security-Policy"]
        assert "script-src" not in response["Content-Security-Policy"]
        assert "X-Frame-Options" not in response
        assert not response.cookies
        assert "<script" not in response.text
        assert "Model 00" in response.text
    assert client.get("/benchmarks/rucodeeval/")["X-Frame-Options"] == "DENY"


def test_the_feed_has_the_newest_published_results(
    cast: Cast, client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    results(cast, 3)
    cast.judged_submission(cast.entrant("Hidden Pine"), publish=False)
    cast.judged_submission(cast.entrant(SCRIPT))
    with django_assert_num_queries(4):
        response = client.get("/feed.atom")
    assert response["Content-Type"].startswith("application/atom+xml")
    feed = ET.fromstring(response.content)  # noqa: S314 - our own page
    space = {"a": "http://www.w3.org/2005/Atom"}
    titles = [one.text for one in feed.findall("a:entry/a:title", space)]
    assert titles[:2] == [f"{SCRIPT} on ruCodeEval", "Model 02 on ruCodeEval"]
    assert len(titles) == 4
    summary = feed.find("a:entry/a:summary", space)
    assert summary is not None and summary.text == "pass@1 66.7 %, base setting"


def test_board_benchmark_and_result_can_be_cited(cast: Cast, client: Client) -> None:
    (made,) = results(cast, 1)
    board = page(client, "/benchmarks/rucodeeval/")
    assert "@misc{rucodeeval-leaderboard-" in board
    assert "The benchmark" in board
    shown = page(client, made.get_absolute_url())
    assert "@misc{model-00-on-rucodeeval-" in shown
    assert "badge.svg?entrant=model-00" in shown
    assert '<meta property="og:title" content="Model 00 on ruCodeEval">' in shown
    assert '<meta property="og:image" content="http://testserver/static/img/card.png">' in shown
    private = cast.judged_submission(cast.entrant(), publish=False)
    assert "@misc" not in page(visitor(cast.alice), private.get_absolute_url())
    told = {
        made.get_absolute_url(): "pass@1 66.7 %, base setting",
        "/benchmarks/rucodeeval/tasks/0/": (
            "Task 0 of ruCodeEval: the mean solve rate of the published results is 66.7 %."
        ),
        "/teams/northwood/results/": "Entrants of the team Northwood and their published results.",
    }
    assert {address: og(page(client, address), "description") for address in told} == told


def og(text: str, name: str) -> str:
    found = re.search(f'property="og:{name}" content="([^"]*)"', text)
    assert found is not None
    return html.unescape(found[1])


def test_a_page_is_shared_with_its_own_title(cast: Cast, client: Client) -> None:
    results(cast, 3)
    titles = (
        ("/", "How well do models write code?"),
        ("/benchmarks/rucodeeval/tasks/0/", "parking_fee · ruCodeEval"),
        ("/benchmarks/rucodeeval/charts/tasks/", "Every task is solved by an entrant · ruCodeEval"),
        ("/entrants/model-00/", "Model 00"),
        ("/teams/northwood/results/", "Northwood"),
        ("/docs/metrics/", "Metrics"),
    )
    for address, title in titles:
        text = page(client, address)
        assert og(text, "title") == title
        assert f"<title>{html.escape(title)} · Assay</title>" in text


@pytest.mark.parametrize(
    ("fault", "status"), [(OperationalError, 503), (ValueError, 500)], ids=["database", "bug"]
)
def test_a_fault_has_a_page_without_the_database_in_the_readers_language(
    cast: Cast, fault: type[Exception], status: int
) -> None:
    def fail(*_: Any) -> None:
        raise fault

    client = Client(raise_request_exception=False, headers={"accept-language": "ru"})
    with connection.execute_wrapper(fail):
        response = client.get("/benchmarks/")
    assert response.status_code == status
    text = response.content.decode()
    assert 'lang="ru"' in text
    assert 'href="/"' in text
    assert response.headers.get("Retry-After") == ("30" if status == 503 else None)


def test_search_engines_learn_the_public_pages_and_no_other(cast: Cast, client: Client) -> None:
    (made,) = results(cast, 1)
    cast.judged_submission(cast.entrant("Hidden Pine"), publish=False)
    Benchmark.objects.filter(pk=cast.codeif.pk).update(listed=False)
    assert "Sitemap: http://testserver/sitemap.xml" in page(client, "/robots.txt")
    sitemap = ET.fromstring(client.get("/sitemap.xml").content)  # noqa: S314 - our own page
    found = {one.text for one in sitemap.iter() if one.text}
    for shown in (
        "/",
        "/docs/privacy/",
        "/benchmarks/rucodeeval/",
        made.entrant.get_absolute_url(),
    ):
        assert f"http://testserver{shown}" in found
    assert not [one for one in found if "pine" in one or cast.codeif.slug in one]


@pytest.mark.parametrize(
    ("contact", "link"),
    [
        ("us@a.org", 'href="mailto:us@a.org"'),
        ("https://a.org/us", 'href="https://a.org/us"'),
        ("", None),
    ],
)
def test_every_page_says_how_to_reach_the_operators(
    client: Client, settings: Settings, contact: str, link: str | None
) -> None:
    settings.CONTACT = contact
    footer = page(client, "/docs/").partition("<footer")[2]
    assert "/docs/privacy/" in footer
    assert (link or "Contact") in footer if link else "Contact" not in footer


def test_the_benchmark_is_cited_by_its_authors(cast: Cast, client: Client) -> None:
    results(cast, 1)
    Benchmark.objects.update(authors="Ada Lovelace, Grace {Hopper}")
    text = html.unescape(page(client, "/benchmarks/rucodeeval/"))
    assert r"author = {Ada Lovelace and Grace \{Hopper\}}" in text
    assert "Ada Lovelace, Grace {Hopper}: ruCodeEval" in text
