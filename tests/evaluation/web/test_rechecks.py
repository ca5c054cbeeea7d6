"""A share of the chunks is judged a second time, when nothing else waits, and what differs is
counted by task."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django.fixtures import Settings

from evaluation import jobs
from evaluation.engine import records
from evaluation.engine.records import Integrity, Status
from evaluation.models import Evaluation, Recheck, RecheckedTask, Verdict, Worker
from evaluation.state import rechecks, scheduling
from evaluation.state.units import units_of
from evaluation.work.actions import open_evaluation
from evaluation.work.reconciling import reconcile, unheard_rows
from leaderboard.benchmarks.models import TaskExclusion
from leaderboard.benchmarks.records import task_records
from leaderboard.pages.models import PublicChange
from leaderboard.scores.models import Score
from tests.evaluation.web.conftest import age, at_once, ids
from tests.evaluation.web.test_chunks import own_term
from tests.support.cast import Cast
from tests.support.valkey import Queue

__all__ = ["own_term"]

pytestmark = pytest.mark.any_database


@pytest.fixture
def scored(settings: Settings, cast: Cast, evaluation: Evaluation) -> Evaluation:
    """An evaluation whose four chunks are all drawn."""
    settings.RECHECKED_SHARE = 1.0
    cast.judge(evaluation)
    cast.score(evaluation)
    return evaluation


def claim(evaluation: Evaluation, host: str = "there") -> Recheck:
    first = rechecks.due_rechecks().filter(chunk__evaluation=evaluation).order_by("pk")[0]
    claimed = rechecks.claim_recheck(pk=first.pk, owner="worker", host=host)
    assert claimed is not None
    return claimed


def second_verdicts(recheck: Recheck) -> tuple[list[records.Verdict], dict[records.Key, int]]:
    """Verdicts that equal the first ones, but for their times."""
    tasks = task_records(recheck.chunk.evaluation.submission.revision)
    first = {row.generation_id: row for row in Verdict.objects.all()}
    verdicts, generations = [], {}
    for row, _test_set in units_of(recheck.chunk):
        key, verdict = row.key_of(tasks[row.task_id].id), first[row.pk]
        generations[key] = row.pk
        status, integrity = Status(verdict.status), Integrity(verdict.integrity)
        verdicts.append(records.Verdict(key, status, integrity=integrity, duration_ms=99_999))
    return verdicts, generations


def finish(recheck: Recheck, *changed: records.Verdict) -> bool:
    verdicts, generations = second_verdicts(recheck)
    verdicts[: len(changed)] = changed
    return rechecks.finish_recheck(recheck=recheck, verdicts=verdicts, generations=generations)


def counts() -> tuple[int, int]:
    rows = RecheckedTask.objects.all()
    return sum(row.judged for row in rows), sum(row.differing for row in rows)


def test_the_share_of_chunks_is_drawn_once(
    scored: Evaluation, cast: Cast, settings: Settings
) -> None:
    assert Recheck.objects.count() == 4
    assert scheduling.score_again(evaluation=scored)
    cast.score(scored)
    assert Recheck.objects.count() == 4
    settings.RECHECKED_SHARE = 0.0
    cast.judged_submission(cast.entrant("another"))
    assert Recheck.objects.count() == 4


def test_a_share_of_less_than_a_chunk_is_drawn_by_lot(cast: Cast, settings: Settings) -> None:
    settings.RECHECKED_SHARE = 0.5
    for number in range(20):
        cast.judged_submission(cast.entrant(f"m{number}"), samples=1, publish=False)
    assert 4 <= Recheck.objects.count() <= 16
    assert {row.drawn for row in RecheckedTask.objects.all()} == {Recheck.objects.count()}


def test_every_task_is_drawn_as_often_as_any_other() -> None:
    tasks = {number: range(10 * number, 10 * number + 10) for number in range(20)}
    drawn, lot = Counter[int](), Random(1)  # noqa: S311  # not a secret
    for _ in range(160):
        assert len(rechecks.least_drawn(tasks, drawn, 1, lot)) == 1
    assert set(drawn.values()) == {8} and len(drawn) == 200


def test_eight_second_judgements_find_a_test_that_fails_one_time_in_five() -> None:
    """Submissions with right answers arrive, and one chunk of each is drawn. Each judgement of the
    planted task fails by chance."""
    lot, trials, found = Random(34), 3000, 0  # noqa: S311  # not a secret
    tasks, planted = {number: [2 * number, 2 * number + 1] for number in range(3)}, 4

    def status() -> Status:
        return Status.FAILED if lot.random() < 0.2 else Status.PASSED

    for _ in range(trials):
        drawn, judged = Counter[int](), 0
        while judged < 8:
            (chunk,) = rechecks.least_drawn(tasks, drawn, 1, lot)
            if planted in tasks[chunk]:
                judged += 1
                first = Verdict(status=status().value, integrity=Integrity.CLEAN.value)
                if rechecks.differs(first, records.Verdict(records.Key(planted, 0), status())):
                    found += 1
                    break
        assert max(drawn.values()) <= 8
    assert found / trials >= 0.95


def test_the_draw_reads_the_tasks_of_all_chunks_at_once(
    cast: Cast, evaluation: Evaluation, settings: Settings
) -> None:
    cast.judge(evaluation)
    settings.RECHECKED_SHARE = 1.0
    with CaptureQueriesContext(connection) as queries:
        rechecks.draw_rechecks(evaluation=evaluation)
    drawn = RecheckedTask.objects.values_list("task", flat=True)
    assert set(drawn) == set(evaluation.submission.generations.values_list("task", flat=True))
    read = [one for one in queries if 'FROM "submissions_generation"' in one["sql"]]
    assert Recheck.objects.count() == 4 and len(read) == 1


def test_only_its_end_changes_what_pages_show(scored: Evaluation) -> None:
    before = PublicChange.objects.count()
    recheck = claim(scored)
    assert rechecks.give_back_recheck(recheck=recheck, cause="no Docker", counts=True)
    recheck = claim(scored)
    assert PublicChange.objects.count() == before
    assert finish(recheck) and PublicChange.objects.count() == before + 1


def test_what_differs_is_counted_and_the_first_verdicts_stay(scored: Evaluation) -> None:
    before = [*Verdict.objects.order_by("pk").values()], [*Score.objects.order_by("pk").values()]
    recheck = claim(scored)
    verdicts, generations = second_verdicts(recheck)
    assert [v.status for v in verdicts[:3]] == ["passed", "passed", "failed"]
    failed = replace(verdicts[0], status=Status.FAILED)
    suspect = replace(verdicts[1], integrity=Integrity.SUSPECT)
    assert finish(recheck, failed, suspect)
    recheck.refresh_from_db()
    keys = [generations[verdict.key] for verdict in verdicts]
    assert recheck.differences == [
        [keys[0], "", "failed", "clean"],
        [keys[1], "", "passed", "suspect"],
    ]
    assert counts() == (10, 2)
    after = [*Verdict.objects.order_by("pk").values()], [*Score.objects.order_by("pk").values()]
    assert after == before


def test_infrastructure_and_decisions_of_people_are_no_differences(scored: Evaluation) -> None:
    recheck = claim(scored)
    verdicts, generations = second_verdicts(recheck)
    lost, cleared = (generations[verdict.key] for verdict in verdicts[:2])
    Verdict.objects.filter(generation=lost).update(status=Status.NOT_RUN.value)
    Verdict.objects.filter(generation=cleared).update(integrity=Integrity.CLEARED.value)
    suspect = replace(verdicts[1], integrity=Integrity.SUSPECT)
    assert finish(recheck, verdicts[0], suspect, replace(verdicts[2], status=Status.NOT_RUN))
    assert counts() == (8, 0)


def test_rechecks_wait_for_every_chunk_and_make_room_for_new_ones(
    scored: Evaluation, cast: Cast
) -> None:
    recheck = claim(scored)
    assert rechecks.renew_lease(recheck=recheck)
    # One at a time in a queue.
    assert not list(rechecks.next_rechecks())
    other = open_evaluation(submission=cast.submission(cast.entrant("another")))
    assert not rechecks.renew_lease(recheck=recheck)
    assert rechecks.give_back_recheck(recheck=recheck, cause="", counts=False)
    assert rechecks.claim_recheck(pk=recheck.pk, owner="w", host="there") is None
    scheduling.cancel(evaluation=other)
    (following,) = rechecks.next_rechecks()
    assert (following.pk, following.tries) == (recheck.pk, 0)
    assert following in list(unheard_rows())


def test_another_host_judges_again_if_one_serves_the_queue(scored: Evaluation) -> None:
    scored.chunks.update(host="here")
    now = timezone.now()
    worker = Worker.objects.create(name="w", host="there", queues=["python"], started=now, seen=now)
    pk = rechecks.next_rechecks().get().pk
    assert rechecks.claim_recheck(pk=pk, owner="w", host="here") is None
    worker.queues = ["java"]
    worker.save()
    assert rechecks.claim_recheck(pk=pk, owner="w", host="here")


def test_a_recheck_whose_worker_is_silent_waits_again(scored: Evaluation) -> None:
    recheck = claim(scored)
    age(recheck)
    assert not finish(recheck)
    assert counts() == (0, 0)
    again = claim(scored)
    assert (again.pk, again.attempt, again.tries) == (recheck.pk, 2, 2)
    assert finish(again) and not finish(again)
    assert counts() == (10, 0)


def test_a_recheck_is_given_up_after_five_failures(scored: Evaluation) -> None:
    first = claim(scored)
    for _ in range(scheduling.MOST_TRIES):
        assert rechecks.give_back_recheck(recheck=first, cause="The disk is full.", counts=True)
        claimed = rechecks.claim_recheck(pk=first.pk, owner="w", host="there")
        first = claimed or first
    assert claimed is None
    assert rechecks.next_rechecks().get().pk != first.pk


def test_other_engines_verdicts_are_not_compared(
    scored: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rechecks, "ENGINE_VERSION", "99")
    assert not rechecks.due_rechecks().exists()


def test_two_workers_that_finish_at_once_count_once(
    shared_database: None, scored: Evaluation
) -> None:
    recheck = claim(scored)
    assert sorted(at_once(lambda: finish(recheck), lambda: finish(recheck))) == [False, True]
    assert counts() == (10, 0)


def test_the_rate_has_an_interval_over_tasks_that_count(scored: Evaluation) -> None:
    revision = scored.submission.revision
    assert rechecks.rate_of(revision).value is None
    for _ in range(4):
        recheck = claim(scored)
        verdicts, _generations = second_verdicts(recheck)
        assert finish(recheck, replace(verdicts[0], status=Status.TIMEOUT))
    rate = rechecks.rate_of(revision)
    assert (rate.value, rate.n, rate.clusters) == (4 / 36, 36, 12)
    assert rate.low is not None and rate.high is not None and rate.low < 4 / 36 < rate.high
    worst = rechecks.differing_tasks().order_by("-differing")[0]
    TaskExclusion.objects.create(task=worst.task, reason="It depends on chance.")
    assert rechecks.rate_of(revision).n == 33
    assert worst not in rechecks.differing_tasks()


@pytest.mark.docker
def test_a_job_judges_the_chunk_again_and_only_then(
    shared_database: None,
    scored: Evaluation,
    settings: Settings,
    image: str,
    running_valkey: Queue,
    own_term: object,
) -> None:
    settings.LEASE_SECONDS = 600
    scored.submission.generations.update(text="\n    return object\n")
    reconcile()
    (job,) = ids()
    recheck = rechecks.next_rechecks().get()
    assert job == f"recheck-{recheck.pk}-1"
    jobs.recheck(recheck.pk)
    jobs.recheck(recheck.pk)
    recheck.refresh_from_db()
    assert recheck.finished and recheck.attempt == 1
    # The first verdicts are invented: two of three wrong answers passed.
    assert {(status, integrity) for *_, status, integrity in recheck.differences} == {
        ("failed", "clean")
    }
    assert counts() == (10, len(recheck.differences))


def test_a_fault_gives_the_recheck_back(scored: Evaluation, own_term: object) -> None:
    Evaluation.objects.update(limits={"nonsense": 1})
    pk = rechecks.next_rechecks().get().pk
    with pytest.raises(TypeError):
        jobs.recheck(pk)
    recheck = Recheck.objects.get(pk=pk)
    assert (recheck.tries, recheck.lease_until) == (1, None)
    assert "TypeError" in recheck.cause
