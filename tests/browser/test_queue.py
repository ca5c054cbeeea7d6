"""Tests of the queue's dashboard in a browser: no page of it asks for more than the site's policy
allows."""

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.people import let_in, settled
from tests.evaluation.web.conftest import running_valkey, valkey
from tests.support.browser import DESKTOP, PHONE, new_page, violations
from tests.support.cast import Cast
from tests.support.valkey import Queue

__all__ = ["running_valkey", "valkey"]


@pytest.mark.parametrize("width", [DESKTOP, pytest.param(PHONE, marks=pytest.mark.slow)])
def test_the_dashboard_has_no_complaints(
    live_server: LiveServer, chromium: Browser, quick: None, running_valkey: Queue, width: int
) -> None:
    assert Cast().dora
    with new_page(chromium, address=live_server.url, width=width) as page:
        let_in(page, live_server.url, "dora")
        page.goto("/admin/queue/")
        expect(page.get_by_role("main")).to_contain_text("python")
        settled(page)
        for part in ("", "failed/", "started/"):
            page.goto(f"/admin/queue/queues/0/{part}")
            settled(page)
            assert not violations(page)
