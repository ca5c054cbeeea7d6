"""Tests of every page for readers and teams: no complaints, no layout shifts, legible texts, and
buttons that are large enough for a finger."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, get_args

import pytest
from django.core.exceptions import PermissionDenied
from django.db import OperationalError, transaction
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, path
from playwright.sync_api import Browser, Page
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from evaluation.state import scheduling
from evaluation.work import actions
from leaderboard import urls
from leaderboard.accounts import teams
from leaderboard.accounts.models import Entrant
from leaderboard.benchmarks.models import Benchmark, Task
from leaderboard.pages.boards.views.docs import docs
from leaderboard.submissions.models import Consent, Licence, Provenance, Submission
from tests.browser.people import let_in
from tests.leaderboard.pages.boards.published import PATTERNS
from tests.leaderboard.pages.submissions.test_provenance import SAID
from tests.leaderboard.pages.submissions.transcripts import honest_talks, scored
from tests.leaderboard.pages.submissions.visits import checked, received
from tests.leaderboard.test_translations import english_texts
from tests.support.browser import (
    DESKTOP,
    HEIGHT,
    PHONE,
    TABLET,
    WATCH_PAINT,
    Scheme,
    bring_axe,
    complaints,
    new_page,
    pictured,
    sideways,
    violations,
)
from tests.support.cast import Cast, predictions
from tests.support.conversations import multi_turn, passing
from tests.support.rated import rated_board, rated_panel
from tests.support.snapshots import made_once
from tests.support.transcripts import FORGERIES, forged

# One instruction is forgotten, one was not run, and one is not judged yet.
TALK = passing(("pffff", "fpfff", "npppf", "pfppf", "pfp-p"))
LEAST_CONTRAST, MOST_SHIFT, LEAST_TARGET = 4.5, 0.05, 32
Look: TypeAlias = tuple[int, Scheme]
EVERY_LOOK: list[Look] = [
    (width, scheme) for width in (DESKTOP, TABLET, PHONE) for scheme in get_args(Scheme)
]
# Each width and each scheme.
TWO_LOOKS: list[Look] = [(PHONE, "dark"), (DESKTOP, "light")]
# The pages that `make test` tries with all of axe's rules.
SOME = ("home by skill", "board", "comparison", "task", "entrant", "submit", "private", "team")
# The texts whose colours, with those behind them, are not in `seen`: colours, contrast, element. If
# axe does not decide on a text, such as one in a drawing, axe's own functions measure it; outside
# drawings such a text has no colours, so that it hides no text that axe decides on. Null if a page
# with such texts has no axe yet, or replaced one of them meanwhile.
_CONTRASTS = """
async (seen) => {
  // The colour of the bar below a text of plotly's.
  const bar = (element) => element.matches("text.bartext-inside")
    && getComputedStyle(element.closest(".point").querySelector("path")).fill;
  const layers = new Map([[null, ""]]);
  const layered = (element) => {
    if (!layers.has(element)) {
      const { backgroundColor, backgroundImage, opacity, textShadow } = getComputedStyle(element);
      const own = [backgroundColor, backgroundImage, opacity, textShadow].join(" ");
      const plain = own === "rgba(0, 0, 0, 0) none 1 none" ? "" : ` / ${own}`;
      layers.set(element, layered(element.parentElement) + plain);
    }
    return layers.get(element);
  };
  const kind = (element) => {
    const { color, fill } = getComputedStyle(element);
    return `${element.namespaceURI} ${color} ${fill} ${bar(element)}${layered(element)}`;
  };
  const known = new Set(seen);
  const holdsText = (element) => element.matches("input, select, textarea")
    || [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  const fresh = [...document.body.querySelectorAll("*")]
    // axe judges no text that nobody sees.
    .filter((one) => holdsText(one) && one.checkVisibility({ visibilityProperty: true }))
    .filter((one) => !one.closest(".visually-hidden, .skip:not(:focus)"))
    .filter((element) => !known.has(kind(element)));
  if (!fresh.length) return [];
  if (!window.axe) return null;
  const { Color, flattenColors, getContrast } = axe.commons.color;
  const over = (text, ground) => flattenColors(new Color().parseString(text), ground);
  const behind = (element) => element
    ? over(getComputedStyle(element).backgroundColor, behind(element.parentElement))
    : new Color(255, 255, 255, 1);
  const measured = (element) => {
    const style = getComputedStyle(element);
    const own = element instanceof SVGElement ? style.fill : style.color;
    const ground = bar(element) ? over(bar(element), behind(element)) : behind(element);
    return own === "none" ? null : getContrast(ground, over(own, ground));
  };
  const { violations, passes, incomplete } = await axe.run({ include: fresh }, {
    runOnly: ["color-contrast"],
    resultTypes: ["violations", "passes", "incomplete"],
    elementRef: true,
  });
  const nodes = (rules) => rules.flatMap((rule) => rule.nodes);
  const all = nodes([...violations, ...passes, ...incomplete]);
  if (!all.every(({ element }) => element.isConnected)) return null;
  const decided = ({ element, html, any }) => [kind(element), any[0].data?.contrastRatio, html];
  const undecided = ({ element, html }) =>
    [element instanceof SVGElement ? kind(element) : null, measured(element), html];
  const found = [
    ...nodes([...violations, ...passes]).map(decided),
    ...nodes(incomplete).map(undecided),
  ];
  return found.filter(([, ratio]) => ratio != null);
}
"""
_TARGETS = """
() => [...document.querySelectorAll("main :is(.button, .chip), header :is(.button, summary)")]
  .filter((one) => one.checkVisibility())
  .map((one) => ({ text: one.innerText, height: one.getBoundingClientRect().height }))
"""


# Texts that are cut off or lie on others. A line's box is higher than its letters, so only its
# middle half counts. A text that scrolls or sticks may lie below something else, a text 1 px wide
# is for screen readers, and a title holds the full text.
_HIDDEN_TEXTS = """
() => {
  const name = (element) => `${element.tagName.toLowerCase()}.${element.className}`;
  const shown = (box) => `"${box.text}" in ${name(box.element)}`;
  const boxes = [], found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const shortened = (one) =>
    one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1;
  const styles = new Map();
  const styled = (one) => {
    if (!styles.has(one)) {
      const { overflowX, textOverflow, position } = getComputedStyle(one);
      styles.set(one, { overflowX, textOverflow, position });
    }
    return styles.get(one);
  };
  const cut = (rect, element) => {
    if (element.closest("[title]")) return null;
    for (let one = element; one !== document.body; one = one.parentElement) {
      const { overflowX, textOverflow, position } = styled(one);
      if (["auto", "scroll"].includes(overflowX)) return null;
      if (textOverflow === "ellipsis") return shortened(one) ? one : null;
      if (["sticky", "fixed"].includes(position)) return null;
      if (!["hidden", "clip"].includes(overflowX)) continue;
      const frame = one.getBoundingClientRect();
      if (frame.width <= 1) return null;
      if (rect.left < frame.left - 1 || rect.right > frame.right + 1) return one;
      if (rect.top < frame.top - 1 || rect.bottom > frame.bottom + 1) return one;
    }
    return undefined;
  };
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const element = node.parentElement, text = node.data.trim().slice(0, 40);
    if (!text || element.closest(".visually-hidden, .skip, svg, script, style, select")) continue;
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      if (rect.width < 1) continue;
      const quarter = rect.height / 4;
      const inner = { left: rect.left, right: rect.right,
                      top: rect.top + quarter, bottom: rect.bottom - quarter };
      const cell = element.closest("td, th");
      if (cell && rect.right > cell.getBoundingClientRect().right + 1)
        found.push(`reaches out of ${name(cell)}: "${text}"`);
      const frame = cut(inner, element);
      if (frame) found.push(`cut by ${name(frame)}: "${text}"`);
      if (frame === undefined) boxes.push({ ...inner, text, node, element });
    }
  }
  boxes.sort((one, other) => one.top - other.top);
  boxes.forEach((one, place) => {
    for (let next = place + 1; next < boxes.length; next++) {
      const other = boxes[next];
      if (other.top >= one.bottom - 1) break;
      if (other.node === one.node) continue;
      if (Math.min(one.right, other.right) - Math.max(one.left, other.left) > 2)
        found.push(`${shown(one)} lies on ${shown(other)}`);
    }
  });
  return found;
}
"""


@dataclass(frozen=True, slots=True)
class Site:
    """Addresses of pages, and the cookie of a signed-in owner of Northwood."""

    url: str
    public: Mapping[str, str]
    team: Mapping[str, str]


@pytest.fixture
def site(live_server: LiveServer, quick: None, own_caches: None) -> Iterator[Site]:
    """Two benchmarks with published results; of Northwood's submissions one is judged, one is
    being judged, one cancelled; of its uploads one is checked, one refused, one just received."""
    with transaction.atomic():
        cast = Cast()
        public, team = made_once(cast, "pages", lambda: (_public(cast), _team(cast)))
    yield Site(live_server.url, public, team)


def _public(cast: Cast) -> dict[str, str]:
    board = cast.rucodeeval.get_absolute_url()
    shown = _published(cast)
    talked = _talked(cast)
    turns = f"{cast.codeif.get_absolute_url()}?setting=multi_turn"
    talk = multi_turn(cast, cast.entrant("Sprig"), TALK)
    return {
        "home": "/",
        "home by skill": "/?by=skill",
        "home without a match": "/?organisation=Nobody",
        "benchmarks": "/benchmarks/",
        "board": board,
        "board of turns": turns,
        "board by turn": f"{turns}&by=turn",
        "board of transcripts": f"{cast.codeif.get_absolute_url()}?setting=dynamic",
        "transcripts": talked.get_absolute_url(),
        "board without results": f"{cast.codeif.get_absolute_url()}?setting=two_round",
        "board without a match": f"{board}?organisation=Nobody",
        "board sorted": f"{board}?sort=-entrant&hide=judged",
        "numbers of a chart": f"{board}charts/tasks/",
        "comparisons": "/compare/",
        "comparison": board.replace("benchmarks", "compare"),
        "tasks": f"{board}tasks/",
        "task": f"{board}tasks/1/",
        "task of turns": f"{cast.codeif.get_absolute_url()}tasks/1/?setting=multi_turn",
        "entrants": "/entrants/",
        "entrant": shown.entrant.get_absolute_url(),
        "team's results": f"{cast.northwood.get_absolute_url()}results/",
        "submission": shown.get_absolute_url(),
        "task of a submission": f"{shown.get_absolute_url()}tasks/1/",
        "submission of turns": talk.get_absolute_url(),
        "conversation": f"{talk.get_absolute_url()}tasks/0/conversations/1/",
        "sign in": "/sign-in/",
        "sign up": "/sign-up/",
        "password forgotten": "/password-reset/",
        "docs": "/docs/",
        **{f"doc {one.slug}": f"/docs/{one.slug}/" for one in docs()},
    }


def _published(cast: Cast) -> Submission:
    """Three rows on one board, one of which is only partly settled, and one row on a board of
    turns."""
    larch = cast.entrant("Larch Coder 32B", weights="open", parameters=32)
    long = "Plover Instruct 2026-05 preview (thinking, high effort)"
    plover = cast.entrant(long, organisation="Fenland Research Laboratories", team=cast.fenland)
    slow = ("failed", "passed", "timeout", "runtime_error", "not_run")
    shown = cast.judged_submission(larch, samples=10)
    said = {**SAID, "model": "x" * 200, "endpoint": f"https://{'x' * 200}.example"}
    Provenance.objects.create(submission=shown, said=said)
    cast.judged_submission(plover, slow, samples=10)
    cast.judged_submission(cast.entrant("Heron", parameters=7.5), ("passed", "failed"), samples=10)
    cast.judged_submission(larch, benchmark=cast.codeif, setting="multi_turn")
    return shown


def _talked(cast: Cast) -> Submission:
    """A published result of transcripts."""
    entrant = cast.entrant("Merlin 7B")
    found = scored(cast.codeif, cast.alice, entrant, honest_talks()).submission
    cast.publish(found)
    return found


def _team(cast: Cast) -> dict[str, str]:
    alder = cast.entrant("Alder 7B")
    private = cast.judged_submission(alder, publish=False, output="Traceback\n" * 9)
    judging, cancelled = cast.submission(alder, samples=10), cast.submission(alder)
    cast.judge(actions.open_evaluation(submission=judging), least=50)
    assert scheduling.cancel(evaluation=actions.open_evaluation(submission=cancelled))
    refused = scored(cast.codeif, cast.alice, alder, forged(FORGERIES[0])).submission
    good, wrong = predictions(cast.rucodeeval), b'{"task_id": "none", "completion": "x"}\n' * 3
    mine = (alder, cast.alice, cast.rucodeeval)
    talk = multi_turn(cast, alder, TALK, publish=False)
    of_zip = checked(*mine, good, name="run.zip")
    of_zip.batch, of_zip.member = of_zip, "ruCodeEval" * 20
    of_zip.left_out = [["notes" * 40, "Its name contains no benchmark of this site."]]
    of_zip.save()
    teams.invite(team=cast.fenland, typed="alice", role="owner")
    teams.invite(team=cast.northwood, typed=f"{'colleague' * 7}@example.org", role="member")
    return {
        "zip": f"{of_zip.get_absolute_url()}zip/",
        "account": "/account/",
        "account to delete": "/account/delete/",
        "password": "/account/password/",
        "new team": "/teams/new/",
        "team": cast.northwood.get_absolute_url(),
        "new entrant": f"{cast.northwood.get_absolute_url()}entrants/new/",
        "entrant": alder.get_absolute_url(),
        "entrant changed": f"{alder.get_absolute_url()}edit/",
        "submit": "/submit/",
        "submissions": "/submissions/",
        "upload checked": checked(*mine, good).get_absolute_url(),
        "upload refused": checked(*mine, wrong, name="b.jsonl").get_absolute_url(),
        "upload received": received(*mine, good, name="c.jsonl").get_absolute_url(),
        "private": private.get_absolute_url(),
        "task": f"{private.get_absolute_url()}tasks/1/",
        "transcripts refused": refused.get_absolute_url(),
        "task of transcripts": f"{refused.get_absolute_url()}tasks/3/",
        "conversation": f"{talk.get_absolute_url()}tasks/0/conversations/1/",
        "submission to delete": f"{private.get_absolute_url()}delete/",
        "judging": judging.get_absolute_url(),
        "cancelled": cancelled.get_absolute_url(),
    }


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("language", "looks"),
    [
        # Russian words are the longest.
        ("ru", TWO_LOOKS),
        *(pytest.param(code, EVERY_LOOK, marks=pytest.mark.slow) for code in ("en", "ru", "zh")),
    ],
    ids=["ru-two-looks", "en", "ru", "zh"],
)
def test_every_page_is_quiet_still_and_legible(
    site: Site, chromium: Browser, language: str, looks: list[Look]
) -> None:
    """Tests every page in each of the looks. axe's rules are tried on some pages in two looks, on
    every page in all."""
    found: list[str] = []
    seen: dict[Look, set[str]] = {look: set() for look in looks}
    width, scheme = looks[0]
    with new_page(
        chromium, address=site.url, width=width, scheme=scheme, language=language
    ) as page:
        page.add_init_script(WATCH_PAINT)
        for addresses, who in ((site.public, ""), (site.team, ", signed in")):
            if who:
                let_in(page, site.url)
            for name, address in addresses.items():
                axe = looks == EVERY_LOOK or name in SOME
                told = faults(page, address, seen, axe=axe)
                found += [f"{name}{who}: {fault}" for fault in told]
    assert not found, "\n".join(found)


def faults(
    page: Page, address: str, seen: Mapping[Look, set[str]], *, axe: bool = False
) -> Iterator[str]:
    """The page's faults in each look, in words; see `faint_texts`. The page is loaded once, in the
    first look."""
    width, scheme = next(iter(seen))
    looked(page, width, scheme)
    answer = page.goto(address)
    if answer is None or answer.status != 200:
        yield f"status {answer and answer.status}"
    scroll_through(page)
    if (count := page.locator("h1").count()) != 1:
        yield f"{count} h1"
    if (shift := page.evaluate("assayShift")) > MOST_SHIFT:
        yield f"things moved by {shift:.3f}"
    pictured(page, address.strip("/").replace("/", "-"))
    for look in dict.fromkeys(((TABLET, scheme), *seen)):
        looked(page, *look)
        if (wider := sideways(page)) > 0:
            yield f"{wider} px too wide at {look[0]}"
        if look in seen:
            found = [*_illegible(page, seen[look]), *(violations(page) if axe else ())]
            yield from (f"{look}: {fault}" for fault in found)
    yield from complaints(page)


def looked(page: Page, width: int, scheme: Scheme) -> None:
    page.set_viewport_size({"width": width, "height": HEIGHT})
    page.emulate_media(color_scheme=scheme)


def _illegible(page: Page, seen: set[str]) -> Iterator[str]:
    yield from page.evaluate(_HIDDEN_TEXTS)
    yield from faint_texts(page, seen)
    yield from small_targets(page)


def faint_texts(page: Page, seen: set[str]) -> Iterator[str]:
    """Texts of any size whose contrast is too low. axe accepts less contrast in large texts, so the
    texts that it passes are checked too. Adds the look of the texts that axe has judged to `seen`,
    and leaves out texts that look like an earlier one."""
    while (found := page.evaluate(_CONTRASTS, [*seen])) is None:
        bring_axe(page)
    for kind, ratio, html in found:
        if kind is not None:
            seen.add(kind)
        if ratio < LEAST_CONTRAST:
            yield f"contrast {ratio:.2f}: {html[:120]}"


HIDDEN = """
<!doctype html><html lang="en"><title>hidden</title><body><main>
<p style="line-height: 1.1">fine, on <br> two lines</p>
<p style="overflow: hidden; white-space: nowrap; width: 60px">cut at its right end</p>
<p style="overflow: hidden; height: 18px; line-height: 20px">fine <br> below</p>
<p style="overflow: hidden; white-space: nowrap; width: 60px; text-overflow: ellipsis">with an
ellipsis</p>
<p style="overflow: hidden; white-space: nowrap; width: 60px" title="in full">in a title too</p>
<p style="overflow: auto; white-space: nowrap; width: 60px">scrolls and so is not cut</p>
<table style="table-layout: fixed; width: 200px"><tr><td style="width: 30px">outofitscell</td>
<td>in its cell</td></tr></table>
<p>below</p><p style="margin-top: -2.2em">above</p>
<p class="visually-hidden" style="overflow: hidden; width: 1px">only heard</p></main>
"""


def test_texts_that_are_cut_or_lie_on_others_are_found(chromium: Browser) -> None:
    with new_page(chromium) as page:
        page.set_content(HIDDEN)
        found = page.evaluate(_HIDDEN_TEXTS)
    cut = ["cut at its right end", "below", "with an\nellipsis", "outofitscell"]
    assert list(dict.fromkeys(one.split('"')[1] for one in found)) == [*cut, "above"]


FAINT = """
<!doctype html><html lang="en"><title>faint</title><body style="background: white"><main>
<p style="color: #555">fine</p> <p style="color: #999">a paragraph</p>
<h1 style="color: #888">a heading</h1> <p style="opacity: 0.4">half transparent</p>
<p style="color: rgb(0 0 0 / 40%)">a colour with alpha</p> <b style="color: #aaa">↓</b>
<input aria-label="filled in" style="color: #aaa" value="in a field">
<p style="background: linear-gradient(#fff, #eee); color: #999">on a gradient</p>
<svg style="background: #eee"><text y="20" fill="#555">fine</text>
<text y="40" fill="#999">in a drawing</text><text y="60" fill="#999">x</text>
<g class="point"><path d="M0 70H60V90H0z" fill="#333"/>
<text class="bartext-inside" y="80" fill="#eee">fine</text></g>
<g class="point"><path d="M0 90H60V110H0z" fill="#ccc"/>
<text class="bartext-inside" y="100" fill="#eee">on a bar</text></g></svg>
<button disabled style="color: #bbb">switched off</button>
<p style="color: #999" hidden>hidden</p></main>
"""


def test_faint_texts_of_every_kind_are_found(chromium: Browser) -> None:
    kinds = ("a paragraph", "a heading", "half transparent", "a colour with alpha", "↓",
             "in a field", "on a gradient", "in a drawing", ">x<", "on a bar")  # fmt: skip
    with new_page(chromium) as page:
        page.set_content(FAINT)
        found = [*faint_texts(page, set())]
        assert {kind: sum(kind in one for one in found) for kind in kinds} == dict.fromkeys(
            kinds, 1
        )
        assert len(found) == len(kinds)


def small_targets(page: Page) -> Iterator[str]:
    """Targets that are too low for a finger; on a phone's width only."""
    if page.viewport_size and page.viewport_size["width"] > PHONE:
        return
    targets: list[dict[str, Any]] = page.evaluate(_TARGETS)
    for one in targets:
        if one["height"] < LEAST_TARGET:
            yield f"{one['text']!r} is {one['height']} px high"


def scroll_through(page: Page) -> None:
    """Scrolls to the end, so that everything that waits for visibility is drawn."""
    places = page.locator(".chart-place")
    for place in places.all():
        place.scroll_into_view_if_needed()
    if places.count():
        page.wait_for_function("() => !document.querySelector('.chart-wait')")


def denied(_request: HttpRequest) -> HttpResponse:
    raise PermissionDenied


def broken(_request: HttpRequest) -> HttpResponse:
    raise ValueError("a bug")


def away(_request: HttpRequest) -> HttpResponse:
    raise OperationalError("the database is away")


handler500 = urls.handler500
urlpatterns: list[URLPattern | URLResolver] = [
    path("403/", denied),
    path("500/", broken),
    path("503/", away),
    *urls.urlpatterns,
]


@pytest.mark.parametrize(
    ("language", "scheme"),
    [
        ("ru", "dark"),
        pytest.param("en", "light", marks=pytest.mark.slow),
        pytest.param("zh", "light", marks=pytest.mark.slow),
        pytest.param("en", "dark", marks=pytest.mark.slow),
        pytest.param("ru", "light", marks=pytest.mark.slow),
        pytest.param("zh", "dark", marks=pytest.mark.slow),
    ],
)
def test_error_pages_are_legible_in_every_look(
    live_server: LiveServer, quick: None, settings: Settings, chromium: Browser, language: str,
    scheme: Scheme,
) -> None:  # fmt: skip
    settings.ROOT_URLCONF = __name__
    seen: set[str] = set()
    with new_page(chromium, address=live_server.url, scheme=scheme, language=language) as page:
        for status in (403, 404, 500, 503):
            answer = page.goto(f"/{status}/")
            assert answer is not None and answer.status == status
            assert page.locator("h1").count() == 1
            assert page.locator(".lost-number").inner_text() == str(status)
            if language != "en":
                assert not english_texts(page.locator("main").inner_html())
            for width in (DESKTOP, PHONE):
                looked(page, width, scheme)
                pictured(page, f"error-{status}-{language}")
                assert sideways(page) <= 0
                assert not [*_illegible(page, seen)], (status, width)
            assert not violations(page), status
            assert len(complaints(page)) == 1  # the browser's message about the status


# The least number of tables on a page, in which readers without scripts find its numbers.
TABLES = {"home": 3, "board": 1, "comparison": 3, "entrant": 1, "task": 1, "submission": 2}


def test_without_scripts_every_page_has_its_numbers_in_tables(
    site: Site, chromium: Browser
) -> None:
    with new_page(chromium, address=site.url, scripts=False) as page:
        for name, least in TABLES.items():
            page.goto(site.public[name])
            tables = page.locator("main table:visible")
            assert tables.count() >= least, name
            for table in tables.all():
                assert re.search(r"\d", table.inner_text()), name
            links = page.locator(".chart .numbers a")
            assert (links.count() > 0) == (name == "board"), name
            for address in [link.get_attribute("href") for link in links.all()]:
                page.goto(str(address))
                assert page.locator("main tbody tr:visible").count(), address
                page.go_back()


@pytest.fixture
def further(
    live_server: LiveServer, quick: None, own_caches: None, tmp_path: Path
) -> Iterator[Site]:
    """Pages of four entrants on three benchmarks, with levels and a board that people rate."""
    cast = Cast()
    panel = rated_panel(cast, tmp_path)
    rated_board(panel)
    Task.objects.filter(revision=cast.rucodeeval.current).update(level="hard")
    Task.objects.filter(number__lt=6).update(level="easy")
    Benchmark.objects.filter(pk=cast.rucodeeval.pk).update(declared=True)
    # Without the rated benchmark, three entrants with a size have a mean over all others.
    Benchmark.objects.filter(pk=panel.benchmark.pk).update(counts_from={"base": "2999-01-01"})
    larch = Entrant.objects.get(slug="larch")
    Entrant.objects.filter(pk=larch.pk).update(parameters=32.0)
    with transaction.atomic():
        for number, pattern in enumerate(PATTERNS[:3]):
            entrant = cast.entrant(f"Model {number}", parameters=7.0 + number)
            for benchmark in (cast.rucodeeval, cast.codeif):
                shown = cast.judged_submission(
                    entrant, pattern, benchmark=benchmark, samples=5, output="Traceback\n" * 9
                )
                Consent.objects.create(submission=shown, licence=Licence.MIT)
        cast.judged_submission(larch, samples=1)
    four = "entrant=larch&" + "&".join(f"entrant=model-{number}" for number in range(3))
    board, compared = "/benchmarks/rucodeeval/", "/compare/rucodeeval/"
    public = {
        "home by language": "/?by=language",
        "home by language of the instructions": "/?by=natural_language",
        "means": "/charts/size/",
        "answers": "/benchmarks/codeif-function/tasks/1/",
        "codes shown": "/compare/codeif-function/tasks/1/?entrant=model-0&entrant=model-1",
        "rated board": panel.benchmark.get_absolute_url(),
        "rated comparison": f"/compare/{panel.benchmark.slug}/",
        "board of a part": f"{board}?slice=level&value=hard",
        "board searched": f"{board}?q=model",
        "comparison of four": f"{compared}?{four}",
        "comparison of a part": f"{compared}?{four}&slice=level&value=hard",
    }
    team = {
        "codes": f"{compared}tasks/1/?entrant=model-0&entrant=model-1",
        "declarations": "/declarations/",
    }
    yield Site(live_server.url, public, team)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("language", ["en", "ru", "zh"])
def test_every_further_page_is_quiet_still_and_legible(
    further: Site, chromium: Browser, language: str
) -> None:
    test_every_page_is_quiet_still_and_legible(further, chromium, language, EVERY_LOOK)
