"""Rewritten Java tests parse; with a compiler they also compile, and fail as they should."""

# Programs and tests read best in a line each.
# ruff: noqa: E501

import os
import re
import select
import shutil
import socket
import subprocess
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

import pytest
import tree_sitter_java
from hypothesis import given
from hypothesis import strategies as st
from tree_sitter import Language, Parser

from evaluation.engine.projects import java_control
from evaluation.engine.projects.control import STOPPED, THROUGH
from evaluation.engine.projects.java_expectations import Value
from evaluation.engine.projects.suite import Rewritten
from evaluation.engine.sandbox.inside import expectations
from evaluation.engine.sandbox.inside.expectations import Connection, Served

# Bodies of tests that pass, and how their controls end.
BODIES = {
    "equal": ("assertEquals(3, 1 + 2);", STOPPED),
    "actualFirst": ("assertEquals(1 + 2, 3);", STOPPED),
    "message": ('assertEquals("a\\"", "a" + \'"\', "message");', STOPPED),
    "textBlock": ('assertEquals("""\n      x\n      """, "x\\n");', STOPPED),
    "characters": ("assertEquals('a', 'a'); assertEquals('b', 'b');", STOPPED),
    "integers": ("assertEquals(-3L, -3L); assertEquals(0x1F, 31); assertEquals(1_000L, 1000); assertEquals(017, 15);", STOPPED),
    "casts": ("assertEquals((byte) 3, (byte) 3); assertEquals((3), 3);", STOPPED),
    "floats": ("assertEquals(-0.5f, -0.5, 1e-3); assertEquals(3d, 3.0, 0.1);", STOPPED),
    "wideTolerance": ("assertEquals(3.0, 4.0, 2.0);", THROUGH),
    "arrays": ("assertArrayEquals(new int[] {1, 2}, new int[] {1, 2});", STOPPED),
    "calls": ("assertEquals(new Object() { int three() { return 3; } }.three(), Math.abs(-3));", THROUGH),
    "variables": ("int i = 3; assertEquals(i, i); long l = 4; assertEquals(l, 4 + 0 * l); char c = 'c'; assertEquals(c, c); byte b = 127; assertEquals(b, b); double d = 1e9; assertEquals(d, d, 0.1); double n = Double.NaN; assertEquals(n, (Object) n);", STOPPED),
    "objects": ('String s = ""; assertEquals(s, s + ""); Integer i = 3; assertEquals(i, i); Boolean b = true; assertEquals(b, b); Long l = 3L; assertEquals(l, l); Character c = 99; assertEquals(c, c); assertThat(s).isEqualTo(s);', STOPPED),
    "arraysInVariables": ("int[] a = {1}; assertArrayEquals(a, new int[] {a[0]}); int[] none = {}; assertArrayEquals(none, new int[0]); byte[] b = {-1}; assertArrayEquals(b, b);", STOPPED),
    "otherObjects": ("Object it = this; assertEquals(it, it); List<Integer> list = List.of(1); assertEquals(list, list); String no = null; assertEquals(no, no); Object[] a = {it}; assertEquals(a, (Object) a);", STOPPED),
    "truths": ('assertTrue(1 < 2); assertTrue(1 < 2, "m"); assertFalse(1 > 2 || 2 > 3);', STOPPED),
    "suppliers": ("assertTrue(() -> true);", THROUGH),
    "raises": ("assertThrows(IllegalStateException.class, () -> { throw new IllegalStateException(); });", STOPPED),
    "anyException": ("assertThrows(Exception.class, () -> { throw new IllegalStateException(); });", THROUGH),
    "returning": ("if (read() == 3) return; assertEquals(1, 2);", STOPPED),
    "endless": ("int i = 0; while (true) { if (++i > 3) return; }", THROUGH),
    "throwing": ("int i = 0; try { assertEquals(3, read()); } catch (IOException e) { throw new UncheckedIOException(e); } finally { assertEquals(0, i); }", STOPPED),
    "handlers": ("try { throw new IOException(\"x\"); } catch (IOException e) { assertEquals(\"x\", e.getMessage()); }", STOPPED),
    "checked": ("try { int i = 0; try { read(); } finally { assertEquals(3, read()); } } catch (IOException e) { throw new UncheckedIOException(e); }", THROUGH),
    "loops": ("for (int i = 0; i < 100; i++) assertEquals(7, i * 0 + 7); label: for (;;) { assertTrue(1 < 2); break label; }", STOPPED),
    "oneLineIf": ("if (1 < 2) assertEquals(3, 3); else assertEquals(4, 4);", STOPPED),
    "switches": ("switch (3) { case 3: assertEquals(3, 3); break; default: assertEquals(1, 2); } switch (3) { case 3 -> assertEquals(3, 3); default -> { } }", STOPPED),
    "locals": ("class Local { int x = 3; } record R(int x) {} assertEquals(3, new Local().x); var r = new R(3); assertEquals(3, r.x());", STOPPED),
    "resources": ("synchronized (this) { assertEquals(3, read()); } try (var in = new StringReader(\"x\")) { assertEquals(120, in.read()); } do assertTrue(1 < 2); while (false);", STOPPED),
    "exits": ("if (1 < 2) return; throw new Exception();", THROUGH),
    "empty": ("// nothing\n", THROUGH),
    "ours": ("int assayAsked = 3; assertEquals(3, assayAsked);", STOPPED),
    "often": ("for (int i = 0; i < 3000; i++) assertEquals(7, i * 0 + 7);", STOPPED),
    "escapes": ('assertEquals("\\u0041\\n\\t\\\\", "A\\n\\t" + (char) 92); assertEquals("\\ud800", "" + (char) 0xd800);', STOPPED),
    "fluent": ("assertThat(3).isEqualTo(3); assertThat(true).isTrue();", STOPPED),
}  # fmt: skip
# Candidates that equal everything, and a comparison that takes everything.
CHEATS = {
    "equalsAll": ("Object all = new Object() { public boolean equals(Object o) { return true; } public int hashCode() { return 1; } }; assertEquals(all, 3);", THROUGH),
    "laterOnly": ("Object all = new Object() { public boolean equals(Object o) { return true; } public int hashCode() { return 1; } }; assertEquals(3, 3); assertEquals(all, 3);", THROUGH),
}  # fmt: skip
SHAPES = BODIES | CHEATS
HEAD = """package t;
import java.io.*;
import java.util.*;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import static org.junit.jupiter.api.Assertions.*;
"""
# The parts of the frameworks that the shapes need, and a main class that runs the shapes.
FRAMEWORK = {
    "org/junit/jupiter/api/Test.java": """package org.junit.jupiter.api;
        import java.lang.annotation.*;
        @Retention(RetentionPolicy.RUNTIME) public @interface Test {}
        """,
    "org/junit/jupiter/api/Assertions.java": """package org.junit.jupiter.api;
        import java.util.function.*;
        public class Assertions {
          public interface Executable { void execute() throws Throwable; }
          public record Subject(Object it) { public Subject isEqualTo(Object o) { check(it.equals(o)); return this; } public Subject isTrue() { return isEqualTo(true); } public Subject isFalse() { return isEqualTo(false); } }
          public static Subject assertThat(Object it) { return new Subject(it); }
          static void check(boolean ok) { if (!ok) throw new AssertionError("no"); }
          public static void assertEquals(Object a, Object b) { check(java.util.Objects.equals(a, b)); }
          public static void assertEquals(byte a, byte b) { check(a == b); }
          public static void assertEquals(int a, int b) { check(a == b); }
          public static void assertEquals(long a, long b) { check(a == b); }
          public static void assertEquals(char a, char b) { check(a == b); }
          public static void assertEquals(double a, double b, double d) { check(Math.abs(a - b) <= d); }
          public static void assertEquals(Object a, Object b, String m) { check(java.util.Objects.equals(a, b)); }
          public static void assertArrayEquals(byte[] a, byte[] b) { check(java.util.Arrays.equals(a, b)); }
          public static void assertArrayEquals(int[] a, int[] b) { check(java.util.Arrays.equals(a, b)); }
          public static void assertTrue(boolean a) { check(a); }
          public static void assertTrue(BooleanSupplier a) { check(a.getAsBoolean()); }
          public static void assertTrue(boolean a, String m) { check(a); }
          public static void assertFalse(boolean a) { check(!a); }
          public static void assertNull(Object a) { check(a == null); }
          public static void assertNotNull(Object a) { check(a != null); }
          public static <T extends Throwable> T assertThrows(Class<T> c, Executable e) {
            try { e.execute(); } catch (Throwable t) { if (c.isInstance(t)) return c.cast(t); }
            throw new AssertionError("no");
          }
        }
        """,
    "t/Main.java": """package t;
        import java.lang.reflect.*;
        public class Main {
          public static void main(String[] arguments) throws Exception {
            for (Method m : ShapesTest.class.getDeclaredMethods()) {
              if (!m.isAnnotationPresent(org.junit.jupiter.api.Test.class)) continue;
              m.setAccessible(true);
              String end = "passed";
              try { m.invoke(new ShapesTest()); } catch (InvocationTargetException e) { end = e.getCause().getMessage(); }
              System.out.println(m.getName() + " " + end);
            }
          }
        }
        """,
}


def class_of(methods: str) -> str:
    helper = "  static int read() throws IOException { return 3; }\n"
    return f"{HEAD}class ShapesTest {{\n{helper}{methods}}}\n"


def method_of(name: str, body: str) -> str:
    return f"  @Test <T extends Comparable<T>> void {name}() throws Exception {{ {body} }}\n"


SHAPES_TEST = class_of("".join(method_of(name, body) for name, (body, _) in SHAPES.items()))


def parses(text: str) -> bool:
    root = Parser(Language(tree_sitter_java.language())).parse(text.encode("utf-8", "replace"))
    return not root.root_node.has_error


def rewritten(text: str) -> Rewritten:
    made = java_control.rewritten(text)
    assert made is not None
    return made


def own_part(text: str) -> str:
    """The rewritten file without our class."""
    return rewritten(text).text.partition("\nfinal class assay")[0]


def right_of(text: str) -> list[str]:
    return [value.right for values in rewritten(text).values.values() for value in values]


@pytest.mark.parametrize("name", SHAPES)
def test_a_test_becomes_one_that_parses_and_ends_in_a_failure(name: str) -> None:
    text = class_of(method_of(name, SHAPES[name][0]))
    assert parses(text)
    made = rewritten(text).text
    assert parses(made)
    assert made.count(".end();") == 1
    assert made.startswith(HEAD)


def ends(folder: Path, shapes: str) -> dict[str, str]:
    for name, text in {**FRAMEWORK, "t/ShapesTest.java": shapes}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(textwrap.dedent(text))
    sources = [str(path) for path in folder.rglob("*.java")]
    options = ["-Xlint:all", "-Werror", "-proc:none", "-d", str(folder / "out")]
    subprocess.run(["javac", *options, *sources], check=True)
    command = ["java", "-cp", str(folder / "out"), "t.Main"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return dict(line.split(" ", 1) for line in lines)


@contextmanager
def serving(tests: Mapping[str, Sequence[Value]], *, control: bool) -> Iterator[Served]:
    """The runner's side of the connection, in a thread."""
    served, listening, over = Served(watch(tests, control)), expectations.listener(), Event()
    thread = Thread(target=serve, args=(served, listening, over))
    thread.start()
    try:
        yield served
    finally:
        over.set()
        thread.join()
        listening.close()


def watch(tests: Mapping[str, Sequence[Value]], control: bool) -> dict[str, Any]:
    draw = Random(1)
    values = {id: [[v.right, v.other(draw)] for v in values] for id, values in tests.items()}
    return {"control": control, "tests": values}


def serve(served: Served, listening: socket.socket, over: Event) -> None:
    connections: dict[int, Connection] = {}
    while not over.is_set():
        ready, _, _ = select.select([listening, *connections], [], [], 0.05)
        for each in ready:
            if each is listening:
                connection = served.accepted(listening)
                assert connection is not None
                connections[connection.fileno()] = connection
            elif data := os.read(each, 1 << 16):
                connections[each].take(data)
            else:
                del connections[each]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("javac") is None, reason="needs a Java compiler")
def test_tests_that_ask_pass_and_fail_in_a_control_and_say_how(tmp_path: Path) -> None:
    assert set(ends(tmp_path / "original", SHAPES_TEST).values()) == {"passed"}
    asking = rewritten(SHAPES_TEST)
    with serving(asking.values, control=False) as served:
        assert set(ends(tmp_path / "run", asking.text).values()) == {"passed"}
    assert served.sound
    assert {tuple(counts[1:]) for counts in served.ended.values()} == {(1, 0, 0)}
    with serving(asking.values, control=True) as served:
        told = ends(tmp_path / "control", asking.text)
    assert told == {name: end for name, (_, end) in SHAPES.items()}
    through = {id.partition("::")[2] for id, counts in served.ended.items() if counts[3]}
    assert through == {*CHEATS}


JUNIT_4 = "import org.junit.Assert;\nimport org.junit.Test;\nclass ATest {{ @Test public void a() {{ {} }} }}"
JUNIT_5 = "import org.junit.jupiter.api.Test;\nclass ATest {{ @Test void a() {{ {} }} }}"
HAMCREST = "import org.hamcrest.*;\n" + JUNIT_4


@pytest.mark.parametrize(
    ("form", "expectation", "asks", "right"),
    [
        (JUNIT_4, 'Assert.assertEquals("m", "a", b);', 'Assert.assertEquals("m", ?.aString(0), b);', "a"),
        (JUNIT_4, 'assertEquals("m", 1.5, b, 0.01);', 'assertEquals("m", ?.aDouble(0), b, 0.01);', "1.5"),
        (JUNIT_4, 'assertEquals("m" + c, b, 0);', 'assertEquals("m" + c, b, ?.anInt(0));', "0"),
        (JUNIT_4, 'assertNull("m", b);', "?.truth(0, ((java.lang.Object) (b)) == null);", "true"),
        (JUNIT_5, 'assertEquals("a\\n\\\\", b, "m");', 'assertEquals(?.aString(0), b, "m");', "a\n\\"),
        (JUNIT_5, 'assertEquals("\\u0041\\101", b);', 'assertEquals(?.of(0, "\\u0041\\101"), b);', ""),
        (JUNIT_5, 'assertEquals("a", b, () -> "m");', 'assertEquals(?.aString(0), b, () -> "m");', "a"),
        (JUNIT_5, 'assertFalse(b, "m");', "?.truth(0, b);", "false"),
        (JUNIT_5, "assertThrows(a.B.class, this::c);", "assertThrows(?.aClass(0, a.B.class), this::c);", ""),
        (JUNIT_5, 'assertThat(a.b()).as("c").hasSize(3);', 'assertThat(a.b()).as("c").hasSize(?.anInt(0));', "3"),
        (JUNIT_5, "assertThat(a).isNull();", "if (?.aBoolean(0)) {{ assertThat(a).isNotNull(); }} else {{ assertThat(a).isNull(); }}", "false"),
        (JUNIT_5, "assertThat(a).isNotNull();", "if (?.aBoolean(0)) {{ assertThat(a).isNotNull(); }} else {{ assertThat(a).isNull(); }}", "true"),
        (HAMCREST, "assertThat(a, is(equalTo(3)));", "assertThat(a, is(equalTo(?.anInt(0))));", "3"),
        (JUNIT_5, "assertEquals(a.b[2], c(), m);", "assertEquals(a.b[2], c(), m);", None),
        (JUNIT_5, "assertEquals(c(), a.b[2]);", "assertEquals(c(), ?.of(0, a.b[2]));", ""),
        (JUNIT_5, "assertThat(c()).isEqualTo(d);", "assertThat(c()).isEqualTo(?.of(0, d));", ""),
        (JUNIT_5, "assertEquals(null, c());", "assertEquals(null, c());", None),
        (JUNIT_5, "assertEquals(0xFFFFFFFF, b);", "assertEquals(?.of(0, 0xFFFFFFFF), b);", ""),
        (JUNIT_5, "assertEquals(-2147483648, b);", "assertEquals(?.anInt(0), b);", "-2147483648"),
        (JUNIT_5, "assertEquals(1_0L, b);", "assertEquals(?.aLong(0), b);", "10"),
        (JUNIT_5, "assertEquals('\\'', b);", "assertEquals(?.aChar(0), b);", "'"),
        (JUNIT_5, "assertArrayEquals(new byte[] {1, -2}, b);", "assertArrayEquals(?.of(0, new byte[] {1, -2}), b);", ""),
        (JUNIT_5, "assertEquals(Map.of(1, true), b);", "assertEquals(?.of(0, Map.of(1, true)), b);", ""),
    ],
)  # fmt: skip
def test_an_expectation_asks_for_its_value(
    form: str, expectation: str, asks: str, right: str | None
) -> None:
    text = form.format(expectation)
    asked = asks.replace("?", "assayAsked").replace("{{", "{").replace("}}", "}")
    assert asked in own_part(text)
    assert right_of(text) == ([] if right is None else [right])


KINDS = {
    "aString": st.text(),
    "anInt": st.integers(-(2**31), 2**31 - 1).map(str),
    "aBoolean": st.sampled_from(["true", "false"]),
    "aDouble": st.floats(0, 1e300).map(str),
    "aChar": st.characters(),
    "aClass": st.just(""),
}


@given(st.sampled_from([*KINDS]), st.randoms(), st.data())
def test_another_value_is_of_the_same_kind(kind: str, draw: Random, data: st.DataObject) -> None:
    right = data.draw(KINDS[kind])
    other = Value(kind, right).other(draw)
    assert other != right
    if kind in ("anInt", "aDouble"):
        assert abs(float(other) - float(right)) >= 1
    if kind == "anInt" and -128 <= int(right) <= 127:
        assert -128 <= int(other) <= 127


@pytest.mark.parametrize(
    "text",
    [
        JUNIT_4.format("assertEquals(c, 3, 0.5);"),
        JUNIT_4.format('assertEquals(c, "a", b);'),
        JUNIT_5.format("assertEquals(3, b, m);"),
        JUNIT_5.format("assertTrue(this::c);"),
        JUNIT_5.format("assertAll(() -> assertEquals(3, b));"),
        JUNIT_5.format("new Object() { void c() { assertEquals(3, b); } };"),
        JUNIT_5.format("try { assertEquals(3, b); } catch (Error e) { }"),
        JUNIT_5.format("assertEquals(3, b = 4);"),
        JUNIT_5.format("assertThrows(Exception.class, c);"),
        "import org.junit.Assert;\n" + JUNIT_5.format('assertEquals("a", "b", c);'),
    ],
)
def test_what_is_not_plain_is_left_as_it_is(text: str) -> None:
    assert right_of(text) == []


@pytest.mark.parametrize(
    "method",
    [
        "@Test public void a() { }", "@org.junit.Test public void a() { }", "@ParameterizedTest @X(1) void a(int b) { }",
        "@RepeatedTest(3) void a() { }", "class Inner { @Test void a() { } }", "@Nested class Inner { @Test void a() { } }",
    ],
)  # fmt: skip
def test_a_method_that_says_so_is_a_test(method: str) -> None:
    (id,) = rewritten(f"package b; class A {{ {method} }}").values
    assert re.fullmatch(r"b\.A(\$Inner)?::a", id)


def test_methods_of_one_name_are_different_tests() -> None:
    text = "class A { @Test void a() { } @Test void a(int b) { } @Test void c() { } }"
    assert [*rewritten(text).values] == ["A::a", "A::a#2", "A::c"]


@pytest.mark.parametrize(
    "text",
    [
        "", "class A { void a() { assertEquals(1, 1); } }", "class A { @Test int a() { return 1; } }",
        "interface A { @Test void a(); }", "class A { @BeforeEach void a() { } }", "class A { public void testA() { } }",
        "class A { @Test void a() { ( } }", "not Java at all", "\ud800",
        "class A extends TestCase { public void helper() { } void testA() { } public void testB(int c) { } }",
    ],
)  # fmt: skip
def test_where_there_is_no_test_there_is_no_control(text: str) -> None:
    assert java_control.rewritten(text) is None


def test_the_tests_of_junit_3_go_by_their_names() -> None:
    text = (
        "class A extends junit.framework.TestCase { public void testA() { assertEquals(3, b()); } }"
    )
    assert "assertEquals(assayAsked.anInt(0), b())" in own_part(text)


def test_public_methods_of_a_test_class_are_tests_to_testng() -> None:
    text = "import org.testng.*; @Test public class A { public void a() { } @BeforeMethod public void b() { } }"
    assert [*rewritten(text).values] == ["A::a"]


@pytest.mark.parametrize(
    ("annotation", "kept", "awaited"),
    [
        ("@Test(expected = X.class)", "@Test()", ", X.class"),
        ("@Test(timeout = 5, expected = X.class)", "@Test(timeout = 5)", ", X.class"),
        ("@Test(expectedExceptions = {X.class, Y.class}, groups = \"a\")", "@Test(groups = \"a\")", ", X.class, Y.class"),
        ("@Test(timeout = 5)", "@Test(timeout = 5)", ""),
    ],
)  # fmt: skip
def test_an_exception_that_a_test_expects_is_awaited_in_its_body(
    annotation: str, kept: str, awaited: str
) -> None:
    made = own_part(f"class A {{ {annotation} public void a() {{ b(); }} }}")
    assert f"{{ {kept} public void" in made
    assert f'.begin("A::a"{awaited});' in made


@pytest.mark.parametrize("more", ['expectedExceptionsMessageRegExp = "a"', "expected = NONE"])
def test_a_test_that_expects_more_of_an_exception_stays_as_it_is(more: str) -> None:
    assert java_control.rewritten(f"class A {{ @Test({more}) public void a() {{ b(); }} }}") is None


def test_bytes_that_are_no_utf_8_stay() -> None:
    made = own_part(JUNIT_5.format('assertEquals("\udce9", b);'))
    assert 'assayAsked.of(0, "\udce9")' in made


@given(st.text())
def test_no_text_is_too_odd_to_be_looked_at(text: str) -> None:
    java_control.rewritten(text)
    java_control.rewritten(JUNIT_5.format(text))
    java_control.rewritten(JUNIT_5.format(f"assertEquals({text}, b);"))


STATEMENTS = st.recursive(
    st.sampled_from(
        ["assertEquals(3, b);", "assertTrue(b);", ";", "return;", "int c = 3;", "b();", "assertNull(b, m);",
         "assertThat(b).isEqualTo('c');", "throw new X();", "Runnable c = () -> assertEquals(1, b);", "// d\n"]
    ),
    lambda inner: st.tuples(
        st.sampled_from(
            ["if (b) {{ {} }} else {{ {} }}", "for (;;) {{ {} {} }}", "try {{ {} }} finally {{ {} }}", "do {{ {} {} }} while (b);",
             "try {{ {} }} catch (X e) {{ {} }}", "switch (b) {{ case 1: {} default: {} }}", "switch (b) {{ case 1 -> {{ {} {} }} }}",
             "synchronized (b) {{ {} {} }}", "class C {{ void d() {{ {} {} }} }}", "label: {{ {} {} }}"]
        ),
        inner,
        inner,
    ).map(lambda parts: parts[0].format(*parts[1:])),
    max_leaves=8,
)  # fmt: skip


@given(st.lists(STATEMENTS, max_size=3))
def test_whatever_parses_parses_as_a_control(statements: list[str]) -> None:
    text = JUNIT_5.format("\n".join(statements))
    assert parses(text)
    assert parses(rewritten(text).text)


def test_nesting_without_end_makes_no_control() -> None:
    assert java_control.rewritten(JUNIT_5.format(f"assertTrue({'a + ' * 10**4} a);")) is None


def test_a_tests_file_is_found_by_its_class() -> None:
    texts = {"src/main/java/a/B.java": "", "src/test/java/a/B.java": "", "x/a/bB.java": "", "c/D.java": "", "E.java": ""}  # fmt: skip
    found = [java_control.test_file(f"{name}::b", texts) for name in ("a.B", "a.B$C", "D", "c.D", "E")]  # fmt: skip
    assert found == ["src/test/java/a/B.java"] * 2 + ["c/D.java", "c/D.java", "E.java"]
