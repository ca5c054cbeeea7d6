"""Reads the benchmark's tasks and shared files from a checkout of its repository."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluation.engine import datasets
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.families.aixbench_auto import sources
from evaluation.engine.families.aixbench_auto.crossing import crossing, field_classes
from evaluation.engine.families.aixbench_auto.declarations import method_of
from evaluation.engine.families.aixbench_auto.sources import Checkout, Kit
from evaluation.engine.java_tokens import tokens
from evaluation.engine.records import Task

TASKS = f"{sources.RESOURCES}/dataset_autotest_nl.jsonl"
_REFLECTION = re.compile("reflect(?!s|ed)|反射", re.IGNORECASE)
_REFLECTIVE = {"Class", "Constructor", "Field", "Method"}


def load_tasks(tasks_path: Path, answers_path: Path | None) -> tuple[Task, ...]:
    """Raises BenchmarkError with all problems of the checkout, including its shared files."""
    if answers_path is not None:
        raise BenchmarkError("This benchmark has no answers file: its evaluations judge.")
    problems = datasets.Problems()
    checkout = _opened(tasks_path, problems)
    evaluations = sources.evaluations_of(checkout)
    kit = sources.kit_of(checkout, evaluations)
    shared: dict[str, Any] = {"imports": sources.imports_for(kit), "kit": kit.sha256}
    methods = sources.base_methods(checkout, kit)
    beans = field_classes(
        text for path, text in kit.sources.items() if path.startswith(sources.HELPERS)
    )
    # An unreadable file is reported together with the other problems.
    entries = datasets.read_entries(tasks_path / TASKS, problems) if checkout.text(TASKS) else []
    if entries:
        # The authors' executor counts each evaluation, so its task is missing.
        for id in sorted({*evaluations} - {datasets.number_of(entry.value) for entry in entries}):
            checkout.tell(TASKS, f"there is an Evaluation{id} and no such task")

    def parse(entry: datasets.Entry) -> Task | None:
        task = problems.attempt(entry, datasets.number_of(entry.value), _task, entry.value)
        if task is None:
            return None
        signature = task.public["signature"]
        method = method_of(signature)
        if methods and (method.name, method.parameters) not in methods:
            problems.add(entry, "GenerateMethodBase does not have this method", task.id)
        if task.id not in evaluations:
            problems.add(entry, f"the checkout has no Evaluation{task.id}", task.id)
        evaluation = evaluations.get(int(task.id))
        # The sandbox's guard grants access to private members if the sentence or the signature asks
        # for reflection.
        reflects = _REFLECTION.search(f"{task.public['entry_point']} {task.public['raw_nl']}")
        reflective = _REFLECTIVE & {token.text for token in tokens(signature)}
        hidden = {
            "evaluation": evaluation,
            "permitted": ["access_checks"] if reflects or reflective else [],
            "fields": crossing(evaluation or "", signature, beans),
        }
        return replace(task, hidden=hidden | shared)

    return datasets.tasks_of(entries, problems, parse, twice="the id appears a second time")


def load_questions(tasks_path: Path) -> tuple[Task, ...]:
    """The tasks without evaluations. Raises BenchmarkError with all problems of the file."""
    problems = datasets.Problems()
    file = tasks_path / TASKS if tasks_path.is_dir() else tasks_path
    entries = datasets.read_entries(file, problems)
    return datasets.parsed(entries, problems, _task, datasets.number_of)


def load_kit(path: Path) -> Kit:
    """Raises BenchmarkError with all problems of the shared files."""
    problems = datasets.Problems()
    checkout = _opened(path, problems)
    kit = sources.kit_of(checkout, sources.evaluations_of(checkout))
    problems.raise_any()
    return kit


def _opened(path: Path, problems: datasets.Problems) -> Checkout:
    if not path.is_dir():
        raise BenchmarkError(f"{path} is not the folder of a checkout.")
    return Checkout(path, (sources.JAVA, sources.RESOURCES, sources.JARS), problems)


def _task(item: Any) -> Task:
    """Raises ValueError with a message for users."""
    id, text, spoken = datasets.described(item)
    signature = datasets.text_of(item, "signature")
    return Task(
        id,
        {"raw_nl": text, "signature": signature, "entry_point": method_of(signature).name},
        {},
        language="java",
        natural_language=spoken,
    )
