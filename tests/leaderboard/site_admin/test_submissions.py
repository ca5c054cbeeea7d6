"""Tests that uploads, submissions and generations can be looked at in the admin, and not edited."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.submissions.models import Submission
from tests.leaderboard.pages.submissions.visits import ESCAPED, SCRIPT, checked, visitor
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database

KINDS = ("upload", "submission", "generation")


@pytest.fixture
def submission(cast: Cast) -> Submission:
    entrant = cast.entrant()
    checked(entrant, cast.alice, cast.rucodeeval, b"nothing")
    return cast.judged_submission(entrant, text=SCRIPT)


@pytest.mark.parametrize("kind", KINDS)
def test_lists_search_and_show(cast: Cast, submission: Submission, kind: str) -> None:
    client = visitor(cast.dora)
    assert client.get(f"/admin/submissions/{kind}/").status_code == 200
    assert client.get(f"/admin/submissions/{kind}/", {"q": "1"}).status_code == 200


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_added_or_deleted(cast: Cast, submission: Submission, kind: str) -> None:
    client = visitor(cast.dora)
    assert client.get(f"/admin/submissions/{kind}/add/").status_code == 403
    assert client.post(f"/admin/submissions/{kind}/1/delete/").status_code in (302, 403)


def test_a_list_of_generations_leaves_their_texts_where_they_are(
    cast: Cast, submission: Submission
) -> None:
    client = visitor(cast.dora)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        client.get("/admin/submissions/generation/")
    read = [one["sql"] for one in queries if 'FROM "submissions_generation"' in one["sql"]]
    assert [sql for sql in read if '"submissions_generation"."text"' in sql] == []


def test_a_text_is_shown_escaped(cast: Cast, submission: Submission) -> None:
    first = submission.generations.order_by("pk")[0]
    page = visitor(cast.dora).get(f"/admin/submissions/generation/{first.pk}/change/").text
    assert (SCRIPT in page, ESCAPED in page) == (False, True)


def test_staff_find_no_unfinished_submission_and_none_of_its_generations(
    cast: Cast, submission: Submission
) -> None:
    client, first = visitor(cast.dora), submission.generations.order_by("pk")[0]
    pages = [
        f"/admin/submissions/submission/{submission.pk}/change/",
        f"/admin/submissions/generation/{first.pk}/change/",
    ]
    assert [client.get(page).status_code for page in pages] == [200, 200]
    Submission.objects.update(storing=1)
    assert [client.get(page).status_code for page in pages] == [302, 302]
    for kind in ("submission", "generation"):
        assert "0 " + kind in client.get(f"/admin/submissions/{kind}/").text
