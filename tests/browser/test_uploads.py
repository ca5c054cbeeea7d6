"""Tests of uploads in a browser: a benchmark's template, a second file that takes the place of the
first, and a file that has one problem many times."""

import json
from pathlib import Path

from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from evaluation import jobs
from leaderboard.submissions.models import Upload
from tests.browser.people import drop, settled, sign_in, upload
from tests.support.browser import DESKTOP, HEIGHT, PHONE, new_page, violations
from tests.support.cast import Cast

LINES = 300


def test_a_template_is_filled_in_and_a_repeated_problem_is_one_line(
    live_server: LiveServer, quick: None, own_caches: None, chromium: Browser, tmp_path: Path
) -> None:
    cast = Cast()
    entrant, benchmark = cast.entrant(), cast.rucodeeval
    with new_page(chromium, address=live_server.url) as page:
        sign_in(page)
        page.goto(f"/submit/?entrant={entrant.slug}")
        page.get_by_label("Benchmark and setting").select_option(f"{benchmark.slug}/base")
        with page.expect_download() as download:
            page.get_by_role("link", name="template").click()
        template = tmp_path / "template.jsonl"
        download.value.save_as(template)
        lines = [json.loads(line) for line in template.read_text("utf-8").splitlines()]
        unknown = [{"task_id": f"none-{n}"} for n in range(LINES)]
        wrong = filled(tmp_path / "unknown.jsonl", unknown)
        drop(page, wrong)
        upload(page, filled(tmp_path / "filled.jsonl", lines), by="drop")
        checked(page)
        expect(page.get_by_role("button", name="Submit for judging")).to_be_visible()
        legible(page)
        page.goto(f"/submit/?entrant={entrant.slug}")
        page.get_by_label("Benchmark and setting").select_option(f"{benchmark.slug}/base")
        upload(page, wrong)
        checked(page)
        rows = page.locator("tbody.top-aligned tr")
        expect(rows).to_have_count(1)
        places = rows.locator("td").first.locator("div").count()
        expect(rows).to_contain_text(f"and {LINES - places} more")
        legible(page)


def filled(path: Path, lines: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(one | {"outputs": ["x"]}) + "\n" for one in lines))
    return path


def checked(page: Page) -> None:
    """Checks the upload as a worker does."""
    jobs.check_upload(Upload.objects.latest("pk").pk)
    page.reload()


def legible(page: Page) -> None:
    for width in (DESKTOP, PHONE):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        assert violations(page) == []
        settled(page)
