"""Tests of a run's states, and of its key, which is deleted whenever the run ends."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from cryptography.fernet import Fernet
from django.utils import timezone
from django.views.debug import ExceptionReporter
from pytest_django.fixtures import Settings

from evaluation.engine.errors import EndpointError, UploadError
from evaluation.engine.family import Sampling
from evaluation.work import actions
from leaderboard.benchmarks.models import Benchmark
from leaderboard.generation import runs
from leaderboard.generation.models import Run, RunKey, RunState
from tests.evaluation.web.conftest import age
from tests.support.cast import Cast
from tests.support.ordering import KEY, ordered

pytestmark = pytest.mark.any_database


@pytest.fixture(autouse=True)
def allowed(settings: Settings, tmp_path: object) -> None:
    settings.ENDPOINT_RUNS = 1
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def run(cast: Cast) -> Run:
    return ordered(cast)


def claimed(run: Run) -> Run:
    found = runs.claim_run(pk=run.pk, owner="a worker")
    assert found is not None
    return found


def state(run: Run) -> tuple[str, bool]:
    """The run's state, and whether its key is still there."""
    run.refresh_from_db()
    return run.state, RunKey.objects.filter(run=run).exists()


def test_where_the_operator_does_not_allow_it_nothing_is_ordered(
    cast: Cast, settings: Settings
) -> None:
    settings.ENDPOINT_RUNS = 0
    with pytest.raises(UploadError, match="does not generate from endpoints"):
        ordered(cast)


def test_a_benchmark_that_is_closed_takes_no_order(cast: Cast) -> None:
    Benchmark.objects.filter(pk=cast.rucodeeval.pk).update(accepts=False)
    cast.rucodeeval.refresh_from_db()
    cast.rucodeeval.current.refresh_from_db()
    with pytest.raises(UploadError, match="does not accept submissions now"):
        ordered(cast)


def test_a_setting_that_cannot_be_asked_in_is_refused(cast: Cast) -> None:
    entrant = cast.entrant()
    for setting in ("dynamic", "two_round", ""):
        with pytest.raises(UploadError, match="no setting"):
            ordered(cast, setting=setting, entrant=entrant)


def test_a_dynamic_conversation_is_held_once_for_each_task(cast: Cast) -> None:
    assert runs.asked_settings(cast.codeif) == cast.codeif.family.settings
    more = {"benchmark": cast.codeif, "setting": "dynamic", "entrant": cast.entrant()}
    with pytest.raises(UploadError, match="held once for each task: ask for 1 sample"):
        ordered(cast, sampling=Sampling(samples=2), **more)
    assert ordered(cast, **more).by_verdicts


def test_an_endpoint_of_this_network_is_refused_unless_listed(
    cast: Cast, settings: Settings
) -> None:
    entrant = cast.entrant()
    for endpoint in ("http://127.0.0.1:1/v1", "https://127.0.0.1/v1"):
        with pytest.raises(EndpointError):
            ordered(cast, endpoint=endpoint, entrant=entrant)
        assert not Run.objects.exists()
        settings.ENDPOINTS = [endpoint.removesuffix("/v1")]
        run = ordered(cast, endpoint=endpoint, entrant=entrant)
        assert run.endpoint == endpoint
        run.delete()


def test_what_is_no_key_is_refused_and_not_told(cast: Cast) -> None:
    entrant = cast.entrant()
    for key in ("two words", "ключ", "a\n", "x" * 5000):
        with pytest.raises(EndpointError) as caught:
            ordered(cast, key=key, entrant=entrant)
        assert key not in str(caught.value)
    assert not Run.objects.exists()


def test_a_team_has_no_more_than_its_share_under_way(cast: Cast) -> None:
    entrant = cast.entrant()
    for _ in range(runs.MOST_MOVING):
        run = ordered(cast, entrant=entrant)
    with pytest.raises(UploadError, match="4 active runs"):
        ordered(cast, entrant=entrant)
    assert runs.stop_run(run=run)
    ordered(cast, entrant=entrant)


def failed_thrice(run: Run) -> None:
    for _ in range(runs.MOST_TRIES):
        runs.take_back_run(run=claimed(run), cause="x")
        run.refresh_from_db()


def died_thrice(run: Run) -> None:
    for _ in range(runs.MOST_TRIES):
        age(claimed(run))
        assert runs.taken_back_late()


def overdue(run: Run) -> None:
    Run.objects.update(until=timezone.now() - timedelta(seconds=1))
    assert runs.end_overdue() == 1


ENDS: dict[str, tuple[Callable[[Run], object], str]] = {
    "stopped while waiting": (lambda run: runs.stop_run(run=run), "stopped"),
    "stopped while running": (lambda run: runs.stop_run(run=claimed(run)), "stopped"),
    "refused": (lambda run: runs.fail_run(run=claimed(run), cause="HTTP 401"), "failed"),
    "failed on our side": (failed_thrice, "failed"),
    "found dead": (died_thrice, "failed"),
    "overdue": (overdue, "failed"),
}


@pytest.mark.parametrize("how", ENDS)
def test_whatever_ends_a_run_deletes_its_key(run: Run, how: str) -> None:
    end, ended = ENDS[how]
    end(run)
    assert state(run) == (ended, False)
    assert run.finished is not None


@pytest.mark.parametrize("back", [
    lambda run: runs.give_back_run(run=claimed(run)),
    lambda run: runs.take_back_run(run=claimed(run), cause="x"),
])  # fmt: skip
def test_a_run_that_is_given_back_keeps_its_key(run: Run, back: Callable[[Run], object]) -> None:
    back(run)
    assert state(run) == (RunState.WAITING, True)


def test_who_lost_the_claim_moves_nothing(run: Run) -> None:
    old = claimed(run)
    age(old)
    runs.taken_back_late()
    new = claimed(run)
    assert not runs.fail_run(run=old, cause="x")
    assert not runs.give_back_run(run=old)
    assert not runs.note_progress(run=old, progress={"lost": 1})
    assert state(new) == (RunState.RUNNING, True)


def test_answers_in_between_make_up_for_failures(run: Run) -> None:
    for _ in range(2 * runs.MOST_TRIES):
        mine = claimed(run)
        assert runs.note_progress(run=mine, progress={"new": 1})
        mine.refresh_from_db()
        runs.take_back_run(run=mine, cause="x")
    assert state(run) == (RunState.WAITING, True)


def test_a_run_that_ended_goes_on_with_a_key_given_again(run: Run) -> None:
    assert not runs.resume_run(run=run, key=KEY), "it still waits"
    runs.stop_run(run=run)
    assert runs.resume_run(run=run, key="another")
    assert state(run) == (RunState.WAITING, True)
    assert runs.key_of(run) == "another"


@pytest.mark.parametrize(
    "step", [runs.order_run, runs.resume_run, actions.order_run, actions.resume_run]
)
def test_an_error_report_does_not_show_the_key(
    run: Run, step: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs.stop_run(run=run)
    run.refresh_from_db()
    # Any argument is missing: an error that nothing catches, below all frames that hold the key.
    monkeypatch.setattr(Fernet, "_encrypt_from_parts", lambda: None)
    with pytest.raises(TypeError) as error:
        step(run=run, key=KEY)
    report = ExceptionReporter(None, error.type, error.value, error.tb).get_traceback_html()
    assert "encrypt_at_time" in report
    assert KEY not in report


def test_a_run_whose_answers_are_gone_does_not_go_on(run: Run) -> None:
    journal = runs.journal_path(run)
    journal.touch()
    runs.stop_run(run=run)
    Run.objects.update(expires=timezone.now() - timedelta(seconds=1))
    runs.forget_journals()
    assert not journal.exists()
    assert not runs.resume_run(run=run, key=KEY)


def test_answers_of_runs_that_may_go_on_are_kept(run: Run) -> None:
    journal = runs.journal_path(run)
    journal.touch()
    runs.forget_journals()
    runs.stop_run(run=run)
    runs.forget_journals()
    assert journal.exists()
    run.delete()
    runs.forget_journals()
    assert not journal.exists()


def test_a_key_whose_secret_has_gone_is_said_plainly(run: Run, settings: Settings) -> None:
    settings.SECRET_KEY = "another secret"
    with pytest.raises(EndpointError, match="can no longer be read"):
        runs.key_of(run)


def test_an_endpoint_without_a_key_needs_none(cast: Cast) -> None:
    run = ordered(cast, key="")
    assert (runs.key_of(run), RunKey.objects.exists()) == ("", False)
