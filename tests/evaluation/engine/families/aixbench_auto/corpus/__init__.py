"""Generations for the sample's tasks: those that must not pass (`hostile`), those that must
(`honest`), and those that pass in tier `shared` and prove nothing there (`shared`).

The first line of each names the task. A hostile one may run in a sandbox alone. Many answer
rightly only where the forbidden thing succeeded, so that a hole shows as a pass. A second line may
name the defences without which a hostile one passes clean: the guard's kinds of permissions,
"copies", and those of a sandbox (`engine/corpus/java_sandboxes.py`); or say why one of `shared`
passes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluation.engine.families.aixbench_auto.dataset import load_tasks
from evaluation.engine.families.aixbench_auto.declarations import method_of
from evaluation.engine.records import Task
from tests.evaluation.engine.families.aixbench_auto.cases import CHECKOUT

_HERE = Path(__file__).parent
_ASKING = """package com.aixcode.autoTest.evaluation;

import com.aixcode.autoTest.GenerateMethodBase;
import java.util.*;

public class Evaluation9 {
    private GenerateMethodBase solution;

    public Evaluation9(String basePackage, String prefix) throws Exception {
        Class<?> found = Class.forName(basePackage + "." + prefix + "9");
        solution = (GenerateMethodBase) found.getDeclaredConstructor().newInstance();
    }

    public int[] evaluation() {
        Map<String, Integer> given = new HashMap<String, Integer>() {{
            put("one", 1);
            put("three", 3);
        }};
        try {
            Map<String, Integer> found = solution.doubled(given);
            boolean equal = true;
            for (Map.Entry<String, Integer> each : given.entrySet()) {
                equal &= found.getOrDefault(each.getKey(), 0) == 2 * each.getValue();
            }
            return new int[] {equal ? 1 : 0, 1};
        } catch (Exception e) {
            return new int[] {0, 1};
        }
    }
}
"""
_EVALUATION = """package com.aixcode.autoTest.evaluation;

import com.aixcode.autoTest.GenerateMethodBase;
import java.util.ArrayList;
import java.util.List;

public class Evaluation7 {
    private String expected = "all told";
    private GenerateMethodBase solution;

    public Evaluation7(String basePackage, String prefix) throws Exception {
        Class<?> found = Class.forName(basePackage + "." + prefix + "7");
        solution = (GenerateMethodBase) found.getDeclaredConstructor().newInstance();
    }

    public int[] evaluation() {
        List<String> words = new ArrayList<String>() {{
            add("all");
            add("told");
        }};
        try {
            return new int[] {solution.answer(words).equals(expected) ? 1 : 0, 1};
        } catch (Exception e) {
            return new int[] {0, 1};
        }
    }
}
"""
_COMPARING = """package com.aixcode.autoTest.evaluation;

import com.aixcode.autoTest.GenerateMethodBase;
import java.math.BigDecimal;
import java.util.*;

public class Evaluation{id} {{
    private GenerateMethodBase solution;

    public Evaluation{id}(String basePackage, String prefix) throws Exception {{
        Class<?> found = Class.forName(basePackage + "." + prefix + "{id}");
        solution = (GenerateMethodBase) found.getDeclaredConstructor().newInstance();
    }}

    public int[] evaluation() throws Exception {{
        {before}return new int[] {{{check} ? 1 : 0, 1}};
    }}
}}
"""
_LETTERS = """solution.letters("hello").equals(new HashSet<>(List.of("h", "e", "l", "o")))
                && solution.letters("lamp").equals(new HashSet<>(List.of("l", "a", "m", "p")))"""
_LAMP = 'new HashSet<>(List.of("l", "a", "m", "p"))'
_ENTRY = f'new AbstractMap.SimpleEntry<>("lamp", {_LAMP})'
_OF_ENTRY = "public Map.Entry<String, Set<String>> entry(String word)"
_OF_ELEMENT = "public Object element(Object[] array, int index)"
_SOME = f'solution.some("lamp").get().equals({_LAMP})'
_ADDRESS = 'solution.address("a").equals(new java.net.URL("file:/data/a"))'
_HALVES = """new HashSet<>(List.of(List.of("a"), List.of("b"))).equals(
                solution.halves(new ArrayList<>(List.of("a", "b"))))"""
# The method gets a view of what the evaluation reads again.
_GIVEN = """Map<String, Integer> given = new HashMap<>(Map.of("one", 1, "three", 3));
        List<Integer> found = solution.twice(given.values());
        List<Integer> right = new ArrayList<>();
        given.values().forEach(each -> right.add(2 * each));
        """
_QUEUED = """Queue<Integer> given =
                new java.util.concurrent.ConcurrentLinkedQueue<>(List.of(1, 3));
        List<Integer> found = solution.queued(given);
        List<Integer> right = new ArrayList<>();
        given.forEach(each -> right.add(2 * each));
        """
_HALF = 'solution.half(new BigDecimal("5")).compareTo(new BigDecimal("2.5")) == 0'
_BASE = """package com.aixcode.autoTest;

import java.math.BigDecimal;
import java.util.*;

public abstract class GenerateMethodBase {
    public String answer(List<String> words) throws Exception {
        throw new RuntimeException("Not implemented");
    }

    public Map<String, Integer> doubled(Map<String, Integer> given) throws Exception {
        throw new RuntimeException("Not implemented");
    }

    public Set<String> letters(String word) throws Exception {
        throw new RuntimeException("Not implemented");
    }

    public BigDecimal half(BigDecimal number) throws Exception {
        throw new RuntimeException("Not implemented");
    }

    public Map.Entry<String, Set<String>> entry(String word) throws Exception {
        throw new RuntimeException("Not implemented");
    }

    public Optional<Set<String>> some(String word) throws Exception {
        throw new RuntimeException("Not implemented");
    }

    public java.net.URL address(String name) throws Exception {
        throw new RuntimeException("Not implemented");
    }

    public Set<List<String>> halves(List<String> words) throws Exception {
        throw new RuntimeException("Not implemented");
    }

    public List<Integer> twice(Collection<Integer> numbers) throws Exception {
        throw new RuntimeException("Not implemented");
    }

    public List<Integer> queued(Queue<Integer> numbers) throws Exception {
        throw new RuntimeException("Not implemented");
    }

    public Object element(Object[] array, int index) throws Exception {
        throw new RuntimeException("Not implemented");
    }

    public <T> T made(Class<T> type) throws Exception {
        throw new RuntimeException("Not implemented");
    }
}
"""


def _task(id: int, signature: str, evaluation: str, *, outside: bool = True) -> Task:
    public = {"raw_nl": "", "signature": signature, "entry_point": method_of(signature).name}
    hidden = {
        "evaluation": evaluation,
        "imports": ["import java.math.*;", "import java.util.*;"],
        "fields": [] if outside else None,
        "kit": "",
        "base": {"com/aixcode/autoTest/GenerateMethodBase.java": _BASE},
    }
    return Task(id, public=public, hidden=hidden, language="java")


def _comparing(
    id: int, signature: str, check: str, before: str = "", *, outside: bool = False
) -> Task:
    evaluation = _COMPARING.format(id=id, before=before, check=check)
    return _task(id, signature, evaluation, outside=outside)


# What evaluations of the benchmark do, and none of the sample: "leaky" holds the expected value in
# a field, and gives the candidate an object that refers to it; "tally", "twice" and "queued"
# compare with their argument; "made" asks for reflection; the others let the result, or a part of
# it, compare itself.
TASKS: dict[str, Task] = {str(task.id): task for task in load_tasks(CHECKOUT, None)} | {
    "leaky": _task(7, "public String answer(List<String> words)", _EVALUATION),
    "tally": _task(9, "public Map<String, Integer> doubled(Map<String, Integer> given)", _ASKING),
    "letters": _comparing(10, "public Set<String> letters(String word)", _LETTERS),
    "half": _comparing(11, "public BigDecimal half(BigDecimal number)", _HALF),
    "entry": _comparing(12, _OF_ENTRY, f'solution.entry("lamp").equals({_ENTRY})'),
    "compared entry": _comparing(13, _OF_ENTRY, f'{_ENTRY}.equals(solution.entry("lamp"))'),
    "some": _comparing(14, "public Optional<Set<String>> some(String word)", _SOME),
    "address": _comparing(15, "public java.net.URL address(String name)", _ADDRESS),
    "halves": _comparing(
        16, "public Set<List<String>> halves(List<String> words)", _HALVES, outside=True
    ),
    "twice": _comparing(
        17,
        "public List<Integer> twice(Collection<Integer> numbers)",
        "found.equals(right)",
        _GIVEN,
    ),
    "queued": _comparing(
        18, "public List<Integer> queued(Queue<Integer> numbers)", "found.equals(right)", _QUEUED
    ),
    "element": _comparing(
        19, _OF_ELEMENT, 'solution.element(new Object[] {1, "b"}, 1).equals("b")'
    ),
    "compared element": _comparing(
        20,
        _OF_ELEMENT,
        "solution.element(given, 1).equals(given[1])",
        'Object[] given = {1, "b"};\n        ',
    ),
    "made": _comparing(
        21, "public <T> T made(Class<T> type)", "solution.made(ArrayList.class).isEmpty()"
    ),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A generation; `passes` says whether it must, or must not. It passes `without` these
    defences, or although it proves nothing (`reason`)."""

    name: str
    task: Task
    text: str
    passes: bool
    without: frozenset[str] = frozenset()
    reason: str = ""


def all_cases() -> tuple[Case, ...]:
    passing = (*_cases("honest", passes=True), *_cases("shared", passes=True))
    return (*passing, *_cases("hostile", passes=False))


def _cases(kind: str, *, passes: bool) -> Iterator[Case]:
    for path in sorted((_HERE / kind).glob("*.java")):
        first, _, text = path.read_text("utf-8").partition("\n")
        second = text.partition("\n")[0]
        without = second.removeprefix("// without ") if second.startswith("// without ") else ""
        reason = second.partition("// shared, passes: ")[2]
        task = TASKS[first.removeprefix("// task ")]
        yield Case(path.stem, task, text, passes, frozenset(without.split()), reason)
