"""Dynamic conversations with a model: what its code passes decides what it is asked next."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias

from evaluation.engine.conversations.dialogue import Name, Talk, advance, start
from evaluation.engine.conversations.filling import Message, assistant, user
from evaluation.engine.errors import SandboxError
from evaluation.engine.family import Cue, Talks
from evaluation.engine.generation.asking import Ask
from evaluation.engine.generation.journal import Journal, Row
from evaluation.engine.records import Key, Status, Task, Verdict

# What an answer passes, of these instructions, None being the prompt. Raises SandboxError.
Judge: TypeAlias = Callable[[Task, str, Sequence[Name]], Awaitable[Mapping[Name, Verdict]]]


async def converse(
    talks: Talks, task: Task, ask: Ask, judge: Judge, journal: Journal
) -> list[Message] | None:
    """The whole transcript; None where a message has no answer."""
    names = talks.instructions(task)
    said: list[Message] = []
    now, error = start(names), ""
    while True:
        cue = Cue(now.current, now.opening, now.retry, error if now.retry else "")
        said.append(user(talks.say(task, cue)))
        place = Key(task.id, 0, None, now.turn)
        answer = await ask(place, said)
        if answer is None:
            return None
        said.append(assistant(answer))
        row = journal.rows.get(place)
        if row is None:
            row = _row(await judge(task, answer, (None, *names)), now.current)
            await journal.save_row(place, row)
        after = advance(now, row.passed)
        if not isinstance(after, Talk):
            return said
        now, error = after, row.error


def _row(verdicts: Mapping[Name, Verdict], current: Name) -> Row:
    """Raises SandboxError where the machinery lost a verdict that the rules ask for."""
    if any(verdict.status is Status.NOT_RUN for verdict in verdicts.values()):
        raise SandboxError("A turn of a conversation could not be judged.")
    passed = {name: verdict.passed for name, verdict in verdicts.items()}
    return Row(passed, "" if passed[current] else verdicts[current].output)
