"""Tests of the levels of the product's packages: none imports upwards.

`pytest -s tests/setup/test_packages.py` prints the packages by level."""

import re
from functools import cache
from pathlib import Path

import grimp
import pytest

import leaderboard.boards

ROOTS = ("evaluation", "leaderboard")
# Packages whose children are compared with each other: the units of the architecture.
OPENED = frozenset((*ROOTS, "leaderboard.pages"))
# From the lowest level up. Single modules that are not listed are below all levels.
LEVELS = (
    ("evaluation.engine",),
    ("evaluation.making", "evaluation.supervision"),
    ("evaluation.cli", "evaluation.valkey"),
    ("leaderboard.accounts",),
    ("leaderboard.mail",),
    ("leaderboard.benchmarks",),
    ("leaderboard.submissions",),
    ("leaderboard.generation", "evaluation.models"),
    ("evaluation.state",),
    ("leaderboard.scores",),
    ("leaderboard.annotation",),
    ("evaluation.work", "leaderboard.boards"),
    ("leaderboard.pages.shared", "leaderboard.api"),
    ("leaderboard.pages.accounts", "leaderboard.pages.boards"),
    ("leaderboard.pages.submissions", "leaderboard.pages.templatetags"),
    ("leaderboard.pages.annotation", "leaderboard.pages.generation"),
    ("evaluation.jobs", "leaderboard.pages.apps"),
    ("leaderboard.site_admin", "evaluation.management"),
)


def unit_of(module: str) -> str:
    """The package or module directly below the deepest opened package that holds `module`."""
    parts = module.split(".")
    depth = 3 if ".".join(parts[:2]) in OPENED else 2
    return ".".join(parts[:depth])


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*ROOTS, cache_dir=None)


@pytest.fixture(scope="module")
def imports(graph: grimp.ImportGraph) -> dict[str, set[str]]:
    """For each unit, the other units that it imports."""
    found: dict[str, set[str]] = {}
    for module in graph.modules:
        targets = {unit_of(one) for one in graph.find_modules_directly_imported_by(module)}
        found.setdefault(unit_of(module), set()).update(targets - {unit_of(module), *ROOTS})
    return found


def test_every_package_has_a_level(graph: grimp.ImportGraph, imports: dict[str, set[str]]) -> None:
    packages = {unit for unit in imports if unit not in OPENED and graph.find_children(unit)}
    listed = {unit for units in LEVELS for unit in units}
    assert packages - listed == {"evaluation.migrations", "leaderboard.pages.migrations"}
    assert listed <= set(imports)


def test_no_package_imports_upwards(imports: dict[str, set[str]]) -> None:
    level = {unit: number for number, units in enumerate(LEVELS) for unit in units}
    upwards = [
        (unit, target)
        for unit in level
        for target in imports[unit]
        if level.get(target, -1) >= level[unit]
    ]
    assert upwards == []


def test_the_read_model_of_boards_knows_no_request_and_no_words() -> None:
    """Import contracts cannot name a part of a library."""
    spoken = re.compile(r"django\.(http|shortcuts|template|utils\.(html|safestring|translation))")
    sources = Path(leaderboard.boards.__path__[0]).glob("*.py")
    assert [path.name for path in sources if spoken.search(path.read_text("utf-8"))] == []


def test_levels_are_computed_and_printed(imports: dict[str, set[str]]) -> None:
    """Raises RecursionError if there is a cycle."""

    @cache
    def height(unit: str) -> int:
        return 1 + max((height(one) for one in imports[unit]), default=0)

    top = max(map(height, imports))
    for number in range(1, top + 1):
        units = sorted(unit for unit in imports if height(unit) == number)
        print(f"{number:3d}  {'  '.join(units)}")
    assert height("evaluation.engine") == 1
    assert height("leaderboard.site_admin") == top
