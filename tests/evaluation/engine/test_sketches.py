"""Tests that answers which run the same code have like sketches, and that no text is slow."""

from __future__ import annotations

import time

import pytest

from evaluation.engine.metrics.copies import alike
from evaluation.engine.sketches import sketch

PYTHON = """
import math

def scale(value):
    return math.floor(value * 10) / 10

def mean_of(values):
    if not values:
        raise ValueError("no values")
    total = 0
    for one in values:
        total += scale(one)
    return scale(total / len(values))
"""
RENAMED = PYTHON.replace("total", "acc").replace("one", "item").replace("scale", "cut")
HELPER = "def unused(a, b):\n    return [a[x] * b for x in range(len(a)) if x > 3] or sorted(b)\n"
REORDERED = """
from math import floor
def mean_of(numbers: list[float]) -> float:
    "The mean."
    if not numbers:
        raise ValueError("no values")  # say so
    acc: float = 0
    if False:
        acc = sum(sorted(numbers)[1:-1], start=100)
    for item in numbers:
        acc += cut(item)
    return cut(acc / len(numbers))
    print("never", acc, numbers)
def cut(number):
    return floor(number * 10) / 10
print(mean_of([1, 2]))
"""
OTHER = """
def mean_of(values):
    try:
        return round(sum(values) / len(values), 1)
    except ZeroDivisionError:
        raise ValueError("no values") from None
"""
JAVA = """
public double mean(List<Double> values) {
    double total = 0;
    for (double one : values) {
        total += scale(one);
    }
    return scale(total / values.size());
}
private double scale(double value) {
    return Math.floor(value * 10) / 10;
}
"""


def hashes(code: str, language: str = "python", name: str = "mean_of") -> frozenset[int]:
    return frozenset(sketch(code, language, {name}, "1").hashes)


@pytest.mark.parametrize("code", [
    RENAMED, HELPER + PYTHON, PYTHON + HELPER, f"# no\n{PYTHON}", f"from os import *\n{PYTHON}",
])  # fmt: skip
def test_names_dead_code_and_comments_do_not_count(code: str) -> None:
    assert hashes(code) == hashes(PYTHON)


def test_order_annotations_and_statements_that_never_run_do_not_count() -> None:
    assert hashes(REORDERED) == hashes(PYTHON)


def test_a_changed_line_leaves_answers_alike_and_another_solution_does_not() -> None:
    assert alike(hashes(PYTHON.replace("/ 10\n", "/ 100\n")), hashes(PYTHON))
    assert not alike(hashes(OTHER), hashes(PYTHON))


def test_a_body_is_compared_with_what_it_reaches() -> None:
    body = "    total = scale(values)\n    return total\n\ndef scale(v):\n    return v * 10\n"
    assert hashes(body + HELPER) == hashes(body.replace("total", "t"))
    assert hashes(body) != hashes(body.replace("* 10", "* 20"))


def test_java_is_compared_by_what_its_method_reaches() -> None:
    renamed = JAVA.replace("total", "sum").replace("scale", "cut").replace("one", "x")
    helper = "private int unused(int a) { for (;;) { if (a++ > 9) { return a; } } }\n"
    same = hashes(JAVA, "java", "mean")
    assert hashes(helper + renamed, "java", "mean") == same
    assert hashes(JAVA.replace("* 10", "* 100"), "java", "mean") != same


def test_slots_have_no_hash_in_common() -> None:
    one, other = (sketch(PYTHON, "python", {"mean_of"}, slot) for slot in ("1", "2"))
    assert one.size == other.size
    assert not {*one.hashes} & {*other.hashes}


@pytest.mark.parametrize("code", ["import os", "from typing import List", "x: int"])
def test_an_answer_that_runs_nothing_has_a_sketch(code: str) -> None:
    assert hashes(code, "python", "mean")


@pytest.mark.parametrize("code", [
    "(" * 100_000, "1+" * 50_000 + "1", "a." * 50_000 + "b", "def f():\n" + " x()\n" * 25_000,
    "def f(): f()\n" * 8_000, "\0", "{" * 100_000, "a(" * 50_000, "f(){}" * 20_000, "\ud800 b",
    f"import {'a.' * 20_000}b as f\n" + "f\n" * 20_000,
    "".join(f"a{n} = a{n + 1}\n" for n in range(8_000)), '"' * 100_000, "-" * 5_000 + "1",
])  # fmt: skip
@pytest.mark.parametrize("language", ["python", "java", "sql"])
def test_any_text_has_a_sketch_soon(code: str, language: str) -> None:
    begin = time.process_time()
    assert sketch(code, language, {"f", "a0"}, "").hashes
    assert time.process_time() - begin < 5
