"""A worker asks an endpoint for a team's run, and the answers are processed as an upload."""

import fcntl
import json
import logging
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core import serializers
from django.utils.translation import override
from django_rq import get_queue
from pytest_django.fixtures import Settings

from evaluation import jobs
from evaluation.engine.family import Sampling
from evaluation.engine.generation.answers import Patience, Price
from evaluation.engine.generation.asking import Tally
from evaluation.engine.generation.session import Session
from evaluation.engine.sandbox import docker
from evaluation.models import Evaluation
from evaluation.work import actions, generating
from evaluation.work.bells import GENERATION
from evaluation.work.installation import worker_queues
from evaluation.work.reconciling import reconcile
from evaluation.work.workers import JOBS
from leaderboard.benchmarks.importing import import_revision
from leaderboard.benchmarks.models import TaskHidden
from leaderboard.generation import runs
from leaderboard.generation.models import Run, RunKey, RunState
from leaderboard.messages import ANSWERS_LARGE, in_readers_language
from leaderboard.pages.generation.views import RunFigures
from leaderboard.submissions.intake import Understood
from leaderboard.submissions.models import Upload, UploadState
from tests.support.cast import FAMILIES, Cast
from tests.support.endpoint import Endpoint, serving
from tests.support.ordering import KEY, ordered
from tests.support.valkey import Queue
from tests.support.wordings import WORDING

pytestmark = pytest.mark.any_database

QUICK = Patience(tries=2, first=0.01, most=0.02)
TASKS = 12
Order = Callable[..., Run]


@pytest.fixture
def endpoint(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An endpoint of the operator that is listed in ENDPOINTS."""
    settings.MEDIA_ROOT = tmp_path
    settings.ENDPOINT_RUNS = 1
    monkeypatch.setattr(generating, "PATIENCE", QUICK)
    # On SQLite a test's transaction is not shared with other threads, such as the heartbeat's.
    monkeypatch.setattr(generating, "NOTED_SECONDS", 60)
    with serving(Endpoint(lambda _: "    return None")) as scripted:
        settings.ENDPOINTS = [scripted.url.removesuffix("/v1")]
        yield scripted


@pytest.fixture
def order(cast: Cast, endpoint: Endpoint) -> Order:
    entrant = cast.entrant()
    return lambda **more: ordered(cast, endpoint=endpoint.url, entrant=entrant, **more)


def worked(run: Run) -> Run:
    jobs.generate(run.pk)
    run.refresh_from_db()
    return run


def checked(run: Run) -> Upload:
    jobs.check_upload(run.upload.pk)
    run.upload.refresh_from_db()
    return run.upload


def test_answers_become_an_upload_with_its_header(order: Order, endpoint: Endpoint) -> None:
    run = worked(order(price=Price(1.0, 2.0), sampling=Sampling(samples=2, temperature=0.5)))
    assert (run.state, run.lost, run.total) == (RunState.FINISHED, 0, 2 * TASKS)
    asked = len(endpoint.requests)
    jobs.generate(run.pk)
    assert len(endpoint.requests) == asked, "it is worked on once"
    upload = checked(run)
    assert upload.state == UploadState.CONFIRMED, "it goes to judging by itself"
    understood = Understood.from_upload(upload)
    assert (understood.generations, understood.tasks_seen) == (2 * TASKS, TASKS)
    header = dict(understood.header or {})
    assert (header["model"], header["samples"], header["answers"]) == ("veiled-model", 2, 24)
    assert header["sampling"]["temperature"] == 0.5
    assert header["price"]["total"] == pytest.approx(24 * (7 + 2 * 3) / 1e6)
    assert header["revision"] == "sample"
    # All may read the header.
    assert "127.0.0.1" not in json.dumps(upload.report)
    assert "127.0.0.1" not in upload.file.read().decode()
    jobs.store_upload(upload.pk)
    assert Evaluation.objects.get().submission.generations_count == 2 * TASKS


@pytest.mark.parametrize(
    ("judge", "state"), [(True, UploadState.CONFIRMED), (False, UploadState.CHECKED)]
)
def test_answers_go_to_judging_unless_somebody_wants_to_look_first(
    order: Order, judge: bool, state: UploadState
) -> None:
    upload = checked(worked(order(judge=judge)))
    assert upload.state == state
    # A worker that died after the check leaves the rest to the reconciler.
    Upload.objects.update(state=UploadState.CHECKED)
    reconcile()
    upload.refresh_from_db()
    assert upload.state == state


def test_nothing_hidden_is_told_to_an_endpoint(
    order: Order, endpoint: Endpoint, cast: Cast
) -> None:
    run = order()
    for row in TaskHidden.objects.all():
        row.hidden = dict.fromkeys(row.hidden, "veiled")
        row.save()
    worked(run)
    assert len(endpoint.requests) == TASKS
    assert "veiled" not in str([one.messages for one in endpoint.requests])


def test_conversations_of_many_turns_are_held(cast: Cast, order: Order) -> None:
    run = worked(order(benchmark=cast.codeif, setting="multi_turn", history="full"))
    understood = Understood.from_upload(checked(run))
    assert (run.state, understood.problems, understood.missing) == (RunState.FINISHED, (), ())


def test_a_revision_s_wording_is_what_is_asked(
    cast: Cast, order: Order, endpoint: Endpoint
) -> None:
    run = order(benchmark=cast.codeif, setting="single_round")
    run.revision.prompts = WORDING
    run.revision.save()
    header = dict(Understood.from_upload(checked(worked(run))).header or {})
    asked = [one.messages[-1]["content"] for one in endpoint.requests]
    assert asked and all(text.startswith("Kindly write it.") for text in asked)
    assert all("Besides: " in text for text in asked)
    assert header["prompts"] == "the revision's"


@pytest.mark.parametrize("slug", ["realcode", "realcode_java"])
def test_public_parts_are_enough_for_a_benchmark_of_projects(order: Order, slug: str) -> None:
    tasks = FAMILIES / slug / "sample" / "tasks.jsonl"
    imported = import_revision(family_slug=slug, tasks=tasks, answers=None, label="s")
    assert runs.asked_settings(imported.benchmark) == ("base",)
    assert generating.prepared(order(benchmark=imported.benchmark)).tally.total > 0


def test_a_refused_key_fails_the_run_which_goes_on_and_asks_nothing_twice(
    order: Order, endpoint: Endpoint
) -> None:
    endpoint.mishap = lambda number: "401" if number > 5 else ""
    run = worked(order(width=1))
    assert (run.state, RunKey.objects.exists()) == (RunState.FAILED, False)
    assert (run.progress["answered"], KEY in run.cause) == (5, False)
    assert "HTTP 401" in run.cause
    with override("ru"):
        assert in_readers_language(run.cause).startswith("Эндпоинт отказывает: HTTP 401")
    endpoint.mishap = lambda _: ""
    assert actions.resume_run(run=run, key=KEY)
    run = worked(run)
    assert (run.state, run.progress["kept"]) == (RunState.FINISHED, 5)
    asked = [str(one.messages) for one in endpoint.answered]
    assert len(asked) == len(set(asked)) == TASKS


def test_why_a_message_was_sent_again_is_told_in_the_reader_s_language(
    order: Order, endpoint: Endpoint
) -> None:
    endpoint.mishap = lambda number: "malformed" if number == 2 else ""
    run = worked(order(width=1))
    assert (run.state, run.progress["again"]) == (RunState.FINISHED, 1)
    with override("ru"):
        assert RunFigures(run).trouble.startswith("ответ неверного вида: ")


def test_messages_without_an_answer_are_left_to_the_team(order: Order, endpoint: Endpoint) -> None:
    endpoint.mishap = lambda number: "400" if number == 4 else ""
    run = worked(order(width=1))
    assert (run.state, run.lost) == (RunState.FINISHED, 1)
    assert "HTTP 400" in run.progress["reason"]
    assert checked(run).state == UploadState.CHECKED, "judged by nobody's order"
    assert Understood.from_upload(Upload.objects.get()).tasks_seen == TASKS - 1
    endpoint.mishap = lambda _: ""
    assert actions.resume_run(run=run, key=KEY)
    assert worked(run).lost == 0
    assert (len(endpoint.answered), Upload.objects.count()) == (TASKS, 2)


def killed_after(answers: int, session: Session) -> None:
    """Runs the session in a separate process that SIGKILL ends after the given number of
    answers."""
    pid = os.fork()
    if pid:
        assert os.WTERMSIG(os.waitpid(pid, 0)[1]) == signal.SIGKILL
        return

    def told(tally: Tally) -> None:
        if tally.answered == answers:
            os.kill(os.getpid(), signal.SIGKILL)

    session.watch = told
    # The connection to Docker must not be shared with the parent process.
    docker.client.cache_clear()
    session.predictions()
    os._exit(1)


def journal_of(run: Run) -> list[Any]:
    return [json.loads(line) for line in runs.journal_path(run).read_text().splitlines()]


def test_a_worker_asked_to_end_gives_the_run_back(
    order: Callable[..., Run], endpoint: Endpoint
) -> None:
    def answer(_messages: object) -> str:
        if len(endpoint.requests) == 3:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(1)
        return "    pass"

    endpoint.answer = answer
    before = signal.getsignal(signal.SIGTERM)
    try:
        run = worked(order(width=1))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (run.state, run.tries, RunKey.objects.exists()) == (RunState.WAITING, 0, True)
    assert len(journal_of(run)) - 1 == 2
    endpoint.answer = lambda _: "    pass"
    assert worked(run).progress["kept"] == 2


def test_answers_of_another_release_are_not_mixed_in(order: Order, endpoint: Endpoint) -> None:
    endpoint.mishap = lambda number: "401" if number > 2 else ""
    run = worked(order(width=1))
    lines = runs.journal_path(run).read_text().replace("Assay ", "Older ")
    runs.journal_path(run).write_text(lines)
    actions.resume_run(run=run, key=KEY)
    run = worked(run)
    assert run.state == RunState.FAILED
    assert "another release" in run.cause
    assert str(runs.journal_path(run).parent) not in run.cause


def test_answers_that_another_worker_has_open_are_waited_for(
    order: Order, endpoint: Endpoint
) -> None:
    run = order()
    with runs.journal_path(run).open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        run = worked(run)
    assert (run.state, run.tries, endpoint.requests) == (RunState.WAITING, 1, [])
    assert run.cause == "Another worker still has the run's answers open."
    assert worked(run).state == RunState.FINISHED


def test_answers_beyond_what_may_be_uploaded_end_the_run(
    order: Order, endpoint: Endpoint, settings: Settings
) -> None:
    settings.UPLOAD_MOST_BYTES = 2**20
    endpoint.answer = lambda _: "x" * 2**18
    run = worked(order())
    assert (run.state, run.cause) == (RunState.FAILED, str(ANSWERS_LARGE(most=1)))


def test_an_endpoint_that_is_no_longer_listed_is_not_asked(
    order: Order, endpoint: Endpoint, settings: Settings
) -> None:
    run = order()
    settings.ENDPOINTS = []
    assert worked(run).state == RunState.FAILED
    assert endpoint.requests == []


def test_a_fault_of_ours_is_tried_again_and_in_the_end_given_up(
    order: Order, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = order()
    monkeypatch.setattr(generating, "prepared", lambda _run: 1 / 0)
    for _ in range(runs.MOST_TRIES):
        with pytest.raises(ZeroDivisionError):
            jobs.generate(run.pk)
    run.refresh_from_db()
    assert (run.state, RunKey.objects.exists()) == (RunState.FAILED, False)
    assert "ZeroDivisionError" in run.cause


@pytest.mark.parametrize("mishap", ["", "401", "malformed"])
def test_the_key_stands_nowhere_but_with_the_endpoint(
    order: Order, endpoint: Endpoint, mishap: str, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG)
    endpoint.mishap = lambda _: mishap
    run = worked(order())
    assert {one.key for one in endpoint.requests} == {KEY}
    rows = [*Run.objects.all(), *RunKey.objects.all(), *Upload.objects.all()]
    said = [serializers.serialize("json", rows), str(list(LogEntry.objects.values()))]
    said += [f"{one.getMessage()} {one.args} {one.exc_text}" for one in caplog.records]
    said += [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert [text for text in said if KEY in text] == []
    assert f"evaluation.jobs.{jobs.generate.__name__}" in JOBS
    assert run.state in (RunState.FINISHED, RunState.FAILED)


def test_runs_have_workers_of_their_own_and_only_where_they_are_allowed(settings: Settings) -> None:
    settings.ENDPOINT_RUNS = 0
    assert not [queues for queues in worker_queues(3).values() if GENERATION in queues]
    settings.ENDPOINT_RUNS = 2
    asking = {name: queues for name, queues in worker_queues(3).items() if GENERATION in queues}
    assert asking == {"asker-1": (GENERATION,), "asker-2": (GENERATION,)}
    # No worker asks without a desk, because answers and uploads are files.
    assert list(worker_queues(3, desk=False)) == ["worker-1", "worker-2", "worker-3"]


def test_a_run_that_the_queue_lost_is_rung_for_again(order: Order, running_valkey: Queue) -> None:
    run = order()
    assert reconcile() == 1
    assert get_queue(GENERATION).get_job_ids() == [f"generate-{run.pk}-1"]
    job = get_queue(GENERATION).fetch_job(f"generate-{run.pk}-1")
    assert (job.args, job.kwargs) == ([run.pk], {})
    assert KEY not in str(job.to_dict())
