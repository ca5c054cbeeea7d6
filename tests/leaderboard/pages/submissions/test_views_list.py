"""The list of my teams' submissions."""

from __future__ import annotations

import pytest
from pytest_django.fixtures import DjangoAssertNumQueries

from evaluation.state.scheduling import open_evaluation
from leaderboard.submissions.models import Submission
from tests.leaderboard.pages.submissions.visits import ESCAPED, SCRIPT, checked, received, visitor
from tests.support.cast import Cast

LIST = "/submissions/"
QUERIES = 8


def copies(submission: Submission, number: int) -> None:
    """Further submissions like it, each with an evaluation and scores of its own."""
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
