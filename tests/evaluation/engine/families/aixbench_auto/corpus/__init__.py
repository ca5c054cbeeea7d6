"""Generations for the sample's tasks: those that must not pass (`hostile`), those that must
(`honest`), and those that pass in tier `shared` and prove nothing there (`shared`).

The first line of each names the task. A hostile one may run in a sandbox alone. Many answer
rightly only where the forbidden thing succeeded, so that a hole shows as a pass. A second line may
name the defences without which a hostile one passes clean: the guard's kinds of permissions,
"copies", and those of a sandbox (`engine/corpus/java_sandboxes.py`); or say why one of `shared`
passes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.engine.families.aixbench_auto.dataset import load_tasks
from evaluation.engine.families.aixbench_auto.declarations import method_of
from evaluation.engine.records import Task
from tests.evaluation.engine.families.aixbench_auto.cases import CHECKOUT

_HERE = Path(__file__).parent
_EVALUATION = """package com.aixcode.autoTest.evaluation;

import com.aixcode.autoTest.GenerateMethodBase;
import java.math.BigDecimal;
import java.util.*;

public class Evaluation{id} {{
    {fields}private GenerateMethodBase solution;

    public Evaluation{id}(String basePackage, String prefix) throws Exception {{
        Class<?> found = Class.forName(basePackage + "." + prefix + "{id}");
        solution = (GenerateMethodBase) found.getDeclaredConstructor().newInstance();
    }}

    public int[] evaluation() throws Exception {{
        {before}return new int[] {{{check} ? 1 : 0, 1}};
    }}
}}
"""
_WORDS = """List<String> words = new ArrayList<String>() {{
            add("all");
            add("told");
        }};
        """
_DOUBLED = """Map<String, Integer> given = new HashMap<String, Integer>() {{
            put("one", 1);
            put("three", 3);
        }};
        Map<String, Integer> found = solution.doubled(given);
        boolean equal = true;
        for (Map.Entry<String, Integer> each : given.entrySet()) {
            equal &= found.getOrDefault(each.getKey(), 0) == 2 * each.getValue();
        }
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

public abstract class GenerateMethodBase {{
    {methods}
}}
"""


def _task(
    id: int,
    signature: str,
    check: str,
    before: str = "",
    *,
    fields: str = "",
    outside: bool = False,
) -> Task:
    evaluation = _EVALUATION.format(id=id, fields=fields, before=before, check=check)
    hidden = {
        "evaluation": evaluation,
        "imports": ["import java.math.*;", "import java.util.*;"],
        "fields": [] if outside else None,
        "kit": "",
    }
    public = {"raw_nl": "", "signature": signature, "entry_point": method_of(signature).name}
    return Task(id, public=public, hidden=hidden, language="java")


# What evaluations of the benchmark do, and none of the sample: "leaky" holds the expected value in
# a field, and gives the candidate an object that refers to it; "tally", "twice" and "queued"
# compare with their argument; "made" asks for reflection; the others let the result, or a part of
# it, compare itself.
_MADE = {
    "leaky": _task(
        7,
        "public String answer(List<String> words)",
        "solution.answer(words).equals(expected)",
        _WORDS,
        fields='private String expected = "all told";\n    ',
        outside=True,
    ),
    "tally": _task(
        9,
        "public Map<String, Integer> doubled(Map<String, Integer> given)",
        "equal",
        _DOUBLED,
        outside=True,
    ),
    "letters": _task(10, "public Set<String> letters(String word)", _LETTERS),
    "half": _task(11, "public BigDecimal half(BigDecimal number)", _HALF),
    "entry": _task(12, _OF_ENTRY, f'solution.entry("lamp").equals({_ENTRY})'),
    "compared entry": _task(13, _OF_ENTRY, f'{_ENTRY}.equals(solution.entry("lamp"))'),
    "some": _task(14, "public Optional<Set<String>> some(String word)", _SOME),
    "address": _task(15, "public java.net.URL address(String name)", _ADDRESS),
    "halves": _task(
        16, "public Set<List<String>> halves(List<String> words)", _HALVES, outside=True
    ),
    "twice": _task(
        17, "public List<Integer> twice(Collection<Integer> numbers)", "found.equals(right)", _GIVEN
    ),
    "queued": _task(
        18, "public List<Integer> queued(Queue<Integer> numbers)", "found.equals(right)", _QUEUED
    ),
    "element": _task(19, _OF_ELEMENT, 'solution.element(new Object[] {1, "b"}, 1).equals("b")'),
    "compared element": _task(
        20,
        _OF_ELEMENT,
        "solution.element(given, 1).equals(given[1])",
        'Object[] given = {1, "b"};\n        ',
    ),
    "made": _task(
        21, "public <T> T made(Class<T> type)", "solution.made(ArrayList.class).isEmpty()"
    ),
}
_METHODS = dict.fromkeys(str(task.public["signature"]) for task in _MADE.values())
_OWN_BASE = _BASE.format(
    methods="\n    ".join(
        f'{head} throws Exception {{ throw new RuntimeException("Not implemented"); }}'
        for head in _METHODS
    )
)
_SHARED = {"base": {"com/aixcode/autoTest/GenerateMethodBase.java": _OWN_BASE}}
TASKS: dict[str, Task] = {str(task.id): task for task in load_tasks(CHECKOUT, None)} | {
    name: replace(task, hidden={**task.hidden, **_SHARED}) for name, task in _MADE.items()
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
