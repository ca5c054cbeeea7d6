"""Tests that answers which run the same code have like sketches, and that no text is slow."""

from collections.abc import Callable

import pytest

from evaluation.engine.metrics.copies import alike
from evaluation.engine.sketches import sketch
from tests.support.linear import at_most

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
UNUSED = "private int unused(int a) { for (;;) { if (a++ > 9) { return a; } } }"
MOST = """
public double mean(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
}
"""
NEW = "\n"


def junk(name: str) -> str:
    return HELPER.replace("unused", name)


def before_total(code: str, *lines: str) -> str:
    return code.replace("    total = 0", "".join(f"    {line}\n" for line in (*lines, "total = 0")))


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


def test_a_comparison_may_be_turned_around() -> None:
    code = "def mean_of(a, b):\n    return [a, b][CASE]\n"
    for one, other in ("a > b + 2", "b + 2 < a"), ("f(a) >= 2", "2 <= f(a)"):
        assert hashes(code.replace("CASE", one)) == hashes(code.replace("CASE", other))


@pytest.mark.parametrize("change", [
    lambda code: before_total(
        code, "probe = len(values)", "some = [probe]", "some.append(probe)", "if probe < 0:",
        "    some = sorted(some)", "    return some",
    ),
    lambda code: before_total(code, "check(9)") + f"\ndef check(a):\n    return {'a + ' * 20}a\n",
    lambda code: before_total(code, "return rest(values)", "", "def rest(values):").replace(
        "    def rest", "def rest"
    ),
])  # fmt: skip
def test_more_code_leaves_answers_alike(change: Callable[[str], str]) -> None:
    assert alike(hashes(change(PYTHON)), hashes(PYTHON))


@pytest.mark.parametrize("change", [
    lambda code: f"{junk('mean_of')}{code}",
    lambda code: f"{junk('mean_of')}seen = 1\n{code}",
    lambda code: f"{junk('mean_of')}{code.replace('mean_of', 'mean')}\nmean_of = mean\n",
    lambda code: f"{code.replace('mean_of', 'f')}\ndef mean_of(x):\n return f(x)\n",
    lambda code: f"if 0:\n    x = 1\nelse:{code.replace(NEW, NEW + '    ')}",
    lambda code: f"{junk('floor')}{junk('total')}{code}",
    lambda code: f"def unused(len, math, ValueError):\n    len += 1\n{code}",
    lambda c: c.replace("import math", "").replace("    return m", "    import math; return m"),
    lambda code: before_total(code, "def inner(a):", "    return [a[x] for x in range(9)]"),
    lambda code: before_total(code, "a = [1, 2]", "values + values"),
    lambda code: before_total(code, "while 0:", "    scale(9)"),
    lambda code: f"if '':\n    x = 1\nelse:{code.replace(NEW, NEW + '    ')}",
    lambda code: before_total(code, "while '':", "    scale(9)"),
    lambda code: before_total(code, "if False and values or not 1:", "    scale(9)"),
    lambda code: before_total(code, "if not (values or 'a'):", "    scale(9)"),
    lambda code: before_total(code, "for x in []:", "    x()", "for x in range(0):", "    x()"),
    lambda code: before_total(code, "if values:", "    pass", "for x in values:", "    x + 1"),
    lambda code: before_total(code, f"if {'not ' * 2_000} 0:", "    scale(9)"),
    lambda code: before_total(code, "lambda len, scale: 0"),
    lambda c: c.replace("return scale(", "m = scale(") + "    end = m\n    return end\n",
    lambda code: f"{code}    print(total, values)\n",
    lambda code: f"def unused():\n    return {'+'.join('1' * 2000)}\n{code}",
])  # fmt: skip
def test_what_hides_a_copy_does_not_count(change: Callable[[str], str]) -> None:
    assert hashes(change(PYTHON)) == hashes(PYTHON)


@pytest.mark.parametrize("change", [
    lambda code: f"import java.util.*;\npackage a.b;\n{code}",
    lambda code: f"class Answer {{ static final int MOD = 7; static {{ f(); }} {UNUSED} {code} }}",
    lambda code: f"class Main {{ enum Kind {{ A, B }} {code} }}".replace("scale(", "Main.scale("),
    lambda code: code.replace("total", "Total"),
    lambda code: f"@SuppressWarnings(\"all\") {code}".replace("double one", "final double one"),
    lambda code: code.replace("List<", "java.util.List<"),
    lambda code: f"{code} {UNUSED}",
    lambda code: f"{code.replace('mean', 'f')} double mean(List<Double> v) {{ return f(v); }}",
])  # fmt: skip
def test_what_hides_a_copy_in_java_does_not_count(change: Callable[[str], str]) -> None:
    assert hashes(change(JAVA), "java", "mean") == hashes(JAVA, "java", "mean")


def test_methods_behind_equal_imports_are_not_alike() -> None:
    answers = [f"import java.util.*;\nclass Answer {{ {UNUSED} {code} }}" for code in (JAVA, MOST)]
    assert not alike(*(hashes(answer, "java", "mean") for answer in answers))


def test_statements_of_java_are_no_methods() -> None:
    body = "if (a > 0) { b = f(a); } else { b = g(a); } try { b(); } finally { c(); } return b;"
    assert len(hashes(body, "java", "mean")) == len(hashes(body, "java", "")) > 20
    assert hashes(f"{body} {UNUSED}", "java", "mean") == hashes(body, "java", "mean")


def test_without_a_name_everything_counts() -> None:
    everything = sketch(f"seen = 1\n{PYTHON}", "python", (), "1")
    assert everything.size > sketch(f"seen = 1\n{PYTHON}", "python", {"mean_of"}, "1").size


def test_slots_have_no_hash_in_common() -> None:
    one, other = (sketch(PYTHON, "python", {"mean_of"}, slot) for slot in ("1", "2"))
    assert one.size == other.size
    assert not {*one.hashes} & {*other.hashes}


@pytest.mark.parametrize("code", ["import os", "from typing import List", "x: int"])
def test_an_answer_that_runs_nothing_has_a_sketch(code: str) -> None:
    assert hashes(code, "python", "mean")


@pytest.mark.parametrize(("languages", "code"), [
    *(("python java sql", code) for code in ("(" * 50_000, '"' * 50_000, "\0", "\ud800 b")),
    *(("python", code) for code in (
        "1+" * 25_000 + "1", "a." * 25_000 + "b", "def f():\n" + " x()\n" * 12_500,
        "def f(): f()\n" * 4_000, f"import {'a.' * 10_000}b as f\n" + "f\n" * 10_000,
        "".join(f"a{n} = a{n + 1}\n" for n in range(4_000)), "-" * 5_000 + "1",
        "if " + "f and " * 25_000 + "0: f()\n",
    )),
    *(("java sql", code) for code in ("{" * 50_000, "a(" * 25_000, "f(){}" * 10_000)),
    *(("java", code) for code in (
        "import " * 50_000, "package " * 50_000, "import a; " * 25_000 + "import package " * 25_000,
    )),
])  # fmt: skip
def test_any_text_has_a_sketch_soon(languages: str, code: str) -> None:
    for language in languages.split():
        with at_most(2.5):
            assert sketch(code, language, {"f", "a0"}, "").hashes
