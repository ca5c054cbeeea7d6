"""Only one worker at a time works on a row, and none after its lease has expired."""

from __future__ import annotations

from functools import partial

import pytest

from evaluation.models import Chunk, ChunkState, Evaluation
from evaluation.state.scheduling import claim_chunk, running
from leaderboard.leases import claimed, held, run_out
from tests.evaluation.web.conftest import age, at_once


def waiting(evaluation: Evaluation) -> Chunk:
    found = evaluation.chunks.filter(state=ChunkState.WAITING).order_by("number").first()
    assert found is not None
    return found


def test_a_claim_raises_the_attempt_and_names_the_owner(evaluation: Evaluation) -> None:
    chunk = claimed(Chunk.objects.all(), pk=waiting(evaluation).pk, owner="one", state="running")
    assert chunk is not None
    assert (chunk.attempt, chunk.owner, chunk.state) == (1, "one", ChunkState.RUNNING)
    assert held(Chunk.objects.all(), chunk).count() == 1


def test_a_row_in_another_state_is_not_claimed(evaluation: Evaluation) -> None:
    key = waiting(evaluation).pk
    done = Chunk.objects.filter(state=ChunkState.DONE)
    assert claimed(done, pk=key, owner="one") is None
    assert Chunk.objects.get(pk=key).attempt == 0


def test_who_holds_an_older_attempt_holds_nothing(evaluation: Evaluation) -> None:
    rows = Chunk.objects.filter(evaluation=evaluation)
    older = claimed(rows, pk=waiting(evaluation).pk, owner="one")
    assert older is not None
    newer = claimed(rows, pk=older.pk, owner="two")
    assert newer is not None
    assert [held(rows, row).count() for row in (older, newer)] == [0, 1]


def test_a_lease_that_ran_out_is_held_by_nobody(evaluation: Evaluation) -> None:
    rows = Chunk.objects.filter(evaluation=evaluation)
    chunk = claimed(rows, pk=waiting(evaluation).pk, owner="one")
    assert chunk is not None
    assert run_out(rows).count() == 0
    age(chunk)
    assert held(rows, chunk).count() == 0
    assert run_out(rows).get() == chunk


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_gets_the_chunk(shared_database: None, evaluation: Evaluation) -> None:
    for chunk in evaluation.chunks.all():
        claims = at_once(
            *(partial(claim_chunk, pk=chunk.pk, owner=name, host="here") for name in "abcd")
        )
        winners = [claim for claim in claims if claim is not None]
        assert [(one.attempt, running(one).count()) for one in winners] == [(1, 1)]
