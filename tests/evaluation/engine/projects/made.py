"""A small suite, its task and the outcomes of its runs, for the tests of judging."""

from collections.abc import Mapping
from typing import Any

from evaluation.engine.projects.java_expectations import Value
from evaluation.engine.projects.suite import Rewriting, Rewritten, Suite
from evaluation.engine.records import (
    Case,
    Execution,
    Generation,
    Key,
    Limits,
    Outcome,
    Prepared,
    Project,
    Reference,
    Status,
    Step,
    Task,
)

LIMITS = Limits(cpu_seconds=10.0)
DRY = Limits(cpu_seconds=100.0)
# How the test files of a suite ask for their expected values.
REWRITING = Rewriting(
    lambda text: None if text == "c" else Rewritten(f"asking {text}", {"a": [Value("anInt", "3")]}),
    lambda id, texts: path if (path := id.split("::")[0]) in texts else None,
)
A, B, C = "tests/test_a.py::a", "tests/test_a.py::b", "tests/test_c.py::c"
TEXTS = {
    "lib/f.py": "original",
    "lib/g.py": "withheld too",
    "tests/test_a.py": "a b",
    "tests/test_c.py": "c",
}
PROJECT = Project("o/r", "c0", "image", "", withheld=("lib/f.py", "lib/g.py", "lib/binary"))
PREPARED = Prepared(PROJECT, "key", "image", "digest", "base", "/workspace/r", 0, TEXTS)
TASK = Task("t", public={}, hidden={})


def reference_changes(_task: Task, _prepared: Prepared, name: str) -> Mapping[str, str] | None:
    return {"lib/f.py": name} if name in ("oracle", "stub_pass", "stub_other") else None


def suite(**changes: Any) -> Suite:
    parts: dict[str, Any] = {
        "report": "pytest",
        "limits": LIMITS,
        "dry_run_limits": DRY,
        "changed": lambda case: {"lib/f.py": case.generation.text},
        "reference_changes": reference_changes,
        "command": lambda _task, setting, requirement: f"test {setting} {requirement}".strip(),
        "stubs": ("stub_pass", "stub_none"),
    }
    return Suite(**(parts | changes))


def said(
    tests: Mapping[str, str | tuple[str, str]], *, complete: bool = True, **outcome: Any
) -> Outcome:
    """The outcome of a run; `tests` says how each test ended, or with which message it failed."""
    ends = ("passed", "failed", "error", "skipped", "xfailed", "xpassed")
    told = {id: [end, ""] if end in ends else ["failed", end] for id, end in tests.items()}
    report = {"exit": 0, "complete": complete, "tests": told}
    given: dict[str, Any] = {
        "exit_code": 0,
        "wall_seconds": 1.5,
        "cpu_seconds": 1.0,
        "report": report,
    }
    return Outcome(**(given | outcome))


def reference(name: str, *passed: str, **rest: Any) -> Reference:
    usual: dict[str, Any] = {"status": Status.PASSED, "passed": passed, "cpu_seconds": 1.0}
    return Reference(name, **(usual | rest))


def controlled(*stopped: str, through: tuple[str, ...] = (), not_compared: tuple[str, ...] = (),
               complete: bool = True) -> Reference:  # fmt: skip
    facts: dict[str, Any] = {"stopped": [*stopped], "went_through": [*through],
                             "not_compared": [*not_compared], "complete": complete}  # fmt: skip
    return reference("control", *not_compared, status=Status.FAILED, facts=facts)


def known(*references: Reference) -> dict[str, Reference]:
    return {each.name: each for each in references}


USUAL = known(
    reference("dry_run", A, B),
    reference("oracle", A, B, C),
    controlled(A, through=(B,), not_compared=(C,)),
)


def case(
    references: Mapping[str, Reference] = USUAL, text: str = "mine", requirement: str | None = None
) -> Case:
    generation = Generation(Key("t", 0, requirement), text)
    return Case(TASK, generation, "base", prepared=PREPARED, references=references)


def steps(*outcomes: Outcome) -> list[Step]:
    return [Step(Execution("repository", {}, LIMITS), outcome) for outcome in outcomes]
