"""In conversations each generation is judged by several sets of tests separately."""

from collections import Counter

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from evaluation.engine import records
from evaluation.models import Chunk, Evaluation
from evaluation.state import scheduling
from evaluation.state.progress import progress
from evaluation.state.units import open_units
from evaluation.work.actions import open_evaluation
from evaluation.work.chunks import store_verdicts
from tests.evaluation.web.test_scheduling import claim, lose
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database


@pytest.fixture
def talked(cast: Cast, settings: Settings) -> Evaluation:
    """45 turns of 12 conversations, in chunks of at most 40 runs."""
    settings.LEASE_SECONDS, settings.CHUNK_SECONDS = 600, 12
    sent = cast.submission(
        cast.entrant(), benchmark=cast.codeif, setting="multi_turn", samples=1, text="raise"
    )
    return open_evaluation(submission=sent)


def stored(chunk: Chunk, runs: int) -> None:
    """Stores verdicts for the chunk's next runs, as its worker does."""
    units = open_units(chunk)[:runs]
    keys = {row.key_of(row.task_id): row.pk for row, _ in units}
    passes = [
        records.Verdict(row.key_of(row.task_id), records.Status.PASSED, test_set)
        for row, test_set in units
    ]
    store_verdicts(chunk=chunk, verdicts=passes, generations=keys)


def test_chunks_are_cut_by_runs_and_keep_a_generations_together(talked: Evaluation) -> None:
    chunks = list(talked.chunks.order_by("number"))
    assert sum(chunk.size for chunk in chunks) == talked.submission.generations_count
    assert all(chunk.size < chunk.runs <= 40 for chunk in chunks)
    for chunk in chunks:
        units = open_units(chunk)
        assert len(units) == chunk.runs
        assert len({unit.generation for unit in units}) == chunk.size


def test_a_chunks_generations_are_counted_beside_its_runs(
    talked: Evaluation, client: Client, cast: Cast
) -> None:
    chunk = claim(talked)
    runs = [unit.test_set for unit in open_units(chunk)][:20]
    stored(chunk, 20)
    now = progress(talked)
    assert (now.runs_done, now.judged) == (20, runs.count(""))
    assert (now.runs, now.total) == (
        sum(chunk.runs for chunk in talked.chunks.all()),
        talked.submission.generations_count,
    )
    assert now.chunks[0].judged == runs.count("")
    client.force_login(cast.alice)
    page = client.get(talked.submission.get_absolute_url()).content.decode()
    assert f"{now.judged} of {now.total} · 20 of {now.runs} runs" in page


def test_what_is_lost_is_lost_run_by_run(talked: Evaluation) -> None:
    first = claim(talked)
    stored(first, 3)
    assert scheduling.give_back_chunk(chunk=first, cause="", counts=False)
    talked.chunks.update(not_before=None)
    lost = lose(talked)
    statuses = Counter(talked.verdicts.values_list("status", flat=True))
    assert statuses == {"passed": 3, "not_run": lost.runs - 3}
    assert scheduling.retry_lost(evaluation=talked)
    assert len(open_units(lost)) == lost.runs - 3
