"""Tests of which functions are tried, and in which order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.making import java_bodies, python_bodies
from evaluation.making.choosing import functions, is_test, named_by_tests, spread
from evaluation.making.cuts import ON_ONE_LINE, Cut, Uncut

PATHS = st.sampled_from(["a.py", "b/c.py", "b/d.py"])
PLACES = st.lists(st.tuples(PATHS, st.integers(1, 40)), unique=True)


def candidate(path: str, line: int) -> Cut:
    return Cut("f", line, line, "", 0, "", 0, path=path)


@given(PLACES, st.text(), st.randoms())
def test_the_order_is_the_seed_s_and_not_that_of_the_input(
    places: list[tuple[str, int]], seed: str, random: object
) -> None:
    candidates = [candidate(*place) for place in places]
    ordered = spread(candidates, seed)
    assert spread(reversed(candidates), seed) == ordered
    assert sorted(each.place for each in ordered) == sorted(places)


@given(PLACES, st.text())
def test_files_take_turns(places: list[tuple[str, int]], seed: str) -> None:
    ordered = [each.path for each in spread([candidate(*place) for place in places], seed)]
    assert len(set(ordered[: len(set(ordered))])) == len(set(ordered))


def test_another_seed_is_another_order() -> None:
    candidates = [candidate("a.py", line) for line in range(1, 30)]
    assert spread(candidates, "one") != spread(candidates, "two")


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("tests/helpers.py", True),
        ("pkg/test/data.py", True),
        ("pkg/test_a.py", True),
        ("pkg/a_test.py", True),
        ("conftest.py", True),
        ("src/test/java/a/B.java", True),
        ("pkg/testing.py", False),
        ("pkg/latest.py", False),
        ("src/main/java/a/TestKit.java", False),
    ],
)
def test_what_belongs_to_the_tests(path: str, test: bool) -> None:
    assert is_test(path) is test


def test_functions_are_those_of_the_product_s_own_files() -> None:
    body = "def f():\n    return 1\n"
    texts = {"b.py": body, "a.py": body + "def g(): return 2\n", "tests/c.py": body, "d.txt": body}
    texts["\udce9.py"] = body  # its name is not UTF-8
    candidates, rest = functions(texts, ".py", python_bodies.cut)
    assert [each.place for each in candidates] == [("a.py", 1), ("b.py", 1)]
    assert rest == [Uncut("g", 3, ON_ONE_LINE, "a.py")]


JAVA = """class A {
  int direct() {
    return byAnother();
  }
  int byAnother() {
    return 1;
  }
  int never() {
    return alone();
  }
  int alone() {
    return direct();
  }
  @Override
  public String toString() {
    return shown();
  }
  String shown() {
    return "";
  }
}
"""


def test_java_s_methods_are_followed_from_the_tests_by_name() -> None:
    texts = {"A.java": JAVA, "src/test/T.java": "class T { void t() { new A().direct(); } }"}
    candidates, _ = functions(texts, ".java", java_bodies.cut)
    near = [each.name for each in named_by_tests(candidates, texts)]
    assert near == ["direct", "byAnother", "toString", "shown"]
