"""Tests that a real browser draws every chart under the site's policy, in both themes."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.urls import URLPattern, URLResolver, path
from playwright.sync_api import Browser, Page, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from leaderboard import urls
from leaderboard.pages.boards.board_charts import CHARTS, Card
from leaderboard.pages.boards.charts import tasks
from leaderboard.pages.boards.charts.drawing import Chart
from tests.leaderboard.pages.boards.chart_boards import Made, made
from tests.support.browser import DESKTOP, Scheme, each_look, new_page, pictured, quiet, sideways
from tests.support.site import plain_static

PAGE = """{% extends "base.html" %}
{% block head %}{% include "parts/chart_head.html" %}{% endblock %}
{% block content %}<h1>Charts</h1>
<div class="grid-2">{% for chart in charts %}{% include "parts/chart.html" %}{% endfor %}</div>
{% endblock %}"""


def charts_page(request: HttpRequest, board: str) -> HttpResponse:
    charts = [
        Card(name, chart.title, chart.subtitle, chart.height, url=f"{name}.json", table_url="")
        for name in CHARTS
        if (chart := chart_of(board, name)) is not None
    ]
    page = engines["django"].from_string(PAGE)
    return HttpResponse(page.render({"charts": charts}, request))


def figure(request: HttpRequest, board: str, name: str) -> HttpResponse:
    return HttpResponse(figure_of(board, name), content_type="application/json")


urlpatterns: list[URLPattern | URLResolver] = [
    path("drawn/<slug:board>/", charts_page),
    path("drawn/<slug:board>/<slug:name>.json", figure),
    *urls.urlpatterns,
]


@pytest.fixture
def server(live_server: LiveServer, settings: Settings) -> LiveServer:
    plain_static(settings)
    settings.ROOT_URLCONF = __name__
    return live_server


def with_gaps() -> Made:
    """A board on which one entrant has no results of some tasks, and others are unsettled."""
    known = made(6, 30, unsolved=3)
    known.results.loc[(slice(4, 4), slice(3, 8)), "open"] = 1
    without = known.results.index.isin([(2, task) for task in range(10, 20)])
    return replace(known, results=known.results[~without])


def with_odd_names() -> Made:
    known = made()
    known.rows["name"] = [
        "<img src=x onerror=alert(1)>", "<a href='https://example.org'>Link</a>", "%{x} %{y:.1f}",
        "Берёза & Сыновья 7Б", "墨玉代码大模型七十亿", "</text><style>*{display:none}</style>",
        "javascript:alert(1)", "x" * 80, "&lt;b&gt;", "$\\alpha$",
    ]  # fmt: skip
    return known


@cache
def board_of(name: str) -> Made:
    return BOARDS[name]()


@cache
def chart_of(board: str, name: str) -> Chart | None:
    return CHARTS[name](board_of(board), "")


@cache
def figure_of(board: str, name: str) -> str:
    chart = chart_of(board, name)
    assert chart is not None
    return chart.figure().json()


BOARDS: dict[str, Callable[[], Made]] = {
    "ten": made,
    "gaps": with_gaps,
    "odd": with_odd_names,
}


def show(page: Page, board: str) -> int:
    """Opens the board's charts and scrolls to each, because a chart is drawn when it comes near.

    Returns their number when all are drawn."""
    page.goto(f"/drawn/{board}/")
    places = page.locator(".chart-place")
    for place in places.all():
        place.scroll_into_view_if_needed()
    page.wait_for_function(
        "count => document.querySelectorAll('.js-plotly-plot .main-svg').length >= count",
        arg=places.count(),
    )
    page.wait_for_function("() => !document.querySelector('.chart-wait')")
    return places.count()


@each_look
def test_every_chart_is_drawn_without_a_complaint(
    server: LiveServer, chromium: Browser, scheme: Scheme, width: int
) -> None:
    language = "en" if width == DESKTOP else "ru"
    with new_page(
        chromium, address=server.url, scheme=scheme, width=width, language=language
    ) as page:
        assert show(page, "ten") == len(CHARTS)
        pictured(page, "charts")
        assert sideways(page) <= 0
        saved_figures_have_their_title_names_and_date(page)
        quiet(page)
        if (width, scheme) == (DESKTOP, "light"):
            a_cell_says_what_it_shows(page)
            the_theme_button_changes_the_charts(page)


def a_cell_says_what_it_shows(page: Page) -> None:
    known = board_of("ten")
    c, _n = tasks.grid(known.rows, known.tasks, known.results)
    easiest, second = known.tasks.loc[c.columns[:2], "external_id"]
    shown = f"Quartz 3 Large{easiest}: {c.iat[0, 0]:.0f} of 10 right"
    grid = page.locator(".chart-place:has(.heatmaplayer .hm)")
    grid.scroll_into_view_if_needed()
    box = grid.locator(".heatmaplayer .hm").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 2, box["y"] + 4)
    page.mouse.move(box["x"] + 1, box["y"] + 5)
    # Plotly shows the last of several quick moves a little later: each is waited for.
    said = grid.locator(".hoverlayer text")
    expect(said).to_have_text([shown])
    page.mouse.move(0, 0)
    grid.focus()
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text([f"{second}:"])
    page.keyboard.press("ArrowLeft")
    expect(said).to_have_text([shown])


def the_theme_button_changes_the_charts(page: Page) -> None:
    page.wait_for_function(_HAS_LINE, arg={"present": LIGHT_ACCENT, "absent": DARK_ACCENT})
    page.locator("[data-theme-button]").first.click()
    page.wait_for_function(_HAS_LINE, arg={"present": DARK_ACCENT, "absent": LIGHT_ACCENT})
    quiet(page)


LIGHT_ACCENT, DARK_ACCENT = "rgb(43, 69, 184)", "rgb(151, 171, 255)"
# Whether a line of a chart has the one colour and none the other.
_HAS_LINE = """
({ present, absent }) => {
  const lines = [...document.querySelectorAll(".js-line")];
  const colours = new Set(lines.map((line) => getComputedStyle(line).stroke));
  return colours.has(present) && !colours.has(absent);
}
"""


# The texts of a saved figure that reach out of it, or lie on its title or facts.
_OUTSIDE = """
async (image) => {
  const frame = document.createElement("iframe");
  frame.style = "width: 1200px; height: 1200px; border: 0";
  frame.srcdoc = `<body style="margin: 0">${image}`;
  document.body.append(frame);
  await new Promise((done) => { frame.onload = done; });
  const svg = frame.contentDocument.querySelector("svg");
  const { right, bottom } = svg.getBoundingClientRect();
  const heading = svg.querySelector(".g-gtitle").getBoundingClientRect();
  const out = [...svg.querySelectorAll("text")].filter((text) => {
    const box = text.getBoundingClientRect();
    return box.left < 0 || box.top < 0 || box.right > right || box.bottom > bottom
      || (!text.closest(".g-gtitle") && box.top < heading.bottom && box.width);
  });
  frame.remove();
  return out.map((text) => text.textContent);
}
"""


def saved_figures_have_their_title_names_and_date(page: Page) -> None:
    for figure in page.locator("figure.chart").all():
        chart = figure.locator(".chart-place").get_attribute("data-file")
        with page.expect_download() as saved:
            figure.locator("[data-chart-file=svg]").click()
        assert saved.value.suggested_filename == f"{chart}.svg"
        image = saved.value.path().read_text("utf-8")
        assert figure.locator("h2").inner_text()[:12] in image
        assert re.search(r"20\d\d-\d\d-\d\d", image)
        assert 'style="fill: rgb(255, 255, 255); fill-opacity: 1;"/>' in image, "its ground"
        assert not page.evaluate(_OUTSIDE, image), chart
    with page.expect_download() as saved:
        figure.locator("[data-chart-file=png]").click()
    assert saved.value.suggested_filename == f"{chart}.png"


def cells_are_hatched(page: Page) -> None:
    assert page.locator(".barlayer .point path").count() >= 2
    assert page.locator("pattern").count() >= 1


def names_make_no_link_and_no_element(page: Page) -> None:
    assert page.locator(".main-svg img, .main-svg style").count() == 0
    links = page.locator(".main-svg a").evaluate_all("all => all.map((a) => a.href.baseVal)")
    assert all(link.startswith("/entrants/") for link in links)
    texts = page.locator(".chart-place text").all_text_contents()
    assert any(text.startswith("<img src") for text in texts)


@pytest.mark.parametrize(
    ("board", "require"),
    [
        pytest.param("gaps", cells_are_hatched, id="gaps"),
        pytest.param("odd", names_make_no_link_and_no_element, id="odd"),
    ],
)
def test_odd_boards_are_drawn_without_a_complaint(
    server: LiveServer, chromium: Browser, board: str, require: Callable[[Page], None]
) -> None:
    with new_page(chromium, address=server.url) as page:
        show(page, board)
        pictured(page, f"charts-{board}")
        require(page)
        quiet(page)
