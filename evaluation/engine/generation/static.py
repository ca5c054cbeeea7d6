"""Static conversations: their messages are known in advance. A single prompt is one too."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from evaluation.engine.family import Script
from evaluation.engine.generation.asking import Ask
from evaluation.engine.records import Key, Task

Answers = Mapping[str | None, str]


def asked_for(script: Script, task: Task) -> tuple[str | None, ...]:
    """The setting's requirements, each after those that it builds on."""
    found: dict[str | None, None] = {}
    for requirement in script.asked(task):
        found |= dict.fromkeys((*script.before(task, requirement), requirement))
    return tuple(found)


async def converse(
    script: Script, task: Task, sample: int, ask: Ask, given: Answers
) -> dict[str | None, str]:
    """All answers by requirement. Skips what follows a message without an answer."""
    answers = dict(given)
    open_ones = [name for name in asked_for(script, task) if name not in answers]
    while ready := [n for n in open_ones if set(script.before(task, n)) <= answers.keys()]:
        texts = await asyncio.gather(*(_one(script, task, sample, ask, n, answers) for n in ready))
        open_ones = [name for name in open_ones if name not in ready]
        found = zip(ready, texts, strict=True)
        answers |= {name: text for name, text in found if text is not None}
    return answers


async def _one(
    script: Script,
    task: Task,
    sample: int,
    ask: Ask,
    requirement: str | None,
    answers: Answers,
) -> str | None:
    before = [answers[name] for name in script.before(task, requirement)]
    messages = script.messages(task, requirement, before)
    return await ask(Key(task.id, sample, requirement, len(before)), messages)
