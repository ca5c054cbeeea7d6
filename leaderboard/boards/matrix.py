"""A board's results by entrant, task and sample as a zip. docs/users/recompute_board.py, which is
in the zip, computes the whole board again from it.

Holds only what everyone may see: no result by number of passed tests if tests are hidden, and marks
only of closed campaigns with published means, by pseudonyms that differ between boards. Reads one
result at a time, because a board may have millions of verdicts.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import zipfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from django.conf import settings
from django.db.models import F
from django.utils.crypto import salted_hmac

from evaluation.engine.metrics.paired import DRAWS
from evaluation.engine.records import TaskId
from leaderboard.annotation.models import Campaign, CampaignState, PanelScore
from leaderboard.annotation.records import Marked, marked
from leaderboard.benchmarks.models import Task
from leaderboard.benchmarks.public import public_record
from leaderboard.boards import queries
from leaderboard.boards.panels import panels_of
from leaderboard.boards.scores import OVERALL
from leaderboard.boards.selection import Selection
from leaderboard.fields import NO_TURN
from leaderboard.scores.models import Board, Score, Standing, TaskResult, shown_in
from leaderboard.scores.pairs import unpacked

Line: TypeAlias = Sequence[Any]

SCRIPT = Path(settings.BASE_DIR) / "docs" / "users" / "recompute_board.py"
RESULTS = (
    *("submission", "task", "cluster", "metric", "category", "turn", "sample"),
    *("rater", "settles", "n", "value", "open", "overall"),
)
_SCORE = ("metric", "slice", "slice_value", "value", "low", "high", "least", "most", "n", "tasks")
_TASK = ("language", "natural_language", "level", "domain", "category")
_RESULT = ("task", "metric", "category", "turn", "n", "c", "open", "value", "overall", "samples")
# Rows that are read at a time, and lines that are compressed at a time.
_ROWS = 2000
# The earliest date that a zip can hold. It is fixed, so that the same board makes the same file.
_DATE = (1980, 1, 1, 0, 0, 0)


@dataclass
class Matrix:
    """The board as it is now. `selected.board` must exist."""

    selected: Selection
    standings: Sequence[Standing]

    @property
    def board(self) -> Board:
        assert self.selected.board is not None
        return self.selected.board

    @cached_property
    def key(self) -> str:
        """Differs after each change of the file's content."""
        return state_of(self.board, self.standings)

    @cached_property
    def scales(self) -> dict[str, int]:
        return queries.scales_of(self.selected.benchmark)

    @cached_property
    def withheld_metrics(self) -> frozenset[str]:
        benchmark = self.selected.benchmark
        own = benchmark.family.metrics_in(self.selected.setting)
        hidden = not benchmark.shows_output
        return frozenset(metric.name for metric in own if metric.of_tests and hidden)

    @cached_property
    def panels(self) -> Mapping[int, Sequence[PanelScore]]:
        """By submission: its scales whose marks everyone may see. An open campaign has none,
        because its raters must rate independently."""
        if not self.scales:
            return {}
        found = panels_of(standing.submission_id for standing in self.standings)
        closed = CampaignState.CLOSED
        return {
            submission: [s for s in scores if s.published and s.campaign.state == closed]
            for submission, scores in found.scores.items()
        }

    @cached_property
    def clusters(self) -> Mapping[int, tuple[int, int, str]]:
        """By primary key of a task: its number, and its cluster's number and name."""
        family, numbers = self.selected.benchmark.family, dict[str, int]()
        found = {}
        for task in _tasks_of(self.selected):
            name = family.clusters.of(public_record(task)) if family.clusters else str(task.number)
            found[task.pk] = task.number, numbers.setdefault(name, len(numbers)), name
        return found

    # --- The members of the zip ---

    def pieces(self) -> Iterator[bytes]:
        """The zip, in pieces."""
        pipe = _Pipe()
        with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as whole:
            for name, texts in self._members():
                info = zipfile.ZipInfo(name, _DATE)
                info.compress_type = zipfile.ZIP_DEFLATED
                with whole.open(info, "w", force_zip64=True) as member:
                    for text in texts:
                        member.write(text.encode())
                        yield pipe.taken()
        yield pipe.taken()

    def _members(self) -> Iterator[tuple[str, Iterable[str]]]:
        yield SCRIPT.name, [SCRIPT.read_text("utf-8")]
        yield "tasks.csv", _csv(("task", "id", "cluster", "cluster_name", *_TASK), self._tasks())
        yield "results.csv", _csv(RESULTS, self._results())
        yield "scores.csv", _csv(("submission", *_SCORE), self._scores())
        # Last, because it says whether the board has changed in the meantime.
        yield "board.json", [json.dumps(self._board(), ensure_ascii=False, indent=1)]

    def _tasks(self) -> Iterator[Line]:
        for task in _tasks_of(self.selected):
            number, cluster, name = self.clusters[task.pk]
            own = (getattr(task, column) for column in _TASK)
            yield number, task.external_id, cluster, name, *own

    def _results(self) -> Iterator[Line]:
        for standing in self.standings:
            rows = shown_in(TaskResult.with_replaced.all(), [standing])
            rows = rows.exclude(metric__in=[*self.withheld_metrics, *self.scales])
            found = rows.order_by("task", "metric", "turn", "category").values_list(*_RESULT)
            for row in found.iterator(_ROWS):
                yield from self._samples(standing.submission_id, *row)
        yield from self._marks()

    def _samples(
        self,
        submission: int,
        task: int,
        metric: str,
        category: str,
        turn: int,
        n: int,
        c: int,
        open_: int,
        value: float | None,
        overall: bool,
        samples: Sequence[float | None],
    ) -> Iterator[Line]:
        number, cluster, _name = self.clusters[task]
        place = submission, number, cluster, metric, category, "" if turn == NO_TURN else turn
        mean = c / n if value is None else value
        if n == 1:
            samples = [None if open_ else mean]
        for sample, one in enumerate(samples):
            yield *place, sample, "", "", 1, one, int(one is None), int(overall)
        if not samples:
            yield *place, "", "", "", n, mean, open_, int(overall)

    def _marks(self) -> Iterator[Line]:
        left_out = self.selected.revision.left_out()
        tasks = {task.pk: task for task in _tasks_of(self.selected) if task.pk not in left_out}
        keys = {task.id_in_dataset: pk for pk, task in tasks.items()}
        campaigns = {scores[0].campaign: 1 for scores in self.panels.values() if scores}
        for campaign in campaigns:
            found, raters = marked(campaign, left_out=left_out), self._pseudonyms(campaign)
            for submission, scores in self.panels.items():
                if scores and scores[0].campaign == campaign:
                    shown = [score.criterion for score in scores]
                    for mark in _marks_of(found.get(submission, Marked()), keys, shown):
                        number, cluster, _name = self.clusters[keys[mark.task]]
                        place = submission, number, cluster, mark.scale, "", "", mark.sample
                        rater = raters.get(mark.rater, "")
                        yield *place, rater, mark.settles, 1, mark.value, 0, 1

    def _pseudonyms(self, campaign: Campaign) -> dict[str, str]:
        """The raters' pseudonyms by number. A person has one pseudonym on a board, and another on
        each other board."""
        return {
            str(number): salted_hmac(
                "leaderboard.matrix", f"{self.board.pk} {user or f'{campaign.pk}/{number}'}"
            ).hexdigest()[:12]
            for number, user in campaign.raters.values_list("number", "user")
        }

    def _scores(self) -> Iterator[Line]:
        for standing in self.standings:
            rows = shown_in(Score.with_replaced.all(), [standing])
            for row in rows.order_by("pk").values_list(*_SCORE).iterator(_ROWS):
                yield standing.submission_id, *row

    def _board(self) -> dict[str, Any]:
        selected, board = self.selected, self.board
        return {
            "benchmark": selected.benchmark.slug,
            "revision": selected.revision.label,
            "revision_sha256": selected.revision.sha256,
            "setting": selected.setting,
            "metric": board.metric,
            "metrics": self._metrics(),
            "scales": self.scales,
            "tests": {**DRAWS, "numpy": np.__version__},
            "comparison": dict(board.facts),
            "pairs": self._pairs(),
            "complete": self.complete,
            "withheld": {
                "metrics": sorted(self.withheld_metrics),
                "marks": self._withheld_marks(),
            },
            "rows": [self._row(standing) for standing in self.standings],
        }

    def _pairs(self) -> list[float]:
        """The p of all pairs of ranked rows: the upper triangle, row by row. Empty if a row has
        left the board since it was made."""
        ranked = sum(standing.place is not None for standing in self.standings)
        found = unpacked(bytes(self.board.pairs))
        return found.tolist() if len(found) == comb(ranked, 2) else []

    def _withheld_marks(self) -> list[tuple[int, str]]:
        shown = {(s.submission_id, s.criterion) for own in self.panels.values() for s in own}
        every = [(s.submission_id, scale) for s in self.standings for scale in self.scales]
        return [one for one in every if one not in shown]

    def _row(self, standing: Standing) -> dict[str, Any]:
        passes = self._passes.get(standing.submission_id)
        return {
            "submission": standing.submission_id,
            "entrant": standing.submission.entrant.name,
            "engine_version": standing.evaluation.engine_version,
            "passes_outside": passes.outside if passes else None,
            "passes_shared": passes.shared if passes else None,
            "rank_low": standing.rank_low,
            "rank_high": standing.rank_high,
            "between_raters": self._between.get(standing.submission_id),
        }

    @cached_property
    def _passes(self) -> dict[int, queries.Passes]:
        return {} if self.scales else queries.passes_of(self.board)

    @cached_property
    def _between(self) -> dict[int, tuple[float | None, int]]:
        """By submission: the variance between the raters on the board's scale, and its degrees of
        freedom."""
        rows = Standing.objects.filter(pk__in=[one.pk for one in self.standings])
        scores = shown_in(Score.with_replaced.all(), rows).filter(
            metric=self.board.metric, slice=OVERALL, raters__isnull=False
        )
        return {
            submission: (raters["variance"], raters["degrees"])
            for submission, raters in scores.values_list("evaluation__submission", "raters")
            if raters
        }

    def _metrics(self) -> dict[str, dict[str, Any]]:
        """How each score is computed: the metric of the results, and how they are combined."""
        own = {
            one.name: one
            for one in self.selected.benchmark.family.metrics_in(self.selected.setting)
        }
        rows = Score.with_replaced.filter(evaluation__standings__in=self.standings)
        found = {}
        for name, lower in rows.order_by().values_list("metric", "lower_is_better").distinct():
            known, (results, _at, k) = own.get(name), name.rpartition("@")
            found[name] = {
                "results": name if known else results,
                "k": 0 if known else int(k or 0),
                "paired": bool(known and known.paired),
                "summed": bool(known and known.summed),
                "lower": lower,
            }
        return found

    @cached_property
    def complete(self) -> bool:
        """Whether the rows are all that the ranks were computed from, and have not changed."""
        fresh = Board.objects.filter(pk=self.board.pk).first()
        made = fresh is not None and fresh.made == fresh.wanted
        rows = Standing.objects.filter(board=self.board).count()
        campaigns = [score.campaign for own in self.panels.values() for score in own]
        stale = any(one.made < one.wanted for one in campaigns)
        same = fresh is not None and state_of(fresh, standings_of(self.selected)) == self.key
        return made and same and not stale and rows == len(self.standings)


class _Mark(NamedTuple):
    task: TaskId
    scale: str
    sample: int
    rater: str
    settles: int
    value: int


def _marks_of(own: Marked, tasks: Iterable[TaskId], scales: Collection[str]) -> Iterator[_Mark]:
    """A missing generation has the lowest mark and no rater."""
    for settles, given in enumerate((own.ratings, own.outcomes)):
        for one in given:
            if one.criterion in scales:
                place = one.key.task_id, one.criterion, one.key.sample
                yield _Mark(*place, one.rater, settles, one.value)
    there = Counter(key.task_id for key in own.generations)
    most = max(there.values(), default=1)
    for task in tasks:
        if task not in there:
            for scale in scales:
                yield from (_Mark(task, scale, sample, "", 0, 1) for sample in range(most))


def standings_of(selected: Selection) -> list[Standing]:
    return list(
        Standing.objects.visible_to(selected.user)
        .filter(board=selected.board)
        .select_related("submission__entrant", "evaluation")
        .order_by(F("place").asc(nulls_last=True), "pk")
    )


def state_of(board: Board, standings: Iterable[Standing]) -> str:
    rows = [
        (s.pk, s.replaced, s.has_results, s.submission.entrant.name, s.evaluation.engine_version)
        for s in standings
    ]
    campaigns = Campaign.objects.filter(revision=board.revision_id).order_by("pk")
    marks = list(campaigns.values_list("pk", "state", "made", "wanted"))
    shows = board.revision.benchmark.shows_output
    told = repr((board.pk, board.made, board.wanted, shows, rows, marks, SCRIPT.stat().st_mtime_ns))
    return hashlib.sha256(told.encode()).hexdigest()[:32]


def _tasks_of(selected: Selection) -> Iterator[Task]:
    """The tasks in the order in which boards read them."""
    return Task.objects.filter(revision=selected.revision).order_by("pk").iterator(_ROWS)


def _csv(head: Line, lines: Iterable[Line]) -> Iterator[str]:
    out = io.StringIO()
    write = csv.writer(out).writerow
    write(head)
    for number, line in enumerate(lines, 1):
        write(line)
        if number % _ROWS == 0:
            yield out.getvalue()
            out.seek(0)
            out.truncate()
    yield out.getvalue()


class _Pipe(io.RawIOBase):
    """Collects what is written until it is taken."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        found, self._parts = b"".join(self._parts), []
        return found
