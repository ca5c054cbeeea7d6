"""The class that is compiled for a generation, and the origin of its lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.compiler_messages import line_starts
from evaluation.engine.families.aixbench_auto.assembling import (
    PACKAGE,
    REPAIRS,
    Assembled,
    assemble,
)
from evaluation.engine.records import Task
from tests.evaluation.engine.families.aixbench_auto.cases import IMPORTS, task

FOLDER = PACKAGE.replace(".", "/")
HEADER = [f"package {PACKAGE};"]
OWN, DELEGATE = f"{FOLDER}/GeneratedAnswer.java", f"{FOLDER}/Generated5.java"


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


def delegate(assembled: Assembled) -> str:
    """The unit that calls the answer, whose classes it names in full, with their short names."""
    return assembled.units[DELEGATE].replace(f"{PACKAGE}.", "")


def test_a_method_stands_in_a_class_of_ours_and_another_calls_it() -> None:
    assembled = made("static int f(final int a) {\n  return a;\n}")
    assert list(assembled.units) == [OWN, DELEGATE]
    assert assembled.prefix == "Generated"
    assert {*assembled.flags} == {"class_added", "delegate_added"}
    assert lines(assembled) == [
        *("class GeneratedAnswer {", "static int f(final int a) {", "  return a;", "}", "}", "")
    ]
    assert "class Generated5 extends com.aixcode.autoTest.GenerateMethodBase {" in delegate(
        assembled
    )
    assert "Override public int f(int a) { try { return GeneratedAnswer.f(a); }" in delegate(
        assembled
    )


@pytest.mark.parametrize(
    "code",
    [
        "public static final synchronized int f(int a) {}",
        "static int f(int a, int b) {}",
        "int g; static class B { static int f(int a) {} }",
        "static int f(int a, int b {}",
    ],
)
def test_the_answer_stays_as_it_is(code: str) -> None:
    assert lines(made(code))[1] == code


def test_a_class_stays_as_it_is() -> None:
    code = "public final class A5<T> {\n  static int f(int a) { return A5.g(); }\n}"
    assembled = made(code)
    assert assembled.units[OWN] == f"package {PACKAGE};\n{code}"
    assert assembled.flags == ("delegate_added",)
    assert "return A5.f(a);" in delegate(assembled)


@pytest.mark.parametrize(
    ("code", "making"),
    [
        ("class A { A() { } A(int b) { } int f(int a) { } }", "new A()"),
        ("class A { class B { int f(int a) { } } }", "new A().new B()"),
        ("interface A { class B { public int f(int a) { } } }", "new A.B()"),
        ("interface A { default int f(int a) { } }", "new A() {}"),
        ("enum A { B; int f(int a) { } }", "A.values()[0]"),
        ("record A() { int f(int a) { } }", "new A()"),
        ("interface A { int b(); default int f(int a) { } } class C implements A { }", "new C()"),
        ("class A { private A() { } int f(int a) { } }", "new A.Generated_()"),
        ("class A { private static class B { int f(int a) { } } }", "new A.Generated_()"),
        ("class A { private int f(int a) { } }", "new A.Generated_()"),
        ("abstract class A { A() { } int f(int a) { } int g() { } }", "new A() {}"),
        ("class A { abstract class B { int f(int a) { } } }", "new A().new B() {}"),
        ("interface A { default int f(int a) { } } class B implements C<A> { }", "new A() {}"),
    ],
)
def test_a_method_of_an_object_is_called_on_one_that_is_made_once(code: str, making: str) -> None:
    assert f"answer_ = {making};" in delegate(made(code))


@pytest.mark.parametrize(
    ("code", "called"),
    [
        (
            "class A { static int f(int a) { } } public class B { static int f(int b) { } }",
            "B.f(a)",
        ),
        ("class A { class B { static int f(int a) { } } static int f(int a) { } }", "A.f(a)"),
        (
            "class A { A(int b) { } int f(int a) { } } class B { int f(int a) { } }",
            "this.answer_.f(a)",
        ),
        ("interface A { int f(int a); } class B { static int f(int a) { } }", "B.f(a)"),
        (
            "class A { A(A a) {} class B { int f(int a) {} } enum C {; static int f(int a) {} } }",
            "A.C.f(a)",
        ),
        ("class A { static void f(int a) {} } class B { static int f(final int b) {} }", "B.f(a)"),
        ("class A { static int f(A a) {} } class B { static int f(int b) {} }", "B.f(a)"),
    ],
)
def test_of_several_methods_one_that_can_be_called_counts(code: str, called: str) -> None:
    assert f"return {called};" in delegate(made(code))


def test_private_methods_are_called_with_all_their_overloads_and_types() -> None:
    (unit,) = lines(
        made("class A<@C(1) T, U extends B<T, U>> { private int f(T a) { } int f(U a) { } }")
    )
    member = unit.partition("static class ")[2]
    assert member.startswith("Generated_<T, U extends B<T, U>> { final A answer_ = new A();")
    assert "} int f(T a) throws" in member and "} int f(U a) throws" in member
    (unit,) = lines(made("class A<T> { private static <S> int f(S a) { } int f(T a, T b) { } }"))
    assert "static class Generated_ { final" not in unit and "static class Generated_ {" in unit
    (unit,) = lines(
        made("class A { static class B { class C { } private static C f(D<B, a.C, C> d) { } } }")
    )
    assert " A.B.C f(D<B, a.C, A.B.C> d) throws" in unit
    (unit,) = lines(made("class A<T, U> { private int f(A<T, U> this, int a) { } }"))
    assert "} int f(int a) throws" in unit
    (unit,) = lines(made("class A { private int f(int a /* what this (b) gets */) { } }"))
    assert "} int f(int a /* what this (b) gets */) throws" in unit


def test_a_long_path_is_not_written_for_each_word() -> None:
    head = f"M<{', '.join(['X'] * 2_000)}> a"
    inner = f"static class {'B' * 4_000} {{ static class X {{}} private int f({head}) {{}} }}"
    made = assemble(task("public static int f(int a)"), f"class A {{ {inner} }}")
    assert made is not None
    assert sum(map(len, made.units.values())) < 100_000


def test_a_class_that_only_a_class_can_hold_stands_in_ours() -> None:
    assembled = made("private static class B { static int f(int a) { } }")
    assert lines(assembled)[0] == "class GeneratedAnswer {"
    assert "new GeneratedAnswer.Generated_()" in delegate(assembled)


def test_a_static_method_can_use_the_classes_beside_it() -> None:
    code = ["class E { }", "class B extends E { }", "int b;", "class G { int c() { return b; } }"]
    code += ["static int f(int a) { new B(); }", "enum C { D; int h(G g) { } }"]
    code += ["static H<G> i = H<G>::new;", "class H<T> { }", "interface J { void k(G g); }"]
    for at in (0, 1, 7):
        code[at] = f"static {code[at]}"
    assert lines(made("\n".join(code).replace("static class", "class")))[1:10] == code


def test_a_method_that_overrides_stands_in_a_class_that_extends_the_base() -> None:
    assembled = made("@Override\npublic int f(int a) { }")
    assert lines(assembled)[0] == "class GeneratedAnswer extends GenerateMethodBase {"
    inner = "static int f(int a) { return new B() { @Override int g() { } }.g(); }"
    assert lines(made(inner))[0] == "class GeneratedAnswer {"


def test_the_compiler_gets_imports_for_unresolved_names() -> None:
    text = "```java\nimport a.*;\nimport a.B;\n```\n```java\nimport c.D;\nint f(int a) { }\n```"
    assert made(text).imports == {
        "imported": ["c.D"],
        "declared": ["GeneratedAnswer"],
        "importable": [
            *("a.B", "a.*", "com.aixcode.autoTest.GenerateMethodBase", "java.util.List"),
            "java.io.*",
        ],
    }


@pytest.mark.parametrize(
    ("text", "imports"),
    [
        ("First:\n\nimport a.B;\n\nthen\n```java\n{}\n```", ["a.B"]),
        ("You need:\nimport a . B ;\r\n\n```java\n{}\n```", ["a.B"]),
        ("- `import a.B;`\n2. import static c.D.e\n\n```java\n{}\n```", ["a.B", "static c.D.e"]),
        ("```java\n{}\n```\n\nImports: `import a.B` (it's (:\nimport c.*; // d\n", ["a.B", "c.*"]),
        *((f"{word} import a.B;\n{{}}", []) for word in ("Do not", "Don't", "Don’t", "Never")),
        ("Do import a.B here;\nimport the rest;\n// import c.D;\n```\n{}\n```", []),
        ("Add ```java import a.B;``` and import c.*; too:\n```java\n{}\n```", ["a.B", "c.*"]),
        ("<think>\nimport a.B;\n</think>\n```java\n{}\n```\nThen\nimport c.D;", ["c.D"]),
    ],
)
def test_lines_outside_the_code_can_import(text: str, imports: list[str]) -> None:
    importable = made(text.format("public int f(int a) { return a; }")).imports["importable"]
    assert importable[: -len(IMPORTS) - 1] == imports


def test_imports_of_the_code_leave_their_lines_blank() -> None:
    code = "package a.b;\nimport a . B;\nimport static a.C.*; // c\n\npublic int f(int a) { }"
    assembled = made(code)
    assert lines(assembled) == [
        *("import a.B;", "import static a.C.*;"),
        "class GeneratedAnswer {",
        *(" " * 12, " " * 13, " " * 20 + " // c", "", "public int f(int a) { }", "}", ""),
    ]
    path, before = next(iter(assembled.units)), len(HEADER)
    assert [assembled.own_line(path, before + n) for n in range(-1, 12)] == [
        *(None,) * 2,
        *(2, 3, None, 1, 2, 3, 4, 5, 5, 5, 5),
    ]


def test_classes_of_the_code_lose_the_package_that_is_removed() -> None:
    assembled = made(
        """package a.b;
import static a.b.A.h;
import a.b.*;
import a.b.c.A;
class A { private a.b.A f(a . b . A a) { return c . a.b.A.h + a.b.B.h("a.b.A"); } // a.b.A
}"""
    )
    own = f"import static {PACKAGE}.A.h;import {PACKAGE}.*;import a.b.c.A;"
    assert "".join(lines(assembled)[:3]) == own
    code = 'private     A f(        A a) { return c . a.b.A.h + a.b.B.h("a.b.A"); }'
    assert lines(assembled)[7].startswith(f"class A {{ {code} // a.b.A")
    assert "    A f(        A a) throws" in lines(assembled)[8]


def test_lines_are_those_of_the_answer_with_all_that_stands_around_the_code() -> None:
    assembled = made("Sure.\r\n\r\n```java\r\npublic int f(int a) {\r\n  x\r\n}\r\n```\nDone.\n")
    path = next(iter(assembled.units))
    shown = assembled.units[path].replace("\r\n", "\n").split("\n").index("  x") + 1
    assert assembled.own_line(path, shown) == 5
    assert assembled.own_line("Other.java", shown) is None
    assert assembled.own_line(path, 0) is None


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
WORDS = st.lists(
    st.sampled_from(["final", "@", "X", ",", "<", ">", "?", '"s"', "int a"]), max_size=4
)
CLASSES = st.builds(
    lambda *words: "class A<{}> {{ private {} int f({}) {{ }} }}".format(*map(" ".join, words)),
    *(WORDS, WORDS, WORDS),
)


@given(st.lists(PIECES, max_size=25).map("".join) | CLASSES)
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
