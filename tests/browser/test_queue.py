"""Tests of the queue's dashboard in a browser: no page of it asks for more than the site's policy
allows."""

from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.people import let_in
from tests.evaluation.web.conftest import running_valkey, valkey
from tests.support.browser import new_page, quiet, violations
from tests.support.cast import Cast
from tests.support.valkey import Queue

__all__ = ["running_valkey", "valkey"]


def test_the_dashboard_has_no_complaints(
    live_server: LiveServer, chromium: Browser, quick: None, running_valkey: Queue
) -> None:
    assert Cast().dora
    with new_page(chromium, address=live_server.url) as page:
        let_in(page, live_server.url, "dora")
        page.goto("/admin/queue/")
        expect(page.get_by_role("main")).to_contain_text("python")
        quiet(page)
        for part in ("", "failed/", "started/"):
            page.goto(f"/admin/queue/queues/0/{part}")
            quiet(page)
            assert not violations(page)
