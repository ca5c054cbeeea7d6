"""The verdicts of an evaluation as JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from evaluation.models import Evaluation, Verdict
from leaderboard.fields import NO_TURN

ROWS_AT_ONCE = 2000
# The columns of the file of verdicts.
EVERYONES = ("status", "integrity", "tier", "duration_ms", "dependencies")
DETAILS = ("tests_passed", "tests_total", "control_ms", "peak_memory_kib", "flags")
PLACE = (
    "generation__task__external_id",
    "generation__task__id_is_number",
    "generation__sample",
    "generation__requirement",
    "generation__turn",
    "test_set",
)


def verdict_lines(evaluation: Evaluation, *, details: bool) -> Iterator[str]:
    """In the order of the upload. `details` as in Rights."""
    columns = EVERYONES + (DETAILS if details else ())
    verdicts = Verdict.objects.filter(evaluation=evaluation).order_by("generation", "test_set")
    for row in verdicts.values(*PLACE, *columns).iterator(ROWS_AT_ONCE):
        task, is_number, sample, requirement, turn, test_set = map(row.pop, PLACE)
        place: dict[str, Any] = {"task_id": int(task) if is_number else task, "sample": sample}
        if requirement:
            place["requirement"] = requirement
        if turn != NO_TURN:
            place["turn"] = turn
        if test_set:
            place["test_set"] = test_set
        if row["dependencies"] is None:
            del row["dependencies"]
        yield json.dumps(place | row, ensure_ascii=False) + "\n"
