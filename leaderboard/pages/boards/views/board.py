"""A benchmark's page and its files: the answer, the ranked table, the charts."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import inf
from typing import TypeVar

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from leaderboard.boards import arranging, exports, queries
from leaderboard.boards.panels import panels_of
from leaderboard.boards.rows import Table, reference_scores
from leaderboard.boards.scores import WHOLE, ShownScore
from leaderboard.boards.selection import Site
from leaderboard.pages.boards import board_charts, columns, panel_sentences, sentences, words
from leaderboard.pages.boards import menus as board_menus
from leaderboard.pages.boards.board_charts import Card, Offered
from leaderboard.pages.boards.menus import Choice, Heads, Menu
from leaderboard.pages.boards.views.selection import Selected, SelectedPage, select
from leaderboard.pages.shared.citing import Citation
from leaderboard.pages.shared.crumbs import Crumb
from leaderboard.pages.shared.drawing import Axis, interval_axis, unit_of
from leaderboard.pages.shared.record import render_page
from leaderboard.pages.shared.score_words import metric_name
from leaderboard.text import web_address

_Response = TypeVar("_Response", bound=HttpResponseBase)


@dataclass(frozen=True)
class BoardPage(SelectedPage):
    """`by` is the breakdown's slice; `site` the address before a path; `own_teams` the reader's."""

    by: str
    own_teams: frozenset[int]
    site: str

    @property
    def crumbs(self) -> list[Crumb]:
        return [Crumb(gettext("Benchmarks"), reverse("benchmarks")), Crumb(self.selected.title)]

    # --- The rows ---

    @cached_property
    def hidden(self) -> frozenset[str]:
        return frozenset(filter(None, self.selected.arrangement("hide").split(",")))

    @cached_property
    def table(self) -> Table | None:
        """Without the columns that the address hides."""
        whole = self.selected.table
        return arranging.without(whole, self.hidden) if whole else None

    @cached_property
    def axis(self) -> Axis | None:
        table = self.table
        return interval_axis(table.on_axis, unit_of(table.top)) if table else None

    @cached_property
    def heads(self) -> Heads | None:
        sort, filters = self.selected.arrangement("sort"), self.selected.filters
        return board_menus.heads(self.table, sort, filters) if self.table else None

    @property
    def judged_shown(self) -> bool:
        return "judged" not in self.hidden

    @property
    def columns(self) -> list[Choice]:
        whole = self.selected.table
        if whole is None:
            return []
        return board_menus.column_choices(whole, self.hidden, self.selected.filters)

    @cached_property
    def menus(self) -> tuple[Menu, ...]:
        filters = self.selected.filters
        return (
            *board_menus.row_menus(filters, self.selected.rows),
            *board_menus.part_menus(
                self.selected.slices, self.selected.part, partial(filters.query, sort="")
            ),
        )

    @property
    def whole_query(self) -> str:
        return self.selected.filters.query(slice="", value="", sort="")

    # --- What the board says ---

    @cached_property
    def answer(self) -> sentences.Answer:
        selected, table, part = self.selected, self.table, self.selected.part
        if table and table.rows and part != WHOLE:
            best = arranging.best_first(table.ranked, lower=table.metric in table.lower)
            first = best[0] if best else None
            score = first.scores.get((table.metric, *part)) if first else None
            name = first.entrant.shown_name if first else ""
            board, tested = selected.board, ""
            if board and not selected.filters.active:
                tested = columns.answer_of_part(Site(selected.user), board, part)
            return sentences.part_answer(score, name, self.part, table.metric, tested)
        shown = None
        if table and selected.filters.active:
            shown = sorted(table.rows, key=lambda row: inf if row.place is None else row.place)
        return sentences.board_answer(selected.board, selected.rows, selected.top, shown=shown)

    @property
    def part(self) -> str:
        return words.slice_value(*self.selected.part) if self.selected.part != WHOLE else ""

    @cached_property
    def tiers(self) -> str:
        board, rows = self.selected.board, self.selected.rows
        if board is None:
            return ""
        outside = sum(row.passes_outside or 0 for row in rows)
        shared = sum(row.passes_shared or 0 for row in rows)
        reviewed = queries.reviewed_passes(board) if shared else 0
        return sentences.tier_sentence(outside, shared, reviewed)

    @property
    def rechecks(self) -> str:
        return sentences.recheck_sentence(self.selected.rechecks)

    @cached_property
    def panel(self) -> list[str]:
        selected = self.selected
        if not selected.scales or not selected.rows:
            return []
        panels = panels_of(row.submission for row in selected.rows)
        unshared = selected.board.facts.get("unshared", 0) if selected.board else 0
        return panel_sentences.panel_lines(panels, selected.metric, unshared)

    @property
    def power(self) -> str:
        board, table = self.selected.board, self.table
        if board is None or table is None or self.selected.part != WHOLE:
            return ""
        return panel_sentences.power_line(board, table.places, table.top)

    @property
    def signs(self) -> arranging.SignTable | None:
        """The signs of memorisation; None for a part of a board."""
        board, table = self.selected.board, self.table
        if board is None or table is None or self.selected.part != WHOLE:
            return None
        return arranging.sign_table(board, table.places, table.ranked)

    # --- Facts of the benchmark ---

    @cached_property
    def _languages(self) -> list[queries.Languages]:
        return queries.languages_of([self.selected.revision.pk])[self.selected.revision.pk]

    @property
    def tasks_count(self) -> int:
        return sum(row.tasks for row in self._languages)

    @property
    def languages(self) -> SafeString:
        return words.language_fact(self._languages)

    @property
    def samples(self) -> int | None:
        if self.selected.transcripts:
            return None
        return words.samples_each(self.selected.rows, self.selected.metric)

    @property
    def left_out(self) -> int:
        return len(self.selected.revision.left_out())

    @property
    def references(self) -> list[tuple[str, ShownScore]]:
        scores = reference_scores(self.selected.rows)
        return [(words.reference_words(score.metric), score) for score in scores]

    @property
    def engines(self) -> list[str]:
        return sorted({row.engine_version for row in self.selected.rows})

    @property
    def untranslated(self) -> bool:
        return words.untranslated_in(self.selected.slices)

    # --- Charts of the whole board, regardless of filters ---

    @cached_property
    def _offered(self) -> Offered:
        selected = self.selected
        if selected.board is None or not selected.rows:
            return Offered()
        slug = self.benchmark.slug
        return board_charts.offered(selected.board, slug, selected.query, self.by)

    @property
    def charts(self) -> Sequence[Card]:
        return self._offered.cards if self.table and self.table.ranked else []

    @property
    def breakdowns(self) -> list[Choice]:
        kinds = dict(self._offered.breakdowns)
        if len(kinds) < 2:
            return []
        chosen = self.by if self.by in kinds else next(iter(kinds))
        query = self.selected.filters.query
        return [
            Choice(title, f"{query(by=name)}#chart-breakdown", name == chosen)
            for name, title in kinds.items()
        ]

    @cached_property
    def citations(self) -> list[Citation]:
        selected, board, benchmark = self.selected, self.selected.board, self.benchmark
        revision = gettext("revision %(label)s") % {"label": selected.revision.label}
        setting = gettext("%(name)s setting") % {"name": words.setting_words(selected.setting)}
        facts = board.facts if board else {}
        edition = board.editions.first() if board else None
        versions = []
        if facts.get("engine"):
            versions.append(gettext("engine %(version)s") % {"version": facts["engine"]})
        if facts.get("metrics"):
            versions.append(gettext("metrics %(version)s") % {"version": facts["metrics"]})
        return [
            Citation(
                gettext("This board"),
                gettext("%(title)s leaderboard") % {"title": benchmark.title},
                self.site + (edition.get_absolute_url() if edition else selected.permanent),
                (revision, setting, metric_name(selected.metric, selected.top), *versions),
                board.made_at.year if board and board.made_at else None,
            ),
            Citation(
                gettext("The benchmark"),
                benchmark.title,
                web_address(benchmark.link) or self.site + benchmark.get_absolute_url(),
                (revision, f"SHA-256 {selected.revision.sha256}"),
                selected.revision.imported.year,
                author=benchmark.title,
                people=tuple(filter(None, map(str.strip, benchmark.authors.split(",")))),
            ),
        ]


def board_page(request: HttpRequest, slug: str) -> BoardPage:
    teams = request.user.teams.all() if request.user.is_authenticated else ()
    return BoardPage(
        selected=select(request, slug),
        by=request.GET.get("by", ""),
        own_teams=frozenset(team.pk for team in teams),
        site=f"{request.scheme}://{request.get_host()}",
    )


def benchmark(request: HttpRequest, slug: str) -> HttpResponse:
    return render_page(request, "boards/benchmark.html", board_page(request, slug))


def board_file(request: HttpRequest, slug: str, ending: str) -> HttpResponse:
    """The rows with the data needed to verify them, as CSV or JSON."""
    selected = select(request, slug)
    if ending == "json":
        document = exports.as_document(selected)
        answer = JsonResponse(document, json_dumps_params={"ensure_ascii": False, "indent": 1})
        return as_file(answer, selected, ending)
    text = exports.as_csv(exports.board_lines(selected))
    return as_file(HttpResponse(text, content_type="text/csv; charset=utf-8"), selected, ending)


def as_file(response: _Response, selected: Selected, ending: str, *more: str) -> _Response:
    parts = (selected.benchmark.slug, selected.setting, selected.revision.label, *more)
    name = "-".join("".join(c if c.isalnum() else "-" for c in part) for part in parts)
    safe = name.encode("ascii", "replace").decode().replace("?", "-")
    response["Content-Disposition"] = f'attachment; filename="{safe}.{ending}"'
    return response
