"""Tests of the page of the API's document in a browser."""

from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import new_page
from tests.support.browser import quiet as says_nothing
from tests.support.cast import Cast


def test_the_page_of_the_document_asks_the_api(
    chromium: Browser, live_server: LiveServer, quick: None, own_caches: None
) -> None:
    """Its scripts and styles run under the content security policy, without another site."""
    cast = Cast()
    cast.judged_submission(cast.entrant("Larch"))
    with new_page(chromium, address=live_server.url) as page:
        page.goto("/api/v1/docs")
        operation = page.locator(".opblock", has_text="/entrants/{slug}")
        operation.get_by_role("button").first.click()
        operation.get_by_role("button", name="Try it out").click()
        operation.get_by_placeholder("slug").fill("larch")
        operation.get_by_role("button", name="Execute").click()
        expect(operation.locator(".live-responses-table")).to_contain_text('"name": "Larch"')
        says_nothing(page)
