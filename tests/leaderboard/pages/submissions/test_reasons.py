"""Tests that every pair of a state and a cause has its sentence, in three languages."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.translation import override
from pytest_django.fixtures import Settings

from evaluation.engine import errors
from evaluation.engine.instructions import DYNAMIC
from evaluation.engine.preparation import texts as preparation
from evaluation.engine.records import Problem
from evaluation.engine.sandbox import texts
from evaluation.engine.texts import Message, Text
from evaluation.engine.uploads import UploadReport
from evaluation.models import ChunkState, Evaluation, EvaluationState, Worker
from evaluation.state import scheduling
from evaluation.state.progress import progress
from evaluation.work import actions
from leaderboard import messages
from leaderboard.annotation.models import Campaign, CampaignState
from leaderboard.generation.models import Run, RunState
from leaderboard.pages.generation.views.steps import Figures, run_steps
from leaderboard.pages.submissions.views.rated import Rated, rated_steps
from leaderboard.pages.submissions.views.steps import NOW, STOPPED, steps_of, upload_steps
from leaderboard.submissions.intake import Understood
from leaderboard.submissions.models import Upload, UploadState
from tests.evaluation.web.test_scheduling import claim, make_due
from tests.leaderboard.pages.submissions.visits import checked, received, visitor
from tests.support.cast import Cast, predictions
from tests.support.ordering import ordered

pytestmark = pytest.mark.any_database

WAITS = (
    texts.WAITS_FOR_SLOT, texts.WAITS_FOR_SHARE, texts.WAITS_FOR_EXCLUSIVE, texts.WAITS_FOR_ALL,
)  # fmt: skip
# Any SandboxError can give a chunk back; the texts of its modules are taken from there.
SITE_CAUSES = (messages.WORKER_SILENT, messages.WORKER_STOPPED, messages.FAULT)
ENGINE_CAUSES = (errors.TEXTS | preparation.TEXTS | texts.TEXTS).values()
CAUSES = (*SITE_CAUSES, *(text for text in ENGINE_CAUSES if text not in WAITS))
# One of the causes; every one is translated by the same function, which has a test of its own.
FAILURE = texts.DOCKER_FAILED
LANGUAGES = {"en": r"[A-Za-z]", "ru": r"[а-яё]", "zh-hans": r"[\u4e00-\u9fff]"}


def message(text: Text) -> Message:
    params = re.findall(r"%\((\w+)\)(.)", text.template)
    return text(**{name: 3 if kind == "d" else "3" for name, kind in params})


def worker(name: str, *queues: str) -> None:
    now = timezone.now()
    Worker.objects.create(name=name, host="north", queues=queues, started=now, seen=now)


def no_worker(_: Evaluation) -> None:
    Worker.objects.all().delete()


def next_in_line(_: Evaluation) -> None:
    pass


def behind_others(evaluation: Evaluation) -> None:
    other = actions.open_evaluation(submission=evaluation.submission)
    other.chunks.update(rung=timezone.now() - timedelta(minutes=1))


def between_turns(evaluation: Evaluation) -> None:
    assert scheduling.end_turn(chunk=claim(evaluation))


def given_back(text: Text | None) -> Callable[[Evaluation], None]:
    def situation(evaluation: Evaluation) -> None:
        cause = message(text) if text else ""
        assert scheduling.give_back_chunk(chunk=claim(evaluation), cause=cause, counts=True)

    return situation


def waiting_for(text: Text) -> Callable[[Evaluation], None]:
    def situation(evaluation: Evaluation) -> None:
        assert scheduling.renew_lease(chunk=claim(evaluation), waits_for=message(text))

    return situation


def running(evaluation: Evaluation) -> None:
    claim(evaluation)


def preparing(evaluation: Evaluation) -> None:
    evaluation.chunks.update(project="boltons")
    claim(evaluation)


def lost(text: Text) -> Callable[[Evaluation], None]:
    def situation(evaluation: Evaluation) -> None:
        for _ in range(scheduling.MOST_TRIES):
            given_back(text)(evaluation)
            make_due(evaluation)
        evaluation.chunks.filter(state=ChunkState.LOST).update(not_before=timezone.now())

    return situation


def lost_in_silence(evaluation: Evaluation) -> None:
    for _ in range(scheduling.MOST_TRIES):
        claim(evaluation)
        evaluation.chunks.update(lease_until=timezone.now() - timedelta(minutes=1))
        assert scheduling.take_back_run_out()
        make_due(evaluation)
    evaluation.chunks.filter(state=ChunkState.LOST).update(not_before=timezone.now())


def unfit(evaluation: Evaluation) -> None:
    assert scheduling.lose_chunk(chunk=claim(evaluation), cause="a hidden test")


def ending(evaluation: Evaluation) -> None:
    last = claim(evaluation)
    evaluation.chunks.update(state=ChunkState.DONE)
    evaluation.chunks.filter(pk=last.pk).update(state=ChunkState.RUNNING, judged=last.size)


def all_done(evaluation: Evaluation) -> None:
    claim(evaluation)
    evaluation.chunks.update(state=ChunkState.DONE)


def without_a_desk(evaluation: Evaluation) -> None:
    all_done(evaluation)
    Worker.objects.filter(name="desk").delete()


def cancelled(evaluation: Evaluation) -> None:
    assert scheduling.cancel(evaluation=evaluation)


# Each state of a chunk with each cause that it may have, and a part of the sentence that names it.
SITUATIONS: list[tuple[ChunkState, str, Callable[[Evaluation], None], str]] = [
    (ChunkState.WAITING, "no-worker", no_worker, "No worker is running"),
    (ChunkState.WAITING, "next-in-line", next_in_line, "next in line"),
    (ChunkState.WAITING, "behind-others", behind_others, "other submissions"),
    (ChunkState.WAITING, "between-turns", between_turns, "next in line"),
    (ChunkState.WAITING, "silent", given_back(None), "stopped answering"),
    (ChunkState.WAITING, "given-back", given_back(FAILURE), f"Cause: {message(FAILURE)}"),
    (ChunkState.RUNNING, "working", running, "0 of 36"),
    (ChunkState.RUNNING, "preparing", preparing, "is built"),
    *((ChunkState.RUNNING, text.code, waiting_for(text), str(message(text))) for text in WAITS),
    (ChunkState.LOST, "given-back", lost(FAILURE), str(message(FAILURE))),
    (ChunkState.LOST, "retried", lost(FAILURE), "retried within the hour"),
    (ChunkState.LOST, "silent", lost_in_silence, "Its worker stopped answering."),
    (ChunkState.LOST, "unfit", unfit, "The site's staff have to fix it"),
    (ChunkState.RUNNING, "ending", ending, "the last chunk ends in a moment"),
    (ChunkState.DONE, "scored-next", all_done, "the score is computed next"),
    (ChunkState.DONE, "no-desk", without_a_desk, "no worker that computes scores is running"),
    (ChunkState.CANCELLED, "cancelled", cancelled, "cancelled"),
]


def said(evaluation: Evaluation, language: str, cause: str = "") -> str:
    """Every sentence of the page that says what happens and why."""
    evaluation.refresh_from_db()
    with override(language):
        now = progress(evaluation)
        steps = steps_of(evaluation.submission, now, cause=cause, held=False)
        active = [step for step in steps if step.state in (NOW, STOPPED)]
        assert active and all(step.line for step in active)
        return " ".join([*(step.line for step in active), *now.remarks])


def in_three_languages(evaluation: Evaluation, part: str) -> None:
    found = {name: said(evaluation, name) for name in LANGUAGES}
    assert part in found["en"]
    assert len(set(found.values())) == 3
    for name, letters in LANGUAGES.items():
        assert re.search(letters, found[name]), name
    assert part not in found["ru"] or not re.search("[A-Za-z]{3}", part)


@pytest.fixture
def evaluation(cast: Cast) -> Evaluation:
    worker("north-1", "python")
    worker("desk", "intake", "scoring")
    return actions.open_evaluation(submission=cast.submission(cast.entrant()))


@pytest.mark.parametrize(
    ("situation", "part"),
    [pytest.param(*rest, id=f"{state}-{name}") for state, name, *rest in SITUATIONS],
)
def test_every_pair_of_a_chunks_state_and_cause_has_its_sentence(
    evaluation: Evaluation, situation: Callable[[Evaluation], None], part: str
) -> None:
    situation(evaluation)
    in_three_languages(evaluation, part)


def test_no_state_of_a_chunk_is_forgotten() -> None:
    assert {state for state, *_ in SITUATIONS} == set(ChunkState)


@pytest.mark.parametrize("state", EvaluationState)
@pytest.mark.parametrize("cause", ["", "FAULT"])
def test_every_state_of_an_evaluation_has_its_sentence(
    evaluation: Evaluation, state: EvaluationState, cause: str
) -> None:
    fault = message(messages.FAULT) if cause else ""
    Evaluation.objects.update(state=state, cause=fault)
    found = {name: said(evaluation, name, str(fault)) for name in LANGUAGES}
    assert len(set(found.values())) == 3
    if state == EvaluationState.SCORING:
        assert ("being computed" in found["en"]) is not bool(cause)
        Worker.objects.filter(name="desk").delete()
        assert "no worker that computes scores is running" in said(evaluation, "en")
    if cause and state == EvaluationState.SCORING:
        assert "will be retried" in found["en"] and str(fault) in found["en"]


@pytest.mark.parametrize("text", [*CAUSES, *WAITS], ids=lambda text: text.code)
def test_every_cause_is_told_in_the_readers_language(text: Text) -> None:
    found = set()
    for language in LANGUAGES:
        with override(language):
            found.add(messages.in_readers_language(message(text)))
    assert len(found) == 3


REPORTS = {
    "none": None,
    "fine": Understood.from_report(UploadReport(), 5),
    "problems": Understood.from_report(UploadReport(problems=(Problem("It is empty."),)), 5),
}


@pytest.mark.parametrize("report", REPORTS)
@pytest.mark.parametrize("state", UploadState)
def test_every_state_of_an_upload_has_its_sentence(state: UploadState, report: str) -> None:
    found = set()
    for language in LANGUAGES:
        with override(language):
            steps = upload_steps(Upload(state=state, size=5), REPORTS[report])
            assert all(step.title and step.line for step in steps)
            found.add(" ".join(f"{step.title} {step.line}" for step in steps))
    assert len(found) == 3


OPEN, CLOSED = Campaign(state=CampaignState.OPEN), Campaign(state=CampaignState.CLOSED)
RATED = {
    "not-opened": (Rated(None, 0, 0, 0, ()), "by the site's organisers"),
    "for-raters": (
        Rated(OPEN, 12, 1, 2, (), needed=22),
        "22 ratings are still needed · the end depends on the raters and is not predicted",
    ),
    "closed": (Rated(CLOSED, 12, 1, 2, (), needed=22), "1 of 12 have all their raters"),
    "all-rated": (Rated(OPEN, 12, 12, 12, ()), "12 of 12 have all their raters"),
}


@pytest.mark.parametrize("cause", RATED)
@pytest.mark.parametrize("state", EvaluationState)
def test_every_pair_of_a_rated_submission_has_its_sentence(
    evaluation: Evaluation, state: EvaluationState, cause: str
) -> None:
    rated, part = RATED[cause]
    evaluation.state = state
    found = {}
    for language in LANGUAGES:
        with override(language):
            steps = rated_steps(evaluation.submission, evaluation, rated, held=False)
            assert all(step.title and step.line for step in steps)
            found[language] = " ".join(step.line for step in steps)
    assert part in found["en"]
    assert len(set(found.values())) == 3
    assert ("being computed" in found["en"]) is (state in EvaluationState.moving())
    Worker.objects.all().delete()
    lines = [step.line for step in rated_steps(evaluation.submission, evaluation, rated, held=True)]
    alone = "no worker that computes scores is running" in lines
    assert alone is (state in EvaluationState.moving())


@pytest.mark.parametrize("setting", ["base", DYNAMIC])
@pytest.mark.parametrize(
    ("workers", "ahead", "part"),
    [(0, 2, "no worker is running"), (1, 0, "next in line"), (1, 2, "2 runs are ahead")],
)
@pytest.mark.parametrize("state", RunState)
def test_every_pair_of_a_run_has_its_sentence(
    state: RunState, workers: int, ahead: int, part: str, setting: str
) -> None:
    run = Run(state=state, total=1200, setting=setting, started=timezone.now())
    found = {}
    for language in LANGUAGES:
        with override(language):
            steps = run_steps(run, Figures(run), workers=workers, ahead=ahead)
            assert all(step.title and step.line for step in steps)
            found[language] = " ".join(step.line for step in steps)
    assert len(set(found.values())) == 3
    assert (part in found["en"]) is (state == RunState.WAITING)
    shows = "1,200 left; the time shows after the first answers" in found["en"]
    assert shows is (state == RunState.RUNNING)


def main_of(client: Client, address: str, language: str) -> str:
    client.cookies["django_language"] = language
    page = client.get(address)
    assert page.status_code == 200
    return re.sub(r"<[^>]*>|\s+", " ", unescape(page.text.partition("<main")[2]))


@pytest.mark.parametrize(("works", "ahead"), [(False, 0), (True, 0), (True, 2)])
@pytest.mark.parametrize("cause", ["", "FAULT"])
@pytest.mark.parametrize("state", [*UploadState.moving(), UploadState.CHECKED])
def test_an_upload_says_its_cause_the_missing_worker_and_what_is_ahead(
    cast: Cast, state: UploadState, cause: str, works: bool, ahead: int
) -> None:
    entrant, now = cast.entrant(), timezone.now()
    for _ in range(ahead):
        received(entrant, cast.alice, cast.rucodeeval, b"")
    Upload.objects.update(rung=now - timedelta(minutes=1))
    row = checked(entrant, cast.alice, cast.rucodeeval, predictions(cast.rucodeeval))
    fault = message(messages.FAULT)
    told = {"cause": fault} if cause else {}
    Upload.objects.filter(pk=row.pk).update(state=state, rung=now, **told)
    if works:
        worker("desk", "intake", "scoring")
    client = visitor(cast.alice)
    found = {name: main_of(client, row.get_absolute_url(), name) for name in LANGUAGES}
    waits = state in (UploadState.RECEIVED, UploadState.CONFIRMED)
    assert len(set(found.values())) == 3
    assert (str(fault) in found["en"]) is bool(cause and state in UploadState.moving())
    assert ("No worker is running" in found["en"]) is (waits and not works)
    assert ("2 uploads are ahead" in found["en"]) is (waits and ahead == 2)
    assert ("next in line" in found["en"]) is (waits and not ahead)


@pytest.mark.parametrize("works", [False, True])
@pytest.mark.parametrize("cause", ["", "WORKER_SILENT"])
@pytest.mark.parametrize("state", RunState)
def test_a_run_says_its_cause_and_the_missing_worker(
    cast: Cast, settings: Settings, state: RunState, cause: str, works: bool
) -> None:
    settings.ENDPOINT_RUNS = 1
    run, said = ordered(cast), messages.WORKER_SILENT()
    told = {"cause": said} if cause else {}
    Run.objects.filter(pk=run.pk).update(state=state, started=timezone.now(), **told)
    if works:
        worker("north-1", "generation")
    client = visitor(cast.alice)
    found = {name: main_of(client, run.get_absolute_url(), name) for name in LANGUAGES}
    tells = state in (*RunState.moving(), RunState.FAILED)
    assert len(set(found.values())) == 3
    assert (str(said) in found["en"]) is bool(cause and tells)
    assert ("No worker is running" in found["en"]) is (state == RunState.WAITING and not works)
