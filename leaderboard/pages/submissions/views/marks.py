"""A task's verdicts in rows of marks, aligned by sample, whatever page its generations are on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from django.db.models import Case, QuerySet, When

from evaluation.engine.records import counts
from evaluation.models import Evaluation, Verdict
from leaderboard.benchmarks.models import Task
from leaderboard.fields import turn_of
from leaderboard.submissions.models import Generation, Submission


class Mark(NamedTuple):
    """The verdict on the tests that setting and slot imply; "" without one. `page` is the page that
    shows it."""

    pk: int
    number: int
    status: str
    integrity: str
    page: int


class MarksRow(NamedTuple):
    """A mark per number, None where the sample is missing."""

    turn: int | None
    requirement: str
    marks: Sequence[Mark | None]


@dataclass(frozen=True, slots=True)
class Marks:
    """`first` is the first generation that fails a requirement. The pages begin with it."""

    numbers: Sequence[int]
    rows: Sequence[MarksRow]
    first: int | None

    @property
    def shown(self) -> bool:
        marks = [mark for row in self.rows for mark in row.marks if mark]
        return len(marks) > 1 and any(mark.status for mark in marks)


def in_order(rows: QuerySet[Generation], first: int | None = None) -> QuerySet[Generation]:
    leads = [] if first is None else [Case(When(pk=first, then=0), default=1)]
    return rows.order_by(*leads, "turn", "requirement", "sample")


def marks_of(
    submission: Submission, task: Task, evaluation: Evaluation | None, per_page: int
) -> Marks:
    """Runs two queries."""
    rows = Verdict.objects.of_generations().filter(evaluation=evaluation, generation__task=task)
    verdicts = {
        pk: (status, integrity)
        for pk, status, integrity in rows.values_list("generation", "status", "integrity")
    }
    generations = in_order(Generation.objects.filter(submission=submission, task=task))
    slots = list(generations.values_list("turn", "requirement", "sample", "pk"))
    failing = (
        pk
        for _, requirement, _, pk in slots
        if requirement and pk in verdicts and not counts(*verdicts[pk])
    )
    first = next(failing, None)
    shown = sorted(slots, key=lambda slot: slot[-1] != first)
    marks = {
        (turn, requirement, sample): Mark(
            pk, sample + 1, *verdicts.get(pk, ("", "")), page=place // per_page + 1
        )
        for place, (turn, requirement, sample, pk) in enumerate(shown)
    }
    samples = sorted({sample for _, _, sample, _ in slots})
    lines = [
        MarksRow(
            turn_of(turn),
            requirement,
            [marks.get((turn, requirement, sample)) for sample in samples],
        )
        for (turn, requirement), _ in groupby(slots, lambda slot: slot[:2])
    ]
    return Marks([sample + 1 for sample in samples], lines, first)
