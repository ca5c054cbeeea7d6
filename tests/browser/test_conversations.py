"""Tests of how conversations look: a board's charts by turn, a result's matrix, one
conversation."""

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from leaderboard.submissions.models import Submission
from tests.browser.people import let_in
from tests.browser.test_pages import looked, scroll_through
from tests.support.browser import DESKTOP, PHONE, new_page, pictured, quiet, sideways
from tests.support.cast import Cast
from tests.support.conversations import Fares, multi_turn, passing
from tests.support.site import plain_static
from tests.support.snapshots import made_once

NAMES = ("Rowan Large", "Birch 32B", "Maple 7B", "Willow 1.5B")


def weak(strength: int) -> Fares:
    """Statuses that always repeat; the later the turn, the fewer pass."""

    def fares(turn: int, name: str, task: int) -> str:
        sure = (task * 7 + turn * 5 + len(name) * 3) % 10 + 3 * turn // 2
        return "passed" if sure < 4 + 2 * strength else "failed"

    return fares


@pytest.fixture
def cast(quick: None, own_caches: None) -> Cast:
    return Cast()


@pytest.fixture
def results(cast: Cast, settings: Settings) -> list[Submission]:
    plain_static(settings)

    def make() -> list[Submission]:
        found = [
            multi_turn(cast, cast.entrant(name), weak(4 - place), base=place != 2)
            for place, name in enumerate(NAMES)
        ]
        fares = passing(("pffff", "fpfff", "npppf", "pfppf", "pfp-p"))
        return [*found, multi_turn(cast, cast.entrant("Alder"), fares, publish=False)]

    return made_once(cast, "conversations", make)


def test_conversations_are_shown_without_a_complaint(
    cast: Cast, live_server: LiveServer, chromium: Browser, results: list[Submission]
) -> None:
    own = results[-1]
    addresses = {
        "board": reverse("benchmark", args=["codeif-function"]) + "?setting=multi_turn",
        "result": own.get_absolute_url(),
        "task": reverse("task", args=["codeif-function", 0]) + "?setting=multi_turn",
        "conversation": reverse("submission-conversation", args=[own.pk, 0, 1]),
    }
    with new_page(chromium, address=live_server.url) as page:
        let_in(page, live_server.url)
        for name, address in addresses.items():
            page.goto(address)
            for width, scheme in ((DESKTOP, "light"), (PHONE, "dark")):
                looked(page, width, scheme)
                scroll_through(page)
                pictured(page, f"talk-{name}")
                assert sideways(page) <= 0, name
            quiet(page)
        see_what_a_turn_changed(page)


def see_what_a_turn_changed(page: Page) -> None:
    changes = page.locator("#turn-1 details", has_text="Changes since the turn before")
    changes.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(changes.locator(".removed")).to_have_text("-    return 0  # turn 0")
    expect(changes.locator(".added")).to_have_text("+    return 1  # turn 1")
    assert sideways(page) <= 0
