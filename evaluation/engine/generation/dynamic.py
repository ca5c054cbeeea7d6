"""Dynamic conversations with a model: the tests that its code passes select the next message."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias

from evaluation.engine.conversations.dialogue import Name, Talk, advance, start, unknown
from evaluation.engine.conversations.filling import Message, assistant, user
from evaluation.engine.errors import SandboxError
from evaluation.engine.family import Cue, Talks
from evaluation.engine.generation import texts
from evaluation.engine.generation.asking import Ask
from evaluation.engine.generation.journal import Journal, TurnResults
from evaluation.engine.records import Key, Status, Task, Verdict
from evaluation.engine.uploads.decode import written_out

# Instructions to judge at the same time. Only the first failure counts, so judging more at a time
# would often be wasted.
_AT_A_TIME = 3

# The verdicts of an answer by instruction; None is the prompt. Raises SandboxError.
Judge: TypeAlias = Callable[[Task, str, Sequence[Name]], Awaitable[Mapping[Name, Verdict]]]


async def converse(
    talks: Talks, task: Task, ask: Ask, judge: Judge, journal: Journal
) -> list[Message] | None:
    """The transcript; None if a message has no answer. Raises what `ask` and `judge` raise."""
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
            row = await _judged(judge, now, task, answer)
            await journal.save_row(place, row)
        after = advance(now, row.passed)
        if not isinstance(after, Talk):
            return said
        now, error = after, written_out(row.error)


async def _judged(judge: Judge, talk: Talk, task: Task, answer: str) -> TurnResults:
    """Judges what the next turn depends on. Raises SandboxError if a verdict is NOT_RUN."""
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
