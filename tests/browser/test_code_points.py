"""Tests of marked characters in Chromium: they move no other text, and are copied as they are."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from leaderboard.pages.shared.code import coloured, framed, shown_text

STATIC = Path(__file__).parents[2] / "static"
ADDRESS = "http://localhost/code"  # a place that may read the clipboard; nothing listens there
# The comment and the string look like code, and the code like a comment.
REVERSED = (
    'if (!level.equals("user\u202e \u2066// only admins\u2069 \u2066")) {\n'
    "    /*\u202e } \u2066if (admin)\u2069 \u2066 begin */\n"
    "    String na\u200bme =\u00a0\u00a0a\u2028b\u0085c\x0bd\x1be\ufe0f\u3164\U000e0041;\n"
    "}\u2067 \u202b unclosed"
)
SELECT = "() => getSelection().selectAllChildren(document.querySelector('pre'))"
# Top and left of each character that is seen.
EDGES = """() => {
  const edges = [], walker = document.createTreeWalker(document.querySelector('pre'), 4);
  for (let node; (node = walker.nextNode()); ) {
    if (node.parentElement.className === 'codepoint') continue;
    for (let at = 0; at < node.length; at++) {
      if (/\\s/.test(node.data[at])) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      const box = range.getBoundingClientRect();
      edges.push([Math.round(box.top), box.left]);
    }
  }
  return edges;
}"""


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(permissions=["clipboard-read", "clipboard-write"])
    yield context.new_page()
    context.close()


def show(page: Page, shown: str) -> None:
    styles = "".join((STATIC / "css" / f"{name}.css").read_text() for name in ("code", "codepoint"))
    script = (STATIC / "js" / "copy.js").read_text()
    body = f"<style>{styles}</style>{shown}<script>{script}</script>"
    kind = "text/html; charset=utf-8"
    page.route(ADDRESS, lambda route: route.fulfill(body=body, content_type=kind))
    page.goto(ADDRESS)


def code(shown: str) -> str:
    return f"<pre class='code'><code>{shown}</code></pre>"


@pytest.mark.parametrize(
    "shown",
    [code(shown_text(REVERSED)), code(coloured(REVERSED, "java")), framed(REVERSED)],
    ids=["text", "colours", "admin"],
)
def test_what_is_copied_is_the_text(page: Page, shown: str) -> None:
    show(page, shown)
    page.evaluate(SELECT)
    page.keyboard.press("Control+C")
    assert page.evaluate("() => navigator.clipboard.readText()") == REVERSED


def test_no_character_moves_another(page: Page) -> None:
    show(page, code(shown_text(REVERSED)))
    edges = page.evaluate(EDGES)
    assert edges == sorted(edges)
    assert len({top for top, _left in edges}) == 4
