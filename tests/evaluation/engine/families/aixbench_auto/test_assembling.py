"""The class that is compiled for a generation, and the origin of its lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.aixbench_auto.assembling import (
    PACKAGE,
    REPAIRS,
    Assembled,
    assemble,
    line_starts,
)
from evaluation.engine.families.aixbench_auto.declarations import Kind, declarations
from evaluation.engine.java_tokens import tokens
from evaluation.engine.records import Task
from tests.evaluation.engine.families.aixbench_auto.cases import task

FOLDER = PACKAGE.replace(".", "/")
HEADER = [
    f"package {PACKAGE};",
    "import com.aixcode.autoTest.GenerateMethodBase;",
    "import java.util.List;",
    "import java.io.*;",
]


def made(text: str, of: Task | None = None) -> Assembled:
    assembled = assemble(of or task(), text)
    assert assembled is not None
    return assembled


def lines(assembled: Assembled) -> list[str]:
    """The lines of the generation's own unit, without their prefixes."""
    (source, *_further) = assembled.units.values()
    found = source.split("\n")
    assert found[: len(HEADER)] == HEADER
    return found[len(HEADER) :]


def test_a_method_stands_in_a_class_of_ours() -> None:
    assembled = made("public int f(int a) {\n  return a;\n}")
    assert list(assembled.units) == [f"{FOLDER}/Generated5.java"]
    assert (assembled.prefix, assembled.flags) == ("Generated", ())
    assert lines(assembled) == [
        *("public class Generated5 extends GenerateMethodBase {", "public int f(int a) {"),
        *("  return a;", "}", "}", ""),
    ]


@pytest.mark.parametrize(
    ("given", "becomes", "flags"),
    [
        ("public static int f(int a) {}", "public        int f(int a) {}", {"static_dropped"}),
        ("public final int f(int a) {}", "public       int f(int a) {}", {"final_dropped"}),
        (
            "synchronized public int f(int a) {}",
            "             public int f(int a) {}",
            {"synchronized_dropped"},
        ),
        ("private int f(int a) {}", "public  int f(int a) {}", {"public_set"}),
        (
            "protected static final int f(int a) {}",
            "public                 int f(int a) {}",
            {"public_set", "static_dropped", "final_dropped"},
        ),
        ("int f(int a) {}", "public int f(int a) {}", {"public_set"}),
        ("@Override <T> int f(T a) {}", "@Override public <T> int f(T a) {}", {"public_set"}),
        ("static int f(int a) {}", "public int f(int a) {}", {"public_set", "static_dropped"}),
        (
            'public @A("static") static /* final */ int f ( int a ) {}',
            'public @A("static")        /* final */ int f ( int a ) {}',
            {"static_dropped"},
        ),
    ],
)
def test_the_tasks_method_is_made_to_override(given: str, becomes: str, flags: set[str]) -> None:
    assembled = made(given)
    assert lines(assembled)[1] == becomes
    assert set(assembled.flags) == flags


@pytest.mark.parametrize(
    "code",
    [
        "private static int g(int a) {}",
        "static int f(int a, int b) {}",
        "int g; static class B { static int f(int a) {} }",
        "static final int f = g(1);",
        "int g() { /* */ class C { private int f(int a) {} } }",
        "static int f(int a, int b {}",
    ],
)
def test_nothing_else_is_touched(code: str) -> None:
    assembled = made(code)
    assert (lines(assembled)[1], assembled.flags) == (code, ())


def test_imports_of_the_code_come_last_and_leave_their_lines_blank() -> None:
    code = "package a.b;\nimport a . B;\nimport static a.C.*; // c\n\npublic int f(int a) { }"
    assembled = made(code)
    assert lines(assembled) == [
        *("import a.B;", "import static a.C.*;"),
        "public class Generated5 extends GenerateMethodBase {",
        *(" " * 12, " " * 13, " " * 20 + " // c", "", "public int f(int a) { }", "}", ""),
    ]
    path, before = next(iter(assembled.units)), len(HEADER)
    assert [assembled.own_line(path, before + n) for n in range(-3, 12)] == [
        *(None,) * 4,
        *(2, 3, None, 1, 2, 3, 4, 5, 5, 5, 5),
    ]


def test_lines_are_those_of_the_answer_with_all_that_stands_around_the_code() -> None:
    assembled = made("Sure.\r\n\r\n```java\r\npublic int f(int a) {\r\n  x\r\n}\r\n```\nDone.\n")
    (path,) = assembled.units
    shown = assembled.units[path].replace("\r\n", "\n").split("\n").index("  x") + 1
    assert assembled.own_line(path, shown) == 5
    assert assembled.own_line("Other.java", shown) is None
    assert assembled.own_line(path, 0) is None


def test_a_class_named_by_the_task_is_found_by_its_prefix() -> None:
    head = "public class Aix1_5 extends GenerateMethodBase {"
    code = f"package x;\n\n{head}\n  public int f(int a) {{}}\n}}"
    assembled = made(code)
    assert (assembled.prefix, list(assembled.units)) == ("Aix1_", [f"{FOLDER}/Aix1_5.java"])
    assert lines(assembled) == [" " * 10, *code.split("\n")[1:]]
    assert assembled.flags == ()


def test_any_other_class_is_found_by_a_subclass_of_it() -> None:
    assembled = made("class Solution<T> { static int f(int a) { return Solution.g(); } }")
    assert list(assembled.units) == [f"{FOLDER}/Solution.java", f"{FOLDER}/Generated5.java"]
    assert lines(assembled) == [
        "class Solution<T> extends GenerateMethodBase "
        "{ public int f(int a) { return Solution.g(); } }"
    ]
    further = assembled.units[f"{FOLDER}/Generated5.java"]
    assert further == f"package {PACKAGE};\npublic class Generated5 extends Solution {{}}\n"
    assert set(assembled.flags) == {
        *("static_dropped", "public_set", "superclass_added", "subclass_added")
    }


@pytest.mark.parametrize(
    ("head", "becomes"),
    [
        ("public class A5 {", "public class A5 extends GenerateMethodBase {"),
        ("public class A5<K, V extends B<K>> {", None),
        (
            "public class A5 implements B {",
            "public class A5 extends GenerateMethodBase implements B {",
        ),
        ("public class A5 extends B {", "public class A5 extends B {"),
        (
            "public class A5<K extends B> extends C<K> {",
            "public class A5<K extends B> extends C<K> {",
        ),
    ],
)
def test_a_class_without_a_superclass_gets_the_base(head: str, becomes: str | None) -> None:
    expected = becomes or head.replace(" {", " extends GenerateMethodBase {")
    assert lines(made(f"{head}}}")) == [f"{expected}}}"]


def test_of_several_classes_the_one_with_the_method_counts() -> None:
    assembled = made("public class Main { }\nclass B { }\nclass C { public int f(int a) { } }")
    assert list(assembled.units)[0] == f"{FOLDER}/Main.java"
    assert "extends C {}" in assembled.units[f"{FOLDER}/Generated5.java"]


def test_a_class_beside_methods_stands_within_ours() -> None:
    assembled = made("class B { }\npublic int f(int a) { }\nenum C { D }")
    assert list(assembled.units) == [f"{FOLDER}/Generated5.java"]
    assert lines(assembled)[0] == "public class Generated5 extends GenerateMethodBase {"


def test_a_name_that_the_code_uses_is_not_taken() -> None:
    assembled = made("class Generated5 { public int f(int a) { } }")
    assert assembled.prefix not in ("Generated", "")
    assert assembled.prefix + "5" not in next(iter(assembled.units.values()))


def test_what_no_file_takes_is_replaced() -> None:
    assert lines(made('public int f(int a) { "\ud800" }'))[1] == 'public int f(int a) { "?" }'


PIECES = st.sampled_from(
    [
        *("public ", "static ", "int f(int a)", " { }", "{", "}", ";", "class A", " class B5 "),
        *("import a.b;", "package c;", "\n", "\r\n", "\r", "```java\n", "```", "@A", "// x\n"),
        *("extends C", "<", ">", '"', "(", ")", "=", "f", "\ud800", "中"),
    ]
)


@given(st.lists(PIECES, max_size=25).map("".join))
def test_any_text_makes_a_class_that_is_found_and_keeps_its_lines(text: str) -> None:
    assembled = assemble(task(), text)
    if assembled is None:
        return
    assert REPAIRS.issuperset(assembled.flags)
    sources = " ".join(" ".join(assembled.units.values()).split())
    assert f"class {assembled.prefix}5" in sources
    assert all(path.startswith(f"{FOLDER}/") for path in assembled.units)
    assert all(source.startswith(f"package {PACKAGE};\n") for source in assembled.units.values())
    path, source = next(iter(assembled.units.items()))
    total = len(line_starts(text))
    own = [assembled.own_line(path, n) for n in range(1, len(line_starts(source)) + 1)]
    assert all(line is None or 1 <= line <= total for line in own)
    last_added = max(n for n, line in enumerate([None, *own]) if line is None)
    following = [line or 0 for line in own[last_added:]]
    assert following == sorted(following)


@given(st.lists(st.sampled_from(["int x;", "x(1);", '"}";', "// }", "", "'{'"]), max_size=12))
def test_every_line_of_a_method_can_be_found_again(body: list[str]) -> None:
    code = "\n".join(["public static int f(int a) {", *body, "}"])
    assembled = made(f"Code:\n```java\n{code}\n```")
    path, source = next(iter(assembled.units.items()))
    for number, line in enumerate(source.split("\n"), start=1):
        own = assembled.own_line(path, number)
        if own is not None and 4 <= own < 3 + len(body) + 1:
            assert line == body[own - 4]


MODIFIERS = st.lists(
    st.sampled_from(["public", "protected", "private", "static", "final", "synchronized"]),
    unique=True,
).filter(lambda words: len({"public", "protected", "private"} & {*words}) < 2)


@given(MODIFIERS, st.sampled_from([" ", "\n", " /* x */ "]))
def test_whatever_its_modifiers_the_method_that_is_asked_for_overrides(
    modifiers: list[str], between: str
) -> None:
    assembled = made(between.join([*modifiers, "int f(int a) { return a; }"]))
    (method,) = [
        one
        for one in declarations(tokens("\n".join(lines(assembled)[1:])))
        if one.kind is Kind.METHOD
    ]
    assert [token.text for token in method.modifiers] == ["public"]
    dropped = {f"{word}_dropped" for word in modifiers} & REPAIRS
    assert {*assembled.flags} == dropped | ({"public_set"} - {f"{m}_set" for m in modifiers})
