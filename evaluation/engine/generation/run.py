"""Runs many conversations concurrently."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from evaluation.engine.conversations.filling import Message
from evaluation.engine.family import Script, Talks
from evaluation.engine.generation import dynamic, static
from evaluation.engine.generation.asking import Asker
from evaluation.engine.generation.journal import Journal
from evaluation.engine.generation.static import Answers
from evaluation.engine.records import Task, TaskId

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Conversation(NamedTuple):
    """A static conversation's answers; `whole` if none is missing."""

    task: Task
    sample: int
    answers: Answers
    whole: bool


def require_prompts(script: Script, tasks: Sequence[Task]) -> None:
    """Raises BenchmarkError if a task lacks a field that the prompts show."""
    for task in tasks:
        for requirement in static.asked_for(script, task):
            script.messages(task, requirement, [""] * len(script.before(task, requirement)))


async def converse_by_script(
    script: Script,
    tasks: Sequence[Task],
    asker: Asker,
    *,
    samples: int,
    width: int,
    given: Mapping[tuple[TaskId, int], Answers],
) -> list[Conversation]:
    """Ordered by task and sample. `given` holds existing answers. Raises EndpointError."""

    async def one(place: tuple[Task, int]) -> Conversation:
        task, sample = place
        known = given.get((task.id, sample), {})
        answers = await static.converse(script, task, sample, asker.ask, known)
        whole = answers.keys() >= set(static.asked_for(script, task))
        return Conversation(task, sample, answers, whole)

    wanted = [(task, sample) for task in tasks for sample in range(samples)]
    return await _together(one, wanted, width)


async def converse_by_verdicts(
    talks: Talks,
    tasks: Sequence[Task],
    asker: Asker,
    judge: dynamic.Judge,
    journal: Journal,
    *,
    width: int,
    done: Callable[[TaskId], None] = lambda _: None,
) -> dict[TaskId, list[Message]]:
    """The transcripts of complete conversations. `done` is called for each task whose conversation
    has ended, also for lack of an answer. Raises EndpointError, SandboxError."""

    async def one(task: Task) -> list[Message] | None:
        found = await dynamic.converse(talks, task, asker.ask, judge, journal)
        done(task.id)
        return found

    talked = await _together(one, tasks, width)
    found = zip(tasks, talked, strict=True)
    return {task.id: messages for task, messages in found if messages is not None}


async def _together(
    one: Callable[[_Item], Awaitable[_Result]], items: Sequence[_Item], width: int
) -> list[_Result]:
    """Results in order, `width` items at a time. The first error cancels the rest."""
    results: dict[int, _Result] = {}
    waiting = iter(enumerate(items))

    async def worker() -> None:
        for number, item in waiting:
            results[number] = await one(item)

    workers = [asyncio.create_task(worker()) for _ in range(min(width, len(items)))]
    try:
        await asyncio.gather(*workers)
    finally:
        for task in workers:
            task.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return [results[number] for number in range(len(items))]
