"""aix-bench, descriptions only: Java methods that people rate on three scales. See README.md."""

from pathlib import Path
from typing import Any

from evaluation.engine.conversations.scripts import in_languages
from evaluation.engine.datasets import Problems, described, number_of, parsed, read_entries
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.families.aixbench_nl.criteria import CRITERIA, METRICS
from evaluation.engine.families.aixbench_nl.practice import PRACTICE
from evaluation.engine.families.aixbench_nl.results import results
from evaluation.engine.family import ByPeople, Family, Sampling
from evaluation.engine.records import Task

# The prompts for a model. The benchmark supplies one sentence per task, but no words for chat
# models: these are ours.
PROMPTS = {
    "en": (
        "Write a Java method that does what the following comment says. Answer with one code "
        "block that holds the method, and the imports and helper methods that it needs."
        "\n\n{raw_nl}"
    ),
    "zh": (
        "请编写一个 Java 方法，实现以下注释所描述的功能。"
        "请只用一个代码块作答，其中包含该方法以及它所需的 import 语句和辅助方法。\n\n{raw_nl}"
    ),
}


def load_tasks(tasks_path: Path, answers_path: Path | None) -> tuple[Task, ...]:
    """A task with a Chinese character is Chinese. Raises BenchmarkError with all problems."""
    if answers_path is not None:
        raise BenchmarkError("This benchmark has no answers file: people rate its generations.")
    problems = Problems()

    def task(item: Any) -> Task:
        id, text, spoken = described(item)
        return Task(id, {"raw_nl": text}, {}, language="java", natural_language=spoken)

    return parsed(read_entries(tasks_path, problems), problems, task, number_of)


FAMILY = Family(
    slug="aixbench_nl",
    title="aix-bench NL",
    settings=("base",),
    load_tasks=load_tasks,
    judged=ByPeople(criteria=CRITERIA, results=results, practice=PRACTICE),
    ks=(),
    metrics=METRICS,
    slices=("natural_language",),
    # The authors publish no sampling settings.
    asking=in_languages(Sampling(temperature=0.0), PROMPTS),
)
