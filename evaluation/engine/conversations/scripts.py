"""How benchmarks ask models, as families declare it: tasks that bring their whole prompt along,
and tasks with instructions, whose wording is ours or a prompts file's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from evaluation.engine.conversations import dialogue, replay, static
from evaluation.engine.conversations.filling import Fill, instructed
from evaluation.engine.conversations.static import History
from evaluation.engine.conversations.wording import OURS, Prompts, prompts_of
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import Asking, Cue, Sampling, Script, Talks
from evaluation.engine.instructions import test_set_of
from evaluation.engine.records import Json, Limits, Task


def own_prompts(
    sampling: Sampling,
    inputs: Sequence[str],
    fill: Fill,
    questions: Callable[[Path], tuple[Task, ...]] | None = None,
) -> Asking:
    """Tasks whose `instruction` is the whole prompt, with the named inputs filled in."""

    def script(prompts: Json, _setting: str, _history: str) -> Script:
        if prompts is not None:
            raise BenchmarkError(
                "This benchmark's tasks bring their prompts along: leave the file."
            )
        return Script(
            asked=lambda _task: (None,),
            before=lambda _task, _requirement: (),
            messages=lambda task, _requirement, _answers: instructed(task, inputs, fill),
        )

    return Asking(sampling, script, in_tasks=True, questions=questions)


def with_instructions(
    sampling: Sampling,
    limits: Limits,
    *,
    told: Callable[[str], str] = str,
    questions: Callable[[Path], tuple[Task, ...]] | None = None,
) -> Asking:
    """Tasks with instructions, asked in the four settings and in dynamic conversations, whose
    turns are judged under these limits. Of what a failed test said a retry tells what `told`
    makes of it."""
    return Asking(sampling, _script, partial(_talks, limits, told), questions=questions)


def _script(prompts: Json, setting: str, history: str) -> Script:
    wording, kept = _wording(prompts), History(history)
    return Script(
        asked=lambda task: static.asked_in(task, setting),
        before=lambda task, requirement: static.asked_before(task, setting, requirement),
        messages=lambda task, requirement, answers: static.messages(
            task, setting, wording, requirement, answers, kept
        ),
    )


def _talks(limits: Limits, told: Callable[[str], str], prompts: Json) -> Talks:
    wording = _wording(prompts).dynamic

    def say(task: Task, cue: Cue) -> str:
        shown = cue._replace(error=told(cue.error))
        return replay.said(shown, replay.texts_of(task), wording)

    return Talks(dialogue.instructions_of, say, test_set_of, limits)


def _wording(prompts: Json) -> Prompts:
    if prompts is None:
        return OURS
    try:
        return prompts_of(prompts)
    except ValueError as error:
        raise BenchmarkError(f"The prompts file is none: {error}.") from error
