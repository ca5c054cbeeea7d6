"""Tests of `manage.py seed_demo`; here its waiting for the workers does their jobs."""

import json
import re
import time
import tomllib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.core.management import call_command
from django.utils import timezone

from evaluation import jobs
from evaluation.engine.samples import sample_folder, sample_trees
from evaluation.management.commands import seed_demo
from evaluation.management.commands.seed_demo import rate_samples
from evaluation.state.projects import options
from evaluation.state.scheduling import waiting_chunks
from evaluation.work import bells, reconciling, sending
from leaderboard.annotation.models import Campaign, Item, MarkChange
from leaderboard.benchmarks.models import Benchmark
from leaderboard.scores import boards
from leaderboard.scores.models import Edition, Score, Standing
from leaderboard.submissions.models import Consent, Licence, Submission, Visibility
from tests.support.cast import FAMILIES
from tests.support.predictions import ANSWERS, TASKS, solutions

pytestmark = pytest.mark.any_database

AGES = {"oak": 40, "ash": 30, "fir": 3}


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(_seconds: float) -> None:
        found = [bells.bell_of(row) for row in reconciling.unheard_rows()]
        found += map(bells.bell_of, waiting_chunks())
        for bell in found:
            getattr(jobs, bell.name)(bell.key)

    # Replaced in these modules only: threads of the jobs sleep too.
    waiting = SimpleNamespace(sleep=work, monotonic=time.monotonic)
    monkeypatch.setattr(seed_demo, "time", waiting)
    monkeypatch.setattr(sending, "time", waiting)
    monkeypatch.setattr(bells, "ring", lambda _rows: True)
    monkeypatch.setattr(boards, "SECONDS_BETWEEN", -1)


@pytest.fixture
def demo(db: None, workers: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three models with an answer for each of the twelve tasks; the last one's are all wrong."""
    for file in (TASKS, ANSWERS):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    lines = []
    for model, age in AGES.items():
        lines.append(f'[{model}]\nname = "{model}"\nweights = "open"\nage_days = {age}\n')
        answers = [
            {"task_id": task, "completion": text if model != "fir" else "    return None\n"}
            for task, text in solutions().items()
        ]
        (tmp_path / model).mkdir()
        (tmp_path / model / "base.jsonl").write_text("\n".join(map(json.dumps, answers)))
    (tmp_path / "models.toml").write_text("\n".join(lines))
    monkeypatch.setattr(seed_demo, "demo_folder", lambda _slug: tmp_path)
    return tmp_path


def ages() -> Iterator[tuple[str, int]]:
    for row in Submission.objects.select_related("entrant", "upload"):
        assert row.created == row.published == row.upload.created
        yield row.entrant.name, (timezone.now() - row.published).days


@pytest.mark.docker
def test_results_are_judged_and_dated_back_in_the_order_of_their_models(
    demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("seed_demo", family=["rucodeeval"], site="http://here")
    assert dict(ages()) == AGES
    rows = Standing.objects.order_by("place").values_list("submission__entrant__name", flat=True)
    assert list(rows)[2] == "fir"
    editions = Edition.objects.order_by("made_at")
    assert [each.ranked for each in editions] == [2, 3]
    days = [(timezone.now() - each.made_at) // timedelta(days=1) for each in editions]
    assert days == [AGES["ash"], AGES["fir"]]
    said = capsys.readouterr().out
    assert re.search(r": see http://here/benchmarks/rucodeeval/ \(after \d+ s\)\n", said)
    assert not Consent.objects.exists(), "this benchmark's answers are hidden"
    Benchmark.objects.update(shows_output=True)
    Submission.objects.filter(entrant__name="oak").update(visibility=Visibility.PRIVATE)
    call_command("seed_demo", family=["rucodeeval"])
    assert dict(ages()) == AGES, "a second run sends nothing twice and publishes what is missing"
    consent = Consent.objects.get()
    assert (consent.submission.entrant.name, consent.licence) == ("oak", Licence.APACHE)


def test_results_that_people_rate_are_published_with_their_marks(db: None, workers: None) -> None:
    call_command("seed_demo", family=["aixbench_nl"])
    rows = Submission.objects.filter(revision__benchmark__family_slug="aixbench_nl")
    assert {row.visibility for row in rows} == {Visibility.PUBLISHED}
    standings = Standing.objects.filter(submission__in=rows)
    assert standings.filter(place__isnull=False).count() == rows.count() == len(MODELS)
    means = Score.objects.filter(evaluation__standings__in=standings, metric="correctness")
    assert means.exclude(value=None).exists()
    campaign = Campaign.objects.get()
    assert set(MarkChange.objects.values_list("how", "reason")) == {
        ("file", "The sample's own marks: invented, not given by people.")
    }
    raters = [rater.user for rater in campaign.raters.all()]
    assert [user and user.has_usable_password() for user in raters] == [False] * 3
    models = {row.entrant.name: row for row in rows}
    assert rate_samples(folder=SAMPLE, submissions=models, user=rows[0].user) == 0, "imported once"
    assert not campaign.scores.exclude(holds=[]).exists()
    assert campaign.items.filter(kind=Item.Kind.KNOWN).count() == 3


def test_projects_of_samples_are_put_among_the_operator_s_trees(db: None) -> None:
    folder = sample_folder("realcode")
    assert folder is not None
    seed_demo.put_source_trees(folder)
    trees = options().source_trees
    assert trees == settings.DATA_DIR / "source-trees"
    for name, tree in sample_trees(folder).items():
        assert (trees / name / "README.md").read_bytes() == (tree / "README.md").read_bytes()


SAMPLE = FAMILIES / "aixbench_nl/sample"
MODELS = tuple(sorted(tomllib.loads((SAMPLE / "models.toml").read_text())))
