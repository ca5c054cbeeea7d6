"""Tests of which tasks are judged from outside, by their evaluations and signatures."""

import pytest

from evaluation.engine.families.aixbench_auto.crossing import crossing, field_classes
from evaluation.engine.families.aixbench_auto.dataset import load_tasks
from tests.evaluation.engine.families.aixbench_auto.cases import CHECKOUT

SIGNATURE = "public static List<String> f(Map<String, Integer> words)"
BEANS = {"Student": "com.aixcode.sampleHelper.Student"}


def decided(
    body: str, signature: str = SIGNATURE, shared: dict[str, str] | None = None
) -> list[str] | None:
    text = (
        "package com.aixcode.autoTest.evaluation; import java.util.*; "
        f"public class Evaluation5 extends AbstractBaseEvaluation {{ {body} }}"
    )
    return crossing(text, signature, shared or {})


@pytest.mark.parametrize(
    "body",
    [
        'Map<String, Integer> map = new HashMap<>() {{ put("a", 1); }};',
        "List<Integer> InputList = new ArrayList<>(); int n = InputList.size();",
        "for (Map.Entry<Double, T> Each : map.entrySet()) { f(Each); }",
        'String PATTERN = ""; Date d = new SimpleDateFormat(PATTERN).parse(1 + NaN);',
        "// a File and a Thread in a comment\nint n;",
        "static class Pair { int a; } Pair p = new Pair();",
    ],
)
def test_an_evaluation_with_plain_data_is_judged_from_outside(body: str) -> None:
    assert decided(body) == []


READING = "if (s.f(words).equals(right) && words.size() == 2) n++;"


@pytest.mark.parametrize(
    ("body", "outside"),
    [
        (READING, False),
        ("s.f(words); words = new HashMap<>(); s.f(words);", True),
        ("s.f(words); s.f(words);", False),
        ("s.f(texts.get(0)); texts.size();", True),
        ("s.f(other); a.other();", True),
        ("s.f(words); if (words == null) n++;", False),
        ("s.f(words); words = new HashMap<>(words); n++;", False),
        # In a loop.
        ("for (int i = 0; i < 3; i++) { s.f(words); }", False),
        ("do { n += s.f(words).size(); } while (n < 3);", False),
        ("while (s.f(words).size() < 3) n++;", False),
        ("other.forEach(each -> s.f(words));", False),
        ("for (Map<String, Integer> words : all) { s.f(words); }", True),
        ("for (String each : all) { s.f(each == null ? words : none); s.f(words); }", False),
        ("for (int i = 0; i < 3; i++) { Map<String, Integer> words = g(i); s.f(words); }", True),
        ("Map<String, Integer> words = g(0); s.f(words); for (int i = 0; i < 3; i++) n++;", True),
        ("for (int i = 0; i < 3;", True),
    ],
)
def test_an_evaluation_that_reads_or_gives_an_argument_again_stays_in_one_jvm(
    body: str, outside: bool
) -> None:
    assert (decided(body) is not None) == outside


def test_a_method_without_a_result_may_change_its_arguments() -> None:
    assert decided(READING, "public void f(Map<String, Integer> words)") == []


@pytest.mark.parametrize(
    ("body", "returned", "outside"),
    [
        ("Long a = s.f(1L); if (a == right[i]) n++;", "Long", False),
        ("a = s.f(1L); if (right[i] != a) n++;", "Long", False),
        ("if (right == s.f(1L)) n++;", "Long", False),
        ("if (right == s.f(1L).size()) n++;", "List<Long>", True),
        ("if (s.f(words) != words.get(0)) n++;", "List<Long>", False),
        ("if (s.f(1L) == 5 || s.f(2L) != -5 || null == s.f(3L)) n++;", "Long", True),
        ("if (s.f(1L) == right) n++;", "String", True),
        ("if (s.f(1L) == right) n++;", "long[]", False),
        ("a = s.f(1L); if (a.size() == right.size()) n++;", "List<Long>", True),
        ("Long a = s.f(1L); if (b.a == right || other == right) n++;", "Long", True),
        ("a = s.f(1L); n = a; n += a; if (n <= 3 && n >= a) n++;", "Long", True),
        ("if (a == s", "Long", True),
    ],
)
def test_an_evaluation_that_compares_a_result_by_identity_stays_in_one_jvm(
    body: str, returned: str, outside: bool
) -> None:
    assert (decided(body, f"public static {returned} f(Long number)") is not None) == outside


@pytest.mark.parametrize(
    "body",
    [
        'File f = new File("a");',
        "Object u = java.net.URI.create(name);",
        "Object o = solution.getClass();",
        "Iterator<Integer> i = list.iterator();",
        'String name = "src/main/resources/tempFile";',
        "Object o = System.identityHashCode(a);",
        "Unknown u = null;",
    ],
)
def test_an_evaluation_that_looks_around_stays_in_one_jvm(body: str) -> None:
    assert decided(body) is None


@pytest.mark.parametrize("signature", ["void f(File file)", "Iterator<Integer> f()"])
def test_a_method_of_what_is_not_plain_stays_in_one_jvm(signature: str) -> None:
    assert decided("", signature) is None


def test_shared_classes_cross_by_their_fields() -> None:
    assert decided("Student s = new Student();") is None
    assert decided("Student s = new Student();", shared=BEANS) == [BEANS["Student"]]
    assert decided("int n;", shared=BEANS) == []


def test_only_classes_made_without_arguments_and_of_no_other_cross_by_their_fields() -> None:
    sources = [
        "package a; public class Plain { int n; public Plain() { } Plain(int n) { } }",
        "package a.b; public class Other { }",
        "package a; public class Made { public Made(int n) { } }",
        "package a; public class Sub extends Plain { }",
        "package a; public abstract class Half { }",
        "package a; public interface Some { }",
        "",
    ]
    assert field_classes(sources) == {"Plain": "a.Plain", "Other": "a.b.Other"}


def test_the_sample_has_tasks_of_both_ways() -> None:
    ways = {task.id: task.hidden["fields"] is not None for task in load_tasks(CHECKOUT, None)}
    # 2 and 8 read and write files; 3 looks at its list again; 21's parcels cannot be made without
    # arguments.
    assert {id for id, outside in ways.items() if not outside} == {2, 3, 8, 21}
    assert len(ways) == 8
