"""Submissions rated by people take every upload's path, and are scored from their marks."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.utils import timezone

from evaluation import jobs
from evaluation.models import Evaluation, EvaluationState
from evaluation.work import actions
from evaluation.work.exclusions import leave_out, take_in_again
from evaluation.work.reconciling import reconcile
from leaderboard.annotation import campaigns, panels
from leaderboard.annotation.models import Campaign
from leaderboard.annotation.panels import marked
from leaderboard.annotation.results import make_results
from leaderboard.scores.models import Score
from leaderboard.submissions.models import Generation, Submission, Upload, UploadState
from tests.evaluation.web.conftest import ids
from tests.support.cast import Cast
from tests.support.panel import FAIR, POOR, Panel, store
from tests.support.rated import publish
from tests.support.valkey import Queue

pytestmark = pytest.mark.any_database


@pytest.fixture
def panel(cast: Cast, tmp_path: Path, uploads: Path) -> Panel:
    """A panel with as many tasks as the figures of agreement need."""
    return Panel(cast, tmp_path, tasks=12)


def uploaded(panel: Panel) -> Upload:
    """Uploads a file with a generation for every task."""
    tasks = panel.revision.tasks.values_list("external_id", flat=True)
    lines = [json.dumps({"task_id": int(one), "code": "int a;"}) for one in tasks]
    return actions.submit_file(
        user=panel.cast.alice,
        entrant=panel.cast.entrant("Larch", panel.cast.northwood),
        revision=panel.revision,
        setting="base",
        file=ContentFile("\n".join(lines).encode(), name="larch.jsonl"),
    )


def scored(submission: Submission) -> Evaluation:
    """Scores the submission as the worker at the desk does after a notification."""
    evaluation = submission.evaluations.get(current=True)
    jobs.score(evaluation.pk)
    evaluation.refresh_from_db()
    return evaluation


def settle(panel: Panel, campaign: Campaign) -> None:
    """Stores all marks of three raters: fair for larch's generations, poor for sedge's."""
    own = set(panel.northwood.generations.values_list("pk", flat=True))
    fair = [item.generation_id in own for item in campaign.items.order_by("pk")]
    for name in ("ann", "ben", "cat"):
        store(panel.rater(name, campaign), lambda n: FAIR if fair[n] else POOR)


def test_an_upload_is_stored_without_chunks_and_rung_for_to_be_scored(
    running_valkey: Queue, panel: Panel
) -> None:
    upload = uploaded(panel)
    jobs.check_upload(upload.pk)
    assert actions.confirm_upload(upload=upload)
    jobs.store_upload(upload.pk)
    upload.refresh_from_db()
    evaluation = upload.submissions.get().evaluations.get()
    assert (upload.state, evaluation.chunks.count()) == (UploadState.STORED, 0)
    assert ids("scoring") == [f"score-{evaluation.pk}-1"]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[Campaign]:
    """The campaigns whose marks are read, one entry per read."""
    found: list[Campaign] = []

    def counted(campaign: Campaign, **more: Any) -> Any:
        found.append(campaign)
        return marked(campaign, **more)

    monkeypatch.setattr(panels, "marked", counted)
    return found


def test_a_campaign_s_marks_are_read_once_for_all_its_submissions(
    running_valkey: Queue, panel: Panel, reads: list[Campaign]
) -> None:
    both = panel.northwood, panel.fenland
    for one in both:
        actions.open_evaluation(submission=one)
        scored(one)
    settle(panel, panel.campaign)
    reads.clear()
    jobs.campaign(panel.campaign.pk)
    assert reads == [panel.campaign]
    found = Score.objects.filter(metric="correctness", slice="overall")
    assert set(found.values_list("evaluation__submission", flat=True)) == {one.pk for one in both}
    reads.clear()
    before = Campaign.objects.get().wanted
    tasks = panel.revision.tasks.filter(number=0)
    made = leave_out(tasks=tasks, reason="It says two things at once.", user=panel.cast.dora)
    assert Campaign.objects.get().wanted == before + 1
    for one in both:
        assert scored(one).scores.get(metric="correctness", slice="overall").tasks == 11
    assert reads == [panel.campaign]
    take_in_again(exclusions=made)
    assert Campaign.objects.get().wanted == before + 2


def test_a_submission_that_cannot_be_scored_from_marks_blocks_no_other(
    panel: Panel, monkeypatch: pytest.MonkeyPatch
) -> None:
    for one in (panel.northwood, panel.fenland):
        actions.open_evaluation(submission=one)
        scored(one)
    settle(panel, panel.campaign)
    write = jobs.score_rated

    def broken(*, evaluation: Evaluation, marks: Any) -> bool:
        if evaluation.submission == panel.northwood:
            raise ZeroDivisionError
        return write(evaluation=evaluation, marks=marks)

    monkeypatch.setattr(jobs, "score_rated", broken)
    jobs.campaign(panel.campaign.pk)
    assert panel.northwood.evaluations.get().cause
    fenland = panel.fenland.evaluations.get()
    assert (fenland.state, fenland.scores.exists()) == (EvaluationState.DONE, True)


def test_a_campaign_that_nobody_rang_for_is_found_but_not_while_people_rate(
    running_valkey: Queue, panel: Panel
) -> None:
    campaign = panel.campaign
    reconcile()
    campaign.refresh_from_db()
    assert ids("scoring") == [f"campaign-{campaign.pk}-{campaign.wanted}"]
    assert reconcile() == 0, "it is in the queue"
    make_results(campaign=campaign)
    made = Campaign.objects.get().made_at
    jobs.campaign(campaign.pk)
    assert Campaign.objects.get().made_at == made, "there is no news"
    campaigns.want_results(campaign=campaign)
    reconcile()
    assert len(ids("scoring")) == 1
    Campaign.objects.update(made_at=timezone.now() - timedelta(minutes=2), rung=None)
    reconcile()
    assert len(ids("scoring")) == 2


def test_judging_again_goes_by_the_same_marks(panel: Panel) -> None:
    actions.open_evaluation(submission=panel.northwood)
    first = scored(panel.northwood)
    settle(panel, panel.campaign)
    again = actions.judge_again(submission=panel.northwood)
    jobs.score(again.pk)
    again.refresh_from_db()
    first.refresh_from_db()
    assert (again.current, first.current, again.chunks.count()) == (True, False, 0)
    assert again.scores.filter(metric="correctness", slice="overall").count() == 1


def test_a_board_ranks_by_the_means_that_it_shows(panel: Panel) -> None:
    """Larch has three generations of each good task and one of each other task: its mean over
    generations is 2.5, over tasks 2. Sedge's is 2.25."""
    good = panel.revision.tasks.filter(number__lt=6)
    Generation.objects.bulk_create(
        Generation(submission=panel.northwood, task=task, sample=sample, text="int c;")
        for task in good
        for sample in (1, 2)
    )
    larch = set(panel.northwood.generations.values_list("pk", flat=True))
    best = set(panel.northwood.generations.filter(task__in=good).values_list("pk", flat=True))
    items = list(panel.campaign.items.order_by("pk"))

    def marks(number: int) -> dict[str, int]:
        generation = items[number].generation_id
        if generation in larch:
            return FAIR if generation in best else POOR
        return {**FAIR, "correctness": 3 if items[number].generation.task.number < 3 else 2}

    for name in ("ann", "ben"):
        store(panel.rater(name), marks)
    board = publish(panel.northwood, panel.fenland)
    rows = board.standings.order_by("place")
    assert [row.submission for row in rows] == [panel.northwood, panel.fenland]
    scores = [row.evaluation.scores.get(metric=board.metric, slice="overall") for row in rows]
    assert [1 + 3 * score.value for score in scores] == pytest.approx([2.5, 2.25])
