"""The list of my teams' submissions."""

import pytest
from django.urls import reverse
from pytest_django.fixtures import DjangoAssertNumQueries

from leaderboard.pages.submissions.views import lists
from leaderboard.submissions.models import Upload, UploadState
from tests.leaderboard.pages.submissions.visits import checked, visitor
from tests.support.cast import Cast, predictions

pytestmark = pytest.mark.any_database

LIST = "/submissions/"
QUERIES = 11


def test_score_state_and_visibility_are_shown(cast: Cast) -> None:
    cast.judged_submission(cast.entrant(), ("passed", "failed"), samples=2)
    page = visitor(cast.bob).get(LIST).text
    assert ("<b>50.0</b>" in page, "done" in page, "everyone" in page) == (True, True, True)


def test_pages_of_any_length_take_as_many_queries(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    monkeypatch.setattr(lists, "PER_PAGE", 3)
    entrant = cast.entrant()
    for _ in range(4):
        cast.judged_submission(entrant, publish=False)
    client = visitor(cast.bob)
    for number, rows in ((1, 3), (2, 1)):
        with django_assert_num_queries(QUERIES):
            page = client.get(LIST, {"page": number}).text
        assert page.count("pass@1") == rows
    assert "4–4 of 4" in page


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
