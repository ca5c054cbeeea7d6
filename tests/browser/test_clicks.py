"""Counts the clicks from the front page to the answers for which people come, on a desktop's width
and on a phone's."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from django.db import transaction
from playwright.sync_api import Browser, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from evaluation import jobs
from leaderboard.benchmarks.models import Task
from leaderboard.scores.models import Board
from leaderboard.submissions.models import Consent, Copy, Licence, Submission
from tests.browser.people import let_in
from tests.support.browser import DESKTOP, PHONE, new_page, quiet, sideways, violations
from tests.support.cast import Cast

WRONG = "    return 'a wrong answer'\n"


@pytest.fixture
def site(live_server: LiveServer, quick: None, own_caches: None) -> str:
    """The address of a site with two benchmarks, one of them in Java and with generations that are
    shown. A result of Northwood is held."""
    with transaction.atomic():
        cast = Cast()
        Task.objects.filter(revision=cast.codeif.current).update(language="java")
        patterns = {"Rowan": ("passed",), "Birch": ("failed", "passed"), "Elder": ("failed",)}
        for name, pattern in patterns.items():
            entrant = cast.entrant(name)
            cast.judged_submission(entrant, pattern)
            java = cast.judged_submission(
                entrant, pattern, benchmark=cast.codeif, text=WRONG, output="Expected 3, got a text"
            )
            Consent.objects.create(submission=java, licence=Licence.MIT)
        held = cast.judged_submission(cast.entrant("Held 7B"), publish=False)
        numbers = {"tasks": 9, "share": 0.9, "rare_tasks": 5, "rare_share": 0.9}
        theirs = cast.judged_submission(cast.entrant("First", cast.fenland), publish=False)
        Copy.objects.create(submission=held, other=theirs, held=True, **numbers)
    for board in Board.objects.all():
        jobs.board(board.pk)
    return live_server.url


@dataclass
class Visitor:
    """`clicks` are those since the front page was opened."""

    page: Page
    clicks: int = 0

    def begins(self) -> None:
        self.page.goto("/")
        self.clicks = 0

    def clicks_on(self, target: Locator) -> None:
        target.click()
        self.clicks += 1

    def reads(self, text: Locator | str, *, after: int) -> None:
        """Asserts that the page shows the text, after so many clicks at most."""
        found = self.page.get_by_text(text) if isinstance(text, str) else text
        expect(found.first).to_be_visible()
        assert self.clicks <= after
        quiet(self.page)
        assert sideways(self.page) <= 0
        assert not violations(self.page)

    def clicks_on_a_failed_task(self) -> None:
        """In the grid of tasks, in which the last row is of the weakest entrant."""
        grid = self.page.locator("#chart-tasks .chart-place")
        grid.scroll_into_view_if_needed()
        grid.locator(".heatmaplayer .hm").first.wait_for()
        box = grid.locator(".nsewdrag").first.bounding_box()
        assert box is not None
        # The middle of the sixth of twelve columns.
        x, y = box["x"] + box["width"] * 5.5 / 12, box["y"] + box["height"] - 8
        self.page.mouse.move(x - 3, y)
        told = grid.locator(".hoverlayer text").first
        expect(told).to_contain_text("Elder")
        task, _, _ = (told.text_content() or "").removeprefix("Elder").partition(":")
        # The first click on a slow phone counts: plotly may still be busy with the pointer.
        slow = self.page.context.new_cdp_session(self.page)
        slow.send("Emulation.setCPUThrottlingRate", {"rate": 10})
        self.page.mouse.click(x, y)
        self.clicks += 1
        expect(self.page.locator(".facts").first).to_contain_text(task)
        slow.send("Emulation.setCPUThrottlingRate", {"rate": 1})


@pytest.mark.parametrize("width", [pytest.param(DESKTOP, marks=pytest.mark.slow), PHONE])
def test_answers_are_a_few_clicks_from_the_front_page(
    site: str, chromium: Browser, width: int
) -> None:
    with new_page(chromium, address=site, width=width) as page:
        visitor = Visitor(page)

        visitor.begins()
        visitor.clicks_on(page.get_by_role("link", name="By language", exact=True))
        answers = page.locator(".answers li").filter(has_text="Java:")
        visitor.reads(answers.filter(has_text="Rowan leads"), after=2)

        # Is it real?
        visitor.clicks_on(answers.get_by_role("link").first)
        visitor.reads("Paired tests", after=2)

        # Where does it fail, and what did it write?
        visitor.begins()
        visitor.clicks_on(page.get_by_role("link", name="CodeIF-Bench L-1, functions").first)
        visitor.clicks_on_a_failed_task()
        wrong = page.locator(".stack", has=page.get_by_role("heading", name="Elder")).last
        visitor.reads(wrong.get_by_text("a wrong answer"), after=3)
        visitor.clicks_on(wrong.locator("summary", has_text="Output of the run").first)
        visitor.reads(wrong.get_by_text("Expected 3, got a text"), after=3)

        visitor.begins()
        visitor.clicks_on(page.get_by_role("link", name="CodeIF-Bench L-1, functions").first)
        visitor.clicks_on(page.locator("main .actions").get_by_role("link", name="Cite"))
        visitor.reads("@misc{", after=2)

        visitor.begins()
        visitor.clicks_on(page.get_by_role("link", name="CodeIF-Bench L-1, functions").first)
        page.locator(".chart").first.scroll_into_view_if_needed()
        with page.expect_download() as figure:
            visitor.clicks_on(page.get_by_role("button", name="SVG").first)
        assert figure.value.suggested_filename.startswith("codeif-function-")
        visitor.reads("Save the figure", after=2)

        # Why is my result held?
        let_in(page, site)
        visitor.begins()
        visitor.clicks_on(page.locator("header").get_by_role("link", name="Submissions").first)
        visitor.clicks_on(page.get_by_role("link", name="Held 7B on ruCodeEval"))
        visitor.reads("This result cannot be published yet: most of its answers", after=2)
    assert Submission.objects.filter(pk=Copy.objects.get().submission_id, published=None).exists()
