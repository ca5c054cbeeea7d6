"""Tests that uploads, submissions and generations can be looked at in the admin, and not edited."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.submissions.models import Submission
from tests.leaderboard.pages.submissions.visits import ESCAPED, SCRIPT, checked
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database


@pytest.fixture
def submission(cast: Cast) -> Submission:
    entrant = cast.entrant()
    checked(entrant, cast.alice, cast.rucodeeval, b"nothing")
    return cast.judged_submission(entrant, text=SCRIPT)


def test_lists_search_and_show_and_nothing_is_added_or_deleted(
    staff: Client, submission: Submission
) -> None:
    for kind in ("upload", "submission", "generation"):
        address = f"/admin/submissions/{kind}/"
        assert staff.get(address).status_code == 200
        assert staff.get(address, {"q": "1"}).status_code == 200
        assert staff.get(f"{address}add/").status_code == 403
        assert staff.post(f"{address}1/delete/").status_code in (302, 403)


def test_a_list_of_generations_leaves_their_texts_where_they_are(
    staff: Client, submission: Submission
) -> None:
    with CaptureQueriesContext(connection) as queries:
        staff.get("/admin/submissions/generation/")
    read = [one["sql"] for one in queries if 'FROM "submissions_generation"' in one["sql"]]
    assert [sql for sql in read if '"submissions_generation"."text"' in sql] == []


def test_a_text_is_shown_escaped(staff: Client, submission: Submission) -> None:
    first = submission.generations.order_by("pk")[0]
    page = staff.get(f"/admin/submissions/generation/{first.pk}/change/").text
    assert (SCRIPT in page, ESCAPED in page) == (False, True)


def test_staff_find_no_unfinished_submission_and_none_of_its_generations(
    staff: Client, submission: Submission
) -> None:
    first = submission.generations.order_by("pk")[0]
    pages = [
        f"/admin/submissions/submission/{submission.pk}/change/",
        f"/admin/submissions/generation/{first.pk}/change/",
    ]
    assert [staff.get(page).status_code for page in pages] == [200, 200]
    Submission.objects.update(storing=1)
    assert [staff.get(page).status_code for page in pages] == [302, 302]
    for kind in ("submission", "generation"):
        assert "0 " + kind in staff.get(f"/admin/submissions/{kind}/").text
