"""A board's published results as DataFrames. Missing and unsettled values are NaN, never zero.

The `..._frame` functions convert rows and use no database.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, TypeAlias
from urllib.parse import urlencode

import pandas as pd
from django.db.models import Count, F, Q, QuerySet, Sum
from django.urls import reverse

from evaluation.engine.instructions import DYNAMIC, MULTI_TURN
from evaluation.engine.metrics.tally import PASS
from evaluation.engine.records import Json
from evaluation.engine.registry import TURN_METRICS
from leaderboard.annotation.models import PanelScore
from leaderboard.benchmarks.models import Task
from leaderboard.boards.panels import Panels, missing_share, panels_of
from leaderboard.boards.queries import Passes, passes_of, scales_of
from leaderboard.boards.scores import OVERALL
from leaderboard.scores.models import Board, Score, Standing, TaskResult, shown_in
from leaderboard.submissions.models import Provenance, Visibility

Frame: TypeAlias = pd.DataFrame
Row: TypeAlias = tuple[Any, ...]

# A statement of more tokens is not plausible.
_MOST_TOKENS = 10**15
_ROWS = ["evaluation", "name", "parameters", "published", "place", "slug"]
_SCORES = ["evaluation", "slice", "slice_value", "value", "low", "high"]
_SAMPLES = ["evaluation", "n", "c", "open", "times"]
_RESULTS = ["evaluation", "task", "n", "c", "open"]
_TASKS = ["task", "number", "id"]
_TURNS = ["metric", "evaluation", "slice_value", "value", "low", "high"]
_MARKS = ["evaluation", "criterion", "top", "value", "low", "high", "shares", "missing"]
_AGREEMENTS = ["campaign", "title", "criterion", "measure", "value", "low", "high", "lack", "least"]


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
        """See `rows_frame`."""
        return rows_frame(
            self._standings.order_by(F("place").asc(nulls_last=True), "pk").values_list(
                "evaluation_id",
                "submission__entrant__name",
                "submission__entrant__parameters",
                "submission__published",
                "place",
                "submission__entrant__slug",
            )
        )

    @cached_property
    def passes(self) -> dict[int, Passes]:
        """See `queries.passes_of`."""
        return {} if self.scales else passes_of(self.board)

    @cached_property
    def tokens(self) -> pd.Series:
        """Output tokens per answer by evaluation, as the teams state them."""
        rows = Provenance.objects.filter(
            submission__standings__board=self.board, submission__visibility=Visibility.PUBLISHED
        ).values_list("submission__standings__evaluation", "said")
        return tokens_series(rows.order_by())

    @cached_property
    def scores(self) -> Frame:
        """The board's metric; see `scores_frame`. Excludes scores by turn if `turns` has them."""
        found = self._scores.filter(metric=self.metric)
        if self._has_turns and self.metric in TURN_METRICS:
            found = found.exclude(slice="turn")
        # Scores are stored in the engine's order, which sorts slice values.
        return scores_frame(found.order_by("pk").values_list(*_columns(_SCORES)))

    @cached_property
    def references(self) -> list[tuple[str, float]]:
        """The pass@1 scores of the benchmark's own programs by metric, from the row scored last."""
        found = self._scores.filter(
            of_references=True, slice=OVERALL, metric__endswith="@1", value__isnull=False
        )
        rows = found.order_by("-evaluation__finished", "-evaluation", "pk")
        return reference_list(rows.values_list("evaluation", "metric", "value"))

    @cached_property
    def samples(self) -> Frame:
        """See `samples_frame`. Empty if the board's metric is not based on passes."""
        if self.board.result_metric != PASS:
            return samples_frame([])
        counts = self._counted.values_list("evaluation_id", "n", "c", "open")
        return samples_frame(counts.annotate(times=Count("pk")).order_by())

    @cached_property
    def results(self) -> Frame:
        """See `results_frame`."""
        sums = self._counted.values_list("evaluation_id", "task_id").annotate(
            Sum("n"), Sum("c"), Sum("open")
        )
        return results_frame(sums.order_by())

    @cached_property
    def tasks(self) -> Frame:
        """The revision's tasks without excluded ones, unless results shown still have them; see
        `tasks_frame`."""
        there = Q(exclusion=None) | Q(pk__in=self._counted.values("task"))
        found = Task.objects.filter(there, revision=self.board.revision_id)
        return tasks_frame(found.order_by("number").values_list("pk", "number", "external_id"))

    @property
    def task_url(self) -> str:
        """The address of a task of this board, with "@" in place of its number."""
        revision = self.board.revision
        path = reverse("task", args=[revision.benchmark.slug, 0])
        query = urlencode({"revision": revision.label, "setting": self.board.setting})
        return f"{path.removesuffix('0/')}@/?{query}"

    @property
    def _has_turns(self) -> bool:
        return self.board.setting in (MULTI_TURN, DYNAMIC)

    @property
    def turns_from_one(self) -> bool:
        """Whether turns are counted from 1; otherwise turn 0 is Base."""
        return self.board.setting == DYNAMIC

    @cached_property
    def turns(self) -> Frame:
        """The metrics by turn; see `turns_frame`. Empty without conversations."""
        if not self._has_turns:
            return turns_frame([])
        found = self._scores.filter(metric__in=TURN_METRICS, slice="turn")
        return turns_frame(found.values_list(*_columns(_TURNS)).order_by())

    @cached_property
    def marks(self) -> Frame:
        """See `marks_frame`."""
        if not self.scales:
            return marks_frame([])
        evaluations = dict(self._standings.values_list("submission", "evaluation"))
        scores = self._panels.scores.items()
        by_row = ((evaluations[key], one) for key, found in scores for one in found)
        return marks_frame(
            (key, one.criterion, self.scales[one.criterion], *_published(one))
            for key, one in sorted(by_row, key=lambda pair: self._scale_place(pair[1].criterion))
        )

    @cached_property
    def agreements(self) -> Frame:
        """By campaign in the order of `Panels`; see `agreements_frame`."""
        if not self.scales:
            return agreements_frame([])
        found = [one for one in self._panels.agreements if one.criterion in self.scales]
        order = [campaign.pk for campaign in self._panels.campaigns]
        ordered = sorted(
            found,
            key=lambda one: (order.index(one.campaign_id), self._scale_place(one.criterion)),
        )
        return agreements_frame(
            (
                one.campaign_id,
                one.campaign.title,
                one.criterion,
                one.measure,
                one.value,
                one.low,
                one.high,
                one.lack,
                one.campaign.least_agreement,
            )
            for one in ordered
        )

    @cached_property
    def _panels(self) -> Panels:
        return panels_of(self._standings.values_list("submission", flat=True))

    def _scale_place(self, criterion: str) -> int:
        return list(self.scales).index(criterion)

    @property
    def _standings(self) -> QuerySet[Standing]:
        return Standing.objects.filter(
            board=self.board, submission__visibility=Visibility.PUBLISHED
        )

    @property
    def _scores(self) -> QuerySet[Score]:
        return shown_in(Score.with_replaced.all(), self._standings)

    @property
    def _counted(self) -> QuerySet[TaskResult]:
        return shown_in(TaskResult.with_replaced.all(), self._standings).filter(
            metric=self.board.result_metric, overall=True, value__isnull=True
        )


def rows_frame(values: Iterable[Row]) -> Frame:
    """By evaluation: name, parameters (billions), date of publication, place (NaN if unranked),
    and the entrant's slug."""
    frame = _frame(values, _ROWS).set_index("evaluation")
    frame["published"] = pd.to_datetime(frame["published"], utc=True)
    return frame.astype({"parameters": float, "place": float})


def tokens_series(values: Iterable[Row]) -> pd.Series:
    """Output tokens per answer by evaluation, from (evaluation, statement)."""
    known = {key: each for key, said in values if (each := _tokens_each(said)) is not None}
    return pd.Series(known, dtype=float, name="tokens").rename_axis("evaluation")


def _tokens_each(said: Json) -> float | None:
    """Output tokens per answer, from an unverified statement in the format of
    engine.uploads.header. None if it does not count the tokens of any answer."""
    said = said if isinstance(said, dict) else {}
    tokens = said.get("tokens")
    tokens = tokens if isinstance(tokens, dict) else {}
    found = (said.get("answers"), tokens.get("answers_uncounted", 0), tokens.get("answered"))
    answers, uncounted, total = (one if type(one) is int else -1 for one in found)
    if not 0 <= uncounted < answers or not answers <= total <= _MOST_TOKENS:
        return None
    return total / (answers - uncounted)


def scores_frame(values: Iterable[Row]) -> Frame:
    """Columns evaluation, slice, slice_value, and value, low and high (0..1)."""
    return _frame(values, _SCORES).astype({"value": float, "low": float, "high": float})


def reference_list(values: Iterable[Row]) -> list[tuple[str, float]]:
    """The metrics and values of the first evaluation in `values`."""
    rows = list(values)
    return [(metric, value) for key, metric, value in rows if key == rows[0][0]]


def samples_frame(values: Iterable[Row]) -> Frame:
    """Columns evaluation, n, c, open (unsettled samples) and times, all integers."""
    return _frame(values, _SAMPLES).astype("int64")


def results_frame(values: Iterable[Row]) -> Frame:
    """By evaluation and task: n, c and open, summed over the task's slots."""
    return _frame(values, _RESULTS).astype("int64").set_index(["evaluation", "task"])


def tasks_frame(values: Iterable[Row]) -> Frame:
    """By task: number, and the displayed id."""
    return _frame(values, _TASKS).set_index("task")


def turns_frame(values: Iterable[Row]) -> Frame:
    """Columns metric, evaluation, turn (integer), value, low and high (0..1)."""
    frame = _frame(values, _TURNS).rename(columns={"slice_value": "turn"})
    numbers = dict.fromkeys(("value", "low", "high"), float)
    return frame.astype({**numbers, "turn": "int64"})


def marks_frame(values: Iterable[Row]) -> Frame:
    """Columns evaluation, criterion, top, value, low, high (marks), shares and missing.

    `shares` lists the share of generations per mark from 1 up; `missing` is the share of missing
    generations, which count as mark 1. A provisional mean's numbers are NaN.
    """
    frame = _frame(values, _MARKS)
    numbers = dict.fromkeys(("value", "low", "high", "missing"), float)
    return frame.astype({**numbers, "top": "int64"})


def agreements_frame(values: Iterable[Row]) -> Frame:
    """Columns campaign, title (the campaign's), criterion, measure, value, low, high, lack, least.

    `measure` is "alpha" or "kappa", `lack` the reason for a missing value, `least` the lowest alpha
    at which a mean is published.
    """
    frame = _frame(values, _AGREEMENTS)
    return frame.astype(dict.fromkeys(("value", "low", "high", "least"), float))


def _published(score: PanelScore) -> tuple[Any, ...]:
    if score.holds or score.value is None:
        return None, None, None, None, None
    return score.value, score.low, score.high, score.shares, missing_share(score)


def overall(scores: Frame) -> Frame:
    """By evaluation: value, low and high over all tasks."""
    whole = scores[scores["slice"] == OVERALL]
    return whole.set_index("evaluation")[["value", "low", "high"]]


def _columns(names: Iterable[str]) -> list[str]:
    return ["evaluation_id" if name == "evaluation" else name for name in names]


def _frame(values: Iterable[Row], columns: list[str]) -> Frame:
    return pd.DataFrame.from_records(list(values), columns=columns)
