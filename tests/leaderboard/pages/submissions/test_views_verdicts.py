"""Tests of the file of verdicts."""

import json
from typing import Any

import pytest
from django.urls import reverse

from leaderboard.benchmarks.models import Benchmark
from leaderboard.submissions.models import Submission
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database

EVERYONES = {"task_id", "sample", "status", "integrity", "tier", "duration_ms"}
DETAILS = {"tests_passed", "tests_total", "control_ms", "peak_memory_kib", "flags"}


def lines(cast: Cast, submission: Submission, person: str | None) -> list[dict[str, Any]]:
    client = visitor(getattr(cast, person) if person else None)
    answer = client.get(reverse("submission-verdicts", args=[submission.pk]))
    return [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]  # type: ignore[attr-defined]


def test_with_hidden_tests_only_staff_get_more_than_status_and_duration(cast: Cast) -> None:
    submission = cast.judged_submission(cast.entrant(), output="x")

    def columns(person: str | None) -> set[str]:
        rows = lines(cast, submission, person)
        assert len(rows) == 36
        return {name for row in rows for name in row}

    assert [columns(person) for person in (None, "charlie", "bob")] == [EVERYONES] * 3
    assert columns("dora") == EVERYONES | DETAILS
    Benchmark.objects.update(shows_output=True)
    assert columns(None) == EVERYONES | DETAILS


def test_lines_stand_in_the_order_of_the_upload_and_name_the_place(cast: Cast) -> None:
    Benchmark.objects.filter(pk=cast.codeif.pk).update(shows_output=False)
    submission = cast.judged_submission(
        cast.entrant(), benchmark=cast.codeif, setting="two_round", samples=1
    )
    first = submission.generations.order_by("pk").select_related("task")[0]
    assert lines(cast, submission, "bob")[0] == {
        "task_id": first.task.id_in_dataset,
        "sample": 0,
        "requirement": first.requirement,
        "turn": 1,
        "status": "passed",
        "integrity": "clean",
        "tier": "outside",
        "duration_ms": 20,
    }
