from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.submissions.models import Submission
from tests.leaderboard.pages.boards.published import results
from tests.leaderboard.pages.submissions.visits import ESCAPED, SCRIPT, visitor
from tests.support.cast import Cast


def page(client: Client, address: str = "/entrants/") -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def test_without_entrants_the_list_says_how_to_begin(db: None, client: Client) -> None:
    assert "No entrant has a published result yet" in page(client)


def test_an_entrant_without_published_results_is_known_to_its_team_and_staff(cast: Cast) -> None:
    cast.judged_submission(cast.entrant("Hidden Pine"), publish=False)
    for person in (None, cast.charlie):
        assert "Hidden Pine" not in page(visitor(person))
        assert visitor(person).get("/entrants/hidden-pine/").status_code == 404
    for person in (cast.alice, cast.bob, cast.dora):
        assert "Hidden Pine" in page(visitor(person))
        assert visitor(person).get("/entrants/hidden-pine/").status_code == 200


def test_private_submissions_are_seen_by_the_team_and_marked(cast: Cast) -> None:
    entrant = cast.entrant("Larch")
    public = cast.judged_submission(entrant)
    private = cast.judged_submission(entrant, ("failed",), publish=False)
    ours, theirs = (page(visitor(p), "/entrants/larch/") for p in (cast.bob, cast.charlie))
    assert f"/submissions/{private.pk}/" in ours
    assert '<span class="tag">private</span>' in ours
    assert f"/submissions/{private.pk}/" not in theirs
    assert f"/submissions/{public.pk}/" in theirs
    assert "private" not in theirs


@pytest.mark.parametrize("count", [3, 30])
def test_the_list_asks_as_many_questions_with_3_rows_as_with_30(
    cast: Cast, client: Client, django_assert_num_queries: DjangoAssertNumQueries, count: int
) -> None:
    results(cast, count)
    with django_assert_num_queries(1):
        page(client)


@pytest.mark.parametrize("count", [3, 30])
def test_an_entrant_asks_as_many_questions_with_3_submissions_as_with_30(
    cast: Cast, client: Client, django_assert_num_queries: DjangoAssertNumQueries, count: int
) -> None:
    entrant = cast.entrant("Larch")
    cast.judged_submission(entrant)
    for _ in range(count - 1):
        submission = cast.judged_submission(entrant, publish=False)
        Submission.objects.filter(pk=submission.pk).update(visibility="published")
    with django_assert_num_queries(7):
        page(client, "/entrants/larch/")


def test_the_latest_stand_first_when_asked(cast: Cast, client: Client) -> None:
    results(cast, 3)
    by_name, latest = page(client), page(client, "/entrants/?sort=latest")
    assert by_name.index("Model 00") < by_name.index("Model 02")
    assert latest.index("Model 02") < latest.index("Model 00")


def test_an_entrant_tells_its_rank_among_how_many(cast: Cast, client: Client) -> None:
    results(cast, 3)
    text = page(client, "/entrants/model-02/")
    assert "of 3" in text
    assert "100.0" in text


def test_what_a_phone_leaves_out_of_the_board_is_on_the_entrants_page(
    cast: Cast, client: Client
) -> None:
    entrant = cast.entrant("Larch")
    more = {"benchmark": cast.codeif, "setting": "single_round", "samples": 5}
    cast.judged_submission(entrant, ("passed",), **more)
    text = page(client, "/entrants/larch/")
    assert "pass@5 100.0" in text
    assert "Exception Handling 100" in text


def test_an_unsettled_result_has_bounds_and_no_rank(cast: Cast, client: Client) -> None:
    cast.judged_submission(cast.entrant("Marl"), ("passed", "not_run", "failed"))
    text = page(client, "/entrants/marl/")
    assert "33.3–66.7" in text
    assert "provisional, not ranked" in text


def test_names_and_links_from_people_are_text(cast: Cast, client: Client) -> None:
    entrant = cast.entrant(SCRIPT, organisation=SCRIPT)
    cast.judged_submission(entrant)
    text = page(client, entrant.get_absolute_url())
    assert SCRIPT not in text
    assert ESCAPED in text


def test_only_the_team_is_offered_to_edit(cast: Cast) -> None:
    cast.judged_submission(cast.entrant("Larch"))
    assert "/entrants/larch/edit/" in page(visitor(cast.bob), "/entrants/larch/")
    assert "/entrants/larch/edit/" not in page(visitor(cast.charlie), "/entrants/larch/")
