"""Every pair of a state and a cause has its sentence, in three languages."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from django.utils.translation import override

from evaluation.engine import errors
from evaluation.engine.sandbox import texts
from evaluation.engine.texts import Message, Text
from evaluation.models import ChunkState, Evaluation, EvaluationState, Worker
from evaluation.state import scheduling
from evaluation.state.progress import progress
from leaderboard import messages
from leaderboard.pages.submissions.views.steps import NOW, STOPPED, steps_of, upload_steps
from leaderboard.submissions.models import Upload, UploadState
from tests.evaluation.web.test_scheduling import claim, make_due
from tests.support.cast import Cast

WAITS = (
    texts.WAITS_FOR_SLOT, texts.WAITS_FOR_SHARE, texts.WAITS_FOR_EXCLUSIVE, texts.WAITS_FOR_ALL,
)  # fmt: skip
CAUSES = (
    messages.WORKER_SILENT, messages.WORKER_STOPPED, messages.FAULT, texts.SILENT,
    texts.DOCKER_FAILED, errors.STOPPED,
)  # fmt: skip
LANGUAGES = {"en": r"[A-Za-z]", "ru": r"[а-яё]", "zh-hans": r"[\u4e00-\u9fff]"}


def message(text: Text) -> Message:
    params = re.findall(r"%\((\w+)\)(.)", text.template)
    return text(**{name: 3 if kind == "d" else "3" for name, kind in params})


def worker() -> None:
    now = timezone.now()
    Worker.objects.create(name="north-1", host="north", queues=["python"], started=now, seen=now)


def no_worker(_: Evaluation) -> None:
    Worker.objects.all().delete()


def next_in_line(_: Evaluation) -> None:
    pass


def behind_others(evaluation: Evaluation) -> None:
    other = scheduling.open_evaluation(submission=evaluation.submission)
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


def lost(evaluation: Evaluation) -> None:
    for _ in range(scheduling.MOST_TRIES):
        given_back(texts.DOCKER_FAILED)(evaluation)
        make_due(evaluation)
    evaluation.chunks.filter(state=ChunkState.LOST).update(not_before=timezone.now())


def unfit(evaluation: Evaluation) -> None:
    assert scheduling.lose_chunk(chunk=claim(evaluation), cause="a hidden test")


def all_done(evaluation: Evaluation) -> None:
    evaluation.chunks.update(state=ChunkState.DONE)


def cancelled(evaluation: Evaluation) -> None:
    assert scheduling.cancel(evaluation=evaluation)


# By the state of a chunk, each cause that it may have, with a part of the sentence that names it.
SITUATIONS: list[tuple[ChunkState, str, Callable[[Evaluation], None], str]] = [
    (ChunkState.WAITING, "no-worker", no_worker, "No worker is running"),
    (ChunkState.WAITING, "next-in-line", next_in_line, "next in line"),
    (ChunkState.WAITING, "behind-others", behind_others, "other submissions"),
    (ChunkState.WAITING, "between-turns", between_turns, "next in line"),
    (ChunkState.WAITING, "silent", given_back(None), "stopped answering"),
    *(
        (ChunkState.WAITING, text.code, given_back(text), "Cause: " + str(message(text)))
        for text in CAUSES
    ),
    (ChunkState.RUNNING, "working", running, "0 of 36"),
    (ChunkState.RUNNING, "preparing", preparing, "is built"),
    *((ChunkState.RUNNING, text.code, waiting_for(text), str(message(text))) for text in WAITS),
    (ChunkState.LOST, "retried", lost, "retried within the hour"),
    (ChunkState.LOST, "unfit", unfit, "The site's staff have to fix it"),
    (ChunkState.DONE, "ending", all_done, "the last chunk ends in a moment"),
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
    worker()
    return scheduling.open_evaluation(submission=cast.submission(cast.entrant()))


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
    if cause and state == EvaluationState.SCORING:
        assert "will be retried" in found["en"] and str(fault) in found["en"]


@pytest.mark.parametrize("text", [*CAUSES, *WAITS], ids=lambda text: text.code)
def test_every_cause_is_told_in_the_readers_language(text: Text) -> None:
    found = set()
    for language in LANGUAGES:
        with override(language):
            found.add(messages.in_readers_language(message(text)))
    assert len(found) == 3


@pytest.mark.parametrize("state", UploadState)
def test_every_state_of_an_upload_has_its_sentence(state: UploadState) -> None:
    found = set()
    for language in LANGUAGES:
        with override(language):
            steps = upload_steps(Upload(state=state, size=5), None)
            assert all(step.title for step in steps)
            found.add(" ".join(f"{step.title} {step.line}" for step in steps))
    assert len(found) == 3
