"""The editions of a board: its orders, and what scoring again has changed."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext

from leaderboard.benchmarks.models import Task
from leaderboard.boards.queries import published
from leaderboard.boards.rows import rank_text
from leaderboard.boards.scores import ShownScore
from leaderboard.pages.boards.views.selection import Selected, SelectedPage, select
from leaderboard.pages.shared.crumbs import Crumb
from leaderboard.pages.shared.record import render_page
from leaderboard.scores.changes import LEFT_OUT, TAKEN_IN, VERDICTS
from leaderboard.scores.models import Edition

# Editions and changed tasks on a page.
PAGE, MOST_TASKS = 100, 500


def reasons(edition: Edition) -> list[str]:
    """Why scores changed, as sentences; [] if nothing was scored again."""
    changes, sentences = edition.changes, list[str]()
    if versions := changes.get("engine"):
        sentences.append(gettext("Another engine judged: %s, before %s.") % tuple(versions[::-1]))
    if versions := changes.get("metrics"):
        sentences.append(gettext("Other metrics: %s, before %s.") % tuple(versions[::-1]))
    kinds = {kind for _, kind, _ in changes.get("tasks", ())}
    if LEFT_OUT in kinds:
        sentences.append(gettext("Tasks were left out."))
    if TAKEN_IN in kinds:
        sentences.append(gettext("Tasks count again."))
    if VERDICTS in kinds and not changes.keys() & {"engine", "metrics"}:
        sentences.append(gettext("Verdicts changed: judged again, or decided on by a person."))
    return sentences


@dataclass(frozen=True)
class EditionsPage(SelectedPage):
    """`gone`: the edition of the address, which is not kept."""

    page: Page[Edition]
    gone: Edition | None = None

    @property
    def crumbs(self) -> list[Crumb]:
        return [*self.selected.crumbs(), Crumb(gettext("Editions"))]

    @property
    def editions(self) -> list[tuple[Edition, list[str]]]:
        return [(row, reasons(row)) for row in self.page]


@dataclass(frozen=True)
class EditionPage(SelectedPage):
    """`gone`: the edition of the address, which is not kept, if `edition` is the next one."""

    edition: Edition
    gone: Edition | None

    @property
    def crumbs(self) -> list[Crumb]:
        address = reverse("editions", args=[self.benchmark.slug]) + self.selected.query
        crumbs = [*self.selected.crumbs(), Crumb(gettext("Editions"), address)]
        return [*crumbs, Crumb(f"{self.edition.made_at:%Y-%m-%d %H:%M %Z}")]

    @property
    def reasons(self) -> list[str]:
        return reasons(self.edition)

    @cached_property
    def top(self) -> int | None:
        return self.selected.scales.get(self.edition.metric)

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """Withdrawn ones have neither an entrant nor a score. `before` are rank and score, if
        scoring again changed them."""
        public = published(self.selected.user).filter(edition_rows__edition=self.edition)
        submissions = {row.pk: row for row in public.select_related("entrant")}
        before = {key: facts for key, *facts in self.edition.changes.get("rows", ())}
        rows = []
        for row in self.edition.rows.order_by("rank_low", "rank_high", "-value", "pk"):
            shown: dict[str, Any] = {"rank": rank_text(row.rank_low, row.rank_high)}
            if row.submission_id in submissions:
                shown["submission"] = submissions[row.submission_id]
                shown["score"] = self._score(row.value, row.low, row.high)
                if row.submission_id in before:
                    value, *ranks = before[row.submission_id]
                    shown["before"] = {"rank": rank_text(*ranks), "score": self._score(value)}
            rows.append(shown)
        return rows

    def _score(
        self, value: float, low: float | None = None, high: float | None = None
    ) -> ShownScore:
        return ShownScore(self.edition.metric, value, low=low, high=high, top=self.top)

    @property
    def unlisted_tasks(self) -> int:
        return max(0, len(self.edition.changes.get("tasks", ())) - MOST_TASKS)

    @cached_property
    def tasks(self) -> list[tuple[Task, str, int]]:
        """Changed tasks, how, and for how many entrants."""
        words = {
            VERDICTS: gettext("other results"),
            LEFT_OUT: gettext("left out"),
            TAKEN_IN: gettext("counts again"),
        }
        changed = self.edition.changes.get("tasks", [])[:MOST_TASKS]
        keys = [key for key, _, _ in changed]
        tasks = Task.objects.select_related("exclusion").in_bulk(keys)
        return [(tasks[key], words[kind], number) for key, kind, number in changed if key in tasks]


def _editions_page(
    request: HttpRequest, selected: Selected, gone: Edition | None = None
) -> HttpResponse:
    rows = Edition.objects.filter(board__isnull=False, board=selected.board, thinned=False)
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    return render_page(request, "boards/editions.html", EditionsPage(selected, page, gone))


def editions(request: HttpRequest, slug: str) -> HttpResponse:
    return _editions_page(request, select(request, slug))


def edition(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """In place of an edition that is not kept, the next one of the same metric. 410 if there is
    none."""
    rows = Edition.objects.filter(board__revision__benchmark__slug=slug)
    row = get_object_or_404(rows.select_related("board__revision"), public_id=key)
    query = {"revision": row.board.revision.label, "setting": row.board.setting}
    selected, shown = select(request, slug, query), row
    if row.thinned:
        later = Edition.objects.filter(board=row.board, metric=row.metric, made_at__gt=row.made_at)
        successor = later.filter(thinned=False).order_by("made_at").first()
        if successor is None:
            response = _editions_page(request, selected, gone=row)
            response.status_code = 410
            return response
        shown = successor
    page = EditionPage(selected, shown, row if row.thinned else None)
    return render_page(request, "boards/edition.html", page)
