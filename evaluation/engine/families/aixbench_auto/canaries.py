"""Two programs with known verdicts, on a task that has a base class of its own."""

from dataclasses import replace

from evaluation.engine.family import Canary
from evaluation.engine.records import Case, Generation, Key, Task

_BASE = """package com.aixcode.autoTest;

public abstract class GenerateMethodBase {
    public String initials(String name) throws Exception {
        throw new RuntimeException("Not implemented");
    }
}
"""
_EVALUATION = """package com.aixcode.autoTest.evaluation;

import com.aixcode.autoTest.GenerateMethodBase;

public class Evaluation0 {
    private final GenerateMethodBase solution;

    public Evaluation0(String basePackage, String prefix) throws Exception {
        Class<?> found = Class.forName(basePackage + "." + prefix + "0");
        solution = (GenerateMethodBase) found.getDeclaredConstructor().newInstance();
    }

    public int[] evaluation() {
        String[][] tests = {{"ada lovelace", "AL"}, {"grace", "G"}};
        int passed = 0;
        for (String[] each : tests) {
            try {
                if (each[1].equals(solution.initials(each[0]))) {
                    passed++;
                }
            } catch (Exception e) {
                // not passed
            }
        }
        return new int[] {passed, tests.length};
    }
}
"""
_TASK = Task(
    0,
    public={
        "raw_nl": "",
        "signature": "public static String initials(String name)",
        "entry_point": "initials",
    },
    hidden={
        "evaluation": _EVALUATION,
        "imports": [],
        "kit": "",
        "base": {"com/aixcode/autoTest/GenerateMethodBase.java": _BASE},
    },
    language="java",
)


def _canary(sample: int, expression: str, *, passes: bool) -> Canary:
    code = f"public static String initials(String name) {{\n    return {expression};\n}}\n"
    return Canary(Case(_TASK, Generation(Key(0, sample), code), "base"), passes)


_IN_ONE_JVM = (
    _canary(0, r'name.replaceAll("(\\w)\\w*\\s*", "$1").toUpperCase()', passes=True),
    # Right only in the second test, so that a too lenient count is detected.
    _canary(1, "name.substring(0, 1).toUpperCase()", passes=False),
)
_OUTSIDE_TASK = replace(_TASK, hidden={**_TASK.hidden, "fields": []})
# Both ways of judging.
_OUTSIDE = (replace(c, case=replace(c.case, task=_OUTSIDE_TASK)) for c in _IN_ONE_JVM)
CANARIES = (*_IN_ONE_JVM, *_OUTSIDE)
