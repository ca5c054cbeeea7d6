"""A real Chromium for tests, with pages that record their complaints."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal
from weakref import WeakKeyDictionary

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from scripts.tools_for_tests import CHROMIUM, chromium

Scheme = Literal["light", "dark"]
DESKTOP, TABLET, PHONE = 1440, 768, 390
HEIGHT = 900
# `make test` tries each width and each scheme; `make acceptance` the other pairs.
each_look = pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (DESKTOP, "light"),
        (PHONE, "dark"),
        pytest.param(DESKTOP, "dark", marks=pytest.mark.slow),
        pytest.param(PHONE, "light", marks=pytest.mark.slow),
    ],
)
# Chromium also reports violations of the policy to the console, but not always, and not in full.
_TELL_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) => assayTell(
    `CSP violation: ${event.effectiveDirective} forbids ${event.blockedURI} `
    + `(${event.sourceFile}:${event.lineNumber} ${event.sample})`));
"""
# For `add_init_script`: the sum of layout shifts, and the time of the largest paint (ms).
WATCH_PAINT = """
window.assayShift = 0;
window.assayPaint = 0;
new PerformanceObserver((list) => {
  for (const shift of list.getEntries()) if (!shift.hadRecentInput) assayShift += shift.value;
}).observe({ type: "layout-shift", buffered: true });
new PerformanceObserver((list) => {
  for (const paint of list.getEntries()) assayPaint = paint.startTime;
}).observe({ type: "largest-contentful-paint", buffered: true });
"""
_TOLD: WeakKeyDictionary[BrowserContext, list[str]] = WeakKeyDictionary()


@contextmanager
def browser() -> Iterator[Browser]:
    """A headless Chromium.

    It runs without its own sandbox, as is Playwright's default: root cannot use the sandbox, and
    the browser opens only our own pages. Django's ORM may be used while it runs: the thread only
    looks asynchronous, because Playwright runs its own loop in it."""
    place = chromium()
    if place is None:
        raise FileNotFoundError(CHROMIUM.remedy)
    with _orm_allowed(), sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=place)
        try:
            yield running
        finally:
            running.close()


@contextmanager
def _orm_allowed() -> Iterator[None]:
    name = "DJANGO_ALLOW_ASYNC_UNSAFE"
    before = os.environ.get(name)
    os.environ[name] = "true"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


@contextmanager
def new_page(
    running: Browser,
    *,
    address: str | None = None,
    width: int = DESKTOP,
    scheme: Scheme = "light",
    language: str = "en",
    scripts: bool = True,
) -> Iterator[Page]:
    """A page in its own profile, `width` CSS pixels wide; relative addresses refer to `address`.

    Its complaints, and those of pages that it opens, are kept for `complaints` and `quiet`."""
    context = running.new_context(
        base_url=address,
        viewport={"width": width, "height": HEIGHT},
        color_scheme=scheme,
        locale=language,
        java_script_enabled=scripts,
        # Pictures are compared by people, who should see each page at rest.
        reduced_motion="reduce",
    )
    # Other tests share the processors.
    context.set_default_timeout(120_000)
    _listen(context)
    try:
        yield context.new_page()
    finally:
        context.close()


def _listen(context: BrowserContext) -> None:
    """Records the complaints of the context's pages from now on."""
    told = _TOLD[context] = []
    context.on("console", lambda message: told.append(_line(message)))
    context.on("weberror", lambda found: told.append(f"uncaught: {found.error}"))
    # A lambda, and not just the bound method: Playwright sets an attribute on its handler.
    context.expose_function("assayTell", lambda line: told.append(line))
    context.add_init_script(_TELL_VIOLATIONS)


def _line(message: ConsoleMessage) -> str:
    place = message.location
    return f"console {message.type}: {message.text} ({place['url']}:{place['lineNumber']})"


def complaints(page: Page) -> list[str]:
    """Every console message, uncaught error and CSP violation since the last call, in order.

    A page that answers 404 or 500 also causes a console message: a test that expects one calls
    this."""
    # Events come in while Playwright waits for something.
    page.wait_for_timeout(50)
    told = _TOLD[page.context]
    taken = told[:]
    told.clear()
    return taken


def quiet(page: Page) -> None:
    """Asserts that there are no complaints."""
    found = complaints(page)
    assert not found, "\n".join(found)


def sideways(page: Page) -> int:
    """The number of pixels by which the page is wider than the window."""
    wider: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return wider


def bring_axe(page: Page) -> None:
    """Loads axe-core into the current page, once."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)


def violations(page: Page) -> list[str]:
    """Violations of axe-core's rules on the current page, each with its first element."""
    bring_axe(page)
    found = page.evaluate(
        # The only rule that axe-core runs on request. Preloading would add imported style sheets to
        # the page, which the site's policy forbids.
        "axe.run({rules: {'target-size': {enabled: true}}, preload: false, "
        "resultTypes: ['violations']})"
        ".then((all) => all.violations)"
    )
    return [f"{one['id']}: {one['help']} {one['nodes'][0]['html'][:120]}" for one in found]


def pictured(page: Page, name: str) -> None:
    """Makes a picture for people to look at if the environment's ASSAY_PICTURES names a folder for
    it."""
    if folder := os.environ.get("ASSAY_PICTURES"):
        shoot(page, Path(folder), name)


def shoot(page: Page, folder: Path, name: str) -> Path:
    """A picture of the whole page: `name`-WIDTH-SCHEME.png in the folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    width = page.viewport_size["width"] if page.viewport_size else 0
    path = folder / f"{name}-{width}-{'dark' if dark else 'light'}.png"
    page.screenshot(path=path, full_page=True)
    return path
