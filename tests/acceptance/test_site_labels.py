"""Tests that the site's verdicts on the real data equal those of the command line."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.test_published_labels import CODEIF, DATA, MODELS
from tests.support.commands import judged_lines, wait_for
from tests.support.stack import Stack, running_stack
from tests.support.visitor import Visitor

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.docker,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(not DATA.is_dir(), reason=f"the benchmarks' data are not in {DATA}"),
]

FIELDS = (
    *("task_id", "sample", "requirement", "turn", "test_set"),
    *("status", "integrity", "tests_passed"),
)
CAST = """
from leaderboard.accounts.models import *
alice = User.objects.create_superuser("alice", "alice@example.org", "correct horse battery")
team = Team.objects.create(name="Northwood", slug="northwood")
Membership.objects.create(team=team, user=alice, role="owner")
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
    """Imports the real revisions and creates a user who submits."""
    site.manage("migrate", "-v0")
    for family, tasks, label in (
        ("rucodeeval", DATA / "rucodeeval/tasks.jsonl", "2026-05"),
        ("codeif_function", CODEIF / "v0/L_1_part_1.jsonl", "v0"),
    ):
        site.manage("import_benchmark", family, tasks, "--revision", label, "--list")
    site.manage("shell", "-v0", "-c", CAST)


@pytest.fixture(scope="module")
def site() -> Iterator[Stack]:
    # A short path: a Unix socket's path may have at most 107 characters.
    with tempfile.TemporaryDirectory(prefix="assay-site-") as folder:
        made = Stack(Path(folder), **IN_EARNEST)
        prepare(made)
        with running_stack(made) as running:
            yield running


@pytest.fixture(scope="module")
def alice(site: Stack) -> Visitor:
    visitor = Visitor(f"http://127.0.0.1:{site.port}")
    visitor.send("/sign-in/", login="alice", password="correct horse battery")
    return visitor


def by_site(site: Stack, alice: Visitor, board: str, file: Path) -> list[dict[str, Any]]:
    submission = alice.submit(board, "larch", file)
    wait_for(lambda: set(site.states()) == {"done"}, 900, pause=0.5)
    return known(alice.verdicts(submission))


def by_command(tmp_path: Path, family: str, *words: str | Path) -> list[dict[str, Any]]:
    return known(judged_lines(family, *words, report=tmp_path / "report.jsonl", seconds=1100))


def known(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The common fields of each verdict, in a fixed order."""
    # The site leaves out an empty test set.
    told = [
        {name: line.get(name, "" if name == "test_set" else None) for name in FIELDS}
        for line in lines
    ]
    return sorted(told, key=lambda line: json.dumps(line, sort_keys=True))


def test_the_site_judges_rucodeeval_as_the_command_line_does(
    site: Stack, alice: Visitor, tmp_path: Path
) -> None:
    tasks, predictions = DATA / "rucodeeval/tasks.jsonl", DATA / "rucodeeval/predictions.json"
    found = by_site(site, alice, "rucodeeval/base", predictions)
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
    site: Stack, alice: Visitor, tmp_path: Path, setting: str, model: str
) -> None:
    file = CODEIF / "predictions/L_1_part_1" / model / f"{FOLDERS[setting]}.jsonl"
    found = by_site(site, alice, f"codeif-function/{setting}", file)
    # The site adds the entrant's Base completions to its conversations.
    found = [line for line in found if setting == "base" or line["turn"] != 0]
    tasks = CODEIF / "v0/L_1_part_1.jsonl"
    assert found == by_command(
        tmp_path, "codeif_function",
        "--tasks", tasks, "--predictions", file, "--setting", setting,
    )  # fmt: skip
