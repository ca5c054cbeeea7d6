"""Tests of the staff's own pages in a browser: what they decide, on a desktop and a phone."""

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.submissions.models import Copy
from tests.browser.people import let_in, settled
from tests.leaderboard.submissions.test_copies import sent
from tests.support.browser import Scheme, each_look, new_page, pictured, violations
from tests.support.cast import Cast


@pytest.fixture
def pages(live_server: LiveServer, quick: None, own_caches: None) -> dict[str, str]:
    """The addresses of pages on which staff decide, with something to decide on each."""
    cast = Cast()
    larch = cast.entrant()
    cast.judged_submission(larch, ("passed", "failed"), tier="shared", samples=1)
    sent(cast, cast.entrant("Theirs", cast.fenland), "first")
    sent(cast, cast.entrant("Copied"), "first")
    assert cast.dora and cast.rucodeeval.current
    task = cast.rucodeeval.current.tasks.get(number=0)
    return {
        "desk": reverse("admin:evaluation_verdict_desk"),
        "copy": reverse("admin:submissions_copy_change", args=[Copy.objects.get().pk]),
        "name": reverse("admin:accounts_entrant_name", args=[larch.pk]),
        "task": reverse("admin:benchmarks_task_leave_out", args=[task.pk]),
        "hidden": reverse("admin:benchmarks_task_hidden", args=[task.pk]),
        "import": reverse("admin:benchmarks_benchmark_import"),
        "ratings": reverse("admin:annotation_assignment_import"),
    }


@each_look
def test_staff_decide_with_reasons(
    live_server: LiveServer, chromium: Browser, pages: dict[str, str], width: int, scheme: Scheme
) -> None:
    with new_page(chromium, address=live_server.url, width=width, scheme=scheme) as page:
        let_in(page, live_server.url, "dora")
        found = {name: list(look(page, name, address)) for name, address in pages.items()}
        assert not any(found.values()), found
        decide(page, pages["desk"], "Not a solution", "It reads the tests.")
        expect(page.locator(".messagelist")).to_contain_text("it no longer counts")
        decide(page, pages["copy"], "Refuse publishing", "The answers are theirs.")
        expect(page.locator(".messagelist")).to_be_visible()
        decide(page, pages["name"], "Hide", "It is rude.")
        expect(page.locator(".messagelist")).to_contain_text("The decision is stored.")
        page.goto(pages["task"])
        page.locator("#content textarea").fill("Its text contradicts its tests.")
        page.locator("#content [type=submit]").first.click()
        expect(page.get_by_role("main")).to_contain_text("Its text contradicts its tests.")
        page.get_by_role("link", name="Count it again").click()
        page.locator("#content [type=submit]").first.click()
        expect(page.get_by_role("main")).to_contain_text("The task counts again")
        settled(page)


def look(page: Page, name: str, address: str) -> list[str]:
    """The page's violations of axe's rules; it may not complain or scroll sideways."""
    page.goto(address)
    pictured(page, f"staff-{name}")
    settled(page)
    return violations(page)


def decide(page: Page, address: str, button: str, reason: str) -> None:
    """Without a reason nothing is decided."""
    page.goto(address)
    page.get_by_role("button", name=button).click()
    expect(page.locator("#content .errorlist, #content :invalid").first).to_be_attached()
    page.get_by_label("Reason").fill(reason)
    page.get_by_role("button", name=button).click()
    settled(page)
