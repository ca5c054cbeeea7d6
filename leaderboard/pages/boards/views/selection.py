"""The selection in a benchmark page's address: revision and setting, and so the board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.functional import cached_property
from django.utils.translation import gettext

from evaluation.engine.metrics.summary import SLICES
from evaluation.models import EvaluationState
from leaderboard.benchmarks.models import Benchmark, Revision
from leaderboard.pages.boards import queries
from leaderboard.pages.boards.arranging import slices_of
from leaderboard.pages.boards.filters import NAMES as FILTERS
from leaderboard.pages.boards.filters import Choice, Filters
from leaderboard.pages.boards.queries import WHOLE, BoardResult, Slice
from leaderboard.pages.boards.words import setting_title
from leaderboard.scores.models import Board

if TYPE_CHECKING:
    from leaderboard.accounts.models import Person

KEPT = ("revision", "setting")
# Parameters that say how a board's rows are shown.
ARRANGED = ("slice", "value", "sort", "hide")


def reader(request: HttpRequest) -> Person:
    """The user whose permissions limit everything on the page."""
    return request.user


@dataclass
class Selection:
    """The selected board with its filters. Reads the database lazily, each value once."""

    benchmark: Benchmark
    revisions: list[Revision]
    revision: Revision
    setting: str
    filters: Filters
    user: Person

    @cached_property
    def board(self) -> Board | None:
        return queries.board_of(self.revision, self.setting)

    @cached_property
    def results(self) -> list[BoardResult]:
        if self.board is None:
            return []
        return queries.results_of(self.board, self.user, SLICES)

    @property
    def scored_again(self) -> int:
        """The number of results that are being scored again, while the board shows earlier ones."""
        moving = EvaluationState.moving()
        return sum(result.state in moving for result in self.results)

    @cached_property
    def scales(self) -> dict[str, int]:
        """The best mark on each rating scale; empty if code is run."""
        return queries.scales_of(self.benchmark)

    @property
    def top(self) -> int | None:
        """The best mark of the board's metric if it is a rating scale, else None."""
        return self.scales.get(self.metric)

    @property
    def metric(self) -> str:
        return self.board.metric if self.board else self.benchmark.metric_in(self.setting)

    @property
    def transcripts(self) -> bool:
        """Whether results are conversations, run by the team (with its own verdicts) or by the
        site."""
        return self.benchmark.family.transcripts_in(self.setting) is not None

    @property
    def newer(self) -> Revision | None:
        """The current revision if the page shows an older one, else None."""
        current = self.benchmark.current
        return current if current and current.imported > self.revision.imported else None

    @property
    def tabs(self) -> list[Choice]:
        settings = queries.settings_of(self.benchmark)
        return [
            Choice(setting_title(one), self.filters.query(setting=one), one == self.setting)
            for one in settings
        ]

    @property
    def revision_choices(self) -> list[Choice]:
        return [
            Choice(one.label, self.filters.query(revision=one.label), one == self.revision)
            for one in self.revisions
        ]

    @property
    def query(self) -> str:
        """The board in an address, without filters and arrangement."""
        return self.bare().removesuffix("?")

    def bare(self, **changes: str) -> str:
        return self.filters.query(**dict.fromkeys((*FILTERS, *ARRANGED), "") | changes)

    @cached_property
    def slices(self) -> dict[str, list[str]]:
        """The values of each slice that the board can be limited to."""
        return slices_of(self.metric, (result.scores for result in self.results))

    @property
    def part(self) -> Slice:
        """The slice in the address; the whole board without such a slice."""
        name, value = self.arrangement("slice"), self.arrangement("value")
        return (name, value) if value in self.slices.get(name, []) else WHOLE

    def arrangement(self, name: str) -> str:
        return dict(self.filters.kept).get(name, "")

    @property
    def title(self) -> str:
        if len(queries.settings_of(self.benchmark)) < 2:
            return self.benchmark.title
        return f"{self.benchmark.title}, {setting_title(self.setting).lower()}"


def select(request: HttpRequest, slug: str) -> Selection:
    """Raises Http404 both if nothing matches and if this user may not see it."""
    user = reader(request)
    found = Benchmark.objects.visible_to(user).select_related("current")
    benchmark = get_object_or_404(found, slug=slug, current__isnull=False)
    revisions = queries.revisions_of(benchmark, user)
    return Selection(
        benchmark=benchmark,
        revisions=revisions,
        revision=_revision(request, benchmark, revisions),
        setting=_setting(request, benchmark),
        filters=Filters.of(request.GET.dict(), keep=(*KEPT, *ARRANGED)),
        user=user,
    )


def _revision(request: HttpRequest, benchmark: Benchmark, revisions: list[Revision]) -> Revision:
    label = request.GET.get("revision", "")
    for revision in revisions:
        if revision.label == label or (not label and revision == benchmark.current):
            return revision
    raise Http404(gettext("There is no such revision."))


def _setting(request: HttpRequest, benchmark: Benchmark) -> str:
    setting = request.GET.get("setting") or benchmark.setting
    if setting not in queries.settings_of(benchmark):
        raise Http404(gettext("There is no such setting."))
    return setting
