"""Tests of each family's sample predictions: they are accepted, and their models are described."""

import re
import tomllib
from pathlib import Path

import pytest

from evaluation.engine import uploads
from evaluation.engine.family import ByExecution, ByPeople
from evaluation.engine.registry import FAMILIES
from evaluation.engine.samples import sample_answers, sample_tasks
from tests.support.commands import ROOT

HOME = ROOT / "evaluation" / "engine" / "families"
FILES = sorted([*HOME.glob("*/sample/*/*.json*"), *HOME.glob("*/demo/*/*.json*")])
FOLDERS = sorted([*HOME.glob("*/sample"), *HOME.glob("*/demo")])
FIELDS = {"name", "organisation", "weights", "parameters", "age_days"}


def models_of(folder: Path) -> set[str]:
    """Models that have predictions of some form for some setting."""
    settings = FAMILIES[folder.parent.name].settings
    return {path.parent.name for one in settings for path in folder.glob(f"*/{one}*")}


def name(path: Path) -> str:
    return str(path.relative_to(HOME))


def described(folder: Path) -> dict[str, dict[str, object]]:
    return tomllib.loads((folder / "models.toml").read_text())


@pytest.mark.parametrize("path", FILES, ids=name)
def test_a_sample_file_is_accepted_as_an_upload(path: Path) -> None:
    family, folder = FAMILIES[path.parents[2].name], path.parents[1]
    tasks = family.load_tasks(sample_tasks(folder), sample_answers(folder))
    setting = path.name.split(".")[0]
    index = uploads.SlotIndex.for_setting(family, tasks, setting)
    report = uploads.check(path, index, family=family.slug)
    assert report.problems == ()
    # For families rated by people, a sample shows the score of a missing generation.
    assert len(tasks) - report.tasks_seen <= isinstance(family.judged, ByPeople)


@pytest.mark.parametrize("folder", FOLDERS, ids=name)
def test_every_model_of_a_sample_is_described(folder: Path) -> None:
    assert set(described(folder)) == models_of(folder)
    for text in described(folder).values():
        assert FIELDS - {"parameters"} <= set(text) <= FIELDS
        assert text["weights"] in ("open", "closed")


def test_a_model_is_the_same_in_every_family() -> None:
    known: dict[str, dict[str, object]] = {}
    for folder in FOLDERS:
        for model, text in described(folder).items():
            assert known.setdefault(model, text) == text


@pytest.mark.parametrize("folder", FOLDERS, ids=name)
def test_the_readme_of_a_sample_names_every_model(folder: Path) -> None:
    models = set(described(folder))
    assert models <= set(re.findall(r"\w+", (folder / "README.md").read_text()))


@pytest.mark.parametrize("slug", FAMILIES)
def test_a_family_that_judges_a_part_of_an_answer_says_which(slug: str) -> None:
    judged = FAMILIES[slug].judged
    if isinstance(judged, ByExecution):
        takes_a_part = judged.extracted is not ByExecution.__dataclass_fields__["extracted"].default
        assert takes_a_part is bool(judged.rule)


@pytest.mark.parametrize("slug", ["realcode", "realcode_java"])
def test_the_reference_bodies_of_a_sample_come_through_post_processing(slug: str) -> None:
    family = FAMILIES[slug]
    for task in family.load_tasks(HOME / slug / "sample" / "tasks.jsonl", None):
        assert family.code(task, task.hidden["gt"]).rstrip() == task.hidden["gt"]
