"""The hidden texts that are searched for, and the copies that may be removed."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.preparation import withholding
from evaluation.engine.preparation.withholding import (
    LEAST_BYTES,
    Copy,
    java_classes,
    wanted,
    withhold,
)


def copies(*groups: str) -> list[Copy]:
    return [Copy(group, f"/{group}/{n}") for group in groups for n in range(2)]


class Container:
    """A container with groups of copies, and tests that need some of the groups."""

    def __init__(self, found: list[Copy], needs: dict[str, set[str]]) -> None:
        self.there = {copy.path for copy in found}
        self.needs = needs
        self.trials = 0

    def passed(self) -> frozenset[tuple[str, str]]:
        self.trials += 1
        groups = {path.split("/")[1] for path in self.there}
        passing = [test for test, needed in self.needs.items() if needed <= groups]
        return frozenset(("pytest", test) for test in passing)

    def take(self, group: Sequence[Copy]) -> None:
        self.there -= {copy.path for copy in group}

    def give_back(self, group: Sequence[Copy]) -> None:
        self.there |= {copy.path for copy in group}


def remaining(found: list[Copy], needs: dict[str, set[str]]) -> tuple[Container, list[Copy]]:
    container = Container(found, needs)
    before = container.passed()
    remains = withhold(found, before, container.passed, container.take, container.give_back)
    return container, remains


def test_all_go_at_once_where_no_test_needs_them() -> None:
    container, remains = remaining(copies("a", "b", "c"), {"test": set()})
    assert (remains, container.there, container.trials) == ([], set(), 2)


def test_what_a_test_needs_stays_and_the_rest_goes() -> None:
    found = copies("a", "b", "c")
    container, remains = remaining(found, {"one": {"b"}, "two": set()})
    assert remains == found[2:4]
    assert container.there == {"/b/0", "/b/1"}


def test_nothing_is_tried_where_nothing_was_found() -> None:
    container, remains = remaining([], {"test": set()})
    assert (remains, container.trials) == ([], 1)


@given(
    st.lists(st.sampled_from("abcdef"), unique=True, max_size=6),
    st.dictionaries(st.text(max_size=2), st.sets(st.sampled_from("abcdef"), max_size=3)),
)
def test_every_test_still_passes_and_nothing_stays_without_need(
    groups: list[str], needs: dict[str, set[str]]
) -> None:
    possible = {test: needed for test, needed in needs.items() if needed <= set(groups)}
    container, remains = remaining(copies(*groups), possible)
    assert container.passed() == {("pytest", test) for test in possible}
    assert {copy.path for copy in remains} == container.there
    assert {copy.group for copy in remains} == set().union(*possible.values())


@pytest.mark.parametrize(("now", "kept"), [({"steady"}, []), (set(), copies("a"))])
def test_a_test_that_fails_now_and_then_keeps_no_copy(now: set[str], kept: list[Copy]) -> None:
    both = frozenset({("pytest", "steady"), ("pytest", "fickle")})
    answers = iter([frozenset(("pytest", test) for test in now), both])
    nothing = lambda _: None  # noqa: E731 - the container plays no part
    assert withhold(copies("a"), both, lambda: next(answers), nothing, nothing) == kept


def test_files_too_short_to_hold_an_answer_are_not_looked_for() -> None:
    short = {"pkg/__init__.py": b"#" * (LEAST_BYTES - 1), "Empty.java": b""}
    assert wanted(short) == {"sources": [], "classes": []}


@pytest.mark.parametrize(
    ("source", "classes"),
    [
        ("package a.b;\npublic class C { class D {} }", ["a/b/C"]),
        ("class C {}\nenum E { X { } }\nrecord R(int x) {}\n@interface A {}", [*"CERA"]),
        ("package a;\n// class No {\n/* class No */ final class C { }", ["a/C"]),
        ("class C { String s = \"}\"; char c = '}'; class D {} }", ["C"]),
        ('class C { String s = """\n } class No {\n"""; class D {} } interface I {}', ["C", "I"]),
        ("/* package no; */ package a ; class C { Object o = D.class; }", ["a/C"]),
        ("", []),
    ],
)
def test_the_types_at_a_java_sources_top_name_its_class_files(
    source: str, classes: list[str]
) -> None:
    assert java_classes(source) == classes


@given(st.text(max_size=200))
def test_any_text_is_read_for_types(source: str) -> None:
    assert all(name for name in java_classes(source))


def test_a_copy_is_named_by_its_place_and_an_archive_by_its_members() -> None:
    assert str(Copy("g", "/a.py")) == "/a.py"
    assert str(Copy("g", "/a.whl", ("x.py", "y.py"))) == "/a.whl!x.py; /a.whl!y.py"


@pytest.mark.parametrize("found", [[["group", "/path"]], [["group", "/path", "members"]]])
def test_what_the_search_never_says_is_no_copy(found: list[list[object]]) -> None:
    with pytest.raises(ValueError):
        withholding.copies(found)
