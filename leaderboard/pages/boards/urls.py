"""Addresses of the public pages."""

from django.urls import URLPattern, path
from django.views.decorators.http import require_safe

from leaderboard.pages.boards.views import (
    board,
    charts,
    compare,
    docs,
    editions,
    entrants,
    home,
    outside,
    search,
    tasks,
)

urlpatterns: list[URLPattern] = [
    path("", home.home, name="home"),
    path("means.csv", home.means_file, {"ending": "csv"}, "means-csv"),
    path("means.json", home.means_file, {"ending": "json"}, "means-json"),
    path("robots.txt", outside.robots, name="robots"),
    path("sitemap.xml", outside.sitemap, name="sitemap"),
    path("benchmarks/", home.benchmarks, name="benchmarks"),
    path("benchmarks/<slug:slug>/", board.benchmark, name="benchmark"),
    path("benchmarks/<slug:slug>/board.csv", board.board_file, {"ending": "csv"}, "board-csv"),
    path("benchmarks/<slug:slug>/board.json", board.board_file, {"ending": "json"}, "board-json"),
    path("benchmarks/<slug:slug>/board.tex", outside.board_text, {"ending": "tex"}, "board-tex"),
    path("benchmarks/<slug:slug>/board.md", outside.board_text, {"ending": "md"}, "board-md"),
    path("embed/<slug:slug>/", outside.embedded, name="embedded"),
    path("benchmarks/<slug:slug>/matrix.zip", outside.board_matrix, name="board-matrix"),
    path("benchmarks/<slug:slug>/badge.svg", outside.badge, name="badge"),
    path("benchmarks/<slug:slug>/editions/", editions.editions, name="editions"),
    path("benchmarks/<slug:slug>/editions/<slug:key>/", editions.edition, name="edition"),
    path("benchmarks/<slug:slug>/tasks/", tasks.tasks, name="tasks"),
    path("benchmarks/<slug:slug>/tasks/<int:number>/", tasks.task, name="task"),
    path("benchmarks/<slug:slug>/charts/<slug:name>.json", charts.chart, name="chart"),
    path("benchmarks/<slug:slug>/charts/<slug:name>/", charts.chart_table, name="chart-table"),
    path("charts/size.json", charts.means_chart, name="means-chart"),
    path("charts/size/", charts.means_table, name="means-table"),
    path("entrants/", entrants.entrants, name="entrants"),
    path("entrants/<slug:slug>/", entrants.entrant, name="entrant"),
    path("teams/<slug:slug>/results/", entrants.team, name="team-results"),
    path("compare/", compare.index, name="compare"),
    path("compare/<slug:slug>/", compare.compare, name="compare-board"),
    path("feed.atom", outside.feed, name="feed"),
    path(".well-known/assay-keys.json", outside.receipt_keys, name="receipt-keys"),
    path("search/", search.search, name="search"),
    path("docs/", docs.index, name="docs"),
    path("docs/<slug:slug>/", docs.page, name="doc"),
]
# Nobody changes anything here.
for _page in urlpatterns:
    _page.callback = require_safe(_page.callback)
