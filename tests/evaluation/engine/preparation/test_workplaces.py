"""Tests of workplaces for a set of tasks: a project that cannot be prepared is reported or has no
workplace."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from evaluation.engine import registry
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import ByExecution
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.setup import Setup
from evaluation.engine.preparation.workplaces import open_workplaces
from evaluation.engine.records import Project, Task
from evaluation.engine.sandbox.slots import Slots
from tests.evaluation.engine.families.codeif_repository.cases import sample

pytestmark = pytest.mark.docker


def judged(slug: str) -> ByExecution:
    found = registry.family(slug).judged
    assert isinstance(found, ByExecution)
    return found


@pytest.fixture
def setup(tmp_path: Path) -> partial[Setup]:
    """A host without the sources of any project."""
    options = Options(source_trees=tmp_path / "trees", directory=tmp_path / "projects")
    slots, limits = Slots(tmp_path / "slots"), judged("codeif_repository").limits
    return partial(Setup, limits, slots, lambda: options)


def test_a_project_that_cannot_be_made_ready_is_told(setup: partial[Setup]) -> None:
    opened = open_workplaces(judged("codeif_repository"), sample(), sample(), setup())
    with pytest.raises(BenchmarkError, match="The sources of Sailing.harbour are missing"), opened:
        pass


def test_where_nobody_minds_it_has_no_place(setup: partial[Setup]) -> None:
    told: list[tuple[str, list[object]]] = []

    def unready(project: Project, tasks: Sequence[Task], _error: BenchmarkError) -> None:
        told.append((project.repository, [task.id for task in tasks]))

    chosen = sample()[1:]
    family = judged("codeif_repository")
    with open_workplaces(family, chosen, sample(), setup(unready=unready)) as workplaces:
        assert workplaces == []
    assert told == [("Sailing/harbour", [task.id for task in chosen])]


def test_what_hangs_on_no_project_has_one_place(setup: partial[Setup]) -> None:
    tasks = [Task(number, {}, {}) for number in range(3)]
    with open_workplaces(judged("codeif_function"), tasks[:2], tasks, setup()) as (workplace,):
        assert workplace.tasks.keys() == {0, 1}
        assert str(workplace.environment["image"]).startswith("sha256:")
