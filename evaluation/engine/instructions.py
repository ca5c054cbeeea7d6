"""Tasks with instructions in addition to their prompt. Knows no family. A task's `public` has
`requirements` (category: sentence), `turns` (categories in the order of a conversation) and
`unsound` (category: why it cannot be judged). None means the prompt."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.engine.datasets import literal
from evaluation.engine.metrics.tally import ResultSlot, tally
from evaluation.engine.records import Key, Slot, Task, TaskResult, Verdict

BASE, SINGLE_ROUND, TWO_ROUND, MULTI_TURN = "base", "single_round", "two_round", "multi_turn"
SETTINGS = (BASE, SINGLE_ROUND, TWO_ROUND, MULTI_TURN)
# The messages of these conversations depend on the tests passed. The only slot is the first turn.
DYNAMIC = "dynamic"
# Our settings by the authors' names, where these differ.
FOLDERS = {"multi_round": TWO_ROUND, "n_round": MULTI_TURN}
# `Case.test_set` of the prompt's own tests; an instruction's set has the instruction's name.
BASE_SET = "base"
EXTENSION = "Functionality Extension"
_IN_DIALOGUE = re.compile(r"```python\n(.*?)```", re.DOTALL)


def value_of(value: Any, kind: type, name: str) -> Any:
    """Parses text as JSON or a Python literal. All readers here raise ValueError with the field."""
    if isinstance(value, str):
        value = literal(value)
    if not isinstance(value, kind):
        raise ValueError(f"{name} must be a {'list' if kind is list else 'mapping'}")
    return value


def text_of(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a text")
    return value


def tests_of(value: Any, name: str) -> str:
    """Joins a text, a list of texts or a text that holds such a list."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = value_of(value, list, name)
        except ValueError:
            return str(value)
    if isinstance(value, list) and all(isinstance(test, str) for test in value):
        return "\n".join(value)
    return text_of(value, name)


def contents_of(value: Any) -> dict[str, Mapping[str, Any]]:
    contents = {}
    for name, content in value_of(value, dict, "requirements").items():
        if not isinstance(name, str):
            raise ValueError(f"the category {name} is no text")
        contents[name] = value_of(content, dict, name)
    return contents


def turns_of(order: Any, requirements: Mapping[str, Any]) -> tuple[str, ...]:
    """Without `order`, returns the requirements in their own order, with Functionality Extension
    last."""
    if order is None:
        return (*(n for n in requirements if n != EXTENSION), *({EXTENSION} & set(requirements)))
    turns = tuple(str(name) for name in value_of(order, list, "multi-turn"))
    if len(set(turns)) != len(turns) or not set(turns) <= set(requirements):
        raise ValueError("multi-turn names a category twice or one that has no requirement")
    return turns


def code_in_dialogue(text: str) -> str:
    """The code at a turn of a dynamic conversation: drops blank lines, keeps docstrings."""
    block = _IN_DIALOGUE.search(text)
    return without_blank_lines(block.group(1) if block else text)


def without_blank_lines(code: str) -> str:
    return "\n".join(line for line in code.split("\n") if line.strip())


def unsound(task: Task) -> Mapping[str, str]:
    reasons: Mapping[str, str] = task.public.get("unsound", {})
    return reasons


def test_set_of(name: str | None) -> str:
    return BASE_SET if name is None else name


def name_of(test_set: str) -> str | None:
    return None if test_set == BASE_SET else test_set


def accumulating(task: Task) -> tuple[str, ...]:
    """The sound instructions that hold from their turn on, without Functionality Extension."""
    idle = unsound(task)
    return tuple(n for n in task.public["turns"] if n != EXTENSION and n not in idle)


def test_sets(task: Task, key: Key, setting: str) -> tuple[str, ...]:
    """Returns the sets of tests to judge a slot's code by. In conversations this includes each
    instruction's own set, except for a Functionality Extension, which has only its own tests."""
    if setting not in (MULTI_TURN, DYNAMIC) or key.requirement == EXTENSION:
        return ("",)
    base = () if key.requirement is None else (BASE_SET,)
    return ("", *base, *accumulating(task))


def alone(verdict: Verdict) -> tuple[str | None, ...]:
    """Returns the instruction whose tests this verdict covers, or () for accumulated tests."""
    if verdict.test_set:
        return (name_of(verdict.test_set),)
    requirement = verdict.key.requirement
    return (requirement,) if requirement in (None, EXTENSION) else ()


def slots(task: Task, setting: str) -> Sequence[Slot]:
    """In Multi-Turn, Functionality Extension and Base as turn 0 are optional. An unsound
    requirement is always optional."""
    if setting == BASE:
        return [Slot(None, 0)]
    if setting == DYNAMIC:
        return [Slot(None, 1)]
    names, idle = list(task.public["requirements"]), unsound(task)
    if setting != MULTI_TURN:
        turn = 1 if setting == TWO_ROUND else None
        return [Slot(name, turn, name not in idle) for name in names]
    turns = list(task.public["turns"])
    if EXTENSION in names and EXTENSION not in turns:
        turns.append(EXTENSION)
    placed = [
        Slot(name, turn, name != EXTENSION and name not in idle)
        for turn, name in enumerate(turns, 1)
    ]
    return [Slot(None, 0, required=False), *placed]


def counted(task: Task, setting: str, requirement: str | None) -> tuple[str | None, ...]:
    """Returns the instructions whose tests a generation must pass, in order. Source:
    docs/specification/conversations.md, "Which tests count"."""
    if requirement is None:
        return (None,)
    if requirement == EXTENSION:
        return (EXTENSION,)
    if setting != MULTI_TURN:
        return (None, requirement)
    turns = [name for name in task.public["turns"] if name != EXTENSION]
    return (None, *turns[: turns.index(requirement) + 1])


def places(tasks: Sequence[Task], setting: str) -> list[ResultSlot]:
    """In Multi-Turn, Base and Functionality Extension do not count overall."""
    places = []
    for task in tasks:
        for slot in slots(task, setting):
            if slot.requirement not in unsound(task):
                beside = setting == MULTI_TURN and not slot.required
                places.append(ResultSlot(task.id, slot, slot.requirement, overall=not beside))
    return places


def results(tasks: Sequence[Task], setting: str, verdicts: Sequence[Verdict]) -> list[TaskResult]:
    return tally(places(tasks, setting), verdicts)
