"""Fifty tasks with instructions, and a model whose answers depend only on the messages."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from evaluation.engine.conversations.dialogue import Name
from evaluation.engine.errors import EndpointError
from evaluation.engine.family import Asking
from evaluation.engine.generation.answers import Answer
from evaluation.engine.generation.journal import Journal
from evaluation.engine.records import Key, Status, Task, TaskId, Verdict
from evaluation.engine.registry import FAMILIES

_NAMES = ("Exception Handling", "Annotation Coverage", "Functionality Extension", "Code Standard")
BEGAN = "2026-01-01T00:00:00+00:00"


def asking() -> Asking:
    found = FAMILIES["codeif_function"].asking
    assert found is not None
    return found


def task(number: int) -> Task:
    names = _NAMES[: number % 5]
    sentences = {name: f"Task {number} has to heed {name}." for name in names}
    prompt = f"Write a function `f{number}` that returns {{{number}}}."
    public = {"prompt": prompt, "requirements": sentences, "turns": [*names]}
    return Task(number, public, {}, level="L-1")


TASKS = tuple(map(task, range(50)))


def journal(path: Path, **identity: str) -> Journal:
    return Journal(path, {"model": "m", **identity}, BEGAN)


def said(messages: Sequence[Mapping[str, str]]) -> str:
    """The model's answer: always the same for the same messages, different for others."""
    mark = hashlib.sha256("\0".join(m["content"] for m in messages).encode()).hexdigest()
    return f"```python\ndef f():\n    return '{mark}'\n```"


class Canned:
    """A model that answers at once, and raises EndpointError after `last` answers unless that is
    None."""

    def __init__(self, last: int | None = None) -> None:
        self.asked: list[list[dict[str, str]]] = []
        self._last = last

    async def answer(self, messages: Sequence[dict[str, str]]) -> Answer:
        if self._last is not None and len(self.asked) >= self._last:
            raise EndpointError("gone")
        self.asked.append([dict(message) for message in messages])
        return Answer(said(messages), "stop", "canned-1", 7, 3)


def row(task: Task, answer: str, names: Sequence[Name]) -> dict[Name, bool]:
    """Whether an answer passes each name: pseudo-random, but always the same."""
    return {
        name: hashlib.sha256(f"{task.id} {name} {answer}".encode()).digest()[0] < 160
        for name in names
    }


class Judged:
    """A judge that runs nothing. `turns` are the answers that it was asked about."""

    def __init__(self) -> None:
        self.turns: set[tuple[TaskId, str]] = set()

    async def __call__(
        self, task: Task, answer: str, names: Sequence[Name]
    ) -> Mapping[Name, Verdict]:
        self.turns.add((task.id, answer))
        return {
            name: Verdict(
                Key(task.id, 0),
                Status.PASSED if passed else Status.FAILED,
                output=f"AssertionError: {name}",
            )
            for name, passed in row(task, answer, names).items()
        }
