"""Tests of Java judged from outside, in real containers: which values cross, and that no class can
bring about a pass."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from evaluation.engine.records import Execution, Json, Limits, Outcome
from evaluation.engine.sandbox.session import Session
from tests.evaluation.engine.sandbox.jars import jar
from tests.evaluation.engine.sandbox.test_java_class import kit

pytestmark = pytest.mark.docker

LIMITS = Limits(cpu_seconds=3.0, wall_factor=2.0, memory=1024 * 2**20)
IMPORTS = "import java.io.*; import java.math.*; import java.nio.file.*; import java.util.*;"
BASE = """package a;
public abstract class Base {
    public Object f(Object x) throws Exception { throw new RuntimeException("Not implemented"); }
    public <T> T[] twice(T[] x) throws Exception { throw new RuntimeException("Not implemented"); }
    public void h(Object x) throws Exception { throw new RuntimeException("Not implemented"); }
    public int g(int x) throws Exception { throw new RuntimeException("Not implemented"); }
NUMBERED
}"""
NUMBERED = "".join(
    f"public Object f{number}(Object x) throws Exception {{ throw new RuntimeException(); }}\n"
    f"public void h{number}(Object x) throws Exception {{ throw new RuntimeException(); }}\n"
    for number in range(20)
)
BEAN = """package a;
public class Bean {
    public String name; private Bean next;
    public Bean next() { return next; }
    public void setNext(Bean next) { this.next = next; }
}"""
BASE = BASE.replace("NUMBERED", NUMBERED)
KIT = kit({"src/a/Base.java": BASE, "src/a/Bean.java": BEAN})
TESTS = """package a;
IMPORTS
public class Tests {
    private final Base own;
    public Tests(String place, String prefix) throws Exception {
        Base made = null;
        try {
            Class<?> found = Class.forName(place + "." + prefix);
            made = (Base) found.getDeclaredConstructor().newInstance();
        } catch (Exception e) { }
        own = made;
    }
    private boolean check() throws Exception { CHECK }
    public int[] evaluation() {
        try {
            return new int[] {check() ? 1 : 0, 1};
        } catch (Exception e) {
            return new int[] {0, 1};
        }
    }
}"""
OWN = """package b;
IMPORTS
public class Own extends a.Base {
    MEMBERS
}"""
PLAIN = "return own.f(1).equals(2);"


@pytest.fixture(scope="module")
def session(java: str) -> Iterator[Session]:
    with Session(java, LIMITS, runners=("java_class", "java_outside"), kit=KIT) as opened:
        yield opened


def execution(members: str, check: str, kit: bytes = KIT, evaluation: str = TESTS) -> Execution:
    units: Json = {"b/Own.java": OWN.replace("MEMBERS", members).replace("IMPORTS", IMPORTS)}
    tests: Json = {"a/Tests.java": evaluation.replace("CHECK", check).replace("IMPORTS", IMPORTS)}
    named: Json = {
        "evaluation": "a.Tests", "package": "b", "prefix": "Own", "class": "b.Own",
        "base": "a.Base", "fields": ["a.Bean"],
    }  # fmt: skip
    named_kit = hashlib.sha256(kit).hexdigest()
    payload: dict[str, Json] = {
        "kit": named_kit,
        "candidate": {"units": units, "run": {"class": "b.Own", "fields": ["a.Bean"]}},
        "judge": {"kit": named_kit, "tests": tests, "shared": {}, "run": named},
    }
    return Execution("java_outside", payload, LIMITS)


def run(session: Session, members: str, check: str) -> tuple[Outcome, str]:
    outcome = session.run(execution(members, check))
    told: Any = outcome.report
    assert told is not None and told["compiled"], told
    return outcome, report(told["run"]) if told["run"] else ""


def report(run: Any) -> str:
    if run["counted"]:
        return f"counted {run['counted'][0]} {run['counted'][1]}"
    return run["threw"] and f"threw {run['threw']}" or run["unplain"] or "gone"


def said(session: Session, body: str, check: str) -> str:
    """The report of a run of a class whose method `f` has that body."""
    return run(session, f"public Object f(Object x) throws Exception {{ {body} }}", check)[1]


CROSSING = {
    "a number": ("return (Integer) x + 1;", PLAIN),
    "a returned argument is that argument": (
        "return x;",
        "Object l = new ArrayList<>(); return own.f(l) == l;",
    ),
    "a part of an argument": (
        "return ((List<?>) x).get(0);",
        "List<Object> l = List.of(new int[] {1}); return own.f(l) == l.get(0);",
    ),
    "a copy is another object": (
        "return new ArrayList<>((List<?>) x);",
        "Object l = new ArrayList<>(); return own.f(l) != l && own.f(l).equals(l);",
    ),
    "one object twice": (
        "int[] a = {1}; return new Object[] {a, a};",
        "Object[] l = (Object[]) own.f(null); return l[0] == l[1];",
    ),
    "a constant list stays one": (
        "try { ((List<Object>) x).add(1); } catch (UnsupportedOperationException e) "
        "{ return true; } return false;",
        "return (Boolean) own.f(List.of(1)) && (Boolean) own.f(Collections.emptyList());",
    ),
    "a double-brace map as the map that it extends": (
        "return new HashMap<String, Integer>() {{ put(\"a\", 1); }};",
        "Object m = own.f(new HashMap<String, Integer>() {{ put(\"b\", 2); }}); "
        "return m.getClass() == HashMap.class && m.equals(Map.of(\"a\", 1));",
    ),
    "a map with an order of its own": (
        "Map<Object, Object> m = new TreeMap<>(Collections.reverseOrder()); "
        "m.put(1, 1); m.put(2, 2); return m;",
        "return own.f(null).toString().equals(\"{2=2, 1=1}\");",
    ),
    "an interned text": (
        "return Boolean.toString(true);",
        "return own.f(null) == \"true\";",
    ),
    "a text that is not": (
        "return new String(\"true\");",
        "return own.f(null) != \"true\" && own.f(null).equals(\"true\");",
    ),
    "half a surrogate pair": (
        "return x + \"\\ud800\";",
        "return own.f(\"\\udc00\").equals(\"\\udc00\\ud800\");",
    ),
    "numbers and characters by their bits": (
        "return new Object[] {-0.0, Float.NaN, 'x', (byte) 1, (short) 2, 3L, null, x};",
        "return Arrays.deepEquals((Object[]) own.f(Double.NaN), new Object[] "
        "{-0.0, Float.NaN, 'x', (byte) 1, (short) 2, 3L, null, Double.NaN});",
    ),
    "large numbers, dates and days": (
        "return x;",
        "Object[] a = {new BigDecimal(\"1.20\"), BigInteger.TWO.pow(99), new Date(5), "
        "new GregorianCalendar(2020, 1, 2), new StringBuilder(\"s\")}; "
        "return Arrays.equals((Object[]) own.f(a), a);",
    ),
    "large numbers with texts of their own": (
        "return new Object[] {new BigDecimal(\"-1.20\") { public String toString() "
        "{ return \"x\"; } }, new BigInteger(\"-\" + \"9\".repeat(31)) { public String toString() "
        "{ return \"x\"; } }, new BigDecimal(\"0E+5\") { }};",
        "return Arrays.equals((Object[]) own.f(null), new Object[] {new BigDecimal(\"-1.20\"), "
        "new BigInteger(\"-\" + \"9\".repeat(31)), new BigDecimal(\"0E+5\")});",
    ),
    "a shared class by its fields": (
        "a.Bean b = (a.Bean) x; b.next().name = \"new\"; "
        "a.Bean made = new a.Bean(); made.setNext(b); return made;",
        "Bean one = new Bean(); Bean two = new Bean(); one.setNext(two); "
        "Bean made = (Bean) own.f(one); "
        "return made.next().next().name.equals(\"new\") && two.name == null;",
    ),
    "a class that extends a shared one": (
        "return new a.Bean() {{ name = \"sub\"; }};",
        "Object b = own.f(null); return b.getClass() == Bean.class && ((Bean) b).name == \"sub\";",
    ),
    "an exception of its own by the nearest of the JDK": (
        "class Mine extends NumberFormatException { Mine() { super(\"m\"); } } throw new Mine();",
        "try { own.f(null); } catch (NumberFormatException e) { "
        "return e.getMessage().equals(\"m\"); } return false;",
    ),
    # The stack holds 8,400 calls that the JVM interprets, and twice as many that it has compiled.
    "deep recursion": (
        "return depth(5000);",
        "return own.f(null).equals(5000);",
    ),
}  # fmt: skip
IN_PLACE = {
    "a list": (
        "((List<Object>) x).add(\"b\");",
        "List<String> l = new ArrayList<>(List.of(\"a\")); own.h(l); "
        "return l.equals(List.of(\"a\", \"b\"));",
    ),
    "a nested map": (
        "((Map<String, Set<Integer>>) x).get(\"a\").add(2);",
        "Map<String, Set<Integer>> m = new HashMap<>(); Set<Integer> s = new HashSet<>(); "
        "m.put(\"a\", s); own.h(m); return s.equals(Set.of(2)) && m.get(\"a\") == s;",
    ),
    "an array": (
        "((int[][]) x)[1][0] = 7;",
        "int[][] a = {{1}, {2}}; own.h(a); return a[1][0] == 7 && a[0][0] == 1;",
    ),
    "before it throws": (
        "((List<Object>) x).clear(); throw new IllegalStateException(\"late\");",
        "List<String> l = new ArrayList<>(List.of(\"a\")); "
        "try { own.h(l); } catch (IllegalStateException e) { "
        "return l.isEmpty() && e.getMessage().equals(\"late\"); } return false;",
    ),
    "a list of fixed size": (
        "((List<Object>) x).set(0, 5); ((List<Object>) x).remove(0);",
        "List<Integer> l = Arrays.asList(1); try { own.h(l); } "
        "catch (UnsupportedOperationException e) { return l.get(0) == 5; } return false;",
    ),
    "a text that grows, a day and a buffer": (
        "Object[] a = (Object[]) x; ((StringBuilder) a[0]).append(\"b\"); "
        "((Calendar) a[1]).add(Calendar.YEAR, 1); ((java.nio.ByteBuffer) a[2]).put((byte) 9);",
        "Object[] a = {new StringBuilder(\"a\"), new GregorianCalendar(2020, 1, 2), "
        "java.nio.ByteBuffer.allocate(2)}; own.h(a); return a[0].toString().equals(\"ab\") "
        "&& ((Calendar) a[1]).get(Calendar.YEAR) == 2021 "
        "&& ((java.nio.ByteBuffer) a[2]).position() == 1 "
        "&& ((java.nio.ByteBuffer) a[2]).get(0) == 9;",
    ),
}  # fmt: skip
DEEP = "int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }"


def test_values_cross_as_they_are_and_a_method_that_returns_nothing_changes_its_arguments(
    session: Session,
) -> None:
    """All in one run, in which the evaluation counts by bits."""
    members, checks, asked = [DEEP], list[str](), list[str]()
    for kind, table in (("Object f", CROSSING), ("void h", IN_PLACE)):
        for number, (body, check) in enumerate(table.values()):
            name = f"{kind[-1]}{number}"
            members.append(f"public {kind}{number}(Object x) throws Exception {{ {body} }}")
            own = check.replace(f"own.{kind[-1]}(", f"own.{name}(")
            checks.append(f"boolean {name}() throws Exception {{ {own} }}")
            asked.append(f"if ({name}()) passed |= 1 << {len(asked)};")
    evaluation = TESTS.replace("check() ? 1 : 0, 1", "check(), 0").replace(
        "private boolean check()", f"{' '.join(checks)} private int check()"
    )
    tried = " ".join(f"try {{ {one} }} catch (Exception e) {{ }}" for one in asked)
    check = f"int passed = 0; {tried} return passed;"
    told: Any = session.run(execution(" ".join(members), check, evaluation=evaluation)).report
    assert told["compiled"] and told["run"]["counted"], told
    passed, names = told["run"]["counted"][0], [*CROSSING, *IN_PLACE]
    assert [name for number, name in enumerate(names) if not passed >> number & 1] == []


def test_another_method_changes_only_copies(session: Session) -> None:
    body = "((List<Object>) x).add(2); return new Object[] {x, List.of(x)};"
    check = (
        "List<Integer> l = new ArrayList<>(List.of(1)); Object[] a = (Object[]) own.f(l); "
        "return l.equals(List.of(1)) && a[0] != l && a[0].equals(List.of(1, 2)) "
        "&& ((List<?>) a[1]).get(0) == a[0];"
    )
    assert said(session, body, check) == "counted 1 1"


def test_a_generic_array_keeps_its_type(session: Session) -> None:
    method = "public <T> T[] twice(T[] x) { x = Arrays.copyOf(x, 2); x[1] = x[0]; return x; }"
    check = 'String[] a = own.twice(new String[] {"a"}); return a[1] == a[0] && a.length == 2;'
    assert run(session, method, check)[1] == "counted 1 1"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("return new Object();", "java.lang.Object"),
        ("return java.util.stream.Stream.of(1);", "java.util.stream"),
        ("return List.of(1).iterator();", "an object of java.util"),
        ("return (Runnable) () -> { };", "b.Own$$Lambda"),
        ("return new Object() { public boolean equals(Object o) { return true; } };", "b.Own$1"),
        ("return new Object[] {new StringReader(\"\")};", "java.io.StringReader"),
        ("return String.class;", "java.lang.Class"),
        ("return new b.Own[] {this};", "an array of b.Own"),
        ("Object l = null; for (int i = 0; i < 10000; i++) l = Arrays.asList(l); return l;",
         "too deep"),
        ("return new int[600000];", "too large"),
        ("return \"x\".repeat(5000000);", "a text of 5000000 characters"),
    ],
)  # fmt: skip
def test_what_is_not_plain_ends_the_run(session: Session, body: str, why: str) -> None:
    told = said(session, body, f"own.f(null); {PLAIN}")
    assert told.startswith("not plain: ") and why in told


def test_an_error_ends_an_evaluation_as_it_would_in_one_jvm(session: Session) -> None:
    assert (
        said(session, 'throw new AssertionError("x");', PLAIN) == "threw java.lang.AssertionError"
    )
    assert said(session, "return f(x);", PLAIN) == "threw java.lang.StackOverflowError"


def test_a_class_that_cannot_be_made_is_none(session: Session) -> None:
    thrown = "throw new RuntimeException();"
    method = "public Object f(Object x) { return 2; }"
    assert run(session, f"public Own() {{ {thrown} }} {method}", PLAIN)[1] == "counted 0 1"
    assert run(session, f"public Own(int n) {{ }} {method}", PLAIN)[1] == "counted 0 1"
    initialiser = f"static {{ if (true) {thrown} }} {method}"
    assert run(session, initialiser, PLAIN)[1] == "threw java.lang.ExceptionInInitializerError"


def test_a_count_without_a_call_is_no_pass(session: Session) -> None:
    told = said(session, "return 2;", "return true;")
    assert told == "the evaluation calls no method of the class"


FORGED = (
    "static void say(byte[] b) throws Exception { "
    "OutputStream o = new FileOutputStream(FileDescriptor.in); "
    "o.write(new byte[] {0, 0, (byte) (b.length >> 8), (byte) b.length}); o.write(b); } "
)
# Each tries to find the evaluation's own text or the other side's answer in a way that the
# conformance list does not try.
LOOKING = {
    "the stack": "for (Map.Entry<Thread, StackTraceElement[]> e : "
        "Thread.getAllStackTraces().entrySet()) for (StackTraceElement s : e.getValue()) "
        "if (s.getClassName().startsWith(\"a.\")) return 2; return 0;",
    "its own memory": "try (RandomAccessFile m = new RandomAccessFile(\"/proc/self/mem\", \"r\")) "
        "{ return 2; } catch (IOException e) { return 0; }",
}  # fmt: skip


@pytest.mark.parametrize("name", LOOKING)
def test_nothing_of_the_evaluation_is_found(session: Session, name: str) -> None:
    assert said(session, LOOKING[name], PLAIN) == "counted 0 1"


# More are in the corpus, which is judged from outside, too.
HOSTILE = {
    "an order of its own": (
        "static class Mine implements Comparable<Object> { "
        "public int compareTo(Object o) { return 0; } } "
        "public Object f(Object x) { return new Mine(); }",
        "return ((Comparable) own.f(1)).compareTo(2) == 0;",
        "not plain: an object of b.Own$Mine",
    ),
    "forged frames before the answer": (
        FORGED + "public Object f(Object x) throws Exception { say(\"Dcounted 1 1\".getBytes()); "
        "return 3; }",
        PLAIN,
        "an answer to another question",
    ),
    "an answer without an end": (
        "public Object f(Object x) throws Exception { "
        "OutputStream o = new FileOutputStream(FileDescriptor.in); "
        "while (true) o.write(new byte[] {0, 0, 0, 1}); }",
        PLAIN,
        "an answer that is not well-formed",
    ),
    "a frame of two gigabytes": (
        "public Object f(Object x) throws Exception { "
        "new FileOutputStream(FileDescriptor.in).write(new byte[] {127, 0, 0, 0}); return 2; }",
        PLAIN,
        "gone",
    ),
    "more parts than there are bytes": (
        FORGED + "public Object f(Object x) throws Exception { say(new byte[] {"
        "0, 0, 0, 3, 0, 13, 0, 19, 106, 97, 118, 97, 46, 117, 116, 105, 108, 46, 65, 114, 114, "
        "97, 121, 76, 105, 115, 116, 127, 127, 127, 127}); return 2; }",
        "return own.f(\"a\").equals(2);",
        "a value with 218108778 parts",
    ),
    "an end that the evaluation does not notice": (
        "public Object f(Object x) { Runtime.getRuntime().halt(0); return 2; }",
        "try { own.f(1); } catch (Throwable e) { } return true;",
        "gone",
    ),
    "a result of another type": (
        FORGED + "public int g(int x) throws Exception { "
        "say(new byte[] {0, 0, 0, 3, 0, 0, 0, 0, 1, 7, 0, 0, 0, 1, 2}); return 2; }",
        "return own.g(1) == 1;",
        "a result of another type",
    ),
    "a late change of what it returned": (
        "public Object f(Object x) { List<Object> l = new ArrayList<>(List.of(1)); "
        "new Thread(() -> { while (true) { l.clear(); l.add(2); } }).start(); return l; }",
        "Object l = own.f(1); Thread.sleep(300); Object n = own.f(1); "
        "return l.equals(List.of(1)) || l.equals(List.of(2)) || l.equals(List.of());",
        None,
    ),
    "late answers": (
        FORGED + "public Object f(Object x) { new Thread(() -> { try { Thread.sleep(100); "
        "say(new byte[5]); } catch (Exception e) { } }).start(); return 3; }",
        "own.f(1); Thread.sleep(300); return own.f(1).equals(2);",
        "an answer to another question",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_no_answer_makes_a_pass(session: Session, name: str) -> None:
    members, check, told = HOSTILE[name]
    _, found = run(session, members, check)
    assert told is None or found == told
    assert name == "a late change of what it returned" or found != "counted 1 1"


@pytest.mark.parametrize(
    "body",
    [
        "Thread.sleep(60000); return 2;",
        "while (true) System.out.println(\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\");",
    ],
)  # fmt: skip
def test_what_never_answers_is_stopped(session: Session, body: str) -> None:
    method = (
        f"public Object f(Object x) throws Exception {{ if (x != null) {{ {body} }} return 1; }}"
    )
    short = replace(execution(method, PLAIN), limits=replace(LIMITS, cpu_seconds=1.5))
    outcome: Any = session.run(short)
    assert outcome.report["compiled"] and outcome.report["run"] is None
    assert outcome.stop is not None
    assert said(session, "return (Integer) x + 1;", PLAIN) == "counted 1 1"


def test_an_evaluation_that_never_ends_is_stopped_and_the_next_is_not(session: Session) -> None:
    outcome, found = run(
        session, "public Object f(Object x) { return 2; }", "while (true) own.f(1);"
    )
    assert found == "" and outcome.stop is not None
    assert said(session, "return (Integer) x + 1;", PLAIN) == "counted 1 1"


def test_runs_of_both_ways_follow_each_other(session: Session) -> None:
    plan = execution("public Object f(Object x) { return 2; }", PLAIN)
    judge: Any = plan.payload["judge"]
    candidate: Any = plan.payload["candidate"]
    one: dict[str, Json] = {
        "kit": judge["kit"], "shared": {}, "tests": judge["tests"], "copied": {},
        "units": candidate["units"], "run": {**judge["run"], "permitted": []},
    }  # fmt: skip
    outcomes = session.run_all([plan, Execution("java_class", one, LIMITS), plan])
    first, second, third = [outcome.report for outcome in outcomes]
    assert first == third and first is not None and second is not None
    inner: Any = (first["run"], second["run"])
    assert inner[0]["counted"] == [1, 1] and inner[1]["counted"] == [1, 1]


FOREIGN = """package b;
public class Own extends a.Base {
    public Object f(Object x) { return (Integer) x + 1; }
}"""
# The signature of `own` makes the judge's JVM load the jar's class before there is a stand-in.
NAMING = BASE.replace("public int g", "public b.Own own() { return null; }\n    public int g")


@pytest.fixture(scope="module")
def foreign(java: str) -> bytes:
    return jar(java, {"a/Base.java": BASE, "b/Own.java": FOREIGN})


@pytest.mark.parametrize(
    ("base", "right"), [(BASE, "counted 1 1"), (NAMING, "threw java.lang.LinkageError")]
)
def test_no_class_of_a_jar_answers_for_the_candidates(
    java: str, foreign: bytes, base: str, right: str
) -> None:
    own_kit = kit({"src/a/Base.java": base, "src/a/Bean.java": BEAN}, jars={"b.jar": foreign})

    def told(session: Session, value: int) -> str:
        members = f"public Object f(Object x) {{ return (Integer) x + {value}; }}"
        found: Any = session.run(execution(members, PLAIN, own_kit)).report
        return report(found["run"])

    with Session(java, LIMITS, runners=("java_class", "java_outside"), kit=own_kit) as opened:
        assert told(opened, 1) == right
        assert told(opened, 2) != "counted 1 1"
