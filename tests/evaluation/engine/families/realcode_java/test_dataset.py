from pathlib import Path

import pytest

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.projects.mera import project_of
from evaluation.engine.records import Project
from tests.evaluation.engine.families.realcode_java import cases


def test_the_stub_is_hidden_with_the_reference_body(tmp_path: Path) -> None:
    task = cases.load(tmp_path)
    assert (task.hidden["gt"], task.hidden["stub"]) == (cases.GT, cases.STUB)
    assert cases.STUB not in task.public.values()
    assert (task.language, task.domain, task.category) == ("java", "kitchen/shelf", "function")


def test_a_task_without_its_stub_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match=r"meta\.stub holds no code"):
        cases.load(tmp_path, stub=" ")


def test_the_project_is_tested_by_maven(tmp_path: Path) -> None:
    task = cases.load(tmp_path, file_path=f"./{cases.FILE}")
    assert project_of(task, "surefire") == Project(
        "kitchen/shelf",
        "0123456789abcdef0123456789abcdef01234567",
        "maven:3.9.9-eclipse-temurin-23-alpine",
        "",
        test_commands=("mvn test",),
        withheld=(cases.FILE,),
        report="surefire",
    )
