"""Tests that every pair of a state and a cause has its sentence, in three languages."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from html import unescape
from itertools import product

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.translation import override

from evaluation.engine.instructions import DYNAMIC
from evaluation.engine.sandbox import texts
from evaluation.engine.texts import Message, Text
from evaluation.models import ChunkState, Evaluation, EvaluationState, Worker
from evaluation.state import scheduling
from evaluation.state.forecast import Interval
from evaluation.state.progress import Progress, progress
from evaluation.work import actions
from leaderboard import messages
from leaderboard.annotation.models import Campaign, CampaignState
from leaderboard.generation.models import Run, RunState
from leaderboard.pages.generation.views import RunFigures, run_steps
from leaderboard.pages.submissions.views.rated import Rated, rated_steps
from leaderboard.pages.submissions.views.steps import (
    NOW,
    STOPPED,
    Step,
    duration_words,
    left_words,
    outward,
    steps_of,
)
from leaderboard.submissions.models import Upload, UploadState
from tests.evaluation.web.test_scheduling import claim, make_due
from tests.leaderboard.pages.submissions.visits import checked, received, visitor
from tests.support.cast import Cast, predictions

pytestmark = pytest.mark.any_database

WAITS = (
    texts.WAITS_FOR_SLOT, texts.WAITS_FOR_SHARE, texts.WAITS_FOR_EXCLUSIVE, texts.WAITS_FOR_ALL,
)  # fmt: skip
# One of the causes: tests/leaderboard/test_messages.py tests that each is translated.
FAILURE = texts.DOCKER_FAILED
LANGUAGES = {"en": r"[A-Za-z]", "ru": r"[а-яё]", "zh-hans": r"[\u4e00-\u9fff]"}


def message(text: Text) -> Message:
    params = re.findall(r"%\((\w+)\)(.)", text.template)
    return text(**{name: 3 if kind == "d" else "3" for name, kind in params})


def worker(name: str, *queues: str) -> None:
    now = timezone.now()
    Worker.objects.create(name=name, host="north", queues=queues, started=now, seen=now)


def behind_others(evaluation: Evaluation) -> None:
    other = actions.open_evaluation(submission=evaluation.submission)
    other.chunks.update(rung=timezone.now() - timedelta(minutes=1))


def given_back(text: Text | None) -> Callable[[Evaluation], None]:
    def situation(evaluation: Evaluation) -> None:
        cause = message(text) if text else ""
        assert scheduling.give_back_chunk(chunk=claim(evaluation), cause=cause, counts=True)

    return situation


def waiting_for(text: Text) -> Callable[[Evaluation], None]:
    def situation(evaluation: Evaluation) -> None:
        assert scheduling.renew_lease(chunk=claim(evaluation), waits_for=message(text))

    return situation


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


# Each state of a chunk with each cause that it may have, and a part of the sentence that names it.
SITUATIONS: list[tuple[ChunkState, str, Callable[[Evaluation], object], str]] = [
    (
        ChunkState.WAITING,
        "no-worker",
        lambda _: Worker.objects.all().delete(),
        "No worker is running",
    ),
    (ChunkState.WAITING, "next-in-line", lambda _: None, "next in line"),
    (ChunkState.WAITING, "behind-others", behind_others, "other submissions"),
    (
        ChunkState.WAITING,
        "between-turns",
        lambda one: scheduling.end_turn(chunk=claim(one)),
        "next in line",
    ),
    (ChunkState.WAITING, "silent", given_back(None), "stopped answering"),
    (ChunkState.WAITING, "given-back", given_back(FAILURE), f"Cause: {message(FAILURE)}"),
    (ChunkState.RUNNING, "working", claim, "0 of 36"),
    (ChunkState.RUNNING, "preparing", preparing, "is built"),
    *((ChunkState.RUNNING, text.code, waiting_for(text), str(message(text))) for text in WAITS),
    (ChunkState.LOST, "given-back", lost(FAILURE), str(message(FAILURE))),
    (ChunkState.LOST, "retried", lost(FAILURE), "retried within the hour"),
    (ChunkState.LOST, "silent", lost_in_silence, "Its worker stopped answering."),
    (
        ChunkState.LOST,
        "unfit",
        lambda one: scheduling.lose_chunk(chunk=claim(one), cause="hidden"),
        "The site's staff have to fix it",
    ),
    (ChunkState.RUNNING, "ending", ending, "the last chunk ends in a moment"),
    (ChunkState.DONE, "scored-next", all_done, "the score is computed next"),
    (ChunkState.DONE, "no-desk", without_a_desk, "no worker that computes scores is running"),
    (ChunkState.CANCELLED, "cancelled", lambda one: scheduling.cancel(evaluation=one), "cancelled"),
]


def in_three_languages(words: Callable[[], str]) -> dict[str, str]:
    """The words by language; each has its own."""
    shown = {}
    for language, letters in LANGUAGES.items():
        with override(language):
            shown[language] = words()
        assert re.search(letters, shown[language]), language
    assert len(set(shown.values())) == 3
    return shown


def lines_of(steps: Sequence[Step]) -> str:
    assert all(step.title and step.line for step in steps)
    return " ".join(f"{step.title} {step.line}" for step in steps)


def sentences(evaluation: Evaluation, cause: str = "") -> str:
    """Every sentence of the page that says what happens and why."""
    evaluation.refresh_from_db()
    now = progress(evaluation)
    steps = steps_of(evaluation.submission, now, cause=cause, held=False)
    active = [step for step in steps if step.state in (NOW, STOPPED)]
    assert active and all(step.line for step in active)
    return " ".join([*(step.line for step in active), *now.remarks])


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
    evaluation: Evaluation, situation: Callable[[Evaluation], object], part: str
) -> None:
    situation(evaluation)
    shown = in_three_languages(lambda: sentences(evaluation))
    assert part in shown["en"]
    assert part not in shown["ru"] or not re.search("[A-Za-z]{3}", part)


def test_no_state_of_a_chunk_is_forgotten() -> None:
    assert {state for state, *_ in SITUATIONS} == set(ChunkState)


@pytest.mark.parametrize("state", EvaluationState)
@pytest.mark.parametrize("cause", ["", "FAULT"])
def test_every_state_of_an_evaluation_has_its_sentence(
    evaluation: Evaluation, state: EvaluationState, cause: str
) -> None:
    fault = message(messages.FAULT) if cause else ""
    Evaluation.objects.update(state=state, cause=fault)
    english = in_three_languages(lambda: sentences(evaluation, str(fault)))["en"]
    if state == EvaluationState.SCORING:
        assert ("being computed" in english) is not bool(cause)
        assert not cause or ("will be retried" in english and str(fault) in english)
        Worker.objects.filter(name="desk").delete()
        assert "no worker that computes scores is running" in sentences(evaluation)


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
def test_every_pair_of_a_rated_submission_has_its_sentence(
    evaluation: Evaluation, cause: str
) -> None:
    rated, part = RATED[cause]

    def lines() -> str:
        return lines_of(rated_steps(evaluation.submission, evaluation, rated, held=False))

    for evaluation.state in EvaluationState:
        shown = in_three_languages(lines)
        assert part in shown["en"]
        moves = evaluation.state in EvaluationState.moving()
        assert ("being computed" in shown["en"]) is moves, evaluation.state
    Worker.objects.all().delete()
    for evaluation.state in EvaluationState:
        moves = evaluation.state in EvaluationState.moving()
        assert ("no worker that computes scores is running" in lines()) is moves, evaluation.state


@pytest.mark.parametrize(
    ("setting", "workers", "ahead", "part"),
    [
        ("base", 0, 2, "no worker is running"),
        (DYNAMIC, 1, 0, "next in line"),
        ("base", 1, 2, "2 runs are ahead"),
    ],
)
@pytest.mark.parametrize("state", RunState)
def test_every_pair_of_a_run_has_its_sentence(
    state: RunState, workers: int, ahead: int, part: str, setting: str
) -> None:
    run = Run(state=state, total=1200, setting=setting, started=timezone.now())
    english = in_three_languages(
        lambda: lines_of(run_steps(run, RunFigures(run), workers=workers, ahead=ahead))
    )["en"]
    assert (part in english) is (state == RunState.WAITING)
    shows = "1,200 left; the time shows after the first answers" in english
    assert shows is (state == RunState.RUNNING)


def said_on(client: Client, address: str) -> str:
    page = client.get(address)
    assert page.status_code == 200
    return re.sub(r"<[^>]*>|\s+", " ", unescape(page.text.partition("<main")[2]))


@pytest.mark.parametrize(("works", "ahead"), [(False, 0), (True, 2)])
def test_an_upload_says_its_cause_the_missing_worker_and_what_is_ahead(
    cast: Cast, works: bool, ahead: int
) -> None:
    entrant, now = cast.entrant(), timezone.now()
    for _ in range(ahead):
        received(entrant, cast.alice, cast.rucodeeval, b"")
    Upload.objects.update(rung=now - timedelta(minutes=1))
    row = checked(entrant, cast.alice, cast.rucodeeval, predictions(cast.rucodeeval))
    if works:
        worker("desk", "intake", "scoring")
    fault = message(messages.FAULT)
    for state, cause in product([*UploadState.moving(), UploadState.CHECKED], ["", fault]):
        Upload.objects.filter(pk=row.pk).update(state=state, rung=now, cause=cause)
        english = said_on(visitor(cast.alice), row.get_absolute_url())
        waits = state in (UploadState.RECEIVED, UploadState.CONFIRMED)
        assert (str(fault) in english) is bool(cause and state in UploadState.moving()), state
        assert ("No worker is running" in english) is (waits and not works), state
        assert ("2 uploads are ahead" in english) is (waits and ahead == 2), state
        assert ("next in line" in english) is (waits and not ahead), state


# --- Times in words ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (8, "8 s"),
        (59.6, "1 min"),
        (125, "2 min 5 s"),
        (300, "5 min"),
        (11400, "3 h 10 min"),
    ],
)
def test_durations_have_two_units_at_most(seconds: float, words: str) -> None:
    assert duration_words(seconds) == words


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (7, 15, "at most about 20 s left, probably done by 12:01 UTC"),
        (25, 39, "about 20 to 40 s left, probably done by 12:01 UTC"),
        (45, 130, "about 40 s to 3 min left, probably done by 12:03 UTC"),
        (301, 719, "about 5 to 15 min left, probably done by 12:15 UTC"),
        (1300, 7000, "about 20 min to 2 h 0 min left, probably done by 14:00 UTC"),
    ],
)
def test_an_interval_is_rounded_outward_and_plain(
    low: float, high: float, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 3, 1, 12, tzinfo=UTC))
    rounded = outward(low, high)
    assert rounded[0] <= low and high <= rounded[1]
    state = EvaluationState.JUDGING
    waiting = Progress(
        state, 9, 0, 9, 0, (), {}, 0, 1, 0, 0, Interval(low, high), None, None, 0, ()
    )
    with timezone.override(UTC):
        assert left_words(waiting) == words
