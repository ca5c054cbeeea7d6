"""Tests that the invented marks of a sample are imported like any others and make a rated board."""

from __future__ import annotations

import csv
import tomllib

import pytest

from evaluation.engine.families.aixbench_nl.criteria import CRITERIA
from evaluation.work.sample_ratings import rate_samples
from leaderboard.annotation.models import Campaign, Item, MarkChange, Rating
from leaderboard.annotation.results import make_results
from leaderboard.benchmarks.importing import import_revision
from leaderboard.submissions.models import Submission
from tests.support.cast import FAMILIES, Cast
from tests.support.rated import publish

pytestmark = pytest.mark.any_database

SAMPLE = FAMILIES / "aixbench_nl/sample"
MODELS = tuple(sorted(tomllib.loads((SAMPLE / "models.toml").read_text())))


def given() -> list[dict[str, str]]:
    return list(csv.DictReader((SAMPLE / "ratings.csv").open(encoding="utf-8")))


@pytest.fixture
def submissions(cast: Cast) -> dict[str, Submission]:
    """One submission per model, with a generation for every task except those that nobody rated."""
    tasks = SAMPLE / "tasks.jsonl"
    imported = import_revision(family_slug="aixbench_nl", tasks=tasks, answers=None, label="sample")
    rated = {(line["model"], line["task_id"]) for line in given()}
    found = {}
    for model in MODELS:
        one = cast.submission(cast.entrant(model), benchmark=imported.benchmark, samples=1)
        for generation in one.generations.select_related("task"):
            if (model, generation.task.external_id) not in rated:
                generation.delete()
        found[model] = one
    return found


def test_the_marks_of_a_sample_lie_on_their_scales() -> None:
    for line in given():
        assert all(1 <= int(line[one.name]) <= one.top for one in CRITERIA)


def test_they_are_imported_once_and_on_record_by_nobody_s_accounts(
    cast: Cast, submissions: dict[str, Submission]
) -> None:
    marks = rate_samples(folder=SAMPLE, submissions=submissions, user=cast.dora)
    assert marks == len(given()) * 3 == Rating.objects.count()
    assert set(MarkChange.objects.values_list("how", "reason")) == {
        ("file", "The sample's own marks: invented, not given by people.")
    }
    assert rate_samples(folder=SAMPLE, submissions=submissions, user=cast.dora) == 0
    raters = [rater.user for rater in Campaign.objects.get().raters.all()]
    assert [user and user.has_usable_password() for user in raters] == [False] * 3


def test_every_mean_of_the_sample_is_published(
    cast: Cast, submissions: dict[str, Submission]
) -> None:
    rate_samples(folder=SAMPLE, submissions=submissions, user=cast.dora)
    campaign = Campaign.objects.get()
    make_results(campaign=campaign)
    board = publish(*submissions.values())
    assert board.standings.filter(place__isnull=False).count() == len(MODELS)
    assert not campaign.scores.exclude(holds=[]).exists()
    assert campaign.items.filter(kind=Item.Kind.KNOWN).count() == 3
