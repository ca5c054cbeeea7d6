"""A board's published results as DataFrames. Missing and unsettled values are NaN, never zero."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from operator import attrgetter
from typing import Any, TypeAlias
from urllib.parse import urlencode

import pandas as pd
from django.db.models import Count, F, Q, QuerySet, Sum
from django.urls import reverse

from evaluation.engine.family import Family
from evaluation.engine.metrics.tally import PASS
from evaluation.engine.registry import TURN_METRICS
from leaderboard.benchmarks.models import Task
from leaderboard.boards.panels import Panels, missing_share, panels_of
from leaderboard.boards.queries import scales_of, shown_on
from leaderboard.boards.scores import OVERALL
from leaderboard.scores.models import Board, Score, Standing, TaskResult, shown_in
from leaderboard.submissions.models import Provenance, Visibility

Frame: TypeAlias = pd.DataFrame

# Statements of more are not plausible.
_MOST_TOKENS = 10**15
_MOST_PRICE = 10**9
_NUMBERS = dict.fromkeys(("value", "low", "high"), "float64")
# The columns of each frame with their types (None: as they are read). Scores are shares of 1, and
# `open` counts unsettled samples.
COLUMNS: Mapping[str, Mapping[str, str | None]] = {
    # Billions of parameters, the date of publication; NaN: unranked.
    "rows": {"evaluation": None, "name": None, "parameters": "float64", "published": None,
             "place": "float64", "slug": None},
    "scores": {"evaluation": None, "slice": None, "slice_value": None, **_NUMBERS},
    # How often an evaluation has results with these numbers.
    "samples": dict.fromkeys(("evaluation", "n", "c", "open", "times"), "int64"),
    # Summed over the task's slots.
    "results": dict.fromkeys(("evaluation", "task", "n", "c", "open"), "int64"),
    "tasks": {"task": None, "number": None, "external_id": None},
    # `tasks` counts the tasks that have a conversation of so many turns.
    "turns": {"metric": None, "evaluation": None, "turn": "int64", **_NUMBERS, "tasks": "int64"},
    # Marks; the share of generations per mark from 1 up; and the share of missing generations,
    # which count as mark 1. A provisional mean's numbers are NaN.
    "marks": {"evaluation": None, "criterion": None, "top": "int64", **_NUMBERS, "shares": None,
              "missing": "float64"},
    # `title` is the campaign's, `measure` is "alpha" or "kappa", `lack` the reason for a missing
    # value, `least` the lowest alpha at which a mean is published.
    "agreements": {"campaign": None, "title": None, "criterion": None, "measure": None, **_NUMBERS,
                   "lack": None, "least": "float64"},
}  # fmt: skip
_INDEX = {"rows": ["evaluation"], "results": ["evaluation", "task"], "tasks": ["task"]}


def frame_of(name: str, records: Iterable[Mapping[str, Any]]) -> Frame:
    """The frame with this name of `BoardFrames`. What a record lacks is NaN."""
    columns = COLUMNS[name]
    frame = pd.DataFrame.from_records(list(records)).reindex(columns=list(columns))
    if name == "rows":
        frame["published"] = pd.to_datetime(frame["published"], utc=True)
    frame = frame.astype({column: kind for column, kind in columns.items() if kind})
    return frame.set_index(_INDEX[name]) if name in _INDEX else frame


class BoardFrames:
    """A board's frames. Each is read with one query on first access."""

    def __init__(self, board: Board) -> None:
        self.board = board

    @property
    def metric(self) -> str:
        return self.board.metric

    @cached_property
    def human(self) -> float | None:
        """The benchmark's human baseline, 0..1."""
        return self.board.revision.benchmark.human_baseline

    @cached_property
    def scales(self) -> dict[str, int]:
        """The best mark on each rating scale; empty if code is run."""
        return scales_of(self.board.revision.benchmark)

    @property
    def top(self) -> int | None:
        """The best mark of the board's metric if it is a rating scale, else None."""
        return self.scales.get(self.metric)

    @cached_property
    def rows(self) -> Frame:
        of_entrant = {"name": "shown_name", "parameters": "parameters", "slug": "slug"}
        columns = {name: F(f"submission__entrant__{field}") for name, field in of_entrant.items()}
        columns["published"] = F("submission__published")
        return frame_of("rows", self._standings.values("evaluation", "place", **columns))

    @cached_property
    def stated(self) -> Frame:
        """See `stated_frame`."""
        rows = Provenance.objects.filter(
            submission__standings__board=self.board, submission__visibility=Visibility.PUBLISHED
        ).values_list("submission__standings__evaluation", "said")
        return stated_frame(dict(rows.order_by()))

    @cached_property
    def scores(self) -> Frame:
        """Those of the board's metric, without scores by turn if `turns` has them."""
        scores = self._scores.filter(metric=self.metric)
        if self.metric in TURN_METRICS and self._has_turns:
            scores = scores.exclude(slice="turn")
        # Scores are stored in the engine's order, which sorts slice values.
        return frame_of("scores", scores.order_by("pk").values(*COLUMNS["scores"]))

    @cached_property
    def references(self) -> list[tuple[str, float]]:
        """The pass@1 scores of the benchmark's own programs by metric, from the row scored last."""
        scores = self._scores.filter(
            of_references=True, slice=OVERALL, metric__endswith="@1", value__isnull=False
        )
        in_order = scores.order_by("-evaluation__finished", "-evaluation", "pk")
        rows = list(in_order.values("evaluation", "metric", "value"))
        last = [row for row in rows if row["evaluation"] == rows[0]["evaluation"]]
        return [(row["metric"], row["value"] or 0.0) for row in last]

    @cached_property
    def samples(self) -> Frame:
        """Empty if the board's metric is not based on passes."""
        if self.board.result_metric != PASS:
            return frame_of("samples", [])
        counts = self._counted.values("evaluation", "n", "c", "open")
        return frame_of("samples", counts.annotate(times=Count("pk")).order_by())

    @cached_property
    def results(self) -> Frame:
        results = self._counted.order_by().values("evaluation", "task")
        sums = results.annotate(Sum("n"), Sum("c"), Sum("open"))
        rows = ({name.removesuffix("__sum"): sum_ for name, sum_ in r.items()} for r in sums)
        return frame_of("results", rows)

    @cached_property
    def tasks(self) -> Frame:
        """The revision's tasks without excluded ones, unless results shown still have them."""
        there = Q(exclusion=None) | Q(pk__in=self._counted.values("task"))
        tasks = Task.objects.filter(there, revision=self.board.revision_id)
        in_order = tasks.order_by("number")
        return frame_of("tasks", in_order.values("number", "external_id", task=F("pk")))

    @property
    def task_url(self) -> str:
        """The address of a task of this board, with "@" in place of its number."""
        revision = self.board.revision
        path = reverse("task", args=[revision.benchmark.slug, 0])
        query = urlencode({"revision": revision.label, "setting": self.board.setting})
        return f"{path.removesuffix('0/')}@/?{query}"

    @property
    def _family(self) -> Family:
        return self.board.revision.benchmark.family

    @property
    def _has_turns(self) -> bool:
        return self.board.setting in self._family.begins or self.turns_from_one

    @property
    def turns_from_one(self) -> bool:
        """Whether turns are counted from 1; otherwise turn 0 is Base."""
        return self._family.transcripts_in(self.board.setting) is not None

    @cached_property
    def turns(self) -> Frame:
        """The metrics by turn. Empty without conversations."""
        if not self._has_turns:
            return frame_of("turns", [])
        scores = self._scores.filter(metric__in=TURN_METRICS, slice="turn")
        columns = ("metric", "evaluation", *_NUMBERS, "tasks")
        return frame_of("turns", scores.order_by().values(*columns, turn=F("slice_value")))

    @cached_property
    def marks(self) -> Frame:
        """Empty if code is run."""
        if not self.scales:
            return frame_of("marks", [])
        evaluations = dict(self._standings.values_list("submission", "evaluation"))
        scores = [score for of_row in self._panels.scores.values() for score in of_row]
        marks: list[dict[str, Any]] = []
        for criterion, top in self.scales.items():
            for score in scores:
                if score.criterion == criterion:
                    evaluation = evaluations[score.submission_id]
                    marks.append({"evaluation": evaluation, "criterion": criterion, "top": top})
                    if not score.holds and score.value is not None:
                        marks[-1] |= {name: getattr(score, name) for name in (*_NUMBERS, "shares")}
                        marks[-1]["missing"] = missing_share(score)
        return frame_of("marks", marks)

    @cached_property
    def agreements(self) -> Frame:
        """By campaign in the order of `Panels`, then by scale. Empty if code is run."""
        scales = list(self.scales)
        campaigns = [campaign.pk for campaign in self._panels.campaigns]
        agreements = [row for row in self._panels.agreements if row.criterion in scales]
        agreements.sort(key=lambda r: (campaigns.index(r.campaign_id), scales.index(r.criterion)))
        paths = {name: name for name in COLUMNS["agreements"]}
        paths |= {"campaign": "campaign_id", "title": "campaign.title"}
        paths["least"] = "campaign.least_agreement"
        records = ({n: attrgetter(path)(row) for n, path in paths.items()} for row in agreements)
        return frame_of("agreements", records)

    @cached_property
    def _panels(self) -> Panels:
        if not self.scales:
            return Panels({}, ())
        return panels_of(self._standings.values_list("submission", flat=True))

    @property
    def _standings(self) -> QuerySet[Standing]:
        return shown_on([self.board])

    @property
    def _scores(self) -> QuerySet[Score]:
        return shown_in(Score.with_replaced.all(), self._standings)

    @property
    def _counted(self) -> QuerySet[TaskResult]:
        return shown_in(TaskResult.with_replaced.all(), self._standings).filter(
            metric=self.board.result_metric, overall=True, value__isnull=True
        )


def stated_frame(statements: Mapping[int, Any]) -> Frame:
    """Output `tokens` per answer and the `price` of a thousand answers by evaluation, from
    unverified statements in the format of engine.uploads.decode. NaN without a plausible number:
    tokens of no answer, or no price."""
    frame = pd.DataFrame(index=list(statements), columns=["tokens", "price"], dtype=float)
    for evaluation, statement in statements.items():
        statement = statement if isinstance(statement, dict) else {}
        parts = (statement.get(name) for name in ("tokens", "price"))
        tokens, price = (part if isinstance(part, dict) else {} for part in parts)
        uncounted, total = tokens.get("answers_uncounted", 0), tokens.get("answered")
        counts = (statement.get("answers"), uncounted, total)
        answers, uncounted, total = (n if type(n) is int else -1 for n in counts)
        if 0 <= uncounted < answers <= total <= _MOST_TOKENS:
            frame.at[evaluation, "tokens"] = total / (answers - uncounted)
        cost: Any = price.get("total")
        if type(cost) in (int, float) and 0 < cost <= _MOST_PRICE and answers > 0:
            frame.at[evaluation, "price"] = 1000 * cost / answers
    return frame.rename_axis("evaluation")


def overall_scores(scores: Frame) -> Frame:
    """By evaluation: value, low and high over all tasks."""
    whole = scores[scores["slice"] == OVERALL]
    return whole.set_index("evaluation")[["value", "low", "high"]]
