"""Tests of runs in a real Chromium: how their pages look, and the whole workflow, with a worker
that asks a real endpoint and sandboxes that judge the answers."""

import re
from pathlib import Path

import pytest
from django.db import transaction
from playwright.sync_api import Browser, Page, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from evaluation.engine.generation.answers import Price
from leaderboard.generation import runs
from leaderboard.generation.models import Run
from tests.browser.conftest import TALKED
from tests.browser.people import SECONDS, appears, create_entrant, let_in, settled, sign_up
from tests.browser.test_pages import EVERY_LOOK, TWO_LOOKS, WATCH_PAINT, Look, faults, looked
from tests.leaderboard.pages.submissions.visits import received
from tests.support.browser import DESKTOP, PHONE, new_page
from tests.support.cast import Cast
from tests.support.endpoint import Endpoint
from tests.support.ordering import ordered
from tests.support.transcripts import honest

MODEL = "organisation/a-model-with-a-rather-long-name-2026-11-preview"


def run_pages(cast: Cast) -> dict[str, str]:
    """A form, and a run in each of its states."""
    entrant = cast.entrant()
    waiting, running, failed, finished = (
        ordered(cast, entrant=entrant, model=MODEL, price=Price(2.5, 10)) for _ in range(4)
    )
    said = {"answered": 1030, "new": 1000, "rate": 2.4, "total": 1640, "tokens_in": 1_650_000}
    said |= {"tokens_out": 901_000, "again": 4, "trouble": "HTTP 429: slow down"}
    for run in (running, failed, finished):
        runs.note_progress(run=claimed(run), progress=said)
    runs.fail_run(
        run=latest(failed), cause="The endpoint refuses the request: HTTP 401: Incorrect API key"
    )
    upload = received(entrant, cast.alice, cast.rucodeeval, b"x")
    runs.finish_run(run=latest(finished), upload=upload, lost=3)
    dynamic = ordered(cast, entrant=entrant, benchmark=cast.codeif, setting="dynamic")
    talks = {"talks": 13, "pace": 0.02, "total": 50, "ready": True, "lost": 1}
    runs.note_progress(run=claimed(dynamic), progress=said | talks)
    return {
        "form": "/runs/new/",
        "harness": "/harness/",
        "submissions": "/submissions/",
        "waiting": waiting.get_absolute_url(),
        "running": running.get_absolute_url(),
        "failed": failed.get_absolute_url(),
        "finished": finished.get_absolute_url(),
        "dynamic": dynamic.get_absolute_url(),
        "dynamic form": "/runs/new/?benchmark=codeif-function&setting=dynamic",
    }


def claimed(run: Run) -> Run:
    found = runs.claim_run(pk=run.pk, owner="a worker")
    assert found is not None
    return found


def latest(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


@pytest.fixture
def pages(
    live_server: LiveServer, quick: None, own_caches: None, settings: Settings, tmp_path: Path
) -> dict[str, str]:
    settings.ENDPOINT_RUNS, settings.MEDIA_ROOT = 1, tmp_path
    with transaction.atomic():
        return run_pages(Cast())


@pytest.mark.parametrize(
    "looks", [TWO_LOOKS, pytest.param(EVERY_LOOK, marks=pytest.mark.slow)], ids=["two", "every"]
)
def test_pages_of_runs_are_quiet_still_and_legible(
    live_server: LiveServer, pages: dict[str, str], chromium: Browser, looks: list[Look]
) -> None:
    found: list[str] = []
    seen: dict[Look, set[str]] = {look: set() for look in looks}
    with new_page(chromium, address=live_server.url, width=PHONE, scheme="dark") as page:
        page.add_init_script(WATCH_PAINT)
        let_in(page, live_server.url)
        for name, path in pages.items():
            told = faults(page, path, seen, axe=looks == EVERY_LOOK)
            found += [f"{name}: {fault}" for fault in told]
        page.goto(pages["form"])
        page.get_by_text("Sampling, prices and more").click()
        for look in TWO_LOOKS:
            looked(page, *look)
            settled(page)
    assert not found, "\n".join(found)


def order(page: Page, endpoint: Endpoint, board: str = "rucodeeval/base") -> None:
    page.goto("/submit/")
    page.get_by_role("link", name="Generate from a model endpoint").click()
    page.get_by_label("Benchmark and setting").select_option(board)
    page.get_by_label("Endpoint").fill(endpoint.url)
    page.get_by_label("Model", exact=True).fill("canned")
    page.get_by_label("Key").fill("sk-of-a-team-0123456789")
    page.get_by_text("Sampling, prices and more").click()
    page.get_by_label("Samples").fill("1")
    page.get_by_label("Concurrent messages").fill("1")
    settled(page)
    page.get_by_role("button", name="Start the run").click()
    page.wait_for_url(re.compile(r"/runs/\d+/$"))


@pytest.mark.docker
@pytest.mark.parametrize("width", [pytest.param(DESKTOP, marks=pytest.mark.slow), PHONE])
def test_a_team_has_a_model_asked_and_its_answers_judged(
    installation: str, endpoint: Endpoint, chromium: Browser, width: int
) -> None:
    endpoint.requests.clear()
    with new_page(chromium, address=installation, width=width) as page:
        sign_up(page, f"olga{width}", f"Olga's at {width}")
        create_entrant(page, f"Bittern {width}")
        order(page, endpoint)
        watch_and_stop(page)
        page.get_by_label("Key").fill("sk-another-0123456789")
        page.get_by_role("button", name="Resume the run").click()
        page.wait_for_url(re.compile(r"/runs/\d+/$"))
        to_the_end(page)
        # At most the message that was under way at the stop was sent again.
        assert 12 <= len(endpoint.requests) <= 13
        # From the first message with the new key on, the old key is not used.
        keys = [one.key for one in endpoint.requests]
        assert set(keys[keys.index("sk-another-0123456789") :]) == {"sk-another-0123456789"}


@pytest.mark.docker
def test_a_team_has_dynamic_conversations_held_judged_and_taken(
    installation: str, endpoint: Endpoint, chromium: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    (talk,) = (honest()[number] for number in TALKED)
    monkeypatch.setattr(endpoint, "answer", lambda messages: talk[len(messages) // 2].answer)
    monkeypatch.setattr(endpoint, "pause", 0.0)
    endpoint.requests.clear()
    with new_page(chromium, address=installation) as page:
        sign_up(page, "ines", "Ines's")
        create_entrant(page, "Crane")
        order(page, endpoint, "codeif-function/dynamic")
        to_the_end(page)
        assert len(endpoint.requests) == len(talk)
        # These generations can be shown, so publishing asks about it first.
        page.locator("#head summary", has_text="Publish").click()
        page.get_by_role("button", name="Publish", exact=True).click()
        expect(page.locator(".step-done", has_text="on the board")).to_be_visible()
        settled(page)
        page.goto("/benchmarks/codeif-function/?setting=dynamic")
        appears(page, "run by this site")


def watch_and_stop(page: Page) -> None:
    """The page updates automatically; stopping asks first."""
    expect(page.get_by_text(re.compile(r"[2-9] of 12 answers"))).to_be_visible()
    page.locator("#head summary", has_text="Stop").click()
    settled(page)
    page.get_by_role("button", name="Stop the run").click()
    expect(page.get_by_text("The key is deleted; the answers are kept.")).to_be_visible()
    settled(page)


def to_the_end(page: Page) -> None:
    """Waits from the last answer to a judged submission; no step needs a confirmation."""
    link = page.get_by_role("link", name="To the generations")
    expect(link).to_be_visible(timeout=300 * SECONDS)
    settled(page)
    link.click()
    page.wait_for_url(re.compile(r"/submissions/\d+/$"), timeout=300 * SECONDS)
    publish = page.locator("#head").get_by_text("Publish", exact=True).first
    expect(publish).to_be_visible(timeout=300 * SECONDS)
    settled(page)
