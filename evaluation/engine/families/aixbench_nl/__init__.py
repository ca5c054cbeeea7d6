"""aix-bench, descriptions only: Java methods that people rate on three scales. See README.md."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

from evaluation.engine.conversations.scripts import in_languages
from evaluation.engine.datasets import Problems, described, number_of, parsed, read_entries
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.families.aixbench_nl.criteria import CRITERIA, METRICS
from evaluation.engine.families.aixbench_nl.practice import PRACTICE
from evaluation.engine.family import ByPeople, Criterion, Family, Sampling
from evaluation.engine.metrics.agreement import items_of
from evaluation.engine.metrics.panel import consensus
from evaluation.engine.records import Key, Rating, Task, TaskId, TaskResult

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


def results(
    tasks: Sequence[Task],
    generations: Sequence[Key],
    ratings: Sequence[Rating],
    outcomes: Sequence[Rating],
) -> list[TaskResult]:
    """For each task and scale the mean consensus of its rated generations; 0 is the mark 1 and 1
    the top mark. A task without generations gets the lowest mark, one without ratings no value."""
    counts = Counter(key.task_id for key in generations)
    units: defaultdict[tuple[TaskId, Criterion], list[float]] = defaultdict(list)
    for criterion in CRITERIA:
        for item in items_of(ratings, criterion, outcomes):
            units[item.task_id, criterion].append((consensus(item) - 1) / (criterion.top - 1))
    scored = []
    for task, criterion in product(tasks, CRITERIA):
        n, rated = counts[task.id], units[task.id, criterion]
        if n:
            value = fmean(rated) if rated else None
            result = TaskResult(task.id, criterion.name, n, 0, open=n - len(rated), value=value)
        else:
            most = max(counts.values(), default=1)
            result = TaskResult(task.id, criterion.name, most, 0, value=0.0)
        scored.append(result)
    return scored


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
