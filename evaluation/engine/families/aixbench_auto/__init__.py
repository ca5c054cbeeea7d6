"""aix-bench, automated tests: Java methods from English and Chinese sentences. See README.md."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from evaluation.engine.conversations.scripts import in_languages
from evaluation.engine.families.aixbench_auto.assembling import REPAIRS
from evaluation.engine.families.aixbench_auto.canaries import CANARIES
from evaluation.engine.families.aixbench_auto.dataset import load_kit, load_questions, load_tasks
from evaluation.engine.families.aixbench_auto.extraction import judged_part, member_task
from evaluation.engine.families.aixbench_auto.judging import OUTSIDE, RUNNER, judge, plan, proceed
from evaluation.engine.families.aixbench_auto.sources import packed
from evaluation.engine.family import ByExecution, Family, Metric, Plain, Sampling
from evaluation.engine.metrics.tally import by_sample, passes
from evaluation.engine.records import Integrity, Limits, Status, Task, TaskId, TaskResult, Verdict
from evaluation.engine.texts import gettext_noop as _

# The prompts for a model. The benchmark supplies a sentence and a signature per task, but no words
# for chat models: these are ours.
PROMPTS = {
    "en": (
        "Write a Java method that does what the following comment says and has the signature that "
        "stands below it. Answer with one code block that holds the method, and the imports and "
        "helper methods that it needs.\n\n{raw_nl}\n{signature}"
    ),
    "zh": (
        "请编写一个 Java 方法，实现以下注释所描述的功能，并使用注释下方给出的方法签名。"
        "请只用一个代码块作答，其中包含该方法以及它所需的 import 语句和辅助方法。"
        "\n\n{raw_nl}\n{signature}"
    ),
}
# Words for the flags of verdicts.
FLAGS = {
    "class_added": _("a class was written around the method"),
    "delegate_added": _("a class of ours, which extends the benchmark's, calls the method"),
    "imports_added": _("imports were added for names that were unresolved"),
    "denied_access_checks": _("access to private members was denied"),
    "denied_class_loader": _("a class loader of its own was denied"),
    "denied_exit": _("ending the program was denied"),
    "denied_file": _("a file outside its directories was denied"),
    "denied_library": _("loading a native library was denied"),
    "denied_other": _("a permission was denied"),
    "denied_process": _("starting a process was denied"),
    "denied_security": _("changing the security manager was denied"),
}

# The sums are those of the authors' executor (README.md, "Metrics").
PASS_RATIO = Metric("pass_ratio", of_tests=True, words=_("share of tests passed"))
PARTIAL = Metric("partial", summed=True, of_tests=True, words=_("sum of shares of tests"))
EXACT = Metric("exact", summed=True, words=_("tasks with all tests passed"))
TASKS = Metric("tasks", summed=True, words=_("tasks"))
METRICS = (PASS_RATIO, PARTIAL, EXACT, TASKS)


def results(tasks: Sequence[Task], setting: str, verdicts: Sequence[Verdict]) -> list[TaskResult]:
    """Values are means over samples. A task without generations is wrong in every sample."""
    by_task: dict[TaskId, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        by_task[verdict.key.task_id].append(verdict)
    passed = passes(tasks, setting, verdicts)
    scored = list(passed)
    for result in passed:
        shares = by_sample(by_task[result.task_id], share) or (0.0,) * result.n
        values: dict[Metric, tuple[float | None, ...]] = {
            PASS_RATIO: shares,
            PARTIAL: shares,
            EXACT: result.samples or (0.0,) * result.n,
            TASKS: (1.0,) * result.n,
        }
        scored += [
            replace(
                result,
                metric=metric.name,
                c=0,
                open=samples.count(None),
                value=fmean(value or 0.0 for value in samples),
                samples=samples,
            )
            for metric, samples in values.items()
        ]
    return scored


def share(verdict: Verdict) -> float:
    """passed / total, or 0 if nothing was counted. May exceed 1, as in the authors' executor: one
    of their evaluations counts up to 7 and reports a total of 4. Suspect and confirmed verdicts
    count as 0."""
    if verdict.integrity in (Integrity.SUSPECT, Integrity.CONFIRMED) or not verdict.tests_total:
        return 0.0
    return (verdict.tests_passed or 0) / verdict.tests_total


FAMILY = Family(
    slug="aixbench_auto",
    title="aix-bench",
    flags=FLAGS,
    settings=("base",),
    load_tasks=load_tasks,
    results=results,
    judged=ByExecution(
        image="java",
        # The authors set no time limit. A JVM by itself takes 0.2 s and 60 MiB.
        limits=Limits(cpu_seconds=10.0, memory=1024 * 2**20, pids=256),
        canaries=CANARIES,
        plan=plan,
        proceed=proceed,
        judge=judge,
        runners=(RUNNER, OUTSIDE),
        batch_seconds=20.0,
        # The compiler sees the text and classes that any text may use, never an evaluation.
        extracted=lambda task, generation, _setting: judged_part(task, generation.text),
        rule=_(
            "The code is the first part of the answer that declares the task's method, or else the "
            "longest part that is Java, or else the whole answer."
        ),
        plain=Plain(REPAIRS, frozenset({Status.COMPILE_ERROR})),
    ),
    kit=lambda tasks_path: packed(load_kit(tasks_path)),
    member=member_task,
    metrics=METRICS,
    slices=("natural_language",),
    code=judged_part,
    # The authors publish no sampling settings.
    asking=in_languages(Sampling(temperature=0.0), PROMPTS, load_questions),
)
