"""The ways in which benchmarks ask models, for families to declare."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from evaluation.engine.conversations import dialogue, replay, static
from evaluation.engine.conversations.filling import Fill, instructed, places, replaced, user
from evaluation.engine.conversations.static import History
from evaluation.engine.conversations.wording import wording_of
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
    """Tasks whose `instruction` is the whole prompt, filled with the named inputs."""

    def script(prompts: Json, _setting: str, _history: str) -> Script:
        if prompts is not None:
            raise BenchmarkError(
                "This benchmark's tasks contain their prompts: leave the prompts file out."
            )
        return _one_message(lambda task: instructed(task, inputs, fill))

    return Asking(sampling, script, in_tasks=True, questions=questions)


def in_languages(
    sampling: Sampling,
    texts: Mapping[str, str],
    questions: Callable[[Path], tuple[Task, ...]] | None = None,
) -> Asking:
    """Tasks of one message each, worded by `texts` in the task's natural language. A prompts file
    may omit some languages."""

    def script(prompts: Json, _setting: str, _history: str) -> Script:
        worded = texts if prompts is None else {**texts, **_in_languages(prompts, texts)}

        def said(task: Task) -> str:
            language = str(task.natural_language)
            values = {name: task.public[name] for name in places(texts[language])}
            return replaced(worded[language], values)

        return _one_message(lambda task: [user(said(task))])

    return Asking(sampling, script, questions=questions)


def _one_message(messages: Callable[[Task], list[dict[str, str]]]) -> Script:
    return Script(
        asked=lambda _task: (None,),
        before=lambda _task, _requirement: (),
        messages=lambda task, _requirement, _answers: messages(task),
    )


def with_instructions(
    sampling: Sampling,
    limits: Limits,
    *,
    told: Callable[[str], str] = str,
    questions: Callable[[Path], tuple[Task, ...]] | None = None,
) -> Asking:
    """Tasks with instructions, asked in the four settings and in dynamic conversations. `told`
    selects the part of a failed test's error that a retry reports."""
    return Asking(sampling, _script, partial(_talks, limits, told), questions=questions)


def _script(prompts: Json, setting: str, history: str) -> Script:
    wording, kept = wording_of(prompts), History(history)
    return Script(
        asked=lambda task: static.asked_in(task, setting),
        before=lambda task, requirement: static.asked_before(task, setting, requirement),
        messages=lambda task, requirement, answers: static.messages(
            task, setting, wording, requirement, answers, kept
        ),
    )


def _talks(limits: Limits, told: Callable[[str], str], prompts: Json) -> Talks:
    wording = wording_of(prompts).dynamic

    def say(task: Task, cue: Cue) -> str:
        shown = cue._replace(error=told(cue.error))
        return replay.said(shown, replay.texts_of(task), wording)

    return Talks(dialogue.instructions_of, say, test_set_of, limits)


def _in_languages(prompts: Json, texts: Mapping[str, str]) -> dict[str, str]:
    """Raises BenchmarkError if the file has none of the languages or an unfit text."""
    found = prompts if isinstance(prompts, dict) else {}
    given = [language for language in texts if language in found]
    if not given:
        raise BenchmarkError(
            f"The prompts file is invalid: it must be an object with {' or '.join(texts)}."
        )
    return {language: _template(language, found[language], texts[language]) for language in given}


def _template(language: str, text: Json, ours: str) -> str:
    """Raises BenchmarkError if the text lacks a placeholder of `ours`."""
    wanted = places(ours)
    if not isinstance(text, str) or not wanted <= places(text):
        named = ", ".join(f"{{{name}}}" for name in sorted(wanted))
        raise BenchmarkError(
            f"The prompts file is invalid: {language} must be a text with {named}."
        )
    return text
