"""Tests of boards in a browser: columns that a narrow page hides, and rows that belong together."""

import re
from collections.abc import Callable
from itertools import product

import pytest
from django.db import transaction
from django.utils import timezone
from playwright.sync_api import Browser, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.scores.boards import make_board, want_board
from leaderboard.scores.models import Score
from leaderboard.submissions.models import Submission, Visibility
from tests.browser.test_pages import faint_texts
from tests.leaderboard.pages.boards.published import PATTERNS
from tests.support.browser import (
    DESKTOP,
    HEIGHT,
    PHONE,
    TABLET,
    new_page,
    pictured,
    quiet,
    sideways,
)
from tests.support.cast import Cast
from tests.support.snapshots import made_once

CATEGORIES = (
    "Input-Output Conditions", "Exception Handling", "Edge Case Handling",
    "Functionality Extension", "Annotation Coverage", "Code Complexity", "Code Standard",
    "Context Usage Verification", "Context Usage Correctness Verification",
)  # fmt: skip


def stored(live_server: LiveServer, cast: Cast, make: Callable[[], None]) -> str:
    """The address of the site with what `make` stores; it runs once for all tests of a fixture."""
    with transaction.atomic():
        made_once(cast, f"boards: {make.__qualname__}", make)
    return live_server.url


@pytest.fixture
def board(live_server: LiveServer, quick: None, own_caches: None) -> str:
    """Three entrants with pass@1, pass@5 and nine categories, two more than the sample has."""
    cast = Cast()

    def make() -> None:
        for number in range(3):
            entrant = cast.entrant(f"Model {number}", parameters=number + 0.5)
            made = {"benchmark": cast.codeif, "setting": "single_round", "samples": 5}
            cast.judged_submission(entrant, PATTERNS[number], **made)
        for score in Score.objects.filter(slice="category", slice_value="Code Standard"):
            for more in CATEGORIES[7:]:
                score.pk, score.slice_value = None, more
                score.save()

    return stored(live_server, cast, make)


BOARD = "/benchmarks/codeif-function/?setting=single_round"


def in_view(page: Page, found: Locator) -> bool:
    box, wide = found.bounding_box(), page.viewport_size
    assert wide is not None
    return box is not None and box["x"] >= 0 and box["x"] + box["width"] <= wide["width"]


SORTED_BY = {"Pass@5": ("pass@5", "100.0"), "Edge Case Handling": ("", "100"), "Judged": ("", "")}


def test_a_narrow_board_is_sorted_by_every_column_and_shows_it_without_scripts(
    board: str, chromium: Browser
) -> None:
    with new_page(chromium, address=board, width=PHONE, scripts=False) as page:
        page.goto(BOARD)
        menu = page.locator(".sort-menu > summary")
        for name, (label, value) in SORTED_BY.items():
            menu.click()
            page.locator(".sort-menu").get_by_role("link", name=name).click()
            cell = page.locator("td.sorted-by").first
            for width in (PHONE, TABLET):
                page.set_viewport_size({"width": width, "height": HEIGHT})
                assert cell.get_attribute("data-label") == (label or name)
                assert cell.is_visible() and in_view(page, cell)
                assert value in cell.inner_text()
                menu.click()
                assert in_view(page, page.locator(".sort-menu .menu-list"))
                menu.click()
                pictured(page, f"board-sorted-{name.replace(' ', '-')}")
                assert sideways(page) <= 0


def test_names_of_nine_categories_fit_above_their_cells(board: str, chromium: Browser) -> None:
    for language in ("en", "ru", "zh"):
        with new_page(chromium, address=board, language=language) as page:
            page.goto(f"{BOARD}&sort=entrant")
            names = page.locator(".heat-names > a")
            for width in (DESKTOP, PHONE):
                page.set_viewport_size({"width": width, "height": HEIGHT})
                pictured(page, f"board-categories-{language}")
                cut = names.evaluate_all(
                    "all => all.filter((a) => a.scrollHeight > a.clientHeight + 1"
                    " || a.scrollWidth > a.clientWidth + 1).map((a) => a.textContent)"
                )
                assert (names.count(), cut) == (len(CATEGORIES), [])
                assert page.locator(".sort-menu").is_visible() == (width < DESKTOP)
            quiet(page)


@pytest.fixture
def thirty(live_server: LiveServer, quick: None, own_caches: None) -> str:
    """Thirty rows that are one tie group, except for the last one, which ties with nobody."""
    cast = Cast()

    def make() -> None:
        made = [
            cast.judged_submission(
                cast.entrant(f"Model {number:02}"),
                PATTERNS[0] if number < 29 else ("failed",),
                samples=1,
                publish=False,
            )
            for number in range(30)
        ]
        Submission.objects.update(visibility=Visibility.PUBLISHED, published=timezone.now())
        make_board(board=want_board(submission=made[0]))

    return stored(live_server, cast, make)


def test_rows_that_tie_light_up_and_stay_legible(thirty: str, chromium: Browser) -> None:
    seen: set[str] = set()
    with new_page(chromium, address=thirty) as page:
        page.goto("/benchmarks/rucodeeval/")
        rows = page.locator(".board tr[data-groups]")
        assert rows.count() == 30
        for way, (place, tied) in product(("hover", "focus"), ((3, 28), (29, 0))):
            row = rows.nth(place)
            if way == "hover":
                row.hover()
            else:
                row.locator(".name").focus()
            expect(page.locator(".board tr.tied")).to_have_count(tied)
            assert "tied" not in (row.get_attribute("class") or "").split()
            assert not [*faint_texts(page, seen)]
        page.locator("#search").focus()
        expect(page.locator(".board tr.tied")).to_have_count(0)
        quiet(page)


@pytest.fixture
def overview(live_server: LiveServer, quick: None, own_caches: None) -> str:
    """Two entrants on two benchmarks."""
    cast = Cast()

    def make() -> None:
        for number in (1, 2):
            entrant = cast.entrant(f"Model {number}")
            for benchmark in (cast.rucodeeval, cast.codeif):
                cast.judged_submission(entrant, PATTERNS[number], benchmark=benchmark, samples=1)

    return stored(live_server, cast, make)


def test_a_phone_keeps_what_it_is_sorted_by_and_the_intervals_in_view(
    overview: str, chromium: Browser
) -> None:
    with new_page(chromium, address=overview) as page:
        for sort in ("", "rucodeeval", "codeif-function"):
            page.goto(f"/?sort={sort}")
            for width in (DESKTOP, PHONE):
                page.set_viewport_size({"width": width, "height": HEIGHT})
                pictured(page, f"home-{sort}")
                for cell in (".matrix [aria-sort]", ".matrix td.sorted-by"):
                    assert in_view(page, page.locator(cell).first), (sort, cell)
        page.goto("/entrants/model-2/")
        interval = page.locator("td.num .phone-only").first
        assert re.fullmatch(r"\d+\.\d–\d+\.\d", interval.text_content() or "")
        assert interval.is_visible() and in_view(page, interval)
        page.set_viewport_size({"width": DESKTOP, "height": HEIGHT})
        assert not interval.is_visible()
        quiet(page)
