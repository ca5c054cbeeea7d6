"""Judges generations that are one function's body, in the file that the body was cut from."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from evaluation.engine.compiler_messages import Program, located
from evaluation.engine.family import (
    COMPILED,
    Asking,
    ByExecution,
    Clusters,
    Family,
    InProjects,
    Metric,
)
from evaluation.engine.metrics.tally import passes
from evaluation.engine.projects import mera, suite
from evaluation.engine.projects.report import DRY_RUN, ORACLE
from evaluation.engine.projects.suite import Place, Rewriting, Suite
from evaluation.engine.records import (
    Case,
    Evidence,
    Integrity,
    Limits,
    Prepared,
    Reference,
    Status,
    Step,
    Task,
    TaskId,
    TaskResult,
    Verdict,
    evidence_in,
    evidence_text,
)

SETTING = "base"
# A run takes from one second to minutes, and each batch also runs its canaries.
_BATCH_SECONDS = 60.0
EXECUTION_SUCCESS = Metric("execution_success")
NUM_SAMPLES = Metric("num_samples", summed=True)
METRICS = (EXECUTION_SUCCESS, NUM_SAMPLES)
# Maximum errors of javac in a verdict's evidence.
_MOST_ERRORS = 5
_REFUSED = "javac reports an error here."
# Statuses of a run that completed or reached its time limit.
_RAN = (Status.PASSED, Status.FAILED, Status.TIMEOUT)


class Body(NamedTuple):
    """A body after post-processing; `flags` name the repairs."""

    text: str
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bodies:
    """A benchmark's functions for the file under test, and how its tests run.

    extracted(generation) -> the code in a model's answer, found by `rule`.
    of(task, generation) -> the generation's body after the benchmark's post-processing.
    joined(left_context, body, right_context) -> the text of the file.
    stubs: functions that return a stub's body, by the stub's name.
    fault(task, body) -> how the body, as it is read, leaves its function, or "".
    report, limits, dry_run_limits, place, asking: as in Suite.
    """

    extracted: Callable[[str], str]
    rule: str
    of: Callable[[Task, str], Body]
    joined: Callable[[str, str, str], str]
    stubs: Mapping[str, Callable[[Task], str]]
    report: str
    limits: Limits
    dry_run_limits: Limits
    fault: Callable[[Task, str], str] = lambda _task, _body: ""
    place: Callable[[Task, Prepared], Place] | None = None
    asking: Rewriting | None = None

    def file(self, task: Task, body: str) -> dict[str, str]:
        left, right = task.hidden["left_context"], task.hidden["right_context"]
        return {task.public["path"]: self.joined(left, body, right)}

    def reference(self, task: Task, name: str) -> str | None:
        """The body of the oracle or a stub, without post-processing; None for other names."""
        if name == ORACLE:
            return str(task.hidden["gt"])
        return self.stubs[name](task) if name in self.stubs else None

    def reference_file(self, task: Task, _prepared: Prepared, name: str) -> dict[str, str] | None:
        body = self.reference(task, name)
        return None if body is None else self.file(task, body)

    def canary(self, task: Task, name: str) -> str | None:
        """Returns None if post-processing changes any reference of the task, not only this one."""
        for reference in (ORACLE, *self.stubs):
            body = self.reference(task, reference) or ""
            if self.of(task, body).text.strip("\n") != body.strip("\n"):
                return None
        return self.reference(task, name)

    def unfit(self, task: Task, prepared: Prepared) -> str:
        (whole,) = self.file(task, task.hidden["gt"]).values()
        return mera.unfit(task, prepared, whole)

    def judge(self, tests: Suite, case: Case, steps: Sequence[Step]) -> Verdict:
        verdict = tests.judge(case, steps)
        body = self.of(case.task, case.generation.text)
        verdict = replace(verdict, flags=(*body.flags, *verdict.flags))
        if verdict.status is Status.COMPILE_ERROR and self.report == "surefire":
            left = case.task.hidden["left_context"]
            ((path, text),) = self.file(case.task, body.text).items()
            first = text.count("\n", 0, text.index(body.text, len(left))) + 1
            program = Program(text, first, body.text)
            # The words could be the program's own. Maven prints each error twice.
            error = rf"ERROR\S{{0,9}}\] \S*{re.escape(path)}:\[(\d{{1,9}}),(\d{{1,9}})\]"
            places = dict.fromkeys(re.findall(error, verdict.output))
            messages = (
                located(program, case.generation.text, _REFUSED, int(line), int(column))
                for line, column in [*places][:_MOST_ERRORS]
            )
            return replace(verdict, evidence="\n".join(dict.fromkeys(filter(None, messages))))
        fault = self.fault(case.task, body.text)
        if not fault or verdict.status is not Status.PASSED:
            return verdict
        entries = *evidence_in(verdict.evidence), Evidence("place", case.task.public["path"], fault)
        return replace(verdict, integrity=Integrity.SUSPECT, evidence=evidence_text(*entries))


def family(
    slug: str, title: str, form: mera.Form, bodies: Bodies, asking: Asking, flags: Mapping[str, str]
) -> Family:
    tests = Suite(
        report=bodies.report,
        limits=bodies.limits,
        dry_run_limits=bodies.dry_run_limits,
        changed=lambda case: bodies.file(
            case.task, bodies.of(case.task, case.generation.text).text
        ),
        reference_changes=bodies.reference_file,
        command=lambda task, _setting, _requirement: str(task.public["test_command"]),
        place=bodies.place,
        asking=bodies.asking,
        recorded=lambda task: task.hidden["pass_to_pass"],
        stubs=tuple(bodies.stubs),
    )
    return Family(
        slug=slug,
        title=title,
        settings=(SETTING,),
        load_tasks=partial(mera.load_tasks, form),
        results=passes,
        judged=ByExecution(
            image="repository",
            limits=tests.limits,
            canaries=(),
            plan=tests.plan,
            proceed=tests.proceed,
            judge=partial(bodies.judge, tests),
            program=tests.program,
            plain=COMPILED,
            runners=(suite.RUNNER,),
            near=suite.near,
            projects=InProjects(
                project=partial(mera.project_of, report=bodies.report),
                unfit=bodies.unfit,
                references=tests.references(),
                canaries=partial(tests.canaries, bodies.canary, SETTING),
            ),
            batch_seconds=_BATCH_SECONDS,
            extracted=lambda _task, generation, _setting: bodies.extracted(generation.text),
            rule=bodies.rule,
        ),
        reference_results=partial(reference_results, tests.stubs),
        metrics=METRICS,
        slices=("domain", "category"),
        asking=asking,
        clusters=Clusters("repository", lambda task: str(task.public["repository"])),
        code=lambda task, text: bodies.of(task, text).text,
        solutions=lambda task: [task.hidden["gt"]],
        flags=flags,
    )


def reference_results(
    stubs: Sequence[str],
    tasks: Sequence[Task],
    references: Mapping[TaskId, Mapping[str, Reference]],
) -> list[TaskResult]:
    """`pass_<name>` of each reference, `execution_success`, and 1 for `num_samples`.

    A missing reference counts as failed: an earlier reference made it pointless.
    """
    results: list[TaskResult] = []
    for task in tasks:
        statuses = {name: run.status for name, run in references.get(task.id, {}).items()}
        base = TaskResult(task.id, "", n=1, c=0, category=task.category)
        for name in (ORACLE, *stubs, DRY_RUN):
            passed, lost = (int(statuses.get(name) is s) for s in (Status.PASSED, Status.NOT_RUN))
            results.append(replace(base, metric=f"pass_{name}", c=passed, open=lost))
        ran, lost = statuses.get(DRY_RUN) in _RAN, statuses.get(DRY_RUN) is Status.NOT_RUN
        results += [
            replace(base, metric=EXECUTION_SUCCESS.name, value=float(ran), open=int(lost)),
            replace(base, metric=NUM_SAMPLES.name, value=1.0),
        ]
    return results
