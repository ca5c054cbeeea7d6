"""Rewritten Java tests parse; with a compiler they also compile, and fail as they should."""

# Programs and tests read best in a line each.
# ruff: noqa: E501

from __future__ import annotations

import re
import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest
import tree_sitter_java
from hypothesis import given
from hypothesis import strategies as st
from tree_sitter import Language, Parser

from evaluation.engine.projects import java_control
from evaluation.engine.projects.control import STOPPED, THROUGH

# Bodies of tests that pass, and how their controls end.
BODIES = {
    "equal": ("assertEquals(3, 1 + 2);", STOPPED),
    "qualified": ("Assertions.assertEquals(3, 1 + 2);", STOPPED),
    "actualFirst": ("assertEquals(1 + 2, 3);", STOPPED),
    "message": ('assertEquals("a\\"", "a" + \'"\', "message");', STOPPED),
    "textBlock": ('assertEquals("""\n      x\n      """, "x\\n");', STOPPED),
    "characters": ("assertEquals('a', 'a'); assertEquals('b', 'b');", STOPPED),
    "integers": ("assertEquals(-3L, -3L); assertEquals(0x1F, 31); assertEquals(1_000L, 1000); assertEquals(017, 15);", STOPPED),
    "casts": ("assertEquals((byte) 3, (byte) 3); assertEquals((3), 3);", STOPPED),
    "floats": ("assertEquals(-0.5f, -0.5, 1e-3); assertEquals(3d, 3.0, 0.1);", STOPPED),
    "wideTolerance": ("assertEquals(3.0, 4.0, 2.0);", THROUGH),
    "arrays": ("assertArrayEquals(new int[] {1, 2}, new int[] {1, 2});", STOPPED),
    "collections": ("assertEquals(List.of(1, 2), Arrays.asList(1, 2));", STOPPED),
    "noLiteral": ("int three = 3; assertEquals(three, three);", THROUGH),
    "truths": ('assertTrue(1 < 2); assertTrue(1 < 2, "m"); assertFalse(1 > 2 || 2 > 3);', STOPPED),
    "suppliers": ("assertTrue(() -> true);", THROUGH),
    "nulls": ("assertNull(new HashMap<String, Integer>().get(\"x\")); assertNotNull(this);", STOPPED),
    "raises": ("assertThrows(IllegalStateException.class, () -> { throw new IllegalStateException(); });", STOPPED),
    "anyException": ("assertThrows(Exception.class, () -> { throw new IllegalStateException(); });", THROUGH),
    "returning": ("if (read() == 3) return; assertEquals(1, 2);", STOPPED),
    "endless": ("int i = 0; while (true) { if (++i > 3) return; }", THROUGH),
    "throwing": ("int i = 0; try { assertEquals(3, read()); } catch (IOException e) { throw new UncheckedIOException(e); } finally { assertEquals(0, i); }", STOPPED),
    "handlers": ("try { throw new IOException(\"x\"); } catch (IOException e) { assertEquals(\"x\", e.getMessage()); }", STOPPED),
    "checked": ("try { int i = 0; try { read(); } finally { assertEquals(3, read()); } } catch (IOException e) { throw new UncheckedIOException(e); }", THROUGH),
    "finals": ("final int x; x = 3; Runnable r = () -> assertEquals(3, x); r.run(); int y; assertEquals(3, y = 3); assertTrue(y == 3);", STOPPED),
    "loops": ("for (int i = 0; i < 100; i++) assertEquals(7, i * 0 + 7); label: for (;;) { assertTrue(1 < 2); break label; }", STOPPED),
    "oneLineIf": ("if (1 < 2) assertEquals(3, 3); else assertEquals(4, 4);", STOPPED),
    "switches": ("switch (3) { case 3: assertEquals(3, 3); break; default: assertEquals(1, 2); } switch (3) { case 3 -> assertEquals(3, 3); default -> { } }", STOPPED),
    "locals": ("class Local { int x = 3; } record R(int x) {} assertEquals(3, new Local().x); var r = new R(3); assertEquals(3, r.x());", STOPPED),
    "resources": ("synchronized (this) { assertEquals(3, read()); } try (var in = new StringReader(\"x\")) { assertEquals(120, in.read()); } do assertTrue(1 < 2); while (false);", STOPPED),
    "exits": ("if (1 < 2) return; throw new Exception();", THROUGH),
    "empty": ("// nothing\n", THROUGH),
    "ours": ("int assayEnd = 3; assertEquals(3, assayEnd);", STOPPED),
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
# What of the frameworks the shapes need, and who runs them.
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


def control_of(text: str, seed: str = "") -> str:
    made = java_control.rewritten(text, seed)
    assert made is not None
    return made


@pytest.mark.parametrize("name", SHAPES)
def test_a_test_becomes_one_that_parses_and_ends_in_a_failure(name: str) -> None:
    text = class_of(method_of(name, SHAPES[name][0]))
    assert parses(text)
    made = control_of(text)
    assert parses(made)
    assert made.count("throw new java.lang.AssertionError(") == 1
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


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("javac") is None, reason="needs a Java compiler")
def test_tests_that_pass_compile_as_controls_and_fail_and_say_how(tmp_path: Path) -> None:
    assert set(ends(tmp_path / "original", SHAPES_TEST).values()) == {"passed"}
    told = ends(tmp_path / "control", control_of(SHAPES_TEST))
    assert told == {name: end for name, (_, end) in SHAPES.items()}


JUNIT_4 = "import org.junit.Assert;\nimport org.junit.Test;\nclass ATest {{ @Test public void a() {{ {} }} }}"
JUNIT_5 = "import org.junit.jupiter.api.Test;\nclass ATest {{ @Test void a() {{ {} }} }}"
HAMCREST = "import org.hamcrest.*;\n" + JUNIT_4


@pytest.mark.parametrize(
    ("form", "expectation", "wrong"),
    [
        (JUNIT_4, 'Assert.assertEquals("m", "a", b);', 'Assert.assertEquals("m", "<T>", b);'),
        (JUNIT_4, 'assertEquals("m", 1.5, b, 0.01);', 'assertEquals("m", <N>, b, 0.01);'),
        (JUNIT_4, 'assertEquals("m" + c, b, 0);', 'assertEquals("m" + c, b, <N>);'),
        (JUNIT_4, 'assertTrue("m", b);', 'assertTrue("m", !(b));'),
        (JUNIT_4, 'assertNull("m", b);', 'assertNull("m", ((java.lang.Object) (b)) == null ? "" : null);'),
        (JUNIT_5, 'assertEquals("a", b, "m");', 'assertEquals("<T>", b, "m");'),
        (JUNIT_5, 'assertEquals("a", b, () -> "m");', 'assertEquals("<T>", b, () -> "m");'),
        (JUNIT_5, 'assertFalse(b, "m");', 'assertFalse(!(b), "m");'),
        (JUNIT_5, "assertThrows(a.B.class, this::c);", "assertThrows(java.nio.BufferUnderflowException.class, this::c);"),
        (JUNIT_5, "assertThat(a.b()).as(\"c\").hasSize(3);", "assertThat(a.b()).as(\"c\").hasSize(<N>);"),
        (JUNIT_5, "assertThat(a).isNotNull();", "assertThat(a).isNull();"),
        (HAMCREST, "assertThat(a, is(equalTo(3)));", "assertThat(a, is(equalTo(<N>)));"),
        (JUNIT_5, "assertEquals(0, b);", "assertEquals(<N>, b);"),
        (JUNIT_5, "assertEquals(0.25, b);", "assertEquals(<N>, b);"),
        (JUNIT_5, "assertEquals(Map.of(1, true), b);", "assertEquals(Map.of(1, false), b);"),
    ],
)  # fmt: skip
def test_an_expectation_is_made_wrong_where_it_stands(
    form: str, expectation: str, wrong: str
) -> None:
    """<T> and <N> are a text and a number that are drawn."""
    pattern = re.escape(wrong).replace("<T>", "[a-z]+").replace("<N>", r"[0-9.]+")
    found = {re.findall(pattern, control_of(form.format(expectation), seed))[0] for seed in "abcde"}
    assert expectation not in found
    assert len(found) > 1 or pattern == re.escape(wrong)


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
    assert THROUGH in control_of(text)
    assert STOPPED not in control_of(text)


@pytest.mark.parametrize(
    "method",
    [
        "@Test public void a() { }", "@org.junit.Test public void a() { }", "@ParameterizedTest @X(1) void a(int b) { }",
        "@RepeatedTest(3) void a() { }", "class Inner { @Test void a() { } }", "@Nested class Inner { @Test void a() { } }",
    ],
)  # fmt: skip
def test_a_method_that_says_so_is_a_test(method: str) -> None:
    assert THROUGH in control_of(f"class A {{ {method} }}")


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
    assert re.search(r"assertEquals\(\d+, b\(\)\)", control_of(text))
    assert "assertEquals(3, b())" not in control_of(text)


def test_public_methods_of_a_test_class_are_tests_to_testng() -> None:
    text = "import org.testng.*; @Test public class A { public void a() { } @BeforeMethod public void b() { } }"
    assert control_of(text).count(THROUGH) == 1


@pytest.mark.parametrize(
    ("annotation", "kept"),
    [
        ("@Test(expected = X.class)", "@Test()"),
        ("@Test(timeout = 5, expected = X.class)", "@Test(timeout = 5)"),
        ("@Test(expectedExceptions = {X.class}, groups = \"a\")", "@Test(groups = \"a\")"),
        ("@Test(timeout = 5)", "@Test(timeout = 5)"),
    ],
)  # fmt: skip
def test_an_exception_that_a_test_expects_is_expected_no_more(annotation: str, kept: str) -> None:
    made = control_of(f"class A {{ {annotation} public void a() {{ b(); }} }}")
    assert f"{{ {kept} public void" in made


def test_bytes_that_are_no_utf_8_stay() -> None:
    text = JUNIT_5.format('assertEquals("\udce9", b);')
    assert any('"\udce9' in control_of(text, seed) for seed in "abcdefgh")


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
    assert parses(control_of(text))


def test_nesting_without_end_makes_no_control() -> None:
    assert java_control.rewritten(JUNIT_5.format(f"assertTrue({'a + ' * 10**4} a);")) is None


def test_a_tests_file_is_found_by_its_class() -> None:
    texts = {"src/main/java/a/B.java": "", "src/test/java/a/B.java": "", "x/a/bB.java": "", "c/D.java": "", "E.java": ""}  # fmt: skip
    found = [java_control.test_file(f"{name}::b", texts) for name in ("a.B", "a.B$C", "D", "c.D", "E")]  # fmt: skip
    assert found == ["src/test/java/a/B.java"] * 2 + ["c/D.java", "c/D.java", "E.java"]
