"""Generations that are the body of one function, judged in the file that it was cut out of.

The contexts of a task and a body make the file under test, and the tests that the untouched
project passes are the ones that have to pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from evaluation.engine.family import Asking, ByExecution, Family, InProjects
from evaluation.engine.projects import contributions, judging, mera, suite
from evaluation.engine.projects.references import canaries, references
from evaluation.engine.projects.suite import ORACLE, Suite
from evaluation.engine.records import Case, Limits, Prepared, Project, Step, Task, Verdict

SETTING = "base"
# A run takes from a second to minutes, and each batch runs its canaries beside its cases.
_BATCH_SECONDS = 60.0


class Body(NamedTuple):
    """A body as it is judged; `flags` name what was repaired."""

    text: str
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bodies:
    """How a benchmark makes a file under test.

    of(task, generation) -> the body in the generation after the benchmark's post-processing.
    joined(left_context, body, right_context) -> the file.
    stubs: the body of each stub by its name.
    """

    of: Callable[[Task, str], Body]
    joined: Callable[[str, str, str], str]
    stubs: Mapping[str, Callable[[Task], str]]

    def file(self, task: Task, body: str) -> dict[str, str]:
        """The file under test by its path, with this body in it."""
        left, right = task.hidden["left_context"], task.hidden["right_context"]
        return {task.public["path"]: self.joined(left, body, right)}

    def reference(self, task: Task, name: str) -> str | None:
        """The body of the reference solution or of a stub, judged as it stands."""
        if name == ORACLE:
            return str(task.hidden["gt"])
        return self.stubs[name](task) if name in self.stubs else None


def suite_of(
    bodies: Bodies,
    *,
    report: str,
    limits: Limits,
    dry_run_limits: Limits,
    rewrite: Callable[[str], str | None],
    test_file: Callable[[str, Mapping[str, str]], str | None],
) -> Suite:
    """The suite of tasks whose whole test command decides."""
    return Suite(
        report=report,
        limits=limits,
        dry_run_limits=dry_run_limits,
        changed=partial(_changed, bodies),
        reference_changes=partial(_reference_changes, bodies),
        command=lambda task, _setting, _requirement: str(task.public["test_command"]),
        compared=lambda _task, _setting, _requirement: None,
        added=lambda _task, _prepared: {},
        rewrite=rewrite,
        test_file=test_file,
        stubs=tuple(bodies.stubs),
    )


def family(
    slug: str,
    title: str,
    load_tasks: Callable[[Path, Path | None], tuple[Task, ...]],
    project: Callable[[Task], Project],
    bodies: Bodies,
    tests: Suite,
    asking: Asking,
) -> Family:
    """The family of such tasks."""
    return Family(
        slug=slug,
        title=title,
        settings=(SETTING,),
        load_tasks=load_tasks,
        slots=contributions.slots,
        results=contributions.results,
        judged=_judged(bodies, tests, project),
        reference_results=partial(contributions.reference_results, tests.stubs),
        metrics=contributions.METRICS,
        slices=("domain", "category"),
        asking=asking,
    )


def _judged(bodies: Bodies, tests: Suite, project: Callable[[Task], Project]) -> ByExecution:
    return ByExecution(
        image="repository",
        limits=tests.limits,
        canaries=(),
        plan=partial(suite.plan, tests),
        proceed=partial(judging.proceed, tests),
        judge=partial(_judge, bodies, tests),
        runners=(suite.RUNNER,),
        near=suite.near,
        projects=InProjects(
            project=project,
            unfit=partial(_unfit, bodies),
            references=mera.recording(references(tests)),
            canaries=partial(canaries, tests, partial(_canary, bodies), SETTING),
        ),
        batch_seconds=_BATCH_SECONDS,
    )


def _changed(bodies: Bodies, case: Case) -> Mapping[str, str]:
    return bodies.file(case.task, bodies.of(case.task, case.generation.text).text)


def _reference_changes(
    bodies: Bodies, task: Task, _prepared: Prepared, name: str
) -> Mapping[str, str] | None:
    body = bodies.reference(task, name)
    return None if body is None else bodies.file(task, body)


def _judge(bodies: Bodies, tests: Suite, case: Case, steps: Sequence[Step]) -> Verdict:
    """The verdict on the body in the generation; its flags begin with what was repaired."""
    verdict = judging.judge(tests, case, steps)
    repairs = bodies.of(case.task, case.generation.text).flags
    return replace(verdict, flags=(*repairs, *verdict.flags))


def _unfit(bodies: Bodies, task: Task, prepared: Prepared) -> str:
    (whole,) = bodies.file(task, task.hidden["gt"]).values()
    return mera.unfit(task, prepared, whole)


def _canary(bodies: Bodies, task: Task, name: str) -> str | None:
    """A generation that comes to the reference's body. None for a task one of whose references
    post-processing would change: it makes no canaries."""
    for each in (ORACLE, *bodies.stubs):
        body = bodies.reference(task, each) or ""
        if bodies.of(task, body).text.strip("\n") != body.strip("\n"):
            return None
    return bodies.reference(task, name)
