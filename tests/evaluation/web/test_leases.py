"""Only one worker at a time works on a row, and none after its lease has expired."""

from __future__ import annotations

import threading
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.utils import timezone

from evaluation.models import Chunk, ChunkState, Evaluation, Worker
from evaluation.state.scheduling import claim_chunk, running
from evaluation.work.installation import too_few_connections
from leaderboard.leases import Pulse, claimed, held, run_out
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


@pytest.mark.django_db(transaction=True)
def test_between_renewals_a_lease_holds_no_connection(
    shared_database: None, evaluation: Evaluation
) -> None:
    found: list[bool] = []

    def renew() -> bool:
        found.append(connection.connection is None)
        return Chunk.objects.exists()

    with Pulse(renew, threading.Event(), every=0.02) as pulse:
        while len(found) < 3:
            pulse.join(0.02)
    assert all(found)


@pytest.mark.postgresql
@pytest.mark.django_db
def test_workers_that_need_more_connections_than_there_are_are_warned_of() -> None:
    now = timezone.now()
    assert too_few_connections(3) == ""
    Worker.objects.bulk_create(
        Worker(name=f"w{n}", host=f"h{n // 8}", queues=["python"], started=now, seen=now)
        for n in range(160)
    )
    assert too_few_connections(8).startswith(
        "PostgreSQL allows 97 connections, and the workers of 21 hosts with the pages may need 367."
    )
    Worker.objects.update(seen=now - timedelta(hours=1))
    assert too_few_connections(8) == ""
