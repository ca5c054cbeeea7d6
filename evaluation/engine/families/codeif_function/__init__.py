"""CodeIF-Bench, level L-1 part 1: stand-alone functions with verifiable instructions."""

from pathlib import Path
from typing import Any

from evaluation.engine import instructions
from evaluation.engine.conversations import matrices
from evaluation.engine.conversations.scripts import with_instructions
from evaluation.engine.conversations.transcripts import transcripts
from evaluation.engine.datasets import Problems, parsed, read_entries
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.families.codeif_function import judging
from evaluation.engine.family import COMPILED, ByExecution, Family, Sampling
from evaluation.engine.instructions import tests_of, text_of
from evaluation.engine.records import Task, TaskId
from evaluation.engine.texts import gettext_noop as _


def load_tasks(tasks_path: Path, answers_path: Path | None) -> tuple[Task, ...]:
    """Raises BenchmarkError naming every invalid entry."""
    if answers_path is not None:
        raise BenchmarkError("This benchmark has no answers file: its tests are in the tasks.")
    problems = Problems()
    entries = read_entries(tasks_path, problems)
    return parsed(entries, problems, _task, _id, twice="this task_id appears twice in the file")


def _id(item: Any) -> TaskId | None:
    id = item.get("task_id") if isinstance(item, dict) else None
    return id if type(id) in (int, str) else None


def _task(item: Any) -> Task:
    if not isinstance(item, dict):
        raise ValueError("a task must be a JSON object")
    missing = [name for name in ("task_id", "prompt", "test", "requirements") if name not in item]
    if missing:
        raise ValueError(f"the field {missing[0]} is missing")
    id = _id(item)
    if id is None:
        raise ValueError("task_id must be a number or a text")
    sentences, unit_tests = {}, {}
    for name, content in instructions.contents_of(item["requirements"]).items():
        if not {"requirement", "unit_test"} <= content.keys():
            raise ValueError(f"{name} lacks its requirement or its unit_test")
        sentences[name] = text_of(content["requirement"], f"{name}: requirement")
        unit_tests[name] = tests_of(content["unit_test"], f"{name}: unit_test")
    return Task(
        id=id,
        public={
            "prompt": text_of(item["prompt"], "prompt"),
            "requirements": sentences,
            "turns": instructions.turns_of(item.get("multi-turn"), sentences),
        },
        hidden={
            "test": tests_of(item["test"], "test"),
            "unit_tests": unit_tests,
            "code": text_of(item.get("code", ""), "code"),
        },
        language="python",
        natural_language="en",
        level="L-1",
    )


FAMILY = Family(
    slug="codeif_function",
    title="CodeIF-Bench L-1, functions",
    flags={"one_process": _("the tests ran in the program's own process")},
    settings=(*instructions.SETTINGS, instructions.DYNAMIC),
    load_tasks=load_tasks,
    slots=instructions.slots,
    results=matrices.results,
    judged=ByExecution(
        image="python",
        limits=judging.LIMITS,
        canaries=judging.CANARIES,
        plan=judging.plan,
        proceed=judging.proceed,
        judge=judging.judge,
        program=judging.program,
        plain=COMPILED,
        runners=("standins", "script"),
        warm=(
            "inspect",
            "traceback",
            "typing",
            "pycodestyle",
            "mccabe",
            "radon.complexity",
            "radon.metrics",
        ),
        test_sets=instructions.test_sets,
        extracted=lambda _task, generation, setting: judging.extracted(generation, setting),
        rule=_(
            "The code is the first block that opens with ```python, or else the whole answer. For "
            "an instruction, docstrings and blank lines are left out; in a dynamic conversation, "
            "blank lines only."
        ),
        limits_by={instructions.DYNAMIC: judging.DYNAMIC_LIMITS},
    ),
    ks=(1, 5, 10),
    metrics=matrices.METRICS,
    begins={instructions.MULTI_TURN: instructions.BASE},
    folders=instructions.FOLDERS,
    slices=("category", "turn"),
    asking=with_instructions(Sampling(temperature=0.0, top_p=1.0), judging.DYNAMIC_LIMITS),
    transcripts=transcripts(),
    code=lambda _task, text: judging.code_in(text, base=True),
    solutions=lambda task: [task.hidden["code"]],
)
