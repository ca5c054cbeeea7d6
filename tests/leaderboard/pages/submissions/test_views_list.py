"""The list of my teams' submissions."""

from __future__ import annotations

import pytest
from django.urls import reverse
from pytest_django.fixtures import DjangoAssertNumQueries

from evaluation.work.actions import open_evaluation
from leaderboard.submissions.models import Submission, Upload, UploadState
from tests.leaderboard.pages.submissions.visits import ESCAPED, SCRIPT, checked, received, visitor
from tests.support.cast import Cast, predictions

pytestmark = pytest.mark.any_database

LIST = "/submissions/"
QUERIES = 11


def copies(submission: Submission, number: int) -> None:
    """Stores further submissions like it, each with a separate evaluation and scores."""
    for _copy in range(number):
        scores = list(submission.evaluations.get().scores.all())
        twin = Submission.objects.get(pk=submission.pk)
        twin.pk = None
        twin.save()
        evaluation = open_evaluation(submission=twin)
        evaluation.state = "done"
        evaluation.save()
        for score in scores:
            score.pk, score.evaluation = None, evaluation
            score.save()
        submission = Submission.objects.get(pk=submission.pk)


def test_who_is_not_signed_in_is_sent_to_sign_in(cast: Cast) -> None:
    assert visitor().get(LIST)["Location"].endswith("?next=/submissions/")


def test_only_ones_own_teams_submissions_are_listed(cast: Cast) -> None:
    ours = cast.judged_submission(cast.entrant(), publish=True)
    theirs = cast.judged_submission(cast.entrant("Heron 14B", cast.fenland), publish=True)
    page = visitor(cast.bob).get(LIST).text
    assert (ours.get_absolute_url() in page, theirs.get_absolute_url() in page) == (True, False)
    assert ours.get_absolute_url() not in visitor(cast.charlie).get(LIST).text


def test_score_state_and_visibility_are_shown(cast: Cast) -> None:
    cast.judged_submission(cast.entrant(), ("passed", "failed"), samples=2)
    page = visitor(cast.bob).get(LIST).text
    assert ("<b>50.0</b>" in page, "done" in page, "everyone" in page) == (True, True, True)


def test_uploads_that_are_not_submitted_yet_are_listed(cast: Cast) -> None:
    upload = checked(cast.entrant(), cast.alice, cast.rucodeeval, b"nothing")
    page = visitor(cast.bob).get(LIST).text
    assert (upload.get_absolute_url() in page, "refused" in page) == (True, True)


def test_names_are_escaped(cast: Cast) -> None:
    entrant = cast.entrant(SCRIPT)
    cast.judged_submission(entrant)
    received(entrant, cast.alice, cast.rucodeeval, b"", name=f"{SCRIPT[:8]}.jsonl")
    page = visitor(cast.alice).get(LIST).text
    assert (SCRIPT in page, SCRIPT[:8] in page.partition("<main")[2], ESCAPED in page) == (
        False,
        False,
        True,
    )


@pytest.mark.parametrize("number", [3, 30])
def test_the_number_of_queries_does_not_grow(
    cast: Cast, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    copies(cast.judged_submission(cast.entrant(), publish=False), number - 1)
    client = visitor(cast.bob)
    with django_assert_num_queries(QUERIES):
        page = client.get(LIST).text
    assert page.count("pass@1") == number


def test_more_than_a_page_is_paged(cast: Cast) -> None:
    copies(cast.judged_submission(cast.entrant(), publish=False), 30)
    page = visitor(cast.bob).get(LIST, {"page": "2"}).text
    assert (page.count("pass@1"), "31–31 of 31" in page) == (1, True)


def test_rejected_files_come_last_and_several_are_discarded_at_once(cast: Cast) -> None:
    entrant = cast.entrant()
    cast.judged_submission(entrant)
    good = checked(entrant, cast.alice, cast.rucodeeval, predictions(cast.rucodeeval))
    bad = [checked(entrant, cast.alice, cast.rucodeeval, b"nothing") for _ in range(2)]
    page = visitor(cast.bob).get(LIST).text
    places = [page.index(words) for words in (good.get_absolute_url(), "pass@1", "Rejected files")]
    assert places == sorted(places) and page.index(bad[0].get_absolute_url()) > places[-1]
    keys = [good.pk, bad[0].pk, "x", "9" * 30]
    page = visitor(cast.bob).post(reverse("uploads-discard"), {"upload": keys}, follow=True).text
    assert "2 uploads were discarded." in page
    left = Upload.objects.exclude(state=UploadState.DISCARDED)
    assert set(left) == {bad[1]}


def test_another_teams_upload_is_not_discarded(cast: Cast) -> None:
    theirs = checked(cast.entrant(), cast.alice, cast.rucodeeval, b"nothing")
    assert cast.fenland
    visitor(cast.charlie).post(reverse("uploads-discard"), {"upload": [theirs.pk]})
    theirs.refresh_from_db()
    assert theirs.state == UploadState.REFUSED


def test_files_beyond_the_tenth_are_counted_and_shown_on_demand(cast: Cast) -> None:
    entrant = cast.entrant()
    files = [checked(entrant, cast.alice, cast.rucodeeval, b"nothing") for _ in range(12)]
    client = visitor(cast.bob)
    short, full = client.get(LIST).text, client.get(LIST, {"all": "1"}).text
    oldest = f'name="upload" value="{files[0].pk}"'
    assert (oldest in short, '<a href="?all=1">and 2 more</a>' in short) == (False, True)
    assert (oldest in full, '<a href="?all=1">' in full) == (True, False)
