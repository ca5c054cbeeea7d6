"""Tests that the site's verdicts on the real data equal those of the command line."""

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderboard.fields import NO_TURN
from tests.acceptance.test_published_labels import CODEIF, DATA, MODELS
from tests.support.commands import judged_lines
from tests.support.stack import Stack, running_stack

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.docker,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(not DATA.is_dir(), reason=f"the benchmarks' data are not in {DATA}"),
]

# The common fields of a verdict of the site and of a line of the command's report.
STORED = """
SELECT t.external_id, g.sample, g.requirement, g.turn, v.test_set, v.status, v.integrity,
    v.tests_passed
FROM evaluation_verdict v
JOIN submissions_generation g ON g.id = v.generation_id
JOIN benchmarks_task t ON t.id = g.task_id
WHERE g.submission_id = """
ENTRANT = """
from leaderboard.accounts.models import *
team = Team.objects.create(name="Northwood", slug="northwood")
Entrant.objects.create(team=team, name="Larch", slug="larch")
"""
IN_EARNEST = {
    "ASSAY_CHUNK_SECONDS": "45",
    "ASSAY_LEASE_SECONDS": "60",
    "ASSAY_RECONCILE_SECONDS": "2",
}
FOLDERS = {
    "base": "base",
    "single_round": "single_round",
    "two_round": "multi_round",
    "multi_turn": "n_round",
}


def prepare(site: Stack) -> None:
    """Imports the real revisions and creates an entrant."""
    site.manage("migrate", "-v0")
    for family, tasks, label in (
        ("rucodeeval", DATA / "rucodeeval/tasks.jsonl", "2026-05"),
        ("codeif_function", CODEIF / "v0/L_1_part_1.jsonl", "v0"),
    ):
        site.manage("import_benchmark", family, tasks, "--revision", label, "--list")
    site.script(ENTRANT)


@pytest.fixture(scope="module")
def site() -> Iterator[Stack]:
    # A short path: a Unix socket's path may have at most 107 characters.
    with tempfile.TemporaryDirectory(prefix="assay-site-") as folder:
        made = Stack(Path(folder), **IN_EARNEST)
        prepare(made)
        with running_stack(made) as running:
            yield running


def by_site(site: Stack, board: str, setting: str, file: Path) -> list[tuple[Any, ...]]:
    words = ("--setting", setting, "--entrant", "larch", "--confirmed", "--wait")
    said = site.manage("submit", board, file, *words, seconds=900)
    (submission,) = re.findall(r"^submission (\d+)", said, re.MULTILINE)
    return sorted(site.rows(STORED + submission), key=str)


def by_command(tmp_path: Path, family: str, *words: str | Path) -> list[tuple[Any, ...]]:
    lines = judged_lines(family, *words, report=tmp_path / "report.jsonl", seconds=1100)
    told = [
        (
            *(str(line["task_id"]), line["sample"], line["requirement"] or ""),
            *(NO_TURN if line["turn"] is None else line["turn"], line["test_set"]),
            *(line["status"], line["integrity"], line["tests_passed"]),
        )
        for line in lines
    ]
    return sorted(told, key=str)


def test_the_site_judges_rucodeeval_as_the_command_line_does(site: Stack, tmp_path: Path) -> None:
    tasks, predictions = DATA / "rucodeeval/tasks.jsonl", DATA / "rucodeeval/predictions.json"
    found = by_site(site, "rucodeeval", "base", predictions)
    assert len(found) == 1590
    assert found == by_command(
        tmp_path, "rucodeeval", "--tasks", tasks, "--predictions", predictions
    )
    overall = site.rows(
        "SELECT metric, round(CAST(value AS numeric), 5) FROM scores_score"
        " WHERE slice = 'overall' ORDER BY id"
    )
    assert [(m, float(v)) for m, v in overall] == [
        ("pass@1", 0.74025), ("pass@5", 0.99703), ("pass@10", 1.0)
    ]  # fmt: skip


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("setting", FOLDERS)
def test_the_site_judges_codeif_as_the_command_line_does(
    site: Stack, tmp_path: Path, setting: str, model: str
) -> None:
    file = CODEIF / "predictions/L_1_part_1" / model / f"{FOLDERS[setting]}.jsonl"
    found = by_site(site, "codeif-function", setting, file)
    # The site adds the entrant's Base completions to its conversations.
    found = [row for row in found if setting == "base" or row[3] != 0]
    tasks = CODEIF / "v0/L_1_part_1.jsonl"
    assert found == by_command(
        tmp_path, "codeif_function",
        "--tasks", tasks, "--predictions", file, "--setting", setting,
    )  # fmt: skip
