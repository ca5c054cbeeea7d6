"""A board's published results as DataFrames. Missing and unsettled values are NaN, never zero."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, TypeAlias
from urllib.parse import urlencode

import pandas as pd
from django.db.models import Count, Q, QuerySet, Sum
from django.urls import reverse

from evaluation.engine.instructions import DYNAMIC, MULTI_TURN
from evaluation.engine.metrics.tally import PASS
from evaluation.engine.registry import TURN_METRICS
from leaderboard.benchmarks.models import Task
from leaderboard.boards.panels import Panels, missing_share, panels_of
from leaderboard.boards.queries import scales_of
from leaderboard.boards.scores import OVERALL
from leaderboard.scores.models import Board, Score, Standing, TaskResult, shown_in
from leaderboard.submissions.models import Provenance, Visibility

Frame: TypeAlias = pd.DataFrame
Row: TypeAlias = tuple[Any, ...]

# Statements of more are not plausible.
_MOST_TOKENS = 10**15
_MOST_PRICE = 10**9
_NUMBERS = dict.fromkeys(("value", "low", "high"), "float64")
# The columns of each frame with their types (None: as they are read). Scores are shares of 1, and
# `open` counts unsettled samples.
_COLUMNS: Mapping[str, Mapping[str, str | None]] = {
    # Billions of parameters, the date of publication; NaN: unranked.
    "rows": {"evaluation": None, "name": None, "parameters": "float64", "published": None,
             "place": "float64", "slug": None},
    "scores": {"evaluation": None, "slice": None, "slice_value": None, **_NUMBERS},
    # How often an evaluation has results with these numbers.
    "samples": dict.fromkeys(("evaluation", "n", "c", "open", "times"), "int64"),
    # Summed over the task's slots.
    "results": dict.fromkeys(("evaluation", "task", "n", "c", "open"), "int64"),
    # `id` is the displayed one.
    "tasks": {"task": None, "number": None, "id": None},
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


def frame_of(name: str, values: Iterable[Row]) -> Frame:
    """The frame with this name of `BoardFrames`, from rows in the order of its columns."""
    columns = _COLUMNS[name]
    frame = pd.DataFrame.from_records(list(values), columns=list(columns))
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
        entrant = "submission__entrant__"
        columns = (
            *("evaluation_id", f"{entrant}shown_name", f"{entrant}parameters"),
            *("submission__published", "place", f"{entrant}slug"),
        )
        return frame_of("rows", self._standings.values_list(*columns))

    @cached_property
    def stated(self) -> Frame:
        """See `stated_frame`."""
        rows = Provenance.objects.filter(
            submission__standings__board=self.board, submission__visibility=Visibility.PUBLISHED
        ).values_list("submission__standings__evaluation", "said")
        return stated_frame(rows.order_by())

    @cached_property
    def scores(self) -> Frame:
        """Those of the board's metric, without scores by turn if `turns` has them."""
        scores = self._scores.filter(metric=self.metric)
        if self._has_turns and self.metric in TURN_METRICS:
            scores = scores.exclude(slice="turn")
        # Scores are stored in the engine's order, which sorts slice values.
        columns = ("evaluation_id", "slice", "slice_value", *_NUMBERS)
        return frame_of("scores", scores.order_by("pk").values_list(*columns))

    @cached_property
    def references(self) -> list[tuple[str, float]]:
        """The pass@1 scores of the benchmark's own programs by metric, from the row scored last."""
        scores = self._scores.filter(
            of_references=True, slice=OVERALL, metric__endswith="@1", value__isnull=False
        )
        in_order = scores.order_by("-evaluation__finished", "-evaluation", "pk")
        rows = list(in_order.values_list("evaluation", "metric", "value"))
        return [(metric, value or 0.0) for key, metric, value in rows if key == rows[0][0]]

    @cached_property
    def samples(self) -> Frame:
        """Empty if the board's metric is not based on passes."""
        if self.board.result_metric != PASS:
            return frame_of("samples", [])
        counts = self._counted.values_list("evaluation_id", "n", "c", "open")
        return frame_of("samples", counts.annotate(times=Count("pk")).order_by())

    @cached_property
    def results(self) -> Frame:
        results = self._counted.order_by().values_list("evaluation_id", "task_id")
        return frame_of("results", results.annotate(Sum("n"), Sum("c"), Sum("open")))

    @cached_property
    def tasks(self) -> Frame:
        """The revision's tasks without excluded ones, unless results shown still have them."""
        there = Q(exclusion=None) | Q(pk__in=self._counted.values("task"))
        tasks = Task.objects.filter(there, revision=self.board.revision_id)
        columns = ("pk", "number", "external_id")
        return frame_of("tasks", tasks.order_by("number").values_list(*columns))

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
        """The metrics by turn. Empty without conversations."""
        if not self._has_turns:
            return frame_of("turns", [])
        scores = self._scores.filter(metric__in=TURN_METRICS, slice="turn")
        columns = ("metric", "evaluation_id", "slice_value", *_NUMBERS, "tasks")
        return frame_of("turns", scores.values_list(*columns).order_by())

    @cached_property
    def marks(self) -> Frame:
        """Empty if code is run."""
        if not self.scales:
            return frame_of("marks", [])
        evaluations = dict(self._standings.values_list("submission", "evaluation"))
        rows: list[Row] = []
        for submission, scores in self._panels.scores.items():
            for score in scores:
                numbers: Row = (None,) * 5
                if not score.holds and score.value is not None:
                    missing = missing_share(score)
                    numbers = (score.value, score.low, score.high, score.shares, missing)
                top = self.scales[score.criterion]
                rows.append((evaluations[submission], score.criterion, top, *numbers))
        order = list(self.scales)
        return frame_of("marks", sorted(rows, key=lambda row: order.index(row[1])))

    @cached_property
    def agreements(self) -> Frame:
        """By campaign in the order of `Panels`, then by scale. Empty if code is run."""
        scales = list(self.scales)
        campaigns = [campaign.pk for campaign in self._panels.campaigns]
        agreements = [row for row in self._panels.agreements if row.criterion in scales]
        agreements.sort(key=lambda r: (campaigns.index(r.campaign_id), scales.index(r.criterion)))
        return frame_of(
            "agreements",
            (
                (row.campaign_id, row.campaign.title, row.criterion, row.measure, row.value,
                 row.low, row.high, row.lack, row.campaign.least_agreement)
                for row in agreements
            ),
        )  # fmt: skip

    @cached_property
    def _panels(self) -> Panels:
        if not self.scales:
            return Panels({}, ())
        return panels_of(self._standings.values_list("submission", flat=True))

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


def stated_frame(values: Iterable[Row]) -> Frame:
    """Output `tokens` per answer and the `price` of a thousand answers by evaluation, from
    (evaluation, statement): an unverified one in the format of engine.uploads.decode. NaN without a
    plausible number: tokens of no answer, or no price."""
    rows: dict[Any, tuple[float, float]] = {}
    for key, said in values:
        said = said if isinstance(said, dict) else {}
        parts = (said.get(name) for name in ("tokens", "price"))
        tokens, price = (part if isinstance(part, dict) else {} for part in parts)
        counts = (said.get("answers"), tokens.get("answers_uncounted", 0), tokens.get("answered"))
        answers, uncounted, total = (n if type(n) is int else -1 for n in counts)
        tokens_per_answer = price_per_thousand = float("nan")
        if 0 <= uncounted < answers <= total <= _MOST_TOKENS:
            tokens_per_answer = total / (answers - uncounted)
        cost: Any = price.get("total")
        if type(cost) in (int, float) and 0 < cost <= _MOST_PRICE and answers > 0:
            price_per_thousand = 1000 * cost / answers
        rows[key] = (tokens_per_answer, price_per_thousand)
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=["tokens", "price"], dtype=float)
    return frame.rename_axis("evaluation")


def overall(scores: Frame) -> Frame:
    """By evaluation: value, low and high over all tasks."""
    whole = scores[scores["slice"] == OVERALL]
    return whole.set_index("evaluation")[["value", "low", "high"]]
