"""Holds many conversations with a model at the same time. The messages of a static one are fixed
beforehand; a single prompt is static. In a dynamic one, tests select the next message."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

from evaluation.engine.conversations.dialogue import Name, Talk, advance, start, unknown
from evaluation.engine.conversations.wording import Message, assistant, user
from evaluation.engine.errors import SandboxError
from evaluation.engine.family import Script, Talks
from evaluation.engine.generation import texts
from evaluation.engine.generation.asking import Asker
from evaluation.engine.generation.journal import Journal, TurnResults
from evaluation.engine.records import Key, Status, Task, TaskId, Verdict
from evaluation.engine.uploads.decode import written_out

# Instructions to judge at the same time. Only the first failure counts, so judging more at a time
# would often be wasted.
_AT_A_TIME = 3

Answers = Mapping[str | None, str]
# The verdicts of an answer by instruction; None is the prompt. Raises SandboxError.
Judge: TypeAlias = Callable[[Task, str, Sequence[Name]], Awaitable[Mapping[Name, Verdict]]]
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Conversation(NamedTuple):
    """A static conversation's answers; `whole` if none is missing."""

    task: Task
    sample: int
    answers: Answers
    whole: bool


def asked_for(script: Script, task: Task) -> tuple[str | None, ...]:
    """The setting's requirements, each after those that it builds on."""
    requirements: dict[str | None, None] = {}
    for requirement in script.asked(task):
        requirements |= dict.fromkeys((*script.before(task, requirement), requirement))
    return tuple(requirements)


def require_prompts(script: Script, tasks: Sequence[Task]) -> None:
    """Raises BenchmarkError if a task lacks a field that the prompts show."""
    for task in tasks:
        for requirement in asked_for(script, task):
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
    """Ordered by task and sample. `given` holds existing answers. What follows a message without an
    answer is skipped. Raises EndpointError."""

    async def converse(place: tuple[Task, int]) -> Conversation:
        task, sample = place
        answers = dict(given.get((task.id, sample), {}))

        async def answer(requirement: str | None) -> str | None:
            before = [answers[name] for name in script.before(task, requirement)]
            messages = script.messages(task, requirement, before)
            return await asker.ask(Key(task.id, sample, requirement, len(before)), messages)

        left = [name for name in asked_for(script, task) if name not in answers]
        while ready := [name for name in left if set(script.before(task, name)) <= answers.keys()]:
            replies = zip(ready, await asyncio.gather(*map(answer, ready)), strict=True)
            left = [name for name in left if name not in ready]
            answers |= {name: text for name, text in replies if text is not None}
        whole = answers.keys() >= set(asked_for(script, task))
        return Conversation(task, sample, answers, whole)

    places = [(task, sample) for task in tasks for sample in range(samples)]
    return await _together(converse, places, width)


async def converse_by_verdicts(
    talks: Talks,
    tasks: Sequence[Task],
    asker: Asker,
    judge: Judge,
    journal: Journal,
    *,
    width: int,
    done: Callable[[TaskId], None] = lambda _: None,
) -> dict[TaskId, list[Message]]:
    """The transcripts of complete conversations. `done` is called for each task whose conversation
    has ended, also for lack of an answer. Raises EndpointError, SandboxError."""

    async def converse(task: Task) -> list[Message] | None:
        """Returns None if a message has no answer."""
        messages: list[Message] = []
        talk, error = start(talks.instructions(task)), ""
        while True:
            cue = talk.cue._replace(error=error if talk.retry else "")
            messages.append(user(talks.say(task, cue)))
            place = Key(task.id, 0, None, talk.turn)
            answer = await asker.ask(place, messages)
            if answer is None:
                return None
            messages.append(assistant(answer))
            row = journal.rows.get(place)
            if row is None:
                row = await _results(judge, talk, task, answer)
                await journal.save_row(place, row)
            after = advance(talk, row.passed)
            if not isinstance(after, Talk):
                return messages
            talk, error = after, written_out(row.error)

    async def converse_and_tell(task: Task) -> list[Message] | None:
        transcript = await converse(task)
        done(task.id)
        return transcript

    transcripts = zip(tasks, await _together(converse_and_tell, tasks, width), strict=True)
    return {task.id: messages for task, messages in transcripts if messages is not None}


async def _results(judge: Judge, talk: Talk, task: Task, answer: str) -> TurnResults:
    """Judges what the next turn depends on. Raises SandboxError, also if a verdict is NOT_RUN."""
    passed: dict[Name, bool] = {}
    error = ""
    while names := unknown(talk, passed):
        verdicts = await judge(task, answer, names[:_AT_A_TIME])
        if any(verdict.status is Status.NOT_RUN for verdict in verdicts.values()):
            raise SandboxError(texts.TURN_NOT_JUDGED())
        passed |= {name: verdict.passed for name, verdict in verdicts.items()}
        if names == (talk.current,) and not passed[talk.current]:
            error = verdicts[talk.current].output
    return TurnResults(passed, error)


async def _together(
    work: Callable[[_Item], Awaitable[_Result]], items: Sequence[_Item], width: int
) -> list[_Result]:
    """Results in order, `width` items at a time. The first error cancels the rest."""
    results: dict[int, _Result] = {}
    waiting = iter(enumerate(items))

    async def worker() -> None:
        for number, item in waiting:
            results[number] = await work(item)

    workers = [asyncio.create_task(worker()) for _ in range(min(width, len(items)))]
    try:
        await asyncio.gather(*workers)
    finally:
        for task in workers:
            task.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return [results[number] for number in range(len(items))]
