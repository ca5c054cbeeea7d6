"""Tests of chunks by project: generations of one project are judged together, and wait for staff if
the project cannot be prepared."""

import pytest
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from evaluation.models import Chunk, ChunkState, Evaluation
from evaluation.state import scheduling, units
from evaluation.state.progress import progress
from evaluation.state.scheduling import lost_with
from evaluation.state.units import generations_of, open_units
from evaluation.work import actions
from evaluation.work.reconciling import reconcile
from leaderboard.benchmarks.models import Benchmark
from tests.evaluation.web.test_scheduling import claim
from tests.support.cast import Cast
from tests.support.in_projects import in_projects, keep

pytestmark = pytest.mark.any_database

__all__ = ["in_projects"]


def opened(cast: Cast, benchmark: Benchmark, **more: int) -> Evaluation:
    submission = cast.submission(cast.entrant(), benchmark=benchmark, **more)
    return actions.open_evaluation(submission=submission)


@pytest.fixture
def evaluation(cast: Cast, in_projects: Benchmark, settings: Settings) -> Evaluation:
    """36 generations, 12 in each of three projects, in chunks of five."""
    settings.CHUNK_SECONDS = 5 * units.PROJECT_SECONDS
    return opened(cast, in_projects)


def cut(evaluation: Evaluation) -> list[tuple[str, int]]:
    chunks = evaluation.chunks.order_by("number")
    return [(chunk.project.partition("@")[0], chunk.size) for chunk in chunks]


def test_a_chunk_is_of_one_project_and_projects_take_turns(evaluation: Evaluation) -> None:
    turn = ["nobody/one", "nobody/two", "nobody/three"]
    assert cut(evaluation) == [(name, size) for size in (5, 5, 2) for name in turn]
    assert set(evaluation.chunks.values_list("queue", flat=True)) == {"repository"}
    found = [
        (row.pk, chunk.project == row.task.project)
        for chunk in evaluation.chunks.all()
        for row in generations_of(chunk).select_related("task")
    ]
    every = evaluation.submission.generations.values_list("pk", flat=True)
    assert sorted(found) == [(pk, True) for pk in sorted(every)]


def test_only_some_projects_take_turns(
    cast: Cast, in_projects: Benchmark, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CHUNK_SECONDS = 6 * units.PROJECT_SECONDS
    monkeypatch.setattr(units, "IN_TURNS", 2)
    names = [name.removeprefix("nobody/") for name, _size in cut(opened(cast, in_projects))]
    assert names == ["one", "two", "one", "two", "three", "three"]


def test_the_references_time_decides_on_the_size(
    cast: Cast, in_projects: Benchmark, settings: Settings
) -> None:
    settings.CHUNK_SECONDS = 12
    assert in_projects.current is not None
    keep(in_projects.current)
    # Two seconds for the solution, two for its control.
    assert {size for _name, size in cut(opened(cast, in_projects))} == {3}


def test_an_evaluation_of_any_size_is_opened_in_as_many_queries(
    cast: Cast, in_projects: Benchmark, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for samples in (1, 10):
        submission = cast.submission(
            cast.entrant(f"Larch {samples}"), benchmark=in_projects, samples=samples
        )
        with django_assert_num_queries(7):
            actions.open_evaluation(submission=submission)


# --- A project that cannot be made --------------------------------------------------------


def lose(evaluation: Evaluation) -> Chunk:
    chunk = claim(evaluation)
    assert scheduling.lose_chunk(chunk=chunk, cause="veiled: no such commit")
    chunk.refresh_from_db()
    return chunk


def test_a_chunk_whose_project_cannot_be_made_waits_for_staff(evaluation: Evaluation) -> None:
    chunk = lose(evaluation)
    lost = ChunkState.LOST, None, "veiled: no such commit"
    assert (chunk.state, chunk.not_before, chunk.cause) == lost
    assert list(evaluation.verdicts.values_list("status", flat=True)) == ["not_run"] * 5
    assert list(lost_with(evaluation.submission.revision.benchmark)) == [chunk]
    assert not scheduling.lost_and_due().exists()
    reconcile()
    chunk.refresh_from_db()
    assert chunk.state == ChunkState.LOST
    said = " ".join(progress(evaluation).remarks)
    assert "The site's staff have to fix it" in said
    assert "within the hour" not in said and "veiled" not in said


def test_once_mended_it_is_judged(evaluation: Evaluation) -> None:
    chunk = lose(evaluation)
    assert scheduling.retry_lost(evaluation=evaluation)
    chunk.refresh_from_db()
    assert (chunk.cause, chunk.given_back) == ("", None), "it was for staff alone"
    again = claim(evaluation)
    assert (again, len(open_units(again))) == (chunk, 5)
    assert not lost_with(evaluation.submission.revision.benchmark).exists()


def test_who_lost_its_claim_loses_no_chunk(evaluation: Evaluation) -> None:
    chunk = claim(evaluation)
    assert scheduling.cancel(evaluation=evaluation)
    assert not scheduling.lose_chunk(chunk=chunk, cause="too late")
    assert not evaluation.verdicts.exists()


def test_what_the_images_were_made_from_stands_for_the_evaluation(
    cast: Cast, evaluation: Evaluation
) -> None:
    for base in ("python:3.9", "debian:12"):
        chunk = claim(evaluation)
        assert scheduling.note_image(chunk=chunk, image="", digest="sha256:1", base=base)
    cast.judge(evaluation)
    cast.score(evaluation)
    evaluation.refresh_from_db()
    assert evaluation.image == "debian:12; python:3.9"
