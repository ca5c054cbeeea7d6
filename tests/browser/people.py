"""Steps that people take at the site, found by what they see: forms, files and pages."""

from pathlib import Path

from django.test import Client
from playwright.sync_api import Page, expect

from leaderboard.accounts.models import User
from tests.support.browser import quiet, sideways

SECONDS = 1000.0
PASSWORD = "correct horse battery"


def settled(page: Page) -> None:
    """Asserts that the page has no complaints and does not scroll sideways."""
    quiet(page)
    assert sideways(page) <= 0, page.url


def sign_in(page: Page, name: str = "alice") -> None:
    page.goto("/sign-in/")
    fill_in(page, name)
    page.wait_for_url("**/")


def let_in(page: Page, address: str, name: str = "alice") -> None:
    """Signs in without the form, at a site that has the database of this process."""
    client = Client()
    client.force_login(User.objects.get(username=name))
    session = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": address}])


def fill_in(page: Page, name: str = "alice") -> None:
    """Signs in on the form."""
    page.locator("[name=login]").fill(name)
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("main form button[type=submit]").first.click()


def sign_up(page: Page, name: str, team: str) -> None:
    """Creates an account with its own team, and has its e-mail confirmed by staff; ends at the form
    for the first entrant."""
    page.goto("/")
    page.get_by_role("link", name="Sign in").first.click()
    page.get_by_role("link", name="sign up").click()
    settled(page)
    page.get_by_label("Username").fill(name)
    page.get_by_label("Email").fill(f"{name}@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    page.get_by_label("Your team's name").fill(team)
    page.locator("main form button[type=submit]").first.click()
    expect(page.get_by_role("heading", name="New entrant")).to_be_visible()
    confirm(page, name)


def confirm(page: Page, name: str) -> None:
    """Staff confirm the person's address in the admin, as where no mail is sent."""
    assert page.context.browser is not None
    address = page.evaluate("location.origin")
    context = page.context.browser.new_context(base_url=address)
    try:
        staff = context.new_page()
        sign_in(staff, "staff")
        staff.goto(f"/admin/accounts/user/?q={name}@")
        staff.get_by_role("link", name=name, exact=True).click()
        staff.locator("[name=emailaddress_set-0-verified]").check()
        staff.locator("[name=_save]").click()
        expect(staff.get_by_text("was changed successfully")).to_be_visible()
    finally:
        context.close()


def create_entrant(page: Page, name: str) -> None:
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Organisation").fill("Northwood")
    page.get_by_label("Size in billions of parameters").fill("7.5")
    page.get_by_label("Weights").select_option("open")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()
    settled(page)


def pick(page: Page, file: Path) -> None:
    """Chooses the file with the browser's file picker."""
    with page.expect_file_chooser() as chooser:
        page.get_by_label("Prediction file").click()
    chooser.value.set_files(file)


def drop(page: Page, file: Path) -> None:
    """Drags the file from outside the browser onto the place for it, with the browser's own
    events."""
    place = page.locator("[data-dropzone-place]")
    place.scroll_into_view_if_needed()
    box = place.bounding_box()
    assert box is not None
    session = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send(
            "Input.dispatchDragEvent",
            {"type": kind, "x": box["x"] + 40, "y": box["y"] + 20, "data": data},
        )


def upload(page: Page, file: Path, *, by: str = "picker") -> None:
    """Uploads the file by the form; ends at the page of the upload."""
    if by == "picker":
        pick(page, file)
    else:
        drop(page, file)
    expect(page.locator("[data-dropzone-file]")).to_contain_text(file.name)
    settled(page)
    page.get_by_role("button", name="Upload and check").click()
    expect(page.get_by_role("heading", level=1, name=file.name)).to_be_visible()


def appears(page: Page, text: str, seconds: float = 30) -> None:
    """Reloads the page until it shows the text. Raises AssertionError if it never does."""
    for _ in range(int(seconds / 0.5)):
        if page.get_by_text(text).first.is_visible():
            return
        page.wait_for_timeout(500)
        page.reload()
    raise AssertionError(f"{page.url} does not say {text!r}: {page.locator('main').inner_text()}")
