"""Tests of transcripts through the whole site: uploaded by the form, their turns judged in real
sandboxes, and accepted, or rejected in the turn that was forged."""

import pytest
from pytest_django.fixtures import Settings

from evaluation.models import ChunkState, EvaluationState
from leaderboard.benchmarks.models import Benchmark
from tests.evaluation.web.test_scheduling import judge_waiting
from tests.leaderboard.pages.submissions.transcripts import benchmark, score, submitted
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import Cast
from tests.support.transcripts import FORGED, FORGERIES, forged

__all__ = ["benchmark"]

pytestmark = [
    pytest.mark.docker,
    pytest.mark.timeout(900),
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database,
]


def test_a_forged_one_is_refused_and_the_page_names_task_and_turn(
    shared_database: None, cast: Cast, benchmark: Benchmark, settings: Settings
) -> None:
    """The command line's tests judge every kind of forgery."""
    settings.LEASE_SECONDS = 600
    (forgery,) = (one for one in FORGERIES if one.name == "pass_claimed")
    evaluation = submitted(benchmark, cast.alice, cast.entrant(), forged(forgery))
    chunks = judge_waiting(evaluation)
    assert {chunk.state for chunk in chunks} == {ChunkState.DONE}, chunks[0].cause
    evaluation = score(evaluation)
    assert evaluation.state == EvaluationState.REFUSED
    assert not evaluation.scores.exists()
    page = visitor(cast.alice).get(evaluation.submission.get_absolute_url()).text
    assert f"Task {FORGED}</a>: Turn {forgery.turn} " in page
    assert forgery.told in page
