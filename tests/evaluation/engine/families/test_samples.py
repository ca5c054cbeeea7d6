"""The sample predictions that ship with each family: readable, and by models that are described."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from evaluation.engine import uploads
from evaluation.engine.family import ByPeople
from evaluation.engine.registry import FAMILIES
from tests.support.commands import ROOT

HOME = ROOT / "evaluation" / "engine" / "families"
FILES = sorted(HOME.glob("*/sample/*/*.json*"))
FIELDS = {"name", "organisation", "weights", "parameters"}


def tasks_of(folder: Path) -> Path:
    """A family's own tasks: a file, or a checkout."""
    file = folder / "tasks.jsonl"
    return file if file.exists() else folder / "checkout"


def models_of(family: str) -> set[str]:
    """Families that have predictions of some form for some setting."""
    folder, settings = HOME / family / "sample", FAMILIES[family].settings
    return {path.parent.name for one in settings for path in folder.glob(f"*/{one}*")}


def name(path: Path) -> str:
    return str(path.relative_to(HOME))


def described(family: str) -> dict[str, dict[str, object]]:
    return tomllib.loads((HOME / family / "sample/models.toml").read_text())


@pytest.mark.parametrize("path", FILES, ids=name)
def test_a_sample_file_is_accepted_as_an_upload(path: Path) -> None:
    family, folder = FAMILIES[path.parents[2].name], path.parents[1]
    answers = folder / "answers.jsonl"
    tasks = family.load_tasks(tasks_of(folder), answers if answers.exists() else None)
    setting = path.name.split(".")[0]
    index = uploads.SlotIndex.for_setting(family, tasks, setting)
    report = uploads.check(path, index, family=family.slug)
    assert report.problems == ()
    # For families rated by people, a sample shows the score of a missing generation.
    assert len(tasks) - report.tasks_seen <= isinstance(family.judged, ByPeople)


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_every_model_of_a_sample_is_described(family: str) -> None:
    assert set(described(family)) == models_of(family)
    for text in described(family).values():
        assert FIELDS - {"parameters"} <= set(text) <= FIELDS
        assert text["weights"] in ("open", "closed")


def test_a_model_is_the_same_in_every_family() -> None:
    known: dict[str, dict[str, object]] = {}
    for family in FAMILIES:
        for model, text in described(family).items():
            assert known.setdefault(model, text) == text


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_the_readme_of_a_sample_names_every_model(family: str) -> None:
    models = set(described(family))
    words = set(re.findall(r"\w+", (HOME / family / "sample/README.md").read_text()))
    assert models <= words
