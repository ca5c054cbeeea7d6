"""Tests of the generations on which tests and people differ, and of drift: how a rater's marks
compare with the others' over time."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.models import Verdict
from leaderboard.annotation import campaigns
from leaderboard.annotation.disagreements import STRETCH, Gap, disagreements, drift, stretches
from leaderboard.annotation.models import Assignment, Campaign
from leaderboard.submissions.models import Submission
from tests.support.cast import Cast
from tests.support.panel import FAIR, POOR, Panel, rate, store

pytestmark = pytest.mark.any_database

BEST = {"correctness": 4, "code quality": 3, "maintainability": 5}


@pytest.fixture
def tested(panel: Panel, cast: Cast) -> Submission:
    """A submission with twelve generations: the first passed, the second failed, and so on."""
    return cast.judged_submission(cast.entrant(), ("passed", "failed"), samples=1)


@pytest.fixture
def campaign(panel: Panel, cast: Cast, tested: Submission) -> Campaign:
    made = campaigns.create_campaign(
        revision=tested.revision, title="Opened", user=None, family_slug="aixbench_nl", per_item=1
    )
    panel.add(made, tested)
    campaigns.open_campaign(campaign=made)
    ann = panel.rater("ann", made)
    for number, marks in enumerate((POOR, BEST, BEST, POOR, FAIR, FAIR)):
        rate(ann, panel.item(made, number), marks)
    return made


def told(campaign: Campaign) -> list[tuple[int, bool, float]]:
    first = campaign.items.order_by("pk")[0].generation_id
    assert first is not None
    return [
        (row.verdict.generation_id - first, row.verdict.counts, row.mark)
        for row in disagreements(campaign)
    ]


def test_passes_that_people_find_wrong_and_failures_that_they_find_right(
    campaign: Campaign,
) -> None:
    assert told(campaign) == [(0, True, 1.0), (1, False, 4.0), (5, False, 3.0)]
    Verdict.objects.filter(status="passed").update(integrity="confirmed")
    assert [place for place, *_ in told(campaign)] == [1, 2, 4, 5]
    for unsettled in ({"integrity": "suspect"}, {"integrity": "clean", "status": "not_run"}):
        Verdict.objects.update(**unsettled)
        assert told(campaign) == []


def test_what_is_rated_alone_disagrees_with_nothing(panel: Panel) -> None:
    rate(panel.rater("ann"), panel.item(), POOR)
    assert disagreements(panel.campaign) == []


# --- Drift ---------------------------------------------------------------------------------

START = datetime(2026, 5, 1, tzinfo=UTC)


def rows(gaps: list[float]) -> list[Gap]:
    return [(n, START + timedelta(hours=n), "correctness", gap) for n, gap in enumerate(gaps)]


def test_a_rater_who_becomes_stricter_is_seen_to() -> None:
    found = stretches(rows([1.0] * STRETCH + [-0.5] * STRETCH))
    assert [one.bias["correctness"] for one in found] == [1.0, -0.5]
    assert [one.distance["correctness"] for one in found] == [1.0, 0.5]
    assert (found[0].first, found[1].first) == (START, START + timedelta(hours=STRETCH))


@given(st.lists(st.floats(-3, 3), max_size=60))
def test_every_item_is_in_one_stretch_and_none_is_short(gaps: list[float]) -> None:
    found = stretches(rows(gaps))
    assert sum(one.items for one in found) == (len(gaps) if len(gaps) >= STRETCH / 2 else 0)
    assert all(STRETCH / 2 <= one.items < 1.5 * STRETCH for one in found)
    assert all(one.first <= one.last for one in found)


def test_only_marks_that_count_and_that_others_gave_too_are_compared(panel: Panel) -> None:
    ann, ben = panel.rater("ann"), panel.rater("ben")
    store(ann, lambda _number: POOR)
    store(ben, lambda _number: FAIR)
    Assignment.objects.update(finished=START)
    (found,) = drift(ann)[:1]
    assert found.bias == {"correctness": -2.0, "code quality": 0.0, "maintainability": -1.0}
    ben.state = "dismissed"
    ben.save()
    assert drift(ann) == []
