"""Extracts the code of a model's answer, runs its function on the tests and compares the results
outside the sandbox."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from evaluation.engine.compiler_messages import Program, Refusal
from evaluation.engine.family import Canary
from evaluation.engine.records import (
    Case,
    Execution,
    Generation,
    Key,
    Limits,
    Outcome,
    Status,
    Step,
    Task,
    Tier,
    Verdict,
    printable,
)
from evaluation.engine.sandbox.attribution import ENDED_EARLY, out_of_memory, status_of_end
from evaluation.engine.sandbox.inside.plain import encode

RUNNER = "calls"
BAD_REPORT = "bad_report"

_FENCE = r"^```(?P<language>[\w-]+)\n"
# A block needs a newline before its closing backticks, so "```python\n```" is not a complete
# block. This is the authors' rule; it decides which blocks count.
_COMPLETE = re.compile(_FENCE + r"(?P<code>.*?\n)```", re.DOTALL | re.MULTILINE)
_UNCLOSED = re.compile(_FENCE + r"(?P<code>.*)", re.DOTALL | re.MULTILINE)
_EVIDENCE = 500
_OUTPUT = 4096


class _Opinion(NamedTuple):
    status: Status
    evidence: str = ""
    flags: tuple[str, ...] = ()


def extract_code(text: str) -> str:
    """The `python` blocks among the complete fenced blocks, else in one unclosed block; the text if
    there is no block. Fences without a language open no block; other languages give no code."""
    blocks = list(_COMPLETE.finditer(text)) or list(_UNCLOSED.finditer(text))
    if not blocks:
        return text
    return "\n" + "\n".join(b["code"] for b in blocks if b["language"] == "python")


def program(case: Case, steps: Sequence[Step] = ()) -> Program:
    signature, code = case.task.public["function"], extract_code(case.generation.text)
    report: Any = steps[-1].outcome.report if steps else None
    refusal = Refusal.read(report["error"].get("place")) if report else None
    return Program(signature + code, signature.count("\n") + 1, code, refusal)


def plan(case: Case, limits: Limits) -> Execution:
    """The run gets every test's arguments, but no expected results."""
    payload = {
        "program": program(case).text,
        "entry_point": case.task.public["entry_point"],
        "tests": case.task.hidden["tests"],
    }
    return Execution(RUNNER, payload, limits)


def judge(case: Case, steps: Sequence[Step]) -> Verdict:
    """The candidate may forge the report: a malformed one is a failure."""
    outcome = steps[-1].outcome
    expected = [["value", text] for text in case.task.hidden["outputs"]]
    report = _checked(outcome.report, len(expected))
    results = report["results"] if report else []
    rights = [result == right for result, right in zip(results, expected, strict=False)]
    ended = status_of_end(outcome)
    opinion = _Opinion(ended) if ended else _of_the_report(report, expected, outcome)
    if not ended and opinion.status is not Status.PASSED and out_of_memory(outcome):
        opinion = opinion._replace(status=Status.MEMORY_EXCEEDED)
    return Verdict(
        case.generation.key,
        opinion.status,
        tier=Tier.OUTSIDE,
        tests_passed=sum(rights),
        tests_total=len(expected),
        duration_ms=outcome.wall_ms,
        peak_memory_kib=outcome.peak_memory_kib,
        flags=opinion.flags,
        evidence=printable(opinion.evidence, _EVIDENCE),
        output=printable(outcome.output, _OUTPUT),
    )


def _checked(report: Any, tests: int) -> Any:
    """The report of the runner "calls": an error if the program did not load, else a result per
    call in order, fewer than the tests if the program ended early. None for a malformed report, and
    for one that the runner never writes: a result after a failed load, or more results than tests.
    """
    match report:
        case {"loaded": False, "error": {"type": str(), "text": str()}, "results": []}:
            return report
        case {"loaded": True, "results": list(results)} if report.get("error") is None:
            for result in results if len(results) <= tests else [None]:
                match result:
                    case ["value", str()] | ["none"] | ["error", str()]:
                        continue
                return None
            return report
    return None


def _of_the_report(report: Any, expected: Sequence[list[str]], outcome: Outcome) -> _Opinion:
    if report is None:
        flag = ENDED_EARLY if outcome.report is None else BAD_REPORT
        return _Opinion(Status.RUNTIME_ERROR, flags=(flag,))
    if not report["loaded"]:
        if "place" in report["error"]:
            return _Opinion(Status.COMPILE_ERROR)
        kind, text = report["error"]["type"], report["error"]["text"]
        status = Status.MEMORY_EXCEEDED if kind == "MemoryError" else Status.RUNTIME_ERROR
        return _Opinion(status, f"does not load: {kind}: {text}")
    results = report["results"]
    for number, (result, right) in enumerate(zip(results, expected, strict=False), start=1):
        if result[0] == "error":
            return _Opinion(Status.RUNTIME_ERROR, f"test {number} raised {result[1]}")
        if result != right:
            returned = "None" if result == ["none"] else "another result"
            return _Opinion(Status.FAILED, f"test {number} gave {returned}")
    if not expected or len(results) < len(expected):
        evidence = f"ended in test {len(results) + 1}"
        return _Opinion(Status.RUNTIME_ERROR, evidence, (ENDED_EARLY,))
    return _Opinion(Status.PASSED)


_FUNCTION = '''def canary(words):
    """Вернуть слова, каждое один раз, в порядке появления."""
'''
_TASK = Task(
    "canary",
    public={
        "instruction": "{function}",
        "function": _FUNCTION,
        "entry_point": "canary",
        "test_count": 2,
    },
    hidden={
        "tests": [encode({"words": ["да", "нет", "да"]}), encode({"words": []})],
        "outputs": ["['да', 'нет']", "[]"],
        "canonical_solution": None,
    },
    natural_language="ru",
)
CANARIES = tuple(
    Canary(Case(_TASK, Generation(Key("canary", sample), body), "base"), passes)
    for sample, (body, passes) in enumerate(
        [
            ("    return list(dict.fromkeys(words))\n", True),
            # Right only in the second test, so that a too lenient comparison is detected.
            ("    return sorted(words)\n", False),
        ]
    )
)
