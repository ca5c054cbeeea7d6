"""The names that generations use are found in a project's container, and nothing of them runs."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from evaluation.engine.family import Measure
from evaluation.engine.records import Task
from evaluation.engine.registry import FAMILIES
from evaluation.engine.sandbox.fresh import Fresh
from tests.evaluation.engine.families.codeif_repository.cases import TREE, case, sample
from tests.support import projects

FAMILY = FAMILIES["codeif_repository"].by_execution()
assert FAMILY.measure is not None
MEASURE: Measure = FAMILY.measure
TASKS = {str(task.id): task for task in sample()}
FILES = {
    **TREE,
    "harbour/charts.py": """\
from functools import wraps

from harbour import tides
from harbour.tides import metres as in_metres

SCALE = 3
deep = tides.metres


def noted(function):
    @wraps(function)
    def noting(*arguments):
        return function(*arguments)

    return noting


class Paper:
    folds = 1

    def __init__(self, title):
        self.title = title

    def unfold(self):
        return self.folds

    @property
    def height(self):
        return 2

    @noted
    def stamped(self):
        return 1


class Chart(Paper):
    def drawn(self, berth: tides.Berth):
        raise NotImplementedError
""",
}
LISTED = {
    "intra_class": ["harbour.charts.Chart.title", "harbour.charts.Chart.drawn"],
    "intra_file": [
        "harbour.charts.SCALE",
        "harbour.charts.noted",
        "harbour.charts.Paper",
        "harbour.charts.Paper.height",
        "harbour.charts.Paper.stamped",
        "harbour.charts.Paper.unfold",
    ],
    "cross_file": ["harbour.tides", "harbour.tides.Berth", "harbour.tides.metres"],
}
ALL = {name for names in LISTED.values() for name in names} - {"harbour.charts.Chart.drawn"}
SIGNATURE = "def drawn(self, berth: tides.Berth):\n"
# What each body uses, beside nothing.
BODIES = {
    "return 1": set(),
    "this does not parse": set(),
    "return self.title": {"harbour.charts.Chart.title"},
    "own = self\n    return own.unfold()": {"harbour.charts.Paper.unfold"},
    "return super().unfold()": {"harbour.charts.Paper", "harbour.charts.Paper.unfold"},
    "return self.height + self.stamped()": {
        "harbour.charts.Paper.height",
        "harbour.charts.Paper.stamped",
    },
    "@noted\n    def inner():\n        return SCALE\n    return inner()": {
        "harbour.charts.noted",
        "harbour.charts.SCALE",
    },
    "return in_metres(2)": {"harbour.tides.metres"},
    "from harbour.tides import metres as deep_down\n    return deep_down(2)": {
        "harbour.tides",
        "harbour.tides.metres",
    },
    # What the generation defines itself is not the project's.
    "SCALE = metres = 2\n    return SCALE * metres": set(),
    # Found before and after a name that jedi cannot follow.
    "return SCALE + undefined.title.noted + in_metres(SCALE)": {
        "harbour.charts.SCALE",
        "harbour.tides.metres",
    },
    # Nothing runs.
    "import os\n    os.kill(os.getppid(), 9)\n    return SCALE": {"harbour.charts.SCALE"},
}
# The signature counts with a body that uses anything.
GIVEN = {"harbour.tides", "harbour.tides.Berth"}


def drawn() -> Task:
    task = TASKS["harbour.tides.metres"]
    lines = FILES["harbour/charts.py"].splitlines(keepends=True)
    first = next(at for at, line in enumerate(lines, 1) if "def drawn" in line)
    public = {**task.public, "path": "harbour/charts.py", "dependency": LISTED}
    hidden = {**task.hidden, "lines": [first, first + 1, first + 1]}
    hidden["code"] = "".join(lines[first - 1 : first + 1])
    return replace(task, id="harbour.charts.Chart.drawn", public=public, hidden=hidden)


@pytest.fixture(scope="module")
def used(request: pytest.FixtureRequest) -> Iterator[dict[str, set[str]]]:
    """The names that each body uses, found in one run for all."""
    prepared = projects.prepared(FILES)
    withheld = ("harbour/charts.py", "harbour/missing.py")
    prepared = replace(prepared, project=replace(prepared.project, withheld=withheld))
    task = drawn()
    cases = [case(task, f"{SIGNATURE}    {body}\n", prepared=prepared) for body in BODIES]
    execution = MEASURE.plan(cases)
    assert execution is not None
    with Fresh(prepared, FAMILY.limits) as sandbox:
        (outcome,) = sandbox.run_all([execution])
    assert outcome.report is not None, outcome
    names: Any = outcome.report["names"]
    yield dict(zip(BODIES, map(set, names[0]), strict=True))


@pytest.mark.docker
@pytest.mark.parametrize("body", BODIES)
def test_the_names_that_a_body_uses_are_found(body: str, used: dict[str, set[str]]) -> None:
    expected = BODIES[body]
    assert used[body] & ALL == (expected | GIVEN if expected else set())
