"""Tests that a withdrawn result is removed from every public page at once, before the job that
orders the board has run, and in spite of caches."""

import pytest
from django.urls import reverse

from leaderboard.pages.boards.board_charts import CHARTS
from leaderboard.scores.models import Standing
from leaderboard.submissions.models import Submission
from tests.leaderboard.addresses.marked import OWNER, STRANGER, Site
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


def telling(site: Site) -> list[str]:
    client = visitor(site, STRANGER)
    return [url for url in addresses(site) if NAME in body(client.get(url))]


def test_it_is_gone_from_every_page_before_the_board_is_made_again(
    site: Site, result: Submission
) -> None:
    before = telling(site)
    assert {"/", site.benchmark.get_absolute_url(), reverse("entrants")} <= set(before)
    assert len(before) >= 8
    visitor(site, OWNER).post(reverse("submission-withdraw", args=[result.pk]))
    assert Standing.objects.filter(submission=result).exists()
    assert telling(site) == []


def test_its_tasks_count_in_no_solve_rate(site: Site, result: Submission) -> None:
    url = f"{reverse('tasks', args=[site.benchmark.slug])}?sort=hardest"
    alone = visitor(site, STRANGER)
    visitor(site, OWNER).post(reverse("submission-withdraw", args=[result.pk]))
    after = alone.get(url).context["lines"]
    Standing.objects.filter(submission=result).delete()
    never = alone.get(url).context["lines"]
    rates = [[task.solve_rate for task, *_rest in lines] for lines in (after, never)]
    assert rates[0] == rates[1]
