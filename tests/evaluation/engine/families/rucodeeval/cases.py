"""Tasks and files for this family's tests."""

from collections.abc import Sequence
from typing import Any

from evaluation.engine.records import (
    Case,
    Execution,
    Generation,
    Json,
    Key,
    Limits,
    Outcome,
    Step,
    Task,
)
from evaluation.engine.sandbox.inside.plain import encode

KEY = Key(7, 0)
LIMITS = Limits(cpu_seconds=4.0)


def task(outputs: Sequence[str] = ("2", "3", "4")) -> Task:
    public = {"function": "def f(x):\n", "entry_point": "f"}
    tests = [encode({"x": x}) for x in range(1, len(outputs) + 1)]
    return Task(7, public, {"tests": tests, "outputs": list(outputs)})


def case(outputs: Sequence[str] = ("2", "3", "4")) -> Case:
    return Case(task(outputs), Generation(KEY, "    return x + 1\n"), "base")


def step(outcome: Outcome) -> list[Step]:
    return [Step(Execution("calls", {}, LIMITS), outcome)]


def loaded(*results: Any) -> dict[str, Json]:
    return {"loaded": True, "error": None, "results": [list(result) for result in results]}


def unloaded(kind: str, **error: str) -> dict[str, Json]:
    return {"loaded": False, "error": {"type": kind, "text": "line 1", **error}, "results": []}


def record(id: Any = 1, **changed: Any) -> dict[str, Any]:
    """A task as the file has it; `changed` replaces fields at any of the three levels."""
    fields: dict[str, Any] = {
        "instruction": "Допишите функцию\n{function}",
        "function": "def f(x):\n",
        "tests": "[{'x': 1}, {'x': (2, None)}]",
        "outputs": ["1", "2"],
        "entry_point": "f",
        "canonical_solution": "    return x\n",
    } | changed
    return {
        "instruction": fields["instruction"],
        "inputs": {"function": fields["function"], "tests": fields["tests"]},
        "outputs": fields["outputs"],
        "meta": {
            "id": id,
            "canonical_solution": fields["canonical_solution"],
            "entry_point": fields["entry_point"],
        },
    }
