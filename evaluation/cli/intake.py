"""Reads the tasks and predictions that a command names, and checks them before any run."""

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluation.engine import registry, uploads
from evaluation.engine.conversations.wording import load_prompts
from evaluation.engine.errors import BenchmarkError, UploadError
from evaluation.engine.family import Family
from evaluation.engine.records import Case, Task

KEY_VARIABLE = "ASSAY_MODEL_KEY"


@dataclass(frozen=True, slots=True)
class Input:
    """A command's input; `tasks` are the chosen tasks, `all_tasks` those of the file."""

    family: Family
    setting: str
    tasks: tuple[Task, ...]
    all_tasks: tuple[Task, ...]
    everything: uploads.SlotIndex
    predictions: argparse.Namespace
    report: uploads.UploadReport

    def cases(self) -> Iterator[Case]:
        """Each generation of the chosen tasks with each of its test sets, in the order of the file.
        Raises BenchmarkError if people judge."""
        judged = self.family.by_execution()
        chosen = {task.id: task for task in self.tasks}
        source = self.predictions
        for generation in uploads.read(
            source.predictions, self.everything, family=self.family.slug, member=self.family.member
        ):
            if task := chosen.get(generation.key.task_id):
                yield from judged.cases_of(task, generation, self.setting)

    def kit(self) -> bytes:
        """The files that the tasks share in a sandbox. Raises BenchmarkError."""
        packed = self.family.kit
        return packed(self.predictions.tasks) if packed else b""


def read_input(arguments: argparse.Namespace) -> Input:
    """Reads the tasks and checks the predictions. Raises BenchmarkError, UploadError."""
    family = registry.family(arguments.family)
    setting = chosen_setting(family, arguments)
    tasks = family.load_tasks(arguments.tasks, arguments.answers)
    prompts = arguments.prompts and load_prompts(arguments.prompts)
    index = uploads.SlotIndex.for_setting(family, tasks, setting, prompts)
    if not arguments.predictions.is_file():
        raise UploadError(f"There is no file {arguments.predictions}.")
    report = uploads.check(arguments.predictions, index, family=family.slug, member=family.member)
    return Input(family, setting, chosen(tasks, arguments.only), tasks, index, arguments, report)


def chosen_setting(family: Family, words: argparse.Namespace) -> str:
    """Raises BenchmarkError if the family has no such setting."""
    setting = str(words.setting or family.settings[0])
    if setting not in family.settings:
        settings = ", ".join(family.settings)
        raise BenchmarkError(f"{family.slug} has no setting {setting!r}; it has {settings}.")
    return setting


def chosen(tasks: tuple[Task, ...], only: list[str] | None) -> tuple[Task, ...]:
    """The tasks with these ids; all if `only` is None. Raises BenchmarkError for unknown ids."""
    if only is None:
        return tasks
    unknown = set(only) - {str(task.id) for task in tasks}
    if unknown:
        raise BenchmarkError(f"--only names tasks that do not exist: {', '.join(sorted(unknown))}.")
    return tuple(task for task in tasks if str(task.id) in only)


def require_writable(*paths: Path | None) -> None:
    """Raises UploadError before a long run that could not write its output."""
    for path in paths:
        if path is not None and (path.is_dir() or not os.access(f"{path.parent}/", os.W_OK)):
            raise UploadError(f"{path} cannot be written; name a file in an existing folder.")
