"""Tests of the Java runner in real containers: what it compiles, runs and keeps apart."""

import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from evaluation.engine.errors import BenchmarkError, SandboxError
from evaluation.engine.records import Execution, Json, Limits, Outcome
from evaluation.engine.sandbox.session import KIT_MOST, Session
from tests.evaluation.engine.sandbox.jars import jar

pytestmark = pytest.mark.docker

LIMITS = Limits(cpu_seconds=5.0, memory=1024 * 2**20)
BASE = "package a; public abstract class Base { public abstract int f() throws Exception; }"
TESTS = """package a;
public class Tests {
    private final Base own;
    public Tests(String place, String prefix) throws Exception {
        own = (Base) Class.forName(place + "." + prefix).getDeclaredConstructor().newInstance();
    }
    public int[] evaluation() {
        try {
            return new int[] {own.f(), 3};
        } catch (Exception e) {
            return new int[] {0, 3};
        }
    }
}"""


def kit(
    sources: Mapping[str, str],
    resources: Mapping[str, str] | None = None,
    jars: Mapping[str, bytes] | None = None,
) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for path, text in sources.items():
            archive.writestr(f"sources/{path}", text)
        for path, text in (resources or {}).items():
            archive.writestr(f"resources/{path}", text)
        for name, content in (jars or {}).items():
            archive.writestr(f"jars/{name}", content)
    return file.getvalue()


RUN: dict[str, Json] = {"evaluation": "a.Tests", "package": "b", "prefix": "Own", "permitted": []}
KIT = kit({"src/a/Base.java": BASE}, {"data/text.txt": "as it was"})


@pytest.fixture(scope="module")
def session(java: str) -> Iterator[Session]:
    with Session(java, LIMITS, runners=("java_class",), kit=KIT) as opened:
        yield opened


def execution(body: str, **changed: Json) -> Execution:
    """A run of a class whose method has that body; the evaluation counts the number that it
    returns."""
    own = (
        "package b; import java.io.*; import java.nio.file.*; public class Own extends a.Base "
        f"{{ public int f() throws Exception {{ {body} }} }}"
    )
    payload: dict[str, Json] = {
        "kit": hashlib.sha256(KIT).hexdigest(),
        "shared": {},
        "tests": {"a/Tests.java": TESTS},
        "units": {"b/Own.java": own},
        "copied": {"method": "f", "parameters": 0},
        "run": {**RUN},
    }
    return Execution("java_class", {**payload, **changed}, LIMITS)


def told(outcome: Outcome) -> Any:
    assert outcome.report is not None, outcome
    return outcome.report


def counted(session: Session, body: str, **changed: Json) -> Any:
    return told(session.run(execution(body, **changed)))["run"]["counted"]


ASKING = """package a;
import java.util.*;
public class Tests {
    private final Lists own;
    public Tests(String place, String prefix) throws Exception {
        own = (Lists) Class.forName(place + "." + prefix).getDeclaredConstructor().newInstance();
    }
    public int[] evaluation() throws Exception {
        Map<String, Integer> given = new HashMap<String, Integer>() {{ put("one", 1); }};
        Map<String, Integer> found = own.doubled(given);
        boolean equal = true;
        for (String each : given.keySet()) {
            equal &= Integer.valueOf(2).equals(given.get(each)) || found.get(each) == 2;
        }
        return new int[] {equal ? 1 : 0, 1};
    }
}"""
MAP = "java.util.Map<String, Integer>"
LISTS = f"package a; public abstract class Lists {{ public abstract {MAP} doubled({MAP} given); }}"


@pytest.mark.parametrize(
    ("body", "shared", "copied"),
    [
        ("Map<String, Integer> m = new HashMap<>(); given.forEach((k, v) -> m.put(k, 2 * v));"
         "return m;", 1, 1),
        ("given.replaceAll((k, v) -> 2 * v); return given;", 1, 1),
        ("given.clear(); return new HashMap<>();", 1, None),
        ("return given;", 0, 0),
    ],
)  # fmt: skip
def test_copies_keep_the_evaluations_objects_as_they_are(
    session: Session, body: str, shared: int, copied: int | None
) -> None:
    own = (
        "package b; import java.util.*; public class Own extends a.Lists { public Map<String, "
        f"Integer> doubled(Map<String, Integer> given) {{ {body} }} }}"
    )
    changed: dict[str, Json] = {
        "shared": {"a/Lists.java": LISTS},
        "tests": {"a/Tests.java": ASKING},
        "units": {"b/Own.java": own},
    }
    method: Json = {"method": "doubled", "parameters": 1}
    for wanted, copying in ((shared, {}), (copied, method)):
        found = counted(session, "", **changed, copied=copying)
        assert found == (None if wanted is None else [wanted, 1])


TESTS_OF_ONE = """package a;
import java.util.*;
public class Tests {
    private static final String S = "some";
    private static final Map<String, Integer> SAME = new HashMap<>(Map.of(S, 1));
    private final One own;
    public Tests(String place, String prefix) throws Exception {
        own = (One) Class.forName(place + "." + prefix).getDeclaredConstructor().newInstance();
    }
    public int[] evaluation() throws Exception { return new int[] {own.f(GIVEN), 1}; }
}"""


def of_one(method: str, body: str, evaluation: str) -> dict[str, Json]:
    """The payload of a run with one method and its evaluation."""
    head = "package a; import java.util.*; public abstract class One"
    shared = f"{head} {{ public abstract {method}; }}"
    own = (
        "package b; import java.util.*; public class Own extends a.One "
        f"{{ public {method} {{ {body} }} }}"
    )
    return {
        "shared": {"a/One.java": shared},
        "tests": {"a/Tests.java": evaluation},
        "units": {"b/Own.java": own},
        "copied": {"method": "f", "parameters": 1},
    }


REVERSED = (
    "new java.util.concurrent.ConcurrentSkipListMap<>(Comparator.reverseOrder())"
    ' {{ put("a", 1); put("b", 2); }}'
)
NULLS_FIRST = "new TreeMap<String, Integer>(Comparator.nullsFirst(Comparator.naturalOrder()))"
KEYS = "return new ArrayList<>(given.keySet()).toString();"


@pytest.mark.parametrize(
    ("method", "body", "expected"),
    [
        ("String f(Map<String, Integer> given)", KEYS, '"[b, a]".equals(own.f(REVERSED))'),
        ("String f(java.util.concurrent.ConcurrentMap<String, Integer> given)", KEYS,
         '"[b, a]".equals(own.f(REVERSED))'),
        ("Map<String, Integer> f(Map<String, Integer> given)",
         f"Map<String, Integer> made = {NULLS_FIRST}; made.put(null, 1); made.put(\"a\", 2);"
         "return made;", 'own.f(new HashMap<>()).toString().equals("{null=1, a=2}")'),
        ("Object f(Object given)", "return given;", "own.f(SAME).equals(SAME)"),
        ("List<?> f(List<Object> given)", "return given;",
         "own.f(Collections.singletonList(S)).get(0) == S"),
        ("Map<?, ?> f(Map<String, Integer> given)", "return given;", "own.f(SAME) == SAME"),
        ("Object f(Object given)", "return ((Object[]) given)[0];",
         "own.f(new Object[] {SAME}) == SAME"),
        ("Object[] f(Object[] given)", "given[0] = given; return given;",
         "own.f(new Object[1])[0] instanceof Object[]"),
        ("Object f(byte[] given)", "return given;", "((byte[]) own.f(new byte[2])).length == 2"),
    ],
)  # fmt: skip
def test_copies_are_what_programs_expect(
    session: Session, method: str, body: str, expected: str
) -> None:
    asked = f"{expected.replace('REVERSED', REVERSED)} ? 1 : 0"
    evaluation = TESTS_OF_ONE.replace("own.f(GIVEN)", asked)
    assert counted(session, "", **of_one(method, body, evaluation)) == [1, 1]


@pytest.mark.parametrize(
    ("body", "deciding"),
    [
        ("class Any { public boolean equals(Object o) { return true; } } return new Any();",
         "b.Own$1Any"),
        ("record Any() { } return List.of(new Any());", "b.Own$1Any"),
        ("return new HashSet<>() { public boolean equals(Object o) { return true; } };", ""),
        ("return new Object() { };", ""),
        ("return (Runnable) () -> { };", ""),
        ("return new a.One() { public Object f(Object g) { return g; } };", ""),
        ("return Map.of(1, new java.net.URL(\"file:/a\"));", ""),
    ],
)  # fmt: skip
def test_a_result_that_decides_what_it_equals_is_reported(
    session: Session, body: str, deciding: str
) -> None:
    evaluation = TESTS_OF_ONE.replace("own.f(GIVEN)", "own.f(S) == null ? 0 : 1")
    changed = of_one("Object f(Object given) throws Exception", body, evaluation)
    run = told(session.run(execution("", **changed)))["run"]
    assert (run["counted"], run["deciding"]) == ([1, 1], deciding)


MANY_CALLS = """
        int right = 0;
        for (int n = 0; n < 150; n++) {
            try {
                own.f(new int[1_000_000]);
                right = 1;
            } catch (IllegalStateException e) {
                right = 1;
            }
        }
        return new int[] {right, 1};"""


@pytest.mark.parametrize(
    "body", ["return 1;", "if (given != null) throw new IllegalStateException(); return 1;"]
)
def test_no_copies_are_kept_after_the_next_call(session: Session, body: str) -> None:
    given = TESTS_OF_ONE.replace("return new int[] {own.f(GIVEN), 1};", MANY_CALLS)
    assert counted(session, "", **of_one("int f(int[] given)", body, given)) == [1, 1]


def test_a_method_that_returns_nothing_gets_no_copies(session: Session) -> None:
    changed: dict[str, Json] = {
        "shared": {"a/Lists.java": LISTS.replace(f"{MAP} doubled", "void doubled")},
        "tests": {"a/Tests.java": ASKING.replace("found = own", "found = given; own")},
        "units": {
            "b/Own.java": "package b; public class Own extends a.Lists { public void doubled("
            f"{MAP} given) {{ given.replaceAll((k, v) -> 2 * v); }} }}"
        },
        "copied": {"method": "doubled", "parameters": 1},
    }
    assert counted(session, "", **changed) == [1, 1]


def test_what_does_not_compile_has_lines_and_words_and_is_not_run(session: Session) -> None:
    text = "package b;\npublic class Own extends a.Base {\n  public int f() { return x; }\n}"
    outcome = session.run(execution("", units={"b/Own.java": text}))
    ((path, line, column, words),) = told(outcome)["diagnostics"]
    assert (path, line, column) == ("b/Own.java", 3, 27)
    assert "cannot find symbol" in words
    assert "run" not in told(outcome)


def test_no_class_is_compiled_otherwise_for_what_came_before_it(session: Session) -> None:
    own = "package b; public class Own extends a.Base {{ public int f() {{ return {0}; }} }} {1}"
    texts = [
        (own.format("Helper.two()", ""), False),
        (own.format("Helper.two()", "class Helper { static int two() { return 2; } }"), True),
        (own.format("Helper.two()", ""), False),
        (own.format("Helper.two", "class Helper { static int two = 2; }"), True),
        (own.format("new Tests().hashCode()", ""), False),
        (own.format('"ab".length()', ""), True),
        ("package java.lang; public class String { }", False),
        (own.format('"ab".length()', ""), True),
    ]
    for text, compiles in texts:
        told_of = told(session.run(execution("", units={"b/Own.java": text})))
        assert told_of["compiled"] is compiles, (text, told_of)
        assert not compiles or told_of["run"]["counted"] == [2, 3]


def test_a_compiler_that_takes_too_long_or_too_much_is_replaced(session: Session) -> None:
    bomb = 'static final String S0 = "0123456789012345678901234567890123456789";' + "".join(
        f"static final String S{n} = S{n - 1} + S{n - 1};" for n in range(1, 28)
    )
    method = "public int f() { return S27.length(); }"
    text = f"package b; public class Own extends a.Base {{ {bomb} {method} }}"
    outcome = session.run(execution("", units={"b/Own.java": text}))
    assert told(outcome)["compiled"] is False
    assert counted(session, "return 1;") == [1, 3]


def bloated(classes: int) -> str:
    """A few KiB of text that compile to some 50 KB for each class."""
    doubled = "".join(f"static final String S{n} = S{n - 1} + S{n - 1};" for n in range(1, 9))
    first = f'class F {{ static final String S0 = "{"y" * 100}"; {doubled} }}'
    each = 'class D{0} {{ String a = "{0}" + F.S8; String b = "b{0}" + F.S8; }}'
    return first + "".join(each.format(n) for n in range(classes))


@pytest.mark.parametrize(
    ("beside", "said"),
    [
        (f"class {'L' * 260} {{ }}", "name of a class"),
        (bloated(60), "larger classes than are allowed"),
        (bloated(340), "larger classes than are allowed"),
        ("".join(f"class C{n} {{ }}" for n in range(600)), "more or larger classes"),
    ],
    ids=["long name", "above the bound", "above the answer's bound", "many"],
)
def test_classes_that_cannot_be_kept_are_an_error_and_no_more(
    session: Session, beside: str, said: str
) -> None:
    own = (
        f"package b; public class Own extends a.Base {{ public int f() {{ return 2; }} }} {beside}"
    )
    report = told(session.run(execution("", units={"b/Own.java": own})))
    assert report["compiled"] is False and "run" not in report
    assert said in report["diagnostics"][0][3]
    assert counted(session, "return 2;") == [2, 3]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return Files.readString(Path.of(\"data/text.txt\")).equals(\"as it was\") ? 1 : 0;", 1),
        ("return new File(\"src/a/Base.java\").exists() ? 1 : 0;", 1),
        ("Files.writeString(Path.of(\"data/text.txt\"), \"other\"); return 1;", 1),
        ("return Files.readString(Path.of(\"data/text.txt\")).equals(\"as it was\") ? 1 : 0;", 1),
        ("return new File(\"/judge\").listFiles().length;", 2),
        ("return new File(\"/judge/run\").listFiles().length;", 1),
        ("return getClass().getResourceAsStream(\"/a/Tests.class\") == null ? 1 : 0;", 1),
        ("return ClassLoader.getSystemResource(\"a/Base.class\") == null ? 1 : 0;", 0),
    ],
)  # fmt: skip
def test_files_are_fresh_and_classes_out_of_reach(session: Session, body: str, said: int) -> None:
    assert counted(session, body) == [said, 3]


# Of each kind that has no claim in the conformance list and no case in the corpus.
DENIED = (
    "Runtime.getRuntime().addShutdownHook(new Thread());",
    'new FileInputStream("/work/./..//etc/passwd");',
    'new FileInputStream("../../etc/passwd");',
    'new FileInputStream("/tmp/../../proc/self/maps");',
    'Files.readString(Path.of("/judge/..", "etc/passwd"));',
    'new FileOutputStream("/tmpx");',
    'new File("/judge/kit/classes.jar").delete();',
)


def test_denied_permissions_are_told_by_their_kinds(session: Session) -> None:
    tried = (f"try {{ {trial} }} catch (SecurityException e) {{ denied++; }}" for trial in DENIED)
    report = told(session.run(execution(f"int denied = 0; {' '.join(tried)} return denied;")))
    assert report["run"]["counted"] == [len(DENIED), 3]
    assert report["run"]["denied"] == ["exit", "file"]


def test_a_tasks_own_permission_is_not_denied(session: Session) -> None:
    body = (
        "class Bean { private int held = 2; } java.lang.reflect.Field found = "
        'Bean.class.getDeclaredField("held"); found.setAccessible(true); '
        "return found.getInt(new Bean());"
    )
    run: Json = {**RUN, "permitted": ["access_checks"]}
    report = told(session.run(execution(body, run=run)))
    assert (report["run"]["counted"], report["run"]["denied"]) == ([2, 3], [])


def test_what_tasks_share_has_to_compile_and_to_fit(java: str) -> None:
    with pytest.raises(BenchmarkError, match="cannot be used: src/a/Base.java:1:"):
        Session(java, LIMITS, runners=("java_class",), kit=kit({"src/a/Base.java": "class"}))
    with pytest.raises(BenchmarkError, match="too large"):
        Session(java, LIMITS, runners=("java_class",), kit=bytes(KIT_MOST + 1))


def test_a_task_is_judged_with_no_kit_but_its_own(session: Session) -> None:
    other = hashlib.sha256(kit({"src/a/Base.java": BASE})).hexdigest()
    with pytest.raises(SandboxError, match="of another tasks file"):
        session.run(execution("return 2;", kit=other))
    assert counted(session, "return 2;") == [2, 3]


# Reads one field of an object as Gson and Jackson do.
PRINTER = """package lib;
import java.lang.reflect.Field;
public class Printer {
    public static Object read(Object of, Class<?> type, String name) throws Exception {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }
}"""
LEAKY = """package a;
import java.util.*;
public class Tests {
    private int expected = 2;
    private final Asked own;
    public Tests(String place, String prefix) throws Exception {
        own = (Asked) Class.forName(place + "." + prefix).getDeclaredConstructor().newInstance();
    }
    public int[] evaluation() {
        List<String> given = new ArrayList<String>() {{ add("a"); }};
        try {
            return new int[] {own.f(given) == expected ? 1 : 0, 1};
        } catch (Exception e) {
            return new int[] {0, 1};
        }
    }
}"""
ASKED = """package a;
public abstract class Asked {
    private static int secret = 1;
    public abstract int f(java.util.List<String> given) throws Exception;
}"""
HELD = "class Held { private int number = 2; } "
BY_A_LIBRARY = {
    "its own": (f'{HELD}return (int) read(new Held(), Held.class, "number");', True),
    "shared ones": ('return 1 + (int) read(null, Asked.class, "secret");', True),
    "the evaluation's": (
        "Class<?> type = given.getClass(); "
        'return (int) read(read(given, type, "this$0"), type.getEnclosingClass(), "expected");',
        False,
    ),
    "the platform's": ('return ((byte[]) read("ab", String.class, "value")).length;', False),
    "the guard's": (
        "Object guard = System.getSecurityManager(); "
        'return read(guard, guard.getClass(), "permitted") == null ? 0 : 2;',
        False,
    ),
}


@pytest.fixture(scope="module")
def library(java: str) -> bytes:
    return kit(
        {"src/a/Asked.java": ASKED}, jars={"lib.jar": jar(java, {"lib/Printer.java": PRINTER})}
    )


def reading(body: str, kit: bytes) -> Execution:
    """A run of a class that is right if it can read the field."""
    own = (
        "package b; import a.Asked; import static lib.Printer.read; public class Own extends Asked "
        f"{{ public int f(java.util.List<String> given) throws Exception {{ {body} }} }}"
    )
    return execution(
        "",
        kit=hashlib.sha256(kit).hexdigest(),
        tests={"a/Tests.java": LEAKY},
        units={"b/Own.java": own},
    )


def test_a_library_reads_private_fields_of_the_generation_and_of_no_others(
    java: str, library: bytes
) -> None:
    with Session(java, LIMITS, runners=("java_class",), kit=library) as opened:
        found = {
            whose: told(opened.run(reading(body, library)))["run"]
            for whose, (body, _) in BY_A_LIBRARY.items()
        }
    counted = {whose: run["counted"] for whose, run in found.items()}
    assert counted == {whose: [int(may), 1] for whose, (_, may) in BY_A_LIBRARY.items()}
    assert {tuple(run["denied"]) for run in found.values()} == {()}
