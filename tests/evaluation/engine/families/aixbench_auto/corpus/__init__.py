"""Generations for the sample's tasks: those that must not pass, and those that must.

The first line of each names the task. A hostile one may run in a sandbox alone. Many answer
rightly only where the forbidden thing succeeded, so that a hole shows as a pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluation.engine.families.aixbench_auto.dataset import load_tasks
from evaluation.engine.records import Task
from tests.evaluation.engine.families.aixbench_auto.cases import CHECKOUT

_HERE = Path(__file__).parent
_HOME = "com/aixcode/autoTest"
_EVALUATION = """package com.aixcode.autoTest.evaluation;

import com.aixcode.autoTest.GenerateMethodBase;
import java.util.ArrayList;
import java.util.List;

public class Evaluation7 {
    private String expected = "all told";
    private GenerateMethodBase solution;

    public Evaluation7(String basePackage, String prefix) throws Exception {
        Class<?> found = Class.forName(basePackage + "." + prefix + "7");
        solution = (GenerateMethodBase) found.getDeclaredConstructor().newInstance();
    }

    public int[] evaluation() {
        List<String> words = new ArrayList<String>() {{
            add("all");
            add("told");
        }};
        try {
            return new int[] {solution.answer(words).equals(expected) ? 1 : 0, 1};
        } catch (Exception e) {
            return new int[] {0, 1};
        }
    }
}
"""
_BASE = """package com.aixcode.autoTest;

import java.util.List;

public abstract class GenerateMethodBase {
    public String answer(List<String> words) throws Exception {
        throw new RuntimeException("Not implemented");
    }
}
"""
# What evaluations of the benchmark do, and no one of the sample: it holds what is expected in a
# field, and gives the candidate an object that knows it.
_LEAKY = Task(
    7,
    public={
        "raw_nl": "",
        "signature": "public String answer(List<String> words)",
        "entry_point": "answer",
    },
    hidden={
        "evaluation": _EVALUATION,
        "imports": ["import java.util.*;"],
        "kit": "",
        "base": {f"{_HOME}/GenerateMethodBase.java": _BASE},
    },
    language="java",
)
TASKS: dict[str, Task] = {str(task.id): task for task in load_tasks(CHECKOUT, None)} | {
    "leaky": _LEAKY
}


@dataclass(frozen=True, slots=True)
class Case:
    """A generation; `passes` says whether it must, or must not."""

    name: str
    task: Task
    text: str
    passes: bool


def all_cases() -> tuple[Case, ...]:
    return (*_cases("honest", passes=True), *_cases("hostile", passes=False))


def _cases(kind: str, *, passes: bool) -> Iterator[Case]:
    for path in sorted((_HERE / kind).glob("*.java")):
        first, _, text = path.read_text("utf-8").partition("\n")
        yield Case(path.stem, TASKS[first.removeprefix("// task ")], text, passes)
