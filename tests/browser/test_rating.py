"""Tests of rating in a browser: by keyboard, on a phone, after closed tabs and expired sessions,
and with axe."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from django.contrib.sessions.models import Session
from django.db import transaction
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from evaluation.work import actions
from leaderboard.accounts.models import Entrant, User
from leaderboard.annotation import campaigns
from leaderboard.annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    Draft,
    Outcome,
    PanelAgreement,
    Rater,
    Rating,
)
from leaderboard.annotation.results import make_results
from leaderboard.benchmarks.importing import import_revision
from leaderboard.submissions.models import Submission
from tests.browser.people import fill_in, let_in, settled, sign_in
from tests.browser.test_pages import TWO_LOOKS, looked
from tests.support.browser import DESKTOP, PHONE, complaints, new_page, quiet, sideways, violations
from tests.support.cast import FAMILIES, PASSWORD, Cast, confirmed_user
from tests.support.commands import wait_for
from tests.support.panel import FAIR, POOR, rate, store
from tests.support.snapshots import made_once

each_width = pytest.mark.parametrize(
    "width", [DESKTOP, pytest.param(PHONE, marks=pytest.mark.slow)]
)
LONG = "    lines.add(reader.readLine().replace('a', 'b').trim()); // as it stands in the file\n"
CODE = f'public static String first() {{\n{LONG * 12}    return "a" + 1;\n}}\n'


@dataclass(frozen=True, slots=True)
class Rated:
    """A site with an open campaign of 36 items, in which ann rates and which dora organises."""

    url: str
    campaign: Campaign

    @contextmanager
    def page_of_ann(self, chromium: Browser, width: int = DESKTOP) -> Iterator[Page]:
        """At its end, ann leaves all items, and the server has answered the requests of that:
        afterwards its tables are removed."""
        with new_page(chromium, address=self.url, width=width) as page:
            let_in(page, self.url, "ann")
            yield page
            for left in page.context.pages:
                left.goto("about:blank")
            wait_for(lambda: not Assignment.objects.exclude(lease_until=None).exists(), 60)


@pytest.fixture
def rated(live_server: LiveServer, quick: None, own_caches: None) -> Rated:
    with transaction.atomic():
        cast = Cast()
        campaign = made_once(cast, "rating", lambda: _campaign(cast))
    return Rated(live_server.url, campaign)


def _campaign(cast: Cast) -> Campaign:
    benchmark = import_revision(
        family_slug="aixbench_nl",
        tasks=FAMILIES / "aixbench_nl/sample/tasks.jsonl",
        answers=None,
        label="sample",
    ).benchmark
    assert benchmark.current is not None
    cast.submission(cast.entrant(), benchmark=benchmark, samples=3, text=CODE)
    campaign = campaigns.create_campaign(
        revision=benchmark.current, title="Autumn", user=cast.dora, per_item=2
    )
    campaigns.add_submissions(campaign=campaign, submissions=Submission.objects.all())
    campaigns.open_campaign(campaign=campaign)
    campaigns.add_rater(campaign=campaign, user=cast._person("ann"))
    return campaign


def begin(page: Page, *, scripts: bool = True) -> None:
    """Opens the first item. Waits until a scale is framed, because the keys work only then."""
    page.goto("/rate/")
    page.get_by_role("button", name="rating").click()
    expect(page.locator("form[data-rate]")).to_be_visible()
    if scripts:
        expect(page.locator("[data-current]")).to_have_count(1)


def is_marked(page: Page, scale: str, mark: int) -> None:
    box = page.locator(f'input[name="mark-{scale}"][value="{mark}"]')
    expect(box).to_be_checked()


def kept(page: Page) -> None:
    expect(page.locator("[data-rate-state]")).to_contain_text("draft kept")


@pytest.fixture
def page(rated: Rated, chromium: Browser) -> Iterator[Page]:
    """ann's first item, in a desktop's window."""
    with rated.page_of_ann(chromium) as page:
        begin(page)
        yield page


@each_width
def test_items_are_rated_with_the_keyboard_alone(
    rated: Rated, chromium: Browser, width: int
) -> None:
    with rated.page_of_ann(chromium, width=width) as page:
        page.goto("/rate/")
        reach(page, "Start rating")
        page.keyboard.press("Enter")
        page.wait_for_url("**/items/*/")
        for _ in range(4):
            item = page.url
            expect(page.locator("[data-current]")).to_have_count(1)
            for key in ("3", "2", "4", "Enter"):
                page.keyboard.press(key)
            page.wait_for_url(lambda url, item=item: url != item and "/save/" not in url)
        expect(page.locator(".rate-progress")).to_contain_text("5 of 36")
        settled(page)
    done = Assignment.objects.filter(state=AssignmentState.DONE)
    assert done.count() == 4
    for row in done:
        assert dict(row.ratings.values_list("criterion", "value")) == FAIR
    assert not Draft.objects.exists()


def reach(page: Page, button: str) -> None:
    """Presses Tab from the top of the page until the button has the focus."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent").strip() == button:
            return
    raise AssertionError(f"Tab does not reach {button!r}")


@each_width
def test_comments_skipping_and_going_back_have_keys_too(
    rated: Rated, chromium: Browser, width: int
) -> None:
    with rated.page_of_ann(chromium, width=width) as page:
        begin(page)
        first = page.url
        page.keyboard.press("2")
        page.keyboard.press("c")
        page.keyboard.type("12 smells")  # digits in a comment are not marks
        page.keyboard.press("Escape")
        for key in ("1", "5", "Enter"):
            page.keyboard.press(key)
        page.wait_for_url(lambda url: url != first and "/save/" not in url)
        second = page.url
        page.keyboard.press("s")
        page.keyboard.type("not Java")
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url: url not in (first, second) and "/skip/" not in url)
        page.keyboard.press("b")
        page.wait_for_url(second)
        expect(page.locator(".rate-progress")).to_contain_text("skipped before")
        page.keyboard.press("b")
        page.wait_for_url(first)
        is_marked(page, "correctness", 2)
        # A digit marks only the framed scale, which is the last one after going back.
        expect(page.locator("[data-current] legend")).to_contain_text("Maintainability")
        page.keyboard.press("4")
        for scale, mark in (("correctness", 2), ("code-quality", 1), ("maintainability", 4)):
            is_marked(page, scale, mark)
        quiet(page)
    found = Rating.objects.exclude(comment="").get()
    assert (found.criterion, found.comment) == ("correctness", "12 smells")
    assert Assignment.objects.get(state=AssignmentState.SKIPPED).reason == "not Java"


def test_letters_are_left_alone_by_who_wants_it_so(page: Page) -> None:
    page.get_by_text("Keys", exact=True).click()
    page.get_by_label("use these keys").uncheck()
    page.reload()
    expect(page.locator("[data-current]")).to_have_count(1)
    page.keyboard.press("2")
    expect(page.locator("input:checked[type=radio]")).to_have_count(0)


def held() -> list[bool]:
    """For each shown item, whether it is still reserved for its rater."""
    return [row.lease_until is not None for row in Assignment.objects.order_by("pk")]


def soon(page: Page, wanted: list[bool]) -> None:
    """Waits for the request that a page sends when it is left, until the leases are as wanted."""
    for _ in range(100):
        if held() == wanted:
            return
        page.wait_for_timeout(100)
    assert held() == wanted


@pytest.mark.parametrize("how", ["link", "close"])
def test_an_item_whose_page_is_left_is_free_at_once_and_its_draft_is_kept(
    page: Page, how: str
) -> None:
    assert held() == [True]
    page.keyboard.press("3")
    kept(page)
    page.keyboard.press("c")
    page.keyboard.type("typed last")
    if how == "link":
        page.locator(".breadcrumbs a").first.click()
        page.wait_for_url("**/rate/")
        soon(page, [False])
    else:
        other = page.context.new_page()
        page.close(run_before_unload=False)
        soon(other, [False])
    draft = Draft.objects.get()
    assert (draft.marks, draft.comments["correctness"]) == ({"correctness": 3}, "typed last")


@pytest.mark.parametrize(("width", "height"), [(DESKTOP, 900), (PHONE, 844)])
def test_rating_and_settling_need_no_mouse_and_fit_one_screen_of_a_desktop(
    rated: Rated, chromium: Browser, width: int, height: int
) -> None:
    with rated.page_of_ann(chromium) as page:
        page.set_viewport_size({"width": width, "height": height})
        begin(page)
        in_one_screen(page, height)
        page.locator(".scale-wording summary").first.click()
        expect(page.get_by_text("The function described is missing.")).to_be_visible()
        assert not sideways(page)
        settled(page)
        practise(page, f"/rate/{rated.campaign.pk}/practice/1/")
        settle(page, rated.campaign, height)


def in_one_screen(page: Page, height: int) -> None:
    """On a phone the marks have their words instead, and every target has 44 pixels."""
    if page.viewport_size and page.viewport_size["width"] == PHONE:
        targets = ".mark-choice, .rate-actions .button, .scale summary"
        for target in page.locator(targets).filter(visible=True).all():
            box = target.bounding_box()
            assert box and box["height"] >= 44, target.inner_text()
        words = page.locator(".mark-short").first.bounding_box()
        assert words and words["width"] > 40
        return
    for shown in (".rate-task", ".scale:last-child .marks", "[data-save]"):
        box = page.locator(shown).first.bounding_box()
        assert box and box["y"] >= 0 and box["y"] + box["height"] <= height, shown


def practise(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator("[data-current]")).to_have_count(1)
    for key in ("q", "4", "3", "5", "q", "3", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_text("You gave 3; 4 is expected.")).to_be_visible()
    expect(page.get_by_text("One pass over the text")).to_be_visible()
    assert not sideways(page)
    settled(page)
    page.keyboard.press("Enter")
    expect(page.get_by_text("practice, 2 of 6")).to_be_visible()


def settle(page: Page, campaign: Campaign, height: int) -> None:
    """Settles two items on which two others differ, and which the rater has not begun."""
    Rater.objects.filter(campaign=campaign, user__username="ann").update(adjudicates=True)
    begun = Assignment.objects.values("item")
    others = [
        campaigns.add_rater(campaign=campaign, user=Cast()._person(name)) for name in ("ben", "cat")
    ]
    for item in campaign.items.exclude(pk__in=begun).order_by("pk")[:2]:
        for rater, marks in zip(others, (FAIR, POOR), strict=True):
            rate(rater, item, marks)
    given = Rating.objects.filter(assignment__rater__in=others, criterion="correctness")
    given.update(comment="misses the empty list")
    begin(page)
    for key in ("3", "2", "4", "Enter"):
        page.keyboard.press(key)
    for place in (1, 2):
        expect(page.get_by_text("Raters differ on these scales")).to_be_visible()
        expect(page.locator(".rate-progress")).to_contain_text(f"{place} of 2")
        expect(page.locator("[data-current]")).to_have_count(1)
        expect(page.locator(".earlier")).to_contain_text("Rater 2")
        expect(page.locator(".earlier")).to_contain_text("misses the empty list")
        in_one_screen(page, height)
        settled(page)
        shown = page.url
        page.keyboard.press("2")
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url, shown=shown: url != shown and "/save/" not in url)
    expect(page.get_by_text("Raters differ")).to_have_count(0)
    assert Outcome.objects.count() == 2


def cyrillic(page: Page, key: str, code: str) -> None:
    """Sends a key as a Russian layout reports it."""
    page.evaluate(
        "([key, code]) => document.activeElement.dispatchEvent("
        "new KeyboardEvent('keydown', {key, code, bubbles: true, cancelable: true}))",
        [key, code],
    )


def test_keys_work_in_a_russian_layout_and_after_skip_by_mouse(page: Page) -> None:
    for key, code, scale, mark in (
        ("у", "KeyE", "maintainability", 5),
        ("ц", "KeyW", "code-quality", 1),
        ("й", "KeyQ", "correctness", 2),
    ):
        cyrillic(page, key, code)
        page.keyboard.press(str(mark))
        is_marked(page, scale, mark)
    cyrillic(page, "ы", "KeyS")
    menu = page.locator("[data-skip]")
    expect(menu).to_have_attribute("open", "")
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(menu).not_to_have_attribute("open", "")
    page.get_by_text("Skip, with a reason").click()
    expect(menu).to_have_attribute("open", "")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    expect(page.locator(".rate-progress")).to_contain_text("2 of 36")


def test_a_page_that_is_loaded_anew_or_come_back_to_keeps_its_item(page: Page) -> None:
    page.reload()
    expect(page.locator("[data-current]")).to_have_count(1)
    page.wait_for_timeout(500)
    soon(page, [True])
    page.goto("/rate/")
    soon(page, [False])
    page.go_back()
    expect(page.locator("[data-current]")).to_have_count(1)
    soon(page, [True])
    settled(page)


def test_a_page_that_says_what_is_missing_keeps_its_item(page: Page) -> None:
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Save and next").click()
    expect(page.get_by_text("Nothing is saved yet")).to_be_visible()
    page.wait_for_timeout(500)
    assert held() == [True]
    complaints(page)  # the browser's message about the 422


def test_a_tab_left_behind_is_told_that_another_has_written(page: Page) -> None:
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator("[data-current]")).to_have_count(1)
    page.keyboard.press("3")
    kept(page)
    other.keyboard.press("1")
    expect(other.locator("[data-rate-state]")).to_contain_text("changed in another tab")
    assert Draft.objects.get().marks == {"correctness": 3}


def mark_with_the_mouse(page: Page, scale: str, mark: int) -> None:
    """Clicks what a person sees; the input itself is hidden below it."""
    choice = f'input[name="mark-{scale}"][value="{mark}"]'
    page.locator(f"label:has({choice})").click()
    expect(page.locator(choice)).to_be_checked()


def test_marks_survive_the_end_of_the_session(page: Page) -> None:
    address = page.url
    Session.objects.all().delete()
    for scale, mark in (("correctness", 3), ("code-quality", 2), ("maintainability", 4)):
        mark_with_the_mouse(page, scale, mark)
    expect(page.locator("[data-rate-state]")).to_contain_text("you are signed out")
    page.get_by_role("button", name="Save and next").click()
    expect(page.get_by_text("Your entries are kept")).to_be_visible()
    fill_in(page, "ann")
    page.wait_for_url(address)
    for scale, mark in (("correctness", 3), ("code-quality", 2), ("maintainability", 4)):
        is_marked(page, scale, mark)
    page.get_by_role("button", name="Save and next").click()
    page.wait_for_url(lambda url: url != address and "/save/" not in url)
    complaints(page)  # the browser's message about the 401
    assert dict(Rating.objects.values_list("criterion", "value")) == FAIR


def test_who_signed_in_again_in_another_tab_goes_on_in_the_first(page: Page) -> None:
    address = page.url
    Session.objects.all().delete()
    sign_in(page.context.new_page(), "ann")
    for key in ("3", "2", "4", "Enter"):
        page.keyboard.press(key)
    page.wait_for_url(lambda url: url != address and "/save/" not in url)
    quiet(page)
    assert dict(Rating.objects.values_list("criterion", "value")) == FAIR


def test_rating_works_without_scripts(rated: Rated, chromium: Browser) -> None:
    with new_page(chromium, address=rated.url, scripts=False) as page:
        let_in(page, rated.url, "ann")
        begin(page, scripts=False)
        page.get_by_role("button", name="Save and next").click()
        expect(page.get_by_text("Nothing is saved yet")).to_be_visible()
        mark_with_the_mouse(page, "correctness", 3)
        page.get_by_text("Skip, with a reason").click()
        page.get_by_label("Why it cannot be rated").fill("too long")
        page.get_by_role("button", name="Skip and continue").click()
        expect(page.locator(".rate-progress")).to_contain_text("1 of 35")
    assert Assignment.objects.get(state=AssignmentState.SKIPPED).reason == "too long"


def test_axe_finds_nothing_on_the_pages_of_rating(page: Page, rated: Rated) -> None:
    accessible(page)
    for key in ("4", "2", "c"):
        page.keyboard.press(key)
    kept(page)
    accessible(page)
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing is saved yet")).to_be_visible()
    page.locator("[data-skip] summary").click()
    accessible(page)
    own = f"/rate/{rated.campaign.pk}/"
    for address in ("/rate/", own, f"{own}practice/1/"):
        page.goto(address)
        accessible(page)


def accessible(page: Page) -> None:
    """Asserts that axe finds nothing in a desktop's and a phone's window, in either scheme."""
    for width, scheme in TWO_LOOKS:
        looked(page, width, scheme)
        assert violations(page) == [], (page.url, width)
        assert sideways(page) <= 0, (page.url, width)


def test_on_a_phone_saving_is_in_reach_of_a_thumb(rated: Rated, chromium: Browser) -> None:
    with rated.page_of_ann(chromium, width=PHONE) as page:
        begin(page)
        save = page.get_by_role("button", name="Save and next")
        code = page.get_by_label("The code to rate").bounding_box()
        scale = page.get_by_role("group", name="Correctness").bounding_box()
        assert code and scale and code["y"] + code["height"] <= scale["y"]
        for place in (0, 300, 600):
            page.evaluate(f"scrollTo(0, {place})")
            box = save.bounding_box()
            assert box and 700 < box["y"] + box["height"] <= 900
        settled(page)


@pytest.mark.parametrize("width", [DESKTOP, pytest.param(PHONE, marks=pytest.mark.slow)])
def test_axe_finds_nothing_on_the_organisers_pages(
    rated: Rated, chromium: Browser, width: int
) -> None:
    for name, every in (("ben", 2), ("cat", 3)):
        user = confirmed_user(name, f"{name}@example.org", PASSWORD)
        rater = campaigns.add_rater(campaign=rated.campaign, user=user)
        store(rater, lambda number, every=every: POOR if number % every else FAIR)
    make_results(campaign=rated.campaign)
    # The longest sentence below a number.
    PanelAgreement.objects.update(value=None, low=None, high=None, lack="too_few_other_marks")
    item = rated.campaign.items.order_by("pk")[0].pk
    parts = ("", "submissions/", "known/", "raters/", "raters/2/", "differences/", "skips/")
    own = [f"/campaigns/{rated.campaign.pk}/{part}" for part in (*parts, f"items/{item}/")]
    with new_page(chromium, address=rated.url, width=width) as page:
        let_in(page, rated.url, "dora")
        for address in ("/campaigns/", "/campaigns/new/", *own):
            page.goto(address)
            assert violations(page) == [], address
            settled(page)
            hidden = page.locator("main .table-scroll").evaluate_all(
                "tables => tables.some((one) => one.scrollWidth > one.clientWidth)"
            )
            assert width == PHONE or not hidden, address
        enter_marks(page, rated.campaign)
        open_a_campaign(page, rated.campaign.revision_id)
        look_at_what_needs_attention(page)


def open_a_campaign(page: Page, revision: int) -> None:
    """Opens a campaign. Its page lists what is missing until the organiser has added it."""
    page.goto("/campaigns/")
    page.get_by_role("link", name="New campaign").click()
    page.get_by_label("Title").fill("Winter")
    page.get_by_label("Revision").select_option(str(revision))
    page.get_by_role("button", name="Create the campaign").click()
    lacking = page.locator(".step-stopped b")
    expect(page.get_by_text("cannot publish a mean for each submission")).to_be_visible()
    expect(lacking).to_have_text(["Submissions", "Raters", "Marks"])
    settled(page)
    tab(page, "Submissions")
    page.locator("input[name=submissions]").first.check()
    page.get_by_role("button", name="Add the selected ones").click()
    tab(page, "Raters")
    for name in ("ann", "ben", "cat"):
        page.get_by_label("Username or e-mail").fill(name)
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.get_by_role("main")).to_contain_text(name)
    tab(page, "Progress and results")
    expect(lacking).to_have_count(0)
    settled(page)
    page.get_by_text("Open", exact=True).click()
    page.get_by_role("button", name="Open the campaign").click()
    expect(page.locator(".facts").first).to_contain_text("state open")
    settled(page)


def tab(page: Page, name: str) -> None:
    page.locator("main nav.filters").get_by_role("link", name=name, exact=True).click()


def look_at_what_needs_attention(page: Page) -> None:
    """Checks that the overview says why nothing moves, and links to the page that changes it."""
    cast = Cast()
    cast.alice = User.objects.get(username="alice")
    waiting = cast.submission(Entrant.objects.earliest("pk"))
    actions.open_evaluation(submission=waiting)
    page.goto("/admin/overview/")
    assert violations(page) == []
    point = page.locator("li", has_text="No living worker")
    expect(point).to_be_visible()
    assert sideways(page) <= 0
    point.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    settled(page)


def enter_marks(page: Page, campaign: Campaign) -> None:
    """Enters marks by task and entrant, with the code in sight, then goes on to the next."""
    page.goto(f"/admin/annotation/assignment/add/?campaign={campaign.pk}")
    page.get_by_label("Task").select_option(index=1)
    page.get_by_label("Entrant").select_option(index=1)
    page.get_by_role("button", name="Show the generation").click()
    expect(page.get_by_role("region", name="Code")).to_contain_text("public static String first")
    assert not sideways(page)
    page.get_by_label("Rater").select_option(index=1)
    for scale in ("correctness", "code-quality", "maintainability"):
        page.locator(f'input[name="mark-{scale}"][value="2"]').check()
    page.get_by_label("Reason").fill("on paper")
    shown = page.url
    page.get_by_role("button", name="Save and next").click()
    expect(page.get_by_text("3 marks were changed.")).to_be_visible()
    assert page.url != shown
    expect(page.get_by_role("region", name="Code")).to_be_visible()
    expect(page.get_by_label("Rater")).not_to_have_value("")
