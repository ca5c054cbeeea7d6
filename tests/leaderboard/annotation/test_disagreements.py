"""Tests of the list of generations on which tests and people differ."""

import pytest

from evaluation.models import Verdict
from leaderboard.annotation import campaigns
from leaderboard.annotation.disagreements import disagreements
from leaderboard.annotation.models import Campaign
from leaderboard.submissions.models import Submission
from tests.support.cast import Cast
from tests.support.panel import FAIR, POOR, Panel, rate

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
