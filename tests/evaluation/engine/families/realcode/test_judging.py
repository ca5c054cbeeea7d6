"""RealCode's reports on its references; test_bodies.py tests its judging."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from evaluation.engine.families.realcode import BODIES, FAMILY
from evaluation.engine.records import Slot
from tests.evaluation.engine.families.realcode import cases


def test_reference_metrics_are_those_of_python(tmp_path: Path) -> None:
    assert FAMILY.reference_results is not None
    found = FAMILY.reference_results([cases.task(tmp_path)], {})
    assert [result.metric for result in found] == [
        *("pass_oracle", "pass_stub_pass", "pass_stub_empty_str", "pass_dry_run"),
        *("execution_success", "num_samples"),
    ]


def test_a_task_has_one_place_for_generations(tmp_path: Path) -> None:
    assert list(FAMILY.slots(cases.task(tmp_path), "base")) == [Slot()]


def test_the_reference_bodies_of_the_sample_come_through_post_processing() -> None:
    sample = resources.files("evaluation.engine.families.realcode").joinpath("sample")
    with resources.as_file(sample.joinpath("tasks.jsonl")) as path:
        tasks = FAMILY.load_tasks(path, None)
    for task in tasks:
        body, flags = BODIES.of(task, task.hidden["gt"])
        assert (body.rstrip(), flags) == (task.hidden["gt"], ())
