"""Tests of transcripts through the whole site: uploaded by the form, their turns judged in real
sandboxes, and accepted, or rejected in the turn that was forged."""

from __future__ import annotations

import threading

import pytest
from pytest_django.fixtures import Settings

from evaluation.models import ChunkState, Evaluation, EvaluationState, Verdict
from evaluation.state import scheduling
from evaluation.work import chunks
from leaderboard.benchmarks.models import Benchmark
from tests.evaluation.web.test_scheduling import claim
from tests.leaderboard.pages.submissions.transcripts import (
    Talks,
    benchmark,
    honest_talks,
    score,
    submitted,
)
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import Cast
from tests.support.transcripts import FORGED, FORGERIES, forged, passes

__all__ = ["benchmark"]

pytestmark = [
    pytest.mark.docker,
    pytest.mark.timeout(900),
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database,
]


def judged(cast: Cast, benchmark: Benchmark, talks: Talks) -> Evaluation:
    evaluation = submitted(benchmark, cast.alice, cast.entrant(), talks)
    while scheduling.waiting_chunks().exists():
        chunk = claim(evaluation)
        chunks.judge_chunk(chunk=chunk, stop=threading.Event())
        chunk.refresh_from_db()
        assert chunk.state == ChunkState.DONE, chunk.cause
    return score(evaluation)


@pytest.fixture(autouse=True)
def patient(settings: Settings) -> None:
    settings.LEASE_SECONDS = 600


def test_an_honest_transcript_is_taken(
    shared_database: None, cast: Cast, benchmark: Benchmark
) -> None:
    evaluation = judged(cast, benchmark, honest_talks())
    assert evaluation.state == EvaluationState.DONE
    assert evaluation.scores.get(metric="IA", slice="overall").value == pytest.approx(3 / 8)
    # Tests without sandboxes rely on these verdicts.
    for row in Verdict.objects.filter(evaluation=evaluation).select_related("generation__task"):
        task, text = row.generation.task.id_in_dataset, row.generation.text
        assert row.counts is passes(int(task), text, row.test_set)


def test_a_forged_one_is_refused_and_the_page_names_task_and_turn(
    shared_database: None, cast: Cast, benchmark: Benchmark
) -> None:
    """The command line's tests judge every kind of forgery."""
    (forgery,) = (one for one in FORGERIES if one.name == "pass_claimed")
    evaluation = judged(cast, benchmark, forged(forgery))
    assert evaluation.state == EvaluationState.REFUSED
    assert not evaluation.scores.exists()
    page = visitor(cast.alice).get(evaluation.submission.get_absolute_url()).text
    assert f"Task {FORGED}</a>: Turn {forgery.turn} " in page
    assert forgery.told in page
