"""What the address of a benchmark's page selects: revision, setting, and with them the board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.functional import cached_property
from django.utils.translation import gettext

from evaluation.engine.metrics.summary import SLICES
from leaderboard.benchmarks.models import Benchmark, Revision
from leaderboard.pages.boards import queries
from leaderboard.pages.boards.filters import Choice, Filters
from leaderboard.pages.boards.queries import Result
from leaderboard.pages.boards.words import setting_title
from leaderboard.scores.models import Board

if TYPE_CHECKING:
    from leaderboard.accounts.models import Person

KEPT = ("revision", "setting")


def reader(request: HttpRequest) -> Person:
    """Who is asking: everything that a page shows goes through this person's eyes."""
    return request.user


@dataclass
class Selection:
    """A benchmark as the address narrows it down. Reads what it needs once, when it is needed."""

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
    def results(self) -> list[Result]:
        if self.board is None:
            return []
        return queries.results_of([self.board], self.user, SLICES)[self.board.pk]

    @cached_property
    def scales(self) -> dict[str, int]:
        """The best mark on each of the scales that people rate on; none where code is run."""
        return queries.scales_of(self.benchmark)

    @property
    def top(self) -> int | None:
        """The best mark of the board's metric, where it is a scale."""
        return self.scales.get(self.metric)

    @property
    def metric(self) -> str:
        return self.board.metric if self.board else self.benchmark.metric_in(self.setting)

    @property
    def transcripts(self) -> bool:
        """Whether results are conversations that somebody held: their team, with verdicts of its
        own, or this site."""
        return self.benchmark.family.transcripts_in(self.setting) is not None

    @property
    def newer(self) -> Revision | None:
        """The current revision, where the page shows an older one."""
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
        """What this selection needs in an address, without the filters."""
        return self.filters.cleared.removesuffix("?")

    @property
    def title(self) -> str:
        """The benchmark with its setting, where it has several."""
        if len(queries.settings_of(self.benchmark)) < 2:
            return self.benchmark.title
        return f"{self.benchmark.title}, {setting_title(self.setting).lower()}"


def select(request: HttpRequest, slug: str) -> Selection:
    """Raises Http404 for what does not exist and for what this reader may not see alike."""
    user = reader(request)
    found = Benchmark.objects.visible_to(user).select_related("current")
    benchmark = get_object_or_404(found, slug=slug, current__isnull=False)
    revisions = queries.revisions_of(benchmark, user)
    return Selection(
        benchmark=benchmark,
        revisions=revisions,
        revision=_revision(request, benchmark, revisions),
        setting=_setting(request, benchmark),
        filters=Filters.of(request.GET.dict(), keep=KEPT),
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
