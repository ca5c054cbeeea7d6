"""Test of the site's main workflow: a real Chromium, and an installation that judges in
sandboxes."""

import json
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from evaluation.engine.datasets import literal
from tests.browser.conftest import Files
from tests.browser.people import SECONDS, appears, create_entrant, settled, sign_up, upload
from tests.support import predictions
from tests.support.browser import DESKTOP, PHONE, Scheme, complaints, new_page, quiet

# The installation starts and judges before the first test, maybe on a busy machine.
pytestmark = pytest.mark.docker

BOARD = "/benchmarks/rucodeeval/"
JUDGED_SECONDS = 300 * SECONDS


@pytest.mark.parametrize(
    ("width", "scheme", "way"),
    [(PHONE, "dark", "drop"), pytest.param(DESKTOP, "light", "picker", marks=pytest.mark.slow)],
)
def test_a_team_goes_from_signing_up_to_the_board(
    installation: str,
    chromium: Browser,
    files: Files,
    tmp_path: Path,
    width: int,
    scheme: Scheme,
    way: str,
) -> None:
    team, entrant = f"Team at {width}", f"Heron {width}"
    with (
        new_page(chromium, address=installation, width=width, scheme=scheme) as page,
        new_page(chromium, address=installation, width=width, scheme=scheme) as stranger,
    ):
        sign_up(page, f"erin{width}", team)
        create_entrant(page, entrant)
        to_the_form(page, entrant)
        form = page.url
        send_and_discard_a_zip(page, zipped(files, tmp_path))
        page.goto(form)
        page.get_by_label("Benchmark and setting").select_option("rucodeeval/base")
        see_what_is_broken(page, files.broken)
        upload(page, of_its_own(files.good, tmp_path, f"heron_{width}"), by=way)
        submit_for_judging(page)
        watch_it_judged(page)
        see_results(page)
        own = page.url
        refuse_strangers(stranger, own)
        publish(page)
        found_by_a_stranger(stranger, entrant)
        withdraw(page)
        refuse_strangers(stranger, own)
        stranger.goto(BOARD)
        expect(stranger.get_by_role("link", name=entrant)).to_have_count(0)
        settled(stranger)


def of_its_own(file: Path, folder: Path, name: str) -> Path:
    """Right answers look their results up in a table, because staff must decide on programs that
    equal another team's. Wrong ones take their time, so that the page of the progress is seen."""
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    tasks, answers = (
        map(json.loads, path.read_text("utf-8").splitlines())
        for path in (predictions.TASKS, predictions.ANSWERS)
    )
    calls = {task["meta"]["id"]: task["inputs"]["tests"] for task in tasks}
    results = {answer["id"]: answer["outputs"] for answer in answers}
    for line in lines:
        task = line["task_id"]
        tests = calls[task]
        given = literal(tests) if isinstance(tests, str) else tests
        keys = (f"{name} {list(arguments.values())}" for arguments in given)
        table = dict(zip(keys, results[task], strict=True))
        if "return object" in line["completion"]:
            line["completion"] = "\n    __import__('time').sleep(0.5)" + line["completion"]
        else:
            key = f'f"{name} {{[*locals().values()]}}"'
            line["completion"] = f"\n    return {table}[{key}]\n"
    made = folder / file.name
    made.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return made


def to_the_form(page: Page, entrant: str) -> None:
    page.get_by_role("link", name=f"Submit {entrant}").click()
    page.get_by_label("Benchmark and setting").select_option("rucodeeval/base")


def zipped(files: Files, folder: Path) -> Path:
    """A zip with the file names of MERA and CodeIF-Bench: one file is good, one is rejected, and
    one belongs to neither."""
    made = folder / "run.zip"
    with zipfile.ZipFile(made, "w") as archive:
        archive.write(files.good, "run/ruCodeEval.json")
        archive.write(files.broken, "run/codeif_function/base.jsonl")
        archive.writestr("run/notes.md", "mine")
    return made


def send_and_discard_a_zip(page: Page, file: Path) -> None:
    """Checks the line and the state of each file; then discards the files in the list."""
    upload(page, file)
    expect(page.get_by_role("button", name="Submit 1 file for judging")).to_be_visible()
    lines = page.locator("main tbody tr")
    for name, state in (("run/ruCodeEval", "checked"), ("base.jsonl", "refused")):
        expect(lines.filter(has_text=name)).to_contain_text(state)
    expect(lines.filter(has_text="run/notes")).to_contain_text("not used")
    settled(page)
    page.goto("/submissions/")
    for heading in ("Uploads not submitted yet", "Rejected files"):
        section = page.locator("section", has=page.get_by_role("heading", name=heading))
        section.get_by_label("Select run.zip").check()
        section.get_by_text("Discard the selected files").click()
        settled(page)
        section.get_by_role("button", name="Discard", exact=True).click()
        expect(page.get_by_text("1 upload was discarded.")).to_be_visible()


def see_what_is_broken(page: Page, file: Path) -> None:
    """Checks that the report names the line, the task and the problem; then goes back to the
    form."""
    upload(page, file)
    expect(page.get_by_role("heading", name="The file cannot be judged as it is")).to_be_visible()
    row = page.locator("main tbody tr")
    expect(row).to_have_count(1)
    expect(row.locator("td").first).to_have_text("3")
    expect(row).to_contain_text("no-such-task")
    settled(page)
    page.get_by_role("link", name="Upload another file").click()


def submit_for_judging(page: Page) -> None:
    """Checks that the page shows what it recognised before anything is queued."""
    expect(page.get_by_text("24 generations, no problems")).to_be_visible()
    expect(page.get_by_text("12 of 12")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Submit for judging").click()
    page.wait_for_url(re.compile(r"/submissions/\d+/$"))


def watch_it_judged(page: Page) -> None:
    """Checks that the page updates without a reload until everything is judged."""
    page.evaluate("window.neverLeft = true")
    expect(page.get_by_role("heading", name="Progress")).to_be_visible()
    settled(page)
    publish = page.get_by_role("button", name="Publish", exact=True)
    expect(publish).to_be_visible(timeout=JUDGED_SECONDS)
    assert page.evaluate("window.neverLeft") is True
    quiet(page)


def see_results(page: Page) -> None:
    """Checks the scores, a strip of marks for every task, and a task whose prompt is as wide as its
    generations; keys lead to the next failure and back."""
    own = page.url
    expect(page.locator("tr", has_text="pass@1").first).to_contain_text("–")
    expect(page.locator("#tasks svg.dots")).to_have_count(12)
    settled(page)
    page.locator("#tasks .code-name a").first.click()
    expect(page.get_by_role("heading", name="Sample 2")).to_be_visible()
    expect(page.locator("[id^=sample-] .mark")).to_have_count(2)
    expect(page.locator("[id^=sample-] pre.code code")).to_have_count(2)
    prompt = page.locator(".stack > .stack > .card").first
    boxes = (prompt.bounding_box(), page.locator("[id^=sample-]").first.bounding_box())
    assert boxes[0] and boxes[1] and boxes[0]["width"] == boxes[1]["width"]
    settled(page)
    first = page.url
    page.keyboard.press("ArrowRight")
    expect(page).not_to_have_url(first)
    expect(page.locator("[id^=sample-]").first).to_be_visible()
    settled(page)
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(first)
    page.goto(own)


def publish(page: Page) -> None:
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.locator(".step-done", has_text="on the board")).to_be_visible()
    settled(page)


def found_by_a_stranger(page: Page, entrant: str) -> None:
    """Goes from the front page to a verdict; only the team sees the generations."""
    page.goto("/")
    page.locator("main").get_by_role("link", name="ruCodeEval").first.click()
    appears(page, entrant)
    settled(page)
    page.get_by_role("row", name=entrant).locator("td.score a").click()
    expect(page.get_by_role("heading", name=f"{entrant} on ruCodeEval")).to_be_visible()
    expect(page.locator("#tasks svg.dots")).to_have_count(12)
    settled(page)
    page.locator("#tasks .code-name a").first.click()
    expect(page.get_by_role("heading", name="Sample 2")).to_be_visible()
    expect(page.locator("[id^=sample-] .mark")).to_have_count(2)
    expect(page.locator("[id^=sample-] pre.code")).to_have_count(0)
    settled(page)


def withdraw(page: Page) -> None:
    """Withdraws the result after a confirmation. A click elsewhere closes the confirmation; a live
    part that comes with the page's head does not."""
    page.get_by_text("Withdraw", exact=True).click()
    page.get_by_role("heading", level=1).click()
    expect(page.get_by_role("button", name="Withdraw it")).to_be_hidden()
    page.get_by_text("Withdraw", exact=True).click()
    settled(page)
    page.evaluate(
        "htmx.ajax('GET', location.pathname + 'live/', {target: '#live', swap: 'outerHTML'})"
    )
    settled(page)
    page.get_by_role("button", name="Withdraw it").click()
    expect(page.get_by_text("private until you publish")).to_be_visible()
    settled(page)


def refuse_strangers(page: Page, address: str) -> None:
    found = page.goto(address)
    assert found is not None and found.status == 404
    assert [line for line in complaints(page) if "status of 404" not in line] == []


def test_without_scripts_one_reads_a_board_and_submits(
    installation: str, chromium: Browser, files: Files
) -> None:
    with new_page(chromium, address=installation, scripts=False) as page:
        page.goto(BOARD)
        expect(page.get_by_role("row", name="Larch")).to_be_visible()
        page.get_by_text("The numbers as a table").first.click()
        expect(page.get_by_role("region").locator("td").first).to_be_visible()
        page.go_back()
        page.get_by_text("Download", exact=True).click()
        expect(page.get_by_role("link", name="These rows as CSV")).to_be_visible()
        sign_up(page, "frank", "Fenland")
        create_entrant(page, "Plover 3B")
        to_the_form(page, "Plover 3B")
        page.get_by_label("Prediction file").set_input_files(files.good)
        page.get_by_role("button", name="Upload and check").click()
        appears(page, "Submit for judging")
        page.get_by_role("button", name="Submit for judging").click()
        appears(page, "Progress")
        settled(page)


def test_the_keyboard_alone_reaches_and_opens_a_filter(
    installation: str, chromium: Browser
) -> None:
    with new_page(chromium, address=installation) as page:
        page.goto(BOARD)
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
        page.keyboard.press("Enter")
        chip = page.locator("main .filters summary.chip").first
        tab_to(page, "summary.chip")
        expect(chip).to_be_focused()
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('.menu-list') !== null")
        page.keyboard.press("Escape")
        expect(chip).to_be_focused()
        expect(page.locator("details.menu[open]")).to_have_count(0)
        quiet(page)


def tab_to(page: Page, selector: str) -> None:
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("what => document.activeElement.matches(what)", selector):
            return
    raise AssertionError(f"no {selector} is reached")


def test_the_theme_button_is_heeded_and_remembered(installation: str, chromium: Browser) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    with new_page(chromium, address=installation, scheme="light") as page:
        page.goto("/")
        assert page.evaluate(paper) == "rgb(248, 247, 243)"
        page.locator("[data-theme-button]").first.click()
        assert page.evaluate(paper) == "rgb(18, 20, 24)"
        page.goto(BOARD)
        assert page.evaluate(paper) == "rgb(18, 20, 24)"
        quiet(page)
