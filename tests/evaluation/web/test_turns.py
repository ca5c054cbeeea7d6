"""Tests of dynamic conversations that a worker holds for a team: their turns are judged as they
come, and the transcripts are accepted when they are replayed."""

import json
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from evaluation import jobs
from evaluation.engine.conversations.replay import turns_of
from evaluation.engine.generation.journal import fingerprint
from evaluation.engine.preparation import store
from evaluation.engine.sandbox import docker
from evaluation.models import Evaluation, EvaluationState, Verdict
from evaluation.state.projects import options
from evaluation.work import generating
from evaluation.work.reconciling import reconcile
from leaderboard.benchmarks.importing import import_revision
from leaderboard.benchmarks.models import Benchmark, TaskExclusion
from leaderboard.generation import runs
from leaderboard.generation.models import Run, RunKey, RunState
from tests.evaluation.engine.families.codeif_repository.cases import ITEMS, TREE, written
from tests.evaluation.engine.preparation.repositories import write
from tests.evaluation.web.conftest import age, closing_connection
from tests.evaluation.web.test_generating import (
    Order,
    checked,
    endpoint,
    journal_of,
    killed_after,
    order,
    worked,
)
from tests.leaderboard.pages.submissions.transcripts import benchmark, score
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import FAMILIES, Cast
from tests.support.endpoint import Endpoint, Messages
from tests.support.transcripts import TASKS, honest, passes, tasks

pytestmark = pytest.mark.any_database

__all__ = ["benchmark", "endpoint", "order"]

PROMPTS = {tasks()[number].public["prompt"]: number for number in TASKS}
TURNS = sum(len(honest()[number]) for number in TASKS)


def answer(messages: Messages) -> str:
    """The sample model's answer at that point of the conversation."""
    turns = honest()[PROMPTS[messages[0]["content"]]]
    return turns[len(messages) // 2].answer


@pytest.fixture
def ask(
    order: Order, endpoint: Endpoint, benchmark: Benchmark, settings: Settings
) -> Iterator[Order]:
    """Orders conversations about two tasks with the sample's model."""
    endpoint.answer = answer
    settings.LEASE_SECONDS = 600
    before = signal.getsignal(signal.SIGTERM)
    yield lambda **more: order(benchmark=benchmark, setting="dynamic", **more)
    signal.signal(signal.SIGTERM, before)


def transcripts(run: Run) -> dict[Any, Any]:
    with run.upload.file.open("rb") as file:
        _header, *lines = map(json.loads, file.read().decode().splitlines())
    return {one["task_id"]: one["messages"] for one in lines}


def answers(run: Run) -> dict[Any, list[str]]:
    said = {task: turns_of(messages) for task, messages in transcripts(run).items()}
    return {task: [turn.answer for turn in turns] for task, turns in said.items()}


def asked_once(endpoint: Endpoint, *, but: int = 0) -> bool:
    """No message was answered twice, except up to `but` that were in flight at an interruption."""
    times = Counter(fingerprint(one.messages) for one in endpoint.answered)
    return len(times) == TURNS and sum(times.values()) <= TURNS + but


def judged(run: Run) -> Evaluation:
    """The run's output, judged by the site like any upload."""
    jobs.store_upload(checked(run).pk)
    evaluation = Evaluation.objects.get()
    for chunk in evaluation.chunks.all():
        jobs.chunk(chunk.pk)
    return score(evaluation)


@pytest.mark.docker
def test_they_are_held_and_taken_as_the_sites(ask: Order, endpoint: Endpoint) -> None:
    run = worked(ask())
    assert (run.state, run.lost, run.total) == (RunState.FINISHED, 0, len(TASKS))
    assert (run.progress["talks"], run.progress["answered"]) == (len(TASKS), TURNS)
    assert asked_once(endpoint)
    assert answers(run) == {task: [turn.answer for turn in honest()[task]] for task in TASKS}
    evaluation = judged(run)
    assert (evaluation.state, evaluation.departures) == (EvaluationState.DONE, [])
    assert evaluation.scores.get(metric="IA", slice="overall").value == pytest.approx(3 / 8)
    # Tests without sandboxes rely on these verdicts.
    for row in Verdict.objects.filter(evaluation=evaluation).select_related("generation__task"):
        task, text = row.generation.task.id_in_dataset, row.generation.text
        assert row.counts is passes(int(task), text, row.test_set)
    submission = evaluation.submission
    assert submission.asked_here
    page = visitor(submission.user).get(submission.get_absolute_url()).text
    assert "as this site requested" in page


@pytest.mark.docker
def test_what_is_hidden_is_judged_by_and_not_told(
    ask: Order, endpoint: Endpoint, benchmark: Benchmark
) -> None:
    limits = {"cpu_seconds": 7.0}
    Benchmark.objects.filter(pk=benchmark.pk).update(shows_output=False, limits=limits)
    benchmark.refresh_from_db()
    run = worked(ask())
    sent = str([one.messages for one in endpoint.requests])
    assert "Your code does not do what was asked for here" in sent
    assert not [word for word in ("Traceback", "AssertionError", "tests ended") if word in sent]
    header = json.loads(run.upload.file.read().decode().splitlines()[0])["generation"]  # type: ignore[union-attr]
    assert header["judged"]["errors_told"] is False
    assert header["judged"]["limits"]["cpu_seconds"] == 7.0
    assert "endpoint" not in header


@pytest.mark.docker
def test_what_is_asked_to_end_and_then_killed_goes_on_and_asks_nothing_again(
    ask: Order, endpoint: Endpoint, benchmark: Benchmark
) -> None:
    """CodeIF-Bench hides no test: feedback quotes the failure."""
    assert benchmark.shows_output

    def ending(messages: Messages) -> str:
        if len(endpoint.requests) == 3:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(1)
        return answer(messages)

    endpoint.answer = ending
    run = worked(ask(width=1))
    assert (run.state, run.tries, RunKey.objects.exists()) == (RunState.WAITING, 0, True)
    assert left_over(run) == []
    lines = journal_of(run)[1:]
    assert (sum("answer" in one for one in lines), sum("row" in one for one in lines)) == (2, 2)
    endpoint.answer = answer
    claimed = runs.claim_run(pk=run.pk, owner="the one that is killed")
    assert claimed is not None
    killed_after(2, generating.prepared(claimed))
    age(claimed)
    reconcile()
    run = worked(run)
    assert (run.state, run.progress["kept"]) == (RunState.FINISHED, 4)
    assert asked_once(endpoint, but=2)
    assert left_over(run) == []
    assert answers(run) == {task: [turn.answer for turn in honest()[task]] for task in TASKS}
    assert "Traceback (most recent call last)" in str(transcripts(run))


def left_over(run: Run) -> list[Any]:
    """Sandboxes of the run."""
    found = docker.client().api.containers(all=True, filters={"label": f"assay.run={run.pk}"})
    return list(found)


@pytest.mark.docker
def test_one_that_a_person_stops_asks_and_judges_no_more(
    shared_database: None, ask: Order, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generating, "NOTED_SECONDS", 0.05)
    run, over = ask(width=1), Event()

    def stopping(messages: Messages) -> str:
        if len(endpoint.requests) == 2:
            assert closing_connection(lambda: runs.stop_run(run=run))()
            over.wait(60)  # however long it takes the worker to see it
        return answer(messages)

    endpoint.answer = stopping
    run = worked(run)
    over.set()
    assert (run.state, run.upload, RunKey.objects.exists()) == (RunState.STOPPED, None, False)
    assert (len(endpoint.requests), left_over(run)) == (2, [])


@pytest.fixture
def no_docker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    docker.client.cache_clear()
    yield
    docker.client.cache_clear()


def test_a_worker_without_docker_puts_it_off_and_says_so(
    no_docker: None, ask: Order, endpoint: Endpoint, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "AWAY_SECONDS", 0.1)
    run = ask()
    for _ in range(runs.MOST_TRIES + 1):
        run = worked(run)
        assert (run.state, run.tries, RunKey.objects.exists()) == (RunState.WAITING, 0, True)
    assert endpoint.requests == []
    page = visitor(cast.alice).get(run.get_absolute_url()).text
    assert "it is retried automatically. connecting to Docker" in page


@pytest.mark.docker
def test_verdicts_that_are_lost_put_it_off_and_in_the_end_it_is_given_up(
    ask: Order, endpoint: Endpoint, benchmark: Benchmark
) -> None:
    """No sandbox opens in so little memory."""
    Benchmark.objects.filter(pk=benchmark.pk).update(limits={"memory": 2**20})
    benchmark.refresh_from_db()
    run = worked(ask())
    assert (run.state, run.tries) == (RunState.WAITING, 1)
    assert "memory limit must be at least" in run.cause
    for _ in range(runs.MOST_TRIES - 1):
        run = worked(run)
    assert (run.state, RunKey.objects.exists()) == (RunState.FAILED, False)
    assert len(endpoint.requests) == len(TASKS), "the answers are kept"


@pytest.fixture
def harbour(settings: Settings, tmp_path: Path) -> Benchmark:
    """A benchmark with one project, whose sources this host does not have."""
    settings.PROJECTS = settings.PROJECTS | {
        "ASSAY_SOURCE_TREES": str(tmp_path / "veiled-trees"),
        "ASSAY_PROJECTS_DIR": str(tmp_path / "projects"),
    }
    file = FAMILIES / "codeif_repository/sample/tasks.jsonl"
    return import_revision(
        family_slug="codeif_repository", tasks=file, answers=None, label="s"
    ).benchmark


@pytest.mark.docker
@pytest.mark.parametrize("variables", [{}, {"ASSAY_PROJECTS_GB": "veiled"}])
def test_a_project_that_cannot_be_made_ready_ends_it_without_telling_why(
    order: Order,
    endpoint: Endpoint,
    harbour: Benchmark,
    settings: Settings,
    variables: dict[str, str],
) -> None:
    settings.PROJECTS = settings.PROJECTS | variables
    run = worked(order(benchmark=harbour, setting="dynamic"))
    assert (run.state, endpoint.requests) == (RunState.FAILED, [])
    assert run.cause.startswith("The turns of this benchmark's conversations cannot be judged here")
    assert "veiled" not in run.cause and "TREES" not in run.cause


@pytest.mark.docker
def test_tasks_that_are_left_out_need_no_project(
    order: Order, endpoint: Endpoint, harbour: Benchmark
) -> None:
    for task in harbour.current.tasks.all():
        TaskExclusion.objects.create(task=task, reason="no sources")
    run = worked(order(benchmark=harbour, setting="dynamic"))
    assert (run.state, run.total, endpoint.requests) == (RunState.FINISHED, 0, [])


# Functions of a real project: it is prepared, each turn is judged in it.

PROJECT = "Sailing/harbour"
PLAIN = "def metres(feet):\n    return round(feet * 0.3048, 2)\n"
REFUSES = """def metres(feet):
    if feet < 0:
        raise ValueError(feet)
    return round(feet * 0.3048, 2)
"""
ANNOTATED = REFUSES.replace("(feet):", "(feet: float) -> float:")
# Answers in order: after Exception Handling, annotations are asked for twice.
TALKS = {"metres": [PLAIN, REFUSES, REFUSES, ANNOTATED], "is_afloat": [ITEMS[1]["code"]]}


def answer_in_project(messages: Messages) -> str:
    name = next(name for name in TALKS if f"'{name}'" in messages[0]["content"])
    return f"Here:\n```python\n{TALKS[name][len(messages) // 2]}```\n"


@pytest.fixture
def project(db: None, tmp_path: Path, settings: Settings) -> Iterator[Benchmark]:
    """The sample, whose project is a tree of the operator's."""
    settings.LEASE_SECONDS = 600
    settings.PROJECTS = settings.PROJECTS | {
        "ASSAY_SOURCE_TREES": str(tmp_path / "trees"),
        "ASSAY_PROJECTS_DIR": str(tmp_path / "projects"),
    }
    write(tmp_path / "trees" / PROJECT, TREE)
    source = {"build_command": "pip install pytest", "requires": ["radon", "pytest"]}
    (tmp_path / "sources.json").write_text(json.dumps({PROJECT: source}))
    file = written(tmp_path, *ITEMS)
    yield import_revision(
        family_slug="codeif_repository", tasks=file, answers=None, label="sample"
    ).benchmark
    store.evict(replace(options(), most_bytes=0))


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_they_are_held_in_the_project_and_taken(
    order: Order, endpoint: Endpoint, project: Benchmark
) -> None:
    def ending(messages: Messages) -> str:
        if len(endpoint.requests) == 3:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(1)
        return answer_in_project(messages)

    endpoint.answer = ending
    before = signal.getsignal(signal.SIGTERM)
    try:
        run = worked(order(benchmark=project, setting="dynamic", width=1))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (run.state, run.tries, left_over(run)) == (RunState.WAITING, 0, []), run.cause
    run = worked(run)
    assert (run.state, run.total, run.progress["kept"]) == (RunState.FINISHED, 2, 2), run.cause
    said = {task: messages[1::2] for task, messages in transcripts(run).items()}
    assert [len(answers) for answers in said.values()] == [4, 1]
    assert judged(run).state == EvaluationState.DONE
