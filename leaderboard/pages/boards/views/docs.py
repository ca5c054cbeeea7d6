"""The pages of the user documentation, from docs/users. Never turns a name from an address into a
path."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from django.utils.translation import gettext
from markdown_it import MarkdownIt
from markdown_it.token import Token

from leaderboard.pages.shared.crumbs import Crumb

# Pages for newcomers come first; pages not listed here follow by title.
_ORDER = ("start", "formats", "judging", "metrics")
_LINK = re.compile(r"(?:\./)?([\w-]+)\.md(#[\w-]*)?")
_FILE = re.compile(r"[\w-]+/[\w-]+\.(?:csv|svg)")
# `tabindex` makes the frame focusable, so that it can be scrolled with the keyboard.
_FRAME_OF_TABLE = '<div class="table-card table-scroll" tabindex="0"><table class="table">'


@dataclass(frozen=True, slots=True)
class Doc:
    slug: str
    title: str
    summary: str
    path: Path


def docs() -> list[Doc]:
    pages = []
    for path in (Path(settings.BASE_DIR) / "docs" / "users").glob("*.md"):
        text = path.read_text(encoding="utf-8")
        heading = re.match(r"#\s+(.+)", text)
        summary = _plain(_without_title(text).strip().split("\n\n")[0])
        pages.append(Doc(path.stem, heading[1].strip() if heading else path.stem, summary, path))
    places = {slug: place for place, slug in enumerate(_ORDER)}
    return sorted(pages, key=lambda doc: (places.get(doc.slug, len(places)), doc.title))


def rendered(doc: Doc) -> tuple[SafeString, list[tuple[str, str]]]:
    """The page without its title, as HTML, and the anchors and titles of its second-level
    headings."""
    parser = _parser()
    tokens = parser.parse(_without_title(doc.path.read_text(encoding="utf-8")))
    sections = []
    for opening, content in zip(tokens, tokens[1:], strict=False):
        if opening.type == "heading_open":
            anchor = slugify(content.content, allow_unicode=True)
            opening.attrSet("id", anchor)
            if opening.tag == "h2":
                sections.append((anchor, _plain(content.content)))
    slugs = {other.slug for other in docs()}
    for token in (child for parent in tokens for child in parent.children or ()):
        link = _LINK.fullmatch(str(token.attrGet("href") or ""))
        if link and link[1] in slugs:
            token.attrSet("href", reverse("doc", args=[link[1]]) + (link[2] or ""))
        # Charts and figures in a folder of the page are static files.
        for name in ("href", "src"):
            if _FILE.fullmatch(address := str(token.attrGet(name) or "")):
                token.attrSet(name, static(f"docs/{address}"))
    html = parser.renderer.render(tokens, parser.options, {})
    return mark_safe(html), sections  # noqa: S308  # the parser escapes all HTML


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    # Wide elements scroll inside their own frame.
    parser.add_render_rule("fence", _frame_code)
    parser.add_render_rule("code_block", _frame_code)
    parser.add_render_rule("table_open", lambda *_: _FRAME_OF_TABLE)
    parser.add_render_rule("table_close", lambda *_: "</table></div>")
    return parser


def _frame_code(_self: object, tokens: Sequence[Token], index: int, *_: object) -> str:
    return f'<pre class="code" tabindex="0"><code>{escape(tokens[index].content)}</code></pre>'


def _plain(paragraph: str) -> str:
    if not paragraph[:1].isalpha():
        return ""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)|[*`_]", r"\1", " ".join(paragraph.split()))


def _without_title(text: str) -> str:
    return re.sub(r"\A#\s+.+\n", "", text)


def index(request: HttpRequest) -> HttpResponse:
    return render(request, "boards/docs.html", {"docs": docs()})


def page(request: HttpRequest, slug: str) -> HttpResponse:
    every = docs()
    doc = next((doc for doc in every if doc.slug == slug), None)
    if doc is None:
        raise Http404(gettext("There is no such page."))
    body, sections = rendered(doc)
    context = {
        "doc": doc,
        "docs": every,
        "body": body,
        "sections": sections,
        "crumbs": [Crumb(gettext("Docs"), reverse("docs")), Crumb(doc.title)],
    }
    return render(request, "boards/doc.html", context)
