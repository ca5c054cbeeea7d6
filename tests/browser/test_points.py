"""Walks of visitors, teams, raters and staff through what they decide, on a desktop's width and a
phone's. On every page that a walk rests on nothing is too wide, and neither axe nor the browser
complains."""

from pathlib import Path

import pytest
from django.db import transaction
from django.urls import reverse
from playwright.sync_api import Browser, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from evaluation import jobs
from evaluation.models import Verdict
from leaderboard.accounts.models import Entrant, Team, User
from leaderboard.accounts.names import mark_entrants
from leaderboard.benchmarks.models import Benchmark
from leaderboard.scores.models import Board
from leaderboard.submissions.models import Consent, Copy, Generation, Submission
from tests.browser.people import let_in, settled
from tests.browser.test_clicks import site
from tests.leaderboard.pages.accounts.test_lookalikes import LOOKALIKE
from tests.support.browser import DESKTOP, PHONE, Scheme, new_page, violations
from tests.support.cast import Cast
from tests.support.panel import Panel

__all__ = ["site"]

SLOW = [
    pytest.param(width, scheme, marks=pytest.mark.slow)
    for width, scheme in ((DESKTOP, "light"), (PHONE, "dark"))
]
each_end = pytest.mark.parametrize(("width", "scheme"), SLOW)
BOARD = "/benchmarks/rucodeeval/"


def rests(page: Page, *texts: str) -> None:
    """Asserts that the page shows the texts and has no faults. An answer of 400 or more is a
    complaint of the browser."""
    for text in texts:
        expect(page.get_by_role("main")).to_contain_text(text)
    settled(page)
    assert not violations(page), page.url


def goes(page: Page, address: str, *texts: str) -> None:
    page.goto(address)
    rests(page, *texts)


def confirms(page: Page, summary: str, button: str, *, reason: str = "", licence: str = "") -> None:
    """Opens a question below its button, and answers it."""
    box = page.locator("details.confirm", has=page.locator("summary", has_text=summary))
    box.locator("summary").click()
    rests(page)
    if reason:
        box.get_by_label("Reason").fill(reason)
    if licence:  # has to be chosen
        box.get_by_role("button", name=button, exact=True).click()
        expect(box.locator("select:invalid")).to_be_focused()
        box.get_by_label("Generations, with what they printed").select_option(licence)
    box.get_by_role("button", name=button, exact=True).click()


def menu_link(page: Page, name: str) -> Locator:
    """In the main menu, which a phone folds."""
    if page.viewport_size and page.viewport_size["width"] == PHONE:
        page.locator(".phone-menu > summary").click()
    return page.locator("header nav a:visible").get_by_text(name, exact=True)


@pytest.mark.parametrize(("width", "scheme"), [SLOW[0], (PHONE, "dark")])
def test_a_visitor_finds_names_compares_answers_and_reads_how(
    site: str, chromium: Browser, width: int, scheme: Scheme
) -> None:
    answers = Generation.objects.filter(submission__entrant__name="Birch")
    answers.update(text="    return 'another answer'\n")
    with new_page(chromium, address=site, width=width, scheme=scheme) as page:
        page.goto("/")
        menu_link(page, "Search").click()
        found = page.locator("#found")
        expect(page.get_by_role("searchbox")).to_be_focused()
        for typed, link in (("rowa", "Rowan"), ("codeif", "CodeIF-Bench L-1, functions")):
            page.get_by_role("searchbox").fill("")
            page.keyboard.type(typed)
            expect(found.get_by_role("link", name=link, exact=True)).to_be_visible()
            rests(page)
        page.get_by_role("searchbox").fill("1")
        expect(found.get_by_role("heading", name="Tasks")).to_be_visible()
        assert page.url.endswith("/search/")

        page.goto(BOARD)
        page.get_by_role("link", name="Editions of this board").click()
        rests(page, "The orders that this board had")
        page.locator("main tbody a").first.click()
        rests(page, "edition of", "Elder")

        goes(page, "/benchmarks/codeif-function/tasks/1/", "Answers that their teams show")
        page.get_by_label("The first entrant").select_option("elder")
        page.get_by_label("The second entrant").select_option("birch")
        page.get_by_role("button", name="Show the difference").click()
        expect(page.locator(".code-changes").first).to_contain_text("another answer")
        rests(page, "Difference from")

        page.goto("/")
        menu_link(page, "Compare").click()
        rests(page, "Are two entrants different")
        page.get_by_role("main").get_by_role("link", name="ruCodeEval").click()
        page.get_by_role("main").get_by_role("link", name="How this is computed").first.click()
        expect(page.locator("#comparing-two-entrants")).to_be_in_viewport()
        rests(page)

        page.goto(BOARD)
        grid = page.locator("#chart-tasks .chart-place")
        grid.scroll_into_view_if_needed()
        grid.locator(".heatmaplayer .hm").first.wait_for()
        grid.focus()
        page.keyboard.press("ArrowDown")
        expect(grid.locator(".hoverlayer text").first).to_contain_text("Birch")
        page.keyboard.press("Enter")
        rests(page, "Results by entrant")


@each_end
def test_a_team_publishes_shows_answers_and_deletes(
    site: str, chromium: Browser, width: int, scheme: Scheme
) -> None:
    cast = Cast()
    cast.northwood = Team.objects.get(slug="northwood")
    cast.alice = User.objects.get(username="alice")
    alder = cast.entrant("Alder")
    cast.judged_submission(alder, ("failed",), publish=False)
    better = cast.judged_submission(alder, ("passed", "failed"), publish=False)
    with new_page(chromium, address=site, width=width, scheme=scheme) as page:
        let_in(page, site)
        goes(page, better.get_absolute_url(), "tasks are better", "it would be row 2 of 4")
        page.get_by_role("button", name="Publish", exact=True).click()
        rests(page, "its rank is being computed")
        jobs.board(Board.objects.get(revision=better.revision).pk)
        expect(page.locator("#head")).to_contain_text("of 4")
        rests(page)

        private = cast.judged_submission(alder, ("failed",), publish=False)
        page.goto(private.get_absolute_url())
        page.get_by_role("link", name="Delete", exact=True).click()
        rests(page, "What stays")
        page.get_by_role("button", name="Delete for good").click()
        rests(page, "is deleted.")
        assert not Submission.objects.filter(pk=private.pk).exists()
        # The held one, Alder's first and the deleted one count.
        goes(page, BOARD, "the team published 4 of 7 evaluated runs")

        shown = Submission.objects.get(entrant__slug="elder", consent__isnull=False)
        goes(page, shown.get_absolute_url())
        confirms(page, "Hide generations", "Hide them")
        rests(page, "Hidden. Only your team reads your generations now.")
        assert not Consent.objects.filter(submission=shown).exists()
        confirms(page, "Show generations", "Show them", licence="MIT")
        rests(page, "Everyone can read your generations now.")
        assert Consent.objects.get(submission=shown).licence == "MIT"

        goes(page, Copy.objects.get().submission.get_absolute_url(), "cannot be published yet")
        answer = page.get_by_label("Your answer to the site's staff")
        answer.fill("We wrote them ourselves.")
        page.get_by_role("button", name="Send").click()
        rests(page, "Sent. The site's staff read it and decide.")
        expect(answer).to_have_value("We wrote them ourselves.")

        goes(page, "/submit/?entrant=alder")
        page.get_by_label("Benchmark and setting").select_option("rucodeeval/base")
        rests(page, "A template with the ids of all tasks")
        with page.expect_download():
            page.get_by_role("link", name="The prompts of all tasks").click()


@each_end
def test_a_person_asks_to_rate_and_gets_the_menu_entry_as_a_rater(
    live_server: LiveServer, quick: None, own_caches: None, chromium: Browser, tmp_path: Path,
    width: int, scheme: Scheme,
) -> None:  # fmt: skip
    with transaction.atomic():
        panel = Panel(Cast(), tmp_path)
        campaign = panel.campaign
        panel.person("ann")
    with new_page(chromium, address=live_server.url, width=width, scheme=scheme) as page:
        let_in(page, live_server.url, "ann")
        page.goto("/account/")
        expect(menu_link(page, "Rate")).to_have_count(0)
        page.goto("/account/")
        page.get_by_role("link", name="Ask to rate").click()
        rests(page, "You are not a rater in any open campaign")
        page.get_by_label("What the organisers should know").fill("I read Java well.")
        page.get_by_role("button", name="Send to the organisers").click()
        rests(page, "The organisers have your message")
        panel.rater("ann", campaign)
        page.goto("/account/")
        menu_link(page, "Rate").click()
        expect(page.get_by_role("button", name="Start rating")).to_be_visible()
        expect(page.get_by_text("Ask to rate")).to_have_count(0)
        rests(page)


@each_end
def test_staff_choose_list_limit_and_decide(
    live_server: LiveServer, quick: None, own_caches: None, chromium: Browser, tmp_path: Path,
    width: int, scheme: Scheme,
) -> None:  # fmt: skip
    with transaction.atomic():
        cast = Cast()
        panel = Panel(cast, tmp_path)
        campaigns = panel.campaign.pk, panel.open(panel.northwood).pk
        cast.judged_submission(cast.entrant("Birch", cast.fenland), integrity="suspect")
        alike = Entrant.objects.create(team=cast.northwood, name=LOOKALIKE, slug="another")
        Benchmark.objects.filter(pk=cast.rucodeeval.pk).update(listed=False)
    with new_page(chromium, address=live_server.url, width=width, scheme=scheme) as page:
        let_in(page, live_server.url, "dora")
        chooses_a_campaign_and_goes_back(page, *campaigns)
        goes(page, BOARD, "Only staff see this board")
        confirms(page, "List it", "Make it public")
        rests(page, "The benchmark is public.")
        expect(page.get_by_text("Only staff see this board")).to_have_count(0)
        fills_in_a_benchmark(page, cast.rucodeeval)
        confirms_that_passes_do_not_count(page)
        allows_a_name(page, alike)
        maps_a_domain(page)


def chooses_a_campaign_and_goes_back(page: Page, first: int, second: int) -> None:
    for chosen in (second, first):
        goes(page, f"/campaigns/{chosen}/", "from another one")
        button = "Take the results from this campaign"
        confirms(page, button, button, reason="more raters")
        rests(page, "Results come from this campaign.")
        expect(page.get_by_text("from another one")).to_have_count(0)
    goes(page, f"/campaigns/{second}/", "from another one")


def fills_in_a_benchmark(page: Page, benchmark: Benchmark) -> None:
    values = {"open files": "64", "base": "2026-12-24", "Skills:": "Completion, Java"}
    goes(page, reverse("admin:benchmarks_benchmark_change", args=[benchmark.pk]))
    page.get_by_label("only from the days below").check()
    for label, value in values.items():
        page.get_by_label(label, exact=True).fill(value)
    page.get_by_role("button", name="Save and continue editing").click()
    rests(page, "was changed successfully")
    for label, value in values.items():
        expect(page.get_by_label(label, exact=True)).to_have_value(value)
    benchmark.refresh_from_db()
    assert (benchmark.limits, benchmark.skills) == ({"open_files": 64}, ["Completion", "Java"])
    assert benchmark.counts_from["base"] == "2026-12-24"


def confirms_that_passes_do_not_count(page: Page) -> None:
    goes(page, f"{reverse('admin:evaluation_verdict_changelist')}?integrity__exact=suspect")
    page.locator("input.action-select").first.check()
    page.locator("select[name=action]").select_option("confirm_suspects")
    page.get_by_role("button", name="Go", exact=True).click()
    rests(page, "These passes do not count", "stay on record")
    page.get_by_label("Reason").fill("It reads the tests.")
    page.get_by_role("button", name="These passes do not count").click()
    rests(page, "1 verdict is settled")
    assert Verdict.objects.filter(integrity="confirmed").count() == 1


def allows_a_name(page: Page, entrant: Entrant) -> None:
    waiting = f"{reverse('admin:accounts_entrant_changelist')}?name=waits"
    goes(page, waiting, entrant.name)
    page.get_by_role("link", name="Decide on the name").click()
    rests(page, "Published names that look like it:")
    page.get_by_label("Reason").fill("Both are known by it.")
    page.get_by_role("button", name="Allow the name").click()
    rests(page, "The decision is stored.")
    entrant.refresh_from_db()
    assert entrant.name_allowed


def maps_a_domain(page: Page) -> None:
    goes(page, reverse("admin:accounts_organisationdomain_add"))
    page.get_by_label("E-mail domain").fill("example.org")
    page.get_by_label("Organisation").fill("Fenland")
    page.get_by_role("button", name="Save", exact=True).click()
    rests(page, "was added successfully")
    confirmed = Entrant.objects.filter(organisation_confirmed=True)
    assert not confirmed.exists()
    mark_entrants()
    assert {one.organisation for one in confirmed} == {"Fenland"}
    goes(page, "/entrants/")
    expect(page.locator(".confirmed").first).to_be_visible()
