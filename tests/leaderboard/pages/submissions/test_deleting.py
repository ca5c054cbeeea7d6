"""Tests of the deletion of private submissions, and of entrants without a published result."""

from pathlib import Path

import pytest
from auditlog.models import LogEntry
from django.db import connection
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries, Settings

from evaluation import jobs
from evaluation.models import Evaluation
from evaluation.state import scheduling
from evaluation.work import actions
from evaluation.work.deleting import (
    NotDeletable,
    delete_entrant,
    delete_submissions,
    remove_entrants,
)
from leaderboard.accounts.models import Entrant
from leaderboard.annotation import campaigns
from leaderboard.boards.queries import ledgers_of
from leaderboard.generation.models import Run, RunState
from leaderboard.leases import ClaimLost
from leaderboard.pages.caching import public_changes
from leaderboard.submissions.intake import finish_submission, forget_files, remove_leftovers
from leaderboard.submissions.models import LedgerEntry, Submission, Upload, UploadState
from tests.leaderboard.pages.submissions.visits import checked, received, stored, visitor
from tests.support.cast import Cast, predictions
from tests.support.ordering import ordered

pytestmark = pytest.mark.any_database

TEXT, NAME = "    return 'unmistakable'\n", "Nightjar"


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path
    settings.ENDPOINT_RUNS = 1
    settings.KEY_SECRETS = ["a secret of more than 32 characters"]
    return tmp_path


def uploaded(cast: Cast, entrant: Entrant) -> Submission:
    """A submission from a file, judged and private."""
    content = predictions(cast.rucodeeval, text=TEXT)
    submission = stored(checked(entrant, cast.alice, cast.rucodeeval, content))
    evaluation = actions.open_evaluation(submission=submission)
    cast.judge(evaluation, output="unmistakable")
    cast.score(evaluation)
    return submission


def rows(submission: Submission) -> QuerySet[Submission]:
    return Submission.objects.filter(pk=submission.pk)


def swept() -> None:
    remove_leftovers()
    forget_files()
    remove_entrants()


def tables_with(text: str) -> set[str]:
    with connection.cursor() as cursor:
        return {
            table
            for table in connection.introspection.table_names(cursor)
            if text in repr(cursor.execute(f'SELECT * FROM "{table}"') and cursor.fetchall())
        }


def test_nothing_of_a_deleted_submission_is_left_but_the_ledger(cast: Cast, folder: Path) -> None:
    submission = uploaded(cast, cast.entrant())
    assert tables_with("unmistakable") == {"submissions_generation", "evaluation_verdictoutput"}
    assert list(folder.rglob("predictions*"))
    delete_submissions(rows(submission))
    assert visitor(cast.alice).get(submission.get_absolute_url()).status_code == 404
    swept()
    assert not Submission.with_unfinished.exists()
    assert not Evaluation.objects.exists()
    assert tables_with("unmistakable") == set()
    assert not list(folder.rglob("predictions*"))
    assert Upload.objects.get().state == UploadState.DISCARDED
    assert LedgerEntry.objects.get().submission is None
    [ledger] = ledgers_of(submission.revision, submission.setting).values()
    assert (ledger.judged, ledger.published) == (1, 0)
    entry = LogEntry.objects.get_for_object(submission).get(action=LogEntry.Action.DELETE)
    assert entry.object_pk == str(submission.pk)


def test_a_worker_that_judges_it_writes_nothing_more(cast: Cast) -> None:
    submission = cast.submission(cast.entrant())
    evaluation = actions.open_evaluation(submission=submission)
    key = evaluation.chunks.values_list("pk", flat=True)[0]
    chunk = scheduling.claim_chunk(pk=key, owner="w", host="h")
    assert chunk is not None
    delete_submissions(rows(submission))
    assert not scheduling.renew_lease(chunk=chunk)
    assert not scheduling.finish_chunk(chunk=chunk)
    swept()
    jobs.chunk(key)
    jobs.score(evaluation.pk)
    assert not Evaluation.objects.exists()


def test_what_was_published_is_not_deleted(cast: Cast) -> None:
    submission = cast.judged_submission(cast.entrant(), publish=False)
    actions.publish_submission(submission=submission)
    for advice in ("Withdraw it to make it private.$", "cited it.$"):
        with pytest.raises(NotDeletable, match=advice):
            delete_submissions(rows(submission))
        with pytest.raises(NotDeletable, match=advice):
            delete_entrant(submission.entrant)
        page = visitor(cast.alice).get(submission.entrant.get_absolute_url())
        assert reverse("entrant-delete", args=[submission.entrant.slug]) not in page.text
        actions.withdraw_submission(submission=submission)
    assert Entrant.objects.exists()


def test_what_people_rate_is_not_deleted(cast: Cast) -> None:
    submission = cast.judged_submission(cast.entrant(), publish=False)
    campaign = campaigns.create_campaign(
        revision=submission.revision, title="Any", user=cast.dora, family_slug="aixbench_nl"
    )
    campaigns.add_submissions(campaign=campaign, submissions=rows(submission))
    with pytest.raises(NotDeletable, match="People rate"):
        delete_submissions(rows(submission))
    campaigns.remove_submission(
        campaign=campaign, submission=submission, user=cast.dora, reason="asked for"
    )
    delete_submissions(rows(submission))


def test_what_people_rate_since_stays_and_holds_up_no_other(cast: Cast) -> None:
    stuck, other = (cast.judged_submission(cast.entrant(name), publish=False) for name in "AB")
    delete_entrant(stuck.entrant)
    Submission.with_unfinished.filter(pk=stuck.pk).update(storing=None)
    campaign = campaigns.create_campaign(
        revision=stuck.revision, title="Any", user=cast.dora, family_slug="aixbench_nl"
    )
    campaigns.add_submissions(campaign=campaign, submissions=rows(stuck))
    swept()
    assert rows(stuck).exists()
    Submission.objects.update(storing=0)
    swept()
    assert Submission.with_unfinished.get() == stuck


def test_the_beginning_of_other_conversations_is_not_deleted(cast: Cast) -> None:
    entrant = cast.entrant()
    base, talk = cast.submission(entrant), cast.submission(entrant)
    Submission.objects.filter(pk=talk.pk).update(base=base)
    with pytest.raises(NotDeletable, match=f"submission {talk.pk} "):
        delete_submissions(rows(base))
    delete_entrant(entrant)


def test_an_entrant_goes_with_its_submissions_files_and_runs(cast: Cast, folder: Path) -> None:
    entrant = cast.entrant(NAME, organisation=NAME)
    uploaded(cast, entrant)
    run = ordered(cast, entrant=entrant)
    delete_entrant(entrant)
    assert (Entrant.objects.exists(), Submission.objects.exists()) == (False, False)
    assert Run.objects.get(pk=run.pk).state == RunState.STOPPED
    cast.entrant(NAME)  # the name is free
    Entrant.objects.all().delete()
    before = public_changes()
    remove_entrants()
    assert Entrant.with_deleted.exists()  # its generations are still there
    assert public_changes() == before, "cached pages would be made anew in each pass"
    swept()
    assert not Entrant.with_deleted.exists()
    assert not list(folder.rglob("predictions*"))
    assert LedgerEntry.objects.get().team == cast.northwood
    assert tables_with(NAME) == {"auditlog_logentry"}


def test_a_file_that_arrives_while_its_entrant_is_deleted_goes_too(
    cast: Cast, folder: Path
) -> None:
    entrant = cast.entrant()
    delete_entrant(entrant)
    cast.submission(entrant)
    content = predictions(cast.rucodeeval)
    received(entrant, cast.alice, cast.rucodeeval, content)
    for _ in range(2):
        swept()
    assert not Entrant.with_deleted.exists()
    assert not list(folder.rglob("*.jsonl"))


def test_the_answers_of_a_run_that_is_ordered_meanwhile_go_too(cast: Cast) -> None:
    entrant = cast.entrant()
    uploaded(cast, entrant)
    delete_entrant(entrant)
    run = ordered(cast, entrant=entrant)
    remove_entrants()
    run.refresh_from_db()
    assert (run.state, run.expires and run.expires <= timezone.now()) == (RunState.STOPPED, True)


def test_entrants_that_wait_for_their_files_cost_one_query(
    cast: Cast, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for name in "AB":
        uploaded(cast, cast.entrant(name))
        delete_entrant(Entrant.objects.get(name=name))
    with django_assert_num_queries(1):
        remove_entrants()


def test_a_file_that_is_being_stored_is_not_stored(cast: Cast) -> None:
    submission = uploaded(cast, cast.entrant())
    upload = Upload.objects.get()
    Upload.objects.update(state=UploadState.STORING)
    Submission.objects.update(storing=upload.attempt)
    delete_entrant(submission.entrant)
    with pytest.raises(ClaimLost):
        finish_submission(upload=upload, submission=submission)
    swept()
    assert not Submission.with_unfinished.exists()


def test_the_page_says_what_goes_and_deletes(cast: Cast) -> None:
    submission = cast.judged_submission(cast.entrant(NAME), publish=False)
    for url, entrance in (
        (reverse("submission-delete", args=[submission.pk]), submission.get_absolute_url()),
        (reverse("entrant-delete", args=["nightjar"]), reverse("entrant", args=["nightjar"])),
    ):
        client = visitor(cast.bob)
        assert f'href="{url}"' in client.get(entrance).text
        assert "1 private submission:" in client.get(url).text
        if "entrants" not in url:
            assert f'href="{url}"' not in visitor(cast.dora).get(entrance).text
    page = client.post(url, follow=True)
    assert f"{NAME} is deleted." in page.text
    assert client.get(entrance).status_code == 404
