from pathlib import Path

import pytest

from evaluation.engine.errors import BenchmarkError
from tests.evaluation.engine.families.realcode_java import cases


def test_the_stub_is_hidden_with_the_reference_body(tmp_path: Path) -> None:
    task = cases.load(tmp_path)
    assert (task.hidden["gt"], task.hidden["stub"]) == (cases.GT, cases.STUB)
    assert cases.STUB not in task.public.values()
    assert (task.language, task.domain, task.category) == ("java", "kitchen/shelf", "function")


def test_a_task_without_its_stub_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match=r"meta\.stub holds no code"):
        cases.load(tmp_path, stub=" ")
