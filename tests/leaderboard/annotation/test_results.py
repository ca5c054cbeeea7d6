"""Tests of the results of marks: means, whether they are published, agreement, boards."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluation.engine.metrics.agreement import Item, ordinal_alpha
from evaluation.engine.metrics.panel import panel_mean
from evaluation.models import Evaluation, EvaluationState
from evaluation.state import scheduling
from leaderboard.annotation import campaigns
from leaderboard.annotation.campaigns import change_terms
from leaderboard.annotation.errors import NotNow
from leaderboard.annotation.models import (
    Assignment,
    Campaign,
    PanelAgreement,
    PanelScore,
    RaterAgreement,
    RaterState,
    Rating,
)
from leaderboard.annotation.panels import marked
from leaderboard.annotation.rating import save_ratings
from leaderboard.annotation.results import (
    campaign_of,
    choose_campaign,
    counting_elsewhere,
    make_results,
    open_rated_evaluation,
    score_rated,
    stale_campaigns,
)
from leaderboard.benchmarks.models import TaskExclusion
from leaderboard.scores.models import Board, Score, TaskResult
from leaderboard.submissions.models import Generation, Submission
from tests.support.panel import FAIR, POOR, Panel, rate, rate_all, store, take

pytestmark = pytest.mark.any_database

TOPS = {"correctness": 4, "code quality": 3, "maintainability": 5}


@pytest.fixture
def rated(panel: Panel) -> Campaign:
    """All 16 generations, rated by two raters who differ by one on every third item."""
    store(panel.rater("ann"), lambda _: FAIR)
    store(panel.rater("ben"), lambda n: {**FAIR, "correctness": 3 - (n % 3 == 0)})
    assert make_results(campaign=panel.campaign)
    return panel.campaign


def score(campaign: Campaign, submission: Submission, **of: str) -> PanelScore:
    given = {"criterion": "correctness", "slice": "overall", **of}
    return campaign.scores.get(submission=submission, **given)


def test_means_are_the_engine_s_over_what_was_marked(panel: Panel, rated: Campaign) -> None:
    items = [Item(number, {"1": 3, "2": 3 - (number % 3 == 0)}) for number in range(8)]
    found, expected = score(rated, panel.northwood), panel_mean(items, 4)
    assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)
    assert (found.ratings, found.raters, found.items, found.tasks) == (16, 2, 8, 8)
    assert (found.scope, found.open, found.missing) == ("panel", 0, 0)
    assert found.shares == pytest.approx([0, 3 / 16, 13 / 16, 0])
    chinese = score(rated, panel.northwood, slice="natural_language", slice_value="zh")
    assert (chinese.items, chinese.tasks) == (2, 2)


def test_agreement_is_the_panel_s_over_all_submissions(panel: Panel, rated: Campaign) -> None:
    items = [Item(number % 8, {"1": 3, "2": 3 - (number % 3 == 0)}) for number in range(16)]
    expected = ordinal_alpha(items)
    found = rated.agreements.get(criterion="correctness", measure="alpha")
    assert (found.value, found.lack, found.pairs) == (expected.value, expected.lack or "", 16)
    lacking = rated.agreements.get(criterion="code quality", measure="kappa")
    assert (lacking.value, bool(lacking.lack)) == (None, True)
    ben = RaterAgreement.objects.get(rater__number=2, criterion="correctness")
    assert (ben.items, ben.bias) == (16, pytest.approx(-6 / 16))


def test_a_mean_stands_past_the_gate(panel: Panel) -> None:
    submission = panel.longer("Larch")
    for terms, holds in (
        ({}, []),
        ({"fewest_ratings": 25}, ["too_few_ratings"]),
        ({"least_agreement": 0.95}, ["too_little_agreement"]),
    ):
        campaign = panel.open(submission, **terms)
        ann, ben = panel.rater("ann", campaign), panel.rater("ben", campaign)
        store(ann, lambda n: FAIR if n % 2 else POOR)
        store(ben, lambda n: FAIR if n % 2 or not n else POOR)
        make_results(campaign=campaign)
        assert score(campaign, submission).holds == holds


def test_where_all_marks_are_the_same_the_organisers_decide(panel: Panel) -> None:
    submission = panel.longer("Larch")
    campaign = panel.open(submission)
    for name in ("ann", "ben"):
        store(panel.rater(name, campaign), lambda _: FAIR)
    make_results(campaign=campaign)
    assert score(campaign, submission).holds == ["constant_marks"]
    dora = panel.cast.dora
    reason = "Three raters found every program correct."
    assert change_terms(campaign=campaign, user=dora, reason=reason, terms={"constant_marks": True})
    make_results(campaign=campaign)
    assert score(campaign, submission).published
    assert campaign.changes.get(name="constant_marks").reason == reason


def test_nearly_equal_marks_are_not_published_as_equal_ones(panel: Panel) -> None:
    """One mark differs: alpha would be about 0, by that one task."""
    submission = panel.longer("Larch")
    campaign = panel.open(submission, least_agreement=0.667, constant_marks=True)
    store(panel.rater("ann", campaign), lambda n: FAIR if n else POOR)
    store(panel.rater("ben", campaign), lambda _: FAIR)
    make_results(campaign=campaign)
    alpha = PanelAgreement.objects.get(criterion="correctness", measure="alpha")
    assert (alpha.value, alpha.low, alpha.lack) == (None, None, "too_few_other_marks")
    assert score(campaign, submission).holds == ["agreement_unknown"]


def test_it_is_provisional_while_generations_lack_a_rater(panel: Panel) -> None:
    rate(panel.rater("ann"), panel.item())
    make_results(campaign=panel.campaign)
    found = score(panel.campaign, panel.northwood)
    assert (found.open, found.published) == (7, False)
    # The reason that resolves others comes first.
    assert found.holds == ["unrated_generations", "too_few_ratings", "agreement_unknown"]


def test_a_task_without_a_generation_gets_the_lowest_mark(panel: Panel) -> None:
    partial = panel.submission("Partial", panel.cast.fenland, "int c;")
    Generation.objects.filter(submission=partial, task__number__gte=6).delete()
    campaign = panel.open(partial, per_item=1)
    rate_all(panel.rater("ann", campaign))
    make_results(campaign=campaign)
    found = score(campaign, partial)
    assert found.value == pytest.approx((6 * 3 + 2 * 1) / 8)
    assert (found.missing, found.items, found.ratings, found.raters) == (2, 6, 6, 1)
    assert found.shares[0] == pytest.approx(2 / 8)


def test_a_missing_task_weighs_as_much_as_one_with_several_samples(panel: Panel) -> None:
    entrant = panel.cast.entrant("Sorrel", panel.cast.fenland)
    submission = panel.cast.submission(entrant, benchmark=panel.benchmark, samples=2, text="int a;")
    submission.generations.filter(task__number=0).delete()
    campaign = panel.open(submission)
    store(panel.rater("ann", campaign), lambda _: FAIR)
    assert make_results(campaign=campaign)
    found = score(campaign, submission)
    assert found.value == pytest.approx((7 * 3 + 1 * 1) / 8)
    assert (found.items, found.missing) == (14, 2)


def test_an_outcome_counts_in_the_mean_and_not_in_the_agreement(panel: Panel) -> None:
    campaign = panel.open(panel.northwood)
    for name, marks in (("ann", FAIR), ("ben", POOR)):
        rate(panel.rater(name, campaign), panel.item(campaign), marks)
    save_ratings(
        assignment=take(panel.rater("dan", campaign, adjudicates=True)), marks={"correctness": 4}
    )
    make_results(campaign=campaign)
    assert score(campaign, panel.northwood).value == 4.0
    own = marked(campaign)[panel.northwood.pk]
    assert sorted(r.value for r in own.ratings if r.criterion == "correctness") == [1, 3]
    assert [one.value for one in own.outcomes] == [4]


def test_marks_of_who_is_dismissed_are_out_of_the_results(panel: Panel, rated: Campaign) -> None:
    campaigns.move_rater(
        rater=panel.rater("ben"), state=RaterState.DISMISSED, reason="marks at random"
    )
    make_results(campaign=rated)
    assert score(rated, panel.northwood).raters == 1
    assert Rating.objects.count() == 96


def test_results_are_stale_when_something_changed(panel: Panel, rated: Campaign) -> None:
    assert not stale_campaigns().exists()
    ann = panel.rater("ann").assignments.get(item=panel.item())
    save_ratings(assignment=ann, marks=POOR)
    assert not stale_campaigns().exists(), "they were made a moment ago"
    Campaign.objects.update(made_at=timezone.now() - timedelta(minutes=2))
    assert stale_campaigns().get() == rated
    assert make_results(campaign=rated)
    assert not make_results(campaign=rated)
    assert score(rated, panel.northwood).shares[0] > 0


# --- A benchmark that people judge ----------------------------------------------------------


@pytest.fixture
def evaluation(panel: Panel) -> Evaluation:
    return open_rated_evaluation(submission=panel.northwood)


def scored(evaluation: Evaluation) -> Evaluation:
    claimed = scheduling.claim_scoring(pk=evaluation.pk, owner="worker")
    assert claimed is not None
    assert score_rated(evaluation=claimed)
    claimed.refresh_from_db()
    return claimed


def test_without_a_campaign_an_evaluation_comes_to_nothing(evaluation: Evaluation) -> None:
    assert scored(evaluation).state == EvaluationState.DONE
    assert not TaskResult.objects.exists()
    assert not Score.objects.exists()


def test_marks_become_results_by_task_and_scores_from_0_to_1(
    panel: Panel, evaluation: Evaluation
) -> None:
    campaign = panel.open(panel.northwood, per_item=1)
    rate_all(panel.rater("ann", campaign))
    scored(evaluation)
    for metric, top in TOPS.items():
        rows = TaskResult.objects.filter(metric=metric).values_list("value", "n", "open")
        assert set(rows) == {((FAIR[metric] - 1) / (top - 1), 1, 0)}
    overall = Score.objects.get(metric="correctness", slice="overall")
    assert (overall.value, overall.n, overall.tasks) == (None, 8, 8)
    assert overall.note == "agreement_unknown"


def test_a_mean_that_stands_is_a_score(panel: Panel) -> None:
    submission = panel.longer("Larch")
    campaign = panel.open(submission)
    for name in ("ann", "ben"):
        store(panel.rater(name, campaign), lambda n: {**FAIR, "correctness": 2 + n % 3})
    evaluation = scored(open_rated_evaluation(submission=submission))
    found = evaluation.scores.get(metric="correctness", slice="overall")
    assert (found.value, found.note) == (pytest.approx(2 / 3), "")
    assert found.low is not None and 0 < found.low < found.value
    assert evaluation.scores.get(metric="code quality", slice="overall").value is None


def test_new_results_have_the_evaluation_scored_anew(panel: Panel, evaluation: Evaluation) -> None:
    scored(evaluation)
    campaign = panel.open(panel.northwood, per_item=1)
    rate_all(panel.rater("ann", campaign))
    make_results(campaign=campaign)
    assert scheduling.to_be_scored().get() == evaluation
    scored(evaluation)
    assert TaskResult.objects.filter(metric="correctness").count() == 8


def test_a_published_submission_s_board_is_wanted_anew(
    panel: Panel, evaluation: Evaluation
) -> None:
    Submission.objects.update(visibility="published", published=timezone.now())
    scored(evaluation)
    board = Board.objects.get()
    assert (board.metric, board.wanted, board.made) == ("correctness", 1, 0)


def test_who_lost_the_claim_to_score_writes_nothing(panel: Panel, evaluation: Evaluation) -> None:
    campaign = panel.open(panel.northwood, per_item=1)
    rate_all(panel.rater("ann", campaign))
    late = scheduling.claim_scoring(pk=evaluation.pk, owner="late")
    assert late is not None
    Evaluation.objects.update(attempt=9)
    assert not score_rated(evaluation=late)
    assert not TaskResult.objects.exists()


def test_tasks_that_are_left_out_take_no_part(panel: Panel, evaluation: Evaluation) -> None:
    campaign = panel.open(panel.northwood, per_item=1)
    rate_all(panel.rater("ann", campaign))
    TaskExclusion.objects.create(task=panel.task(), reason="broken")
    scored(evaluation)
    assert TaskResult.objects.filter(metric="correctness").count() == 7
    make_results(campaign=campaign)
    assert score(campaign, panel.northwood).items == 7


def test_results_come_from_the_first_campaign_until_staff_choose_another(panel: Panel) -> None:
    first = panel.open(panel.northwood)
    second = panel.open(panel.northwood)
    panel.add(panel.new(), panel.northwood)
    assert campaign_of(panel.northwood) == first != second
    assert [*counting_elsewhere(first)] == [] and [*counting_elsewhere(second)] == [panel.northwood]
    for chosen, other in ((second, first), (first, second)):
        choose_campaign(campaign=chosen, user=panel.cast.dora, reason="more raters")
        assert campaign_of(panel.northwood) == chosen
        assert [*counting_elsewhere(other)] == [panel.northwood]
    assert campaign_of(panel.fenland) is None


@pytest.mark.parametrize("chosen", [False, True])
def test_adding_a_submission_changes_no_result_and_taking_it_out_goes_back(
    panel: Panel, chosen: bool
) -> None:
    earlier, later = panel.open(panel.fenland), panel.open(panel.northwood)
    if chosen:
        choose_campaign(campaign=earlier, user=panel.cast.dora, reason="more raters")
    panel.add(earlier, panel.northwood)
    assert campaign_of(panel.northwood) == later
    panel.add(later, panel.fenland)
    campaigns.remove_submission(
        campaign=later, submission=panel.northwood, user=panel.cast.dora, reason="x"
    )
    assert campaign_of(panel.northwood) == campaign_of(panel.fenland) == earlier


def test_a_campaign_is_chosen_with_a_reason_once_it_was_opened(panel: Panel) -> None:
    dora = panel.cast.dora
    with pytest.raises(ValidationError):
        choose_campaign(campaign=panel.open(panel.northwood), user=dora, reason=" ")
    with pytest.raises(NotNow):
        choose_campaign(campaign=panel.new(), user=dora, reason="early")


def test_results_ask_the_same_number_of_queries(panel: Panel, rated: Campaign) -> None:
    counts = []
    for campaign in (rated, panel.open(panel.northwood)):
        with CaptureQueriesContext(connection) as asked:
            marked(campaign)
        counts.append(len(asked))
    assert counts[0] == counts[1] == 4


def test_agreements_are_replaced_not_added(panel: Panel, rated: Campaign) -> None:
    before = PanelAgreement.objects.count(), RaterAgreement.objects.count()
    campaigns.want_results(campaign=rated)
    make_results(campaign=rated)
    assert (PanelAgreement.objects.count(), RaterAgreement.objects.count()) == before == (6, 6)
    assert Assignment.objects.count() == 32
