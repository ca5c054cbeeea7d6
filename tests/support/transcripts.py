"""Transcripts of dynamic conversations for tests: the sample's honest ones, and ways to forge
one of them."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

from evaluation.engine.conversations.dialogue import Row
from evaluation.engine.conversations.replay import Departure, Reading, replayed, texts_of, turns_of
from evaluation.engine.conversations.wording import OURS
from evaluation.engine.family import Turn
from evaluation.engine.records import Task
from evaluation.engine.registry import FAMILIES

FAMILY = FAMILIES["codeif_function"]
SAMPLE = Path(__file__).parents[2] / "evaluation/engine/families/codeif_function/sample"
HONEST = SAMPLE / "maple/dynamic.jsonl"
# The tasks with the longest conversations: the prompt of 3 is never followed; in 4 an instruction
# is followed when it is repeated, and then another one.
TASKS = (3, 4)
FORGED = 4

Talk: TypeAlias = list[Turn]


@cache
def tasks() -> Mapping[object, Task]:
    return {task.id: task for task in FAMILY.load_tasks(SAMPLE / "tasks.jsonl", None)}


@cache
def honest() -> Mapping[int, Sequence[Turn]]:
    """The sample's conversations by task."""
    found = map(json.loads, HONEST.read_text("utf-8").splitlines())
    return {one["task_id"]: turns_of(one["messages"]) for one in found}


def departure(
    instructions: Sequence[str], turns: Sequence[Turn], rows: Sequence[Row], readings: list[Reading]
) -> Departure | None:
    """The point at which a transcript departs from the rules; None if it follows them."""
    found = replayed(instructions, turns, rows, readings)
    return found if isinstance(found, Departure) else None


def file_of(talks: Mapping[int, Sequence[Turn]]) -> bytes:
    """A file of predictions."""
    return "".join(map(_line, talks.items())).encode()


def _line(one: tuple[int, Sequence[Turn]]) -> str:
    task, turns = one
    messages = [
        {"role": role, "content": text}
        for turn in turns
        for role, text in zip(("user", "assistant"), turn, strict=True)
    ]
    return json.dumps({"task_id": task, "messages": messages}) + "\n"


def tasks_file(folder: Path, chosen: Iterable[int] = TASKS) -> Path:
    """A file with only these tasks of the sample."""
    lines = (SAMPLE / "tasks.jsonl").read_text("utf-8").splitlines()
    kept = [line for line in lines if json.loads(line)["task_id"] in chosen]
    path = folder / "tasks.jsonl"
    path.write_text("\n".join(kept) + "\n", "utf-8")
    return path


def said(name: str | None) -> str:
    """The message that asks for an instruction of the task whose transcript is forged."""
    return texts_of(tasks()[FORGED])[name]


def feedback(name: str | None, error: str = "AssertionError") -> str:
    return OURS.dynamic.feedback_on(said(name), error)


# --- Forgeries: of the conversation prompt, CONDITIONS, CONDITIONS again, STANDARD -----------

CONDITIONS, EXCEPTIONS, STANDARD = "Input-Output Conditions", "Exception Handling", "Code Standard"


class Forgery(NamedTuple):
    """`turn` is the first that departs from the rules, `told` a part of the reported message.
    Errors with `at_once` are reported without any verdict."""

    name: str
    forge: Callable[[Talk], Talk]
    turn: int
    told: str
    at_once: bool = False


def _asking(place: int, asked: str) -> Callable[[Talk], Talk]:
    return lambda talk: [*talk[:place], talk[place]._replace(asked=asked), *talk[place + 1 :]]


def _with(place: int, asked: str, answer: int) -> Callable[[Talk], Talk]:
    """Adds a turn before that place, with the answer of another turn."""
    return lambda talk: [*talk[:place], Turn(asked, talk[answer].answer), *talk[place:]]


def _answering(place: int, answer: int) -> Callable[[Talk], Talk]:
    return lambda talk: [
        *talk[:place],
        talk[place]._replace(answer=talk[answer].answer),
        *talk[place + 1 :],
    ]


def _in_order(*places: int) -> Callable[[Talk], Talk]:
    return lambda talk: [talk[place] for place in places]


FORGERIES = (
    Forgery("skipped", _in_order(0, 2, 3), 2, "gives feedback"),
    Forgery("skipped_first", _in_order(1, 2, 3), 1, "not exactly the task's prompt", at_once=True),
    Forgery("added", _with(2, said(CONDITIONS), 1), 3, "does not say that"),
    Forgery("reordered", _in_order(0, 1, 3, 2), 3, "does not say that"),
    Forgery("wrong_instruction", _asking(1, said(EXCEPTIONS)), 2, "asks for Exception Handling"),
    Forgery("unknown_instruction", _asking(1, "Be quick."), 2, "is not one of", at_once=True),
    Forgery("retry_missing", _in_order(0, 1, 3), 3, "does not say that"),
    Forgery("retry_unmarked", _asking(2, said(CONDITIONS)), 3, "does not say that"),
    Forgery("retry_superfluous", _with(3, feedback(CONDITIONS), 2), 4, "gives feedback"),
    Forgery("retry_of_another", _asking(2, feedback(EXCEPTIONS)), 3, "asks for Exception"),
    Forgery("after_the_end", _with(4, said(EXCEPTIONS), 3), 5, "after the conversation's end"),
    Forgery("failure_claimed", _with(1, feedback(None), 0), 2, "gives feedback on Base"),
    Forgery("pass_claimed", _in_order(0, 1, 2), 4, "missing: by our verdicts, Code"),
    Forgery("code_bettered", _answering(1, 2), 3, "gives feedback"),
    Forgery("code_worsened", _answering(2, 1), 4, "asks for Code Standard"),
    Forgery("code_of_the_end_at_first", _answering(0, 3), 2, "after the conversation's end"),
    Forgery("hint_in_prompt", _asking(0, said(None) + " Mind 0."), 1, "not exactly", at_once=True),
    Forgery("hint", _asking(1, said(CONDITIONS) + " Mind 0."), 2, "is not one of", at_once=True),
    Forgery("hint_in_feedback", _asking(2, feedback(CONDITIONS) + "Mind 0."), 3, "not one", True),
)


def forged(forgery: Forgery) -> dict[int, Talk]:
    """The transcripts of `TASKS`, one of them forged."""
    talks = {task: [*honest()[task]] for task in TASKS}
    return {**talks, FORGED: forgery.forge(talks[FORGED])}


# --- What the honest answers pass, as real sandboxes found ---------------------------------

_EVERYTHING = {"base", "Annotation Coverage", "Code Complexity", STANDARD, "Edge Case Handling"}
_PASSED: Mapping[tuple[int, int], set[str]] = {
    (3, 1): set(),
    (3, 2): set(),
    (3, 3): {"base", "Edge Case Handling", "Annotation Coverage"},
    (3, 4): {"base", "Edge Case Handling", "Annotation Coverage"},
    (4, 1): {"base", "Edge Case Handling"},
    (4, 2): {"base", "Edge Case Handling"},
    (4, 3): _EVERYTHING - {STANDARD} | {CONDITIONS, EXCEPTIONS},
    (4, 4): _EVERYTHING | {CONDITIONS, EXCEPTIONS},
}


def passes(task: int, answer: str, test_set: str) -> bool:
    """Whether one of the honest answers passes a set of the task's tests."""
    turns = [turn.answer for turn in honest()[task]]
    return (test_set or "base") in _PASSED[task, turns.index(answer) + 1]
