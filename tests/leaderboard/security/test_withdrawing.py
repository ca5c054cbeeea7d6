"""Tests that a withdrawn result is removed from every public page at once, before the job that
orders the board has run, and in spite of caches."""

import pytest
from django.urls import reverse

from leaderboard.pages.boards.board_charts import CHARTS
from leaderboard.scores.models import Standing
from leaderboard.submissions.models import Submission
from tests.leaderboard.addresses.marked import OTHER, OWNER, STRANGER, Site
from tests.leaderboard.addresses.table import TABLE
from tests.leaderboard.addresses.visiting import body, visitor

pytestmark = pytest.mark.any_database

NAME = "veiled-withdrawn"


@pytest.fixture
def result(site: Site) -> Submission:
    """The only result of an entrant, on a board with other entrants."""
    entrant = site.cast.entrant(NAME, parameters=7.0, weights="open")
    return site.cast.judged_submission(entrant, ("passed", "failed", "passed"))


def addresses(site: Site) -> list[str]:
    slug = site.benchmark.slug
    public = [line.url(site) for line in TABLE if line.get == "200"]
    charts = [reverse("chart", args=[slug, name]) for name in CHARTS]
    sorts = [f"{reverse('entrants')}?sort=latest", f"/?sort={slug}"]
    tasks = [f"{reverse('tasks', args=[slug])}?sort=hardest"]
    return [*public, *charts, *sorts, *tasks]


def telling(site: Site, role: str) -> list[str]:
    client = visitor(site, role)
    return [url for url in addresses(site) if NAME in body(client.get(url))]


@pytest.mark.parametrize("role", [STRANGER, pytest.param(OTHER, marks=pytest.mark.slow)])
def test_it_is_gone_from_every_page_before_the_board_is_made_again(
    site: Site, result: Submission, role: str
) -> None:
    before = telling(site, role)
    assert {"/", site.benchmark.get_absolute_url(), reverse("entrants")} <= set(before)
    assert len(before) >= 8
    visitor(site, OWNER).post(reverse("submission-withdraw", args=[result.pk]))
    assert Standing.objects.filter(submission=result).exists()
    assert telling(site, role) == []


def test_its_own_addresses_are_unknown_again(site: Site, result: Submission) -> None:
    stranger = visitor(site, STRANGER)
    names = ("submission", "submission-live", "submission-verdicts")
    urls = [reverse(name, args=[result.pk]) for name in names]
    assert max(stranger.get(url).status_code for url in urls) < 300
    visitor(site, OWNER).post(reverse("submission-withdraw", args=[result.pk]))
    urls.append(reverse("entrant", args=[result.entrant.slug]))
    assert {stranger.get(url).status_code for url in urls} == {404}


def test_a_browser_asks_again_for_each_chart(site: Site, result: Submission) -> None:
    url = reverse("chart", args=[site.benchmark.slug, "tasks"])
    kept = visitor(site, STRANGER).get(url).headers["Cache-Control"]
    assert ("private" in kept, "no-cache" in kept, "max-age" in kept) == (True, True, False)


def test_its_tasks_count_in_no_solve_rate(site: Site, result: Submission) -> None:
    url = f"{reverse('tasks', args=[site.benchmark.slug])}?sort=hardest"
    alone = visitor(site, STRANGER)
    visitor(site, OWNER).post(reverse("submission-withdraw", args=[result.pk]))
    after = alone.get(url).context["lines"]
    Standing.objects.filter(submission=result).delete()
    never = alone.get(url).context["lines"]
    rates = [[task.solve_rate for task, *_rest in lines] for lines in (after, never)]
    assert rates[0] == rates[1]
