"""A board's results by entrant, task and sample as a zip, with programs that compute the board, and
means over several, again from it. Holds only what everyone may see: no result by number of passed
tests if tests are hidden, and marks only of closed campaigns with published means, by pseudonyms
that differ between boards. Reads one result at a time: a board may have millions."""

import csv
import hashlib
import io
import json
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, product
from math import comb
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from django.conf import settings
from django.utils.crypto import salted_hmac

from evaluation.engine.metrics.paired import DRAWS
from evaluation.engine.records import Tier
from evaluation.models import Verdict
from leaderboard.annotation.models import Campaign, CampaignState, PanelScore
from leaderboard.annotation.panels import Marked, marked
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

_USERS = Path(settings.BASE_DIR) / "docs" / "users"
SCRIPTS = [_USERS / f"recompute_{name}.py" for name in ("board", "means")]
RESULTS = (
    *("submission", "task", "cluster", "metric", "category", "turn", "sample"),
    *("rater", "settles", "n", "value", "open", "overall", "tier"),
)
_SCORE = ("metric", "slice", "slice_value", "value", "low", "high", "least", "most", "n", "tasks")
_TASK = ("language", "natural_language", "level", "domain", "category")
_RESULT = ("task", "metric", "category", "turn", "n", "c", "open", "value", "overall", "samples")
_VERDICT = ("generation__task", "generation__requirement", "generation__turn", "generation__sample")
# Rows that are read at a time, and lines that are compressed at a time.
_ROWS = 2000
# The earliest date that a zip can hold. It is fixed, so that the same board makes the same file.
_DATE = (1980, 1, 1, 0, 0, 0)


class Matrix:
    """The board, which must exist, as it is now. `key` changes with the file's content."""

    def __init__(self, selected: Selection, standings: Sequence[Standing]) -> None:
        assert selected.board is not None
        self.selected, self.standings, self.board = selected, standings, selected.board
        self.key = state_of(self.board, standings)
        # What may be shown.
        benchmark = selected.benchmark
        self._scales = queries.scales_of(benchmark)
        self._family_metrics = benchmark.family.metrics_in(selected.setting)
        of_tests = (metric.name for metric in self._family_metrics if metric.of_tests)
        self._withheld_metrics = [] if benchmark.shows_output else sorted(of_tests)

    @cached_property
    def complete(self) -> bool:
        """Whether the rows are all that the ranks were computed from, and have not changed."""
        fresh = Board.objects.filter(pk=self.board.pk).first()
        campaigns = [score.campaign for scores in self._panels.values() for score in scores]
        return (
            fresh is not None
            and fresh.made == fresh.wanted
            and state_of(fresh, standings_of(self.selected)) == self.key
            and not any(campaign.made < campaign.wanted for campaign in campaigns)
            and Standing.objects.filter(board=fresh).count() == len(self.standings)
        )

    def pieces(self) -> Iterator[bytes]:
        """The zip, in pieces."""
        tasks = (
            (number, task.external_id, cluster, name, *(getattr(task, column) for column in _TASK))
            for task in self._read_tasks()
            for number, cluster, name in [self._clusters[task.pk]]
        )
        every_score = Score.with_replaced.order_by("pk").values_list(*_SCORE)
        scores = (
            (standing.submission_id, *row)
            for standing in self.standings
            for row in shown_in(every_score, [standing]).iterator(_ROWS)
        )
        members: Iterable[tuple[str, Iterable[str]]] = (
            *((script.name, [script.read_text("utf-8")]) for script in SCRIPTS),
            ("tasks.csv", _csv(("task", "id", "cluster", "cluster_name", *_TASK), tasks)),
            ("results.csv", _csv(RESULTS, chain(self._results(), self._marks()))),
            ("scores.csv", _csv(("submission", *_SCORE), scores)),
            # Last, because it says whether the board has changed in the meantime.
            ("board.json", self._document()),
        )
        pipe = _Pipe()
        with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as whole:
            for name, texts in members:
                info = zipfile.ZipInfo(name, _DATE)
                info.compress_type = zipfile.ZIP_DEFLATED
                with whole.open(info, "w", force_zip64=True) as member:
                    for text in texts:
                        member.write(text.encode())
                        yield pipe.taken()
        yield pipe.taken()

    @cached_property
    def _panels(self) -> Mapping[int, Sequence[PanelScore]]:
        """By submission: its scales whose marks everyone may see. An open campaign has none,
        because its raters must rate independently."""
        if not self._scales:
            return {}
        panels = panels_of(standing.submission_id for standing in self.standings)
        closed = CampaignState.CLOSED
        return {
            submission: [s for s in scores if s.published and s.campaign.state == closed]
            for submission, scores in panels.scores.items()
        }

    # --- The members of the zip ---

    def _read_tasks(self) -> Iterator[Task]:
        """The tasks in the order in which boards read them."""
        return Task.objects.filter(revision=self.selected.revision).order_by("pk").iterator(_ROWS)

    @cached_property
    def _clusters(self) -> Mapping[int, tuple[int, int, str]]:
        """By primary key of a task: its number, and its cluster's number and name."""
        clusters, numbers = self.selected.benchmark.family.clusters, dict[str, int]()
        places = {}
        for task in self._read_tasks():
            name = clusters.of(public_record(task)) if clusters else str(task.number)
            places[task.pk] = task.number, numbers.setdefault(name, len(numbers)), name
        return places

    def _results(self) -> Iterator[Line]:
        for standing in self.standings:
            # By task, requirement ("": all), turn and sample: where the verdicts were decided;
            # within reach of the candidate's code if any of them was.
            tiers: dict[tuple[int, str, int, int], str] = {}
            verdicts = Verdict.objects.of_generations().filter(evaluation=standing.evaluation_id)
            decided = verdicts.order_by().values_list(*_VERDICT, "tier")
            for task, requirement, turn, sample, tier in decided.iterator(_ROWS):
                for key in {(task, requirement, turn, sample), (task, "", turn, sample)}:
                    tiers[key] = tier if tiers.get(key) != Tier.SHARED.value else tiers[key]
            results = shown_in(TaskResult.with_replaced.all(), [standing])
            results = results.exclude(metric__in=[*self._withheld_metrics, *self._scales])
            in_order = results.order_by("task", "metric", "turn", "category")
            for row in in_order.values_list(*_RESULT, named=True).iterator(_ROWS):
                number, cluster, _name = self._clusters[row.task]
                turn = "" if row.turn == NO_TURN else row.turn
                place = standing.submission_id, number, cluster, row.metric, row.category, turn
                mean = row.c / row.n if row.value is None else row.value
                samples = [None if row.open else mean] if row.n == 1 else row.samples
                for sample, value in enumerate(samples):
                    tier = tiers.get((row.task, row.category, row.turn, sample))
                    tier = tier or tiers.get((row.task, "", row.turn, sample), "")
                    unsettled, overall = int(value is None), int(row.overall)
                    yield *place, sample, "", "", 1, value, unsettled, overall, tier
                if not samples:
                    yield *place, "", "", "", row.n, mean, row.open, int(row.overall), ""

    def _marks(self) -> Iterator[Line]:
        left_out = self.selected.revision.left_out()
        tasks = {
            task.id_in_dataset: self._clusters[task.pk]
            for task in self._read_tasks()
            if task.pk not in left_out
        }
        for campaign in {scores[0].campaign: 1 for scores in self._panels.values() if scores}:
            marks_of = marked(campaign, left_out=left_out)
            # A person has one pseudonym on a board, and another on each other board.
            raters = {}
            for number, user in campaign.raters.values_list("number", "user"):
                person = f"{self.board.pk} {user or f'{campaign.pk}/{number}'}"
                digest = salted_hmac("leaderboard.matrix", person).hexdigest()
                raters[str(number)] = digest[:12]
            for submission, scores in self._panels.items():
                if not scores or scores[0].campaign != campaign:
                    continue
                scales = [score.criterion for score in scores]
                marked_items = marks_of.get(submission, Marked())
                marks = [
                    (m.key.task_id, m.criterion, m.key.sample, m.rater, settles, m.value)
                    for settles, rated in enumerate((marked_items.ratings, marked_items.outcomes))
                    for m in rated
                    if m.criterion in scales
                ]
                # A missing generation has the lowest mark and no rater.
                there = Counter(key.task_id for key in marked_items.generations)
                samples = range(max(there.values(), default=1))
                missing = product((task for task in tasks if task not in there), scales, samples)
                marks += [(*place, "", 0, 1) for place in missing]
                for task, scale, sample, rater, settles, value in marks:
                    number, cluster, _name = tasks[task]
                    place = submission, number, cluster, scale, "", "", sample
                    yield *place, raters.get(rater, ""), settles, 1, value, 0, 1, ""

    def _document(self) -> Iterator[str]:
        selected, board = self.selected, self.board
        # The p of all ranked pairs, the upper triangle row by row; empty if a row has left since.
        ranked = sum(standing.place is not None for standing in self.standings)
        pairs = unpacked(bytes(board.pairs))
        panels = self._panels.values()
        shown = {(score.submission_id, score.criterion) for scores in panels for score in scores}
        marks = ((s.submission_id, scale) for s in self.standings for scale in self._scales)
        document = {
            "benchmark": selected.benchmark.slug,
            "revision": selected.revision.label,
            "revision_sha256": selected.revision.sha256,
            "setting": selected.setting,
            "metric": board.metric,
            "metrics": self._metrics(),
            "scales": self._scales,
            "tests": {**DRAWS, "numpy": np.__version__},
            "comparison": dict(board.facts),
            "pairs": pairs.tolist() if len(pairs) == comb(ranked, 2) else [],
            "complete": self.complete,
            "withheld": {
                "metrics": self._withheld_metrics,
                "marks": [mark for mark in marks if mark not in shown],
            },
            "rows": self._rows(),
        }
        yield json.dumps(document, ensure_ascii=False, indent=1)

    def _rows(self) -> list[dict[str, Any]]:
        # By submission: the variance between raters on the board's scale, its degrees of freedom.
        scores = shown_in(Score.with_replaced.all(), self.standings).filter(
            metric=self.board.metric, slice=OVERALL, raters__isnull=False
        )
        between = {
            submission: (raters["variance"], raters["degrees"])
            for submission, raters in scores.values_list("evaluation__submission", "raters")
            if raters
        }
        return [
            {
                "submission": standing.submission_id,
                "entrant": standing.submission.entrant.shown_name,
                "entrant_slug": standing.submission.entrant.slug,
                "engine_version": standing.evaluation.engine_version,
                "passes_outside": standing.passes_outside,
                "passes_shared": standing.passes_shared,
                "has_results": standing.has_results,
                "rank_low": standing.rank_low,
                "rank_high": standing.rank_high,
                "between_raters": between.get(standing.submission_id),
            }
            for standing in self.standings
        ]

    def _metrics(self) -> dict[str, dict[str, Any]]:
        """How each score is computed: the metric of the results, and how they are combined."""
        declared = {metric.name: metric for metric in self._family_metrics}
        rows = Score.with_replaced.filter(evaluation__standings__in=self.standings)
        metrics = {}
        for name, lower in rows.order_by().values_list("metric", "lower_is_better").distinct():
            metric, (results, _at, k) = declared.get(name), name.rpartition("@")
            metrics[name] = {
                "results": name if metric else results,
                "k": 0 if metric else int(k or 0),
                "paired": bool(metric and metric.paired),
                "summed": bool(metric and metric.summed),
                "lower": lower,
            }
        return metrics


def standings_of(selected: Selection) -> list[Standing]:
    rows = Standing.objects.visible_to(selected.user).filter(board=selected.board)
    return list(rows.select_related("submission__entrant", "evaluation"))


def state_of(board: Board, standings: Iterable[Standing]) -> str:
    rows = [
        (s.pk, s.replaced, s.has_results, entrant.shown_name, s.evaluation.engine_version)
        for s in standings
        for entrant in (s.submission.entrant,)
    ]
    campaigns = Campaign.objects.filter(revision=board.revision_id).order_by("pk")
    marks = list(campaigns.values_list("pk", "state", "made", "wanted"))
    shows = board.revision.benchmark.shows_output
    scripts = [script.stat().st_mtime_ns for script in SCRIPTS]
    facts = repr((board.pk, board.made, board.wanted, shows, rows, marks, scripts))
    return hashlib.sha256(facts.encode()).hexdigest()[:32]


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

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        taken, self._parts = b"".join(self._parts), []
        return taken
