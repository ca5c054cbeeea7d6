"""The ways in which benchmarks ask models, for families to declare."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from evaluation.engine.conversations import replay, static
from evaluation.engine.conversations.filling import Fill, places, replaced, user
from evaluation.engine.conversations.static import History
from evaluation.engine.conversations.wording import wording_of
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import Asking, Cue, Sampling, Script, Talks
from evaluation.engine.instructions import accumulating, test_set_of
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

        def message(task: Task) -> str:
            values = {name: str(task.public[name]) for name in inputs}
            return fill(task.public["instruction"], values)

        return _one_message(message)

    return Asking(sampling, script, in_tasks=True, questions=questions)


def in_languages(
    sampling: Sampling,
    texts: Mapping[str, str],
    questions: Callable[[Path], tuple[Task, ...]] | None = None,
) -> Asking:
    """Tasks of one message each, worded by `texts` in the task's natural language. A prompts file
    may omit some languages; its texts have all placeholders of ours."""

    def script(prompts: Json, _setting: str, _history: str) -> Script:
        worded = dict(texts)
        if prompts is not None:
            sections = prompts if isinstance(prompts, dict) else {}
            languages = [language for language in texts if language in sections]
            if not languages:
                raise BenchmarkError(
                    f"The prompts file is invalid: it must be an object with {' or '.join(texts)}."
                )
            for language in languages:
                text, wanted = sections[language], places(texts[language])
                if not isinstance(text, str) or not wanted <= places(text):
                    named = ", ".join(f"{{{name}}}" for name in sorted(wanted))
                    raise BenchmarkError(
                        f"The prompts file is invalid: {language} must be a text with {named}."
                    )
                worded[language] = text

        def message(task: Task) -> str:
            language = str(task.natural_language)
            values = {name: task.public[name] for name in places(texts[language])}
            return replaced(worded[language], values)

        return _one_message(message)

    return Asking(sampling, script, questions=questions)


def _one_message(message: Callable[[Task], str]) -> Script:
    return Script(
        asked=lambda _task: (None,),
        before=lambda _task, _requirement: (),
        messages=lambda task, _requirement, _answers: [user(message(task))],
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

    def script(prompts: Json, setting: str, history: str) -> Script:
        wording, shown = wording_of(prompts), History(history)
        return Script(
            asked=lambda task: static.asked_in(task, setting),
            before=lambda task, requirement: static.asked_before(task, setting, requirement),
            messages=lambda task, requirement, answers: static.messages(
                task, setting, wording, requirement, answers, shown
            ),
        )

    def talks(prompts: Json) -> Talks:
        wording = wording_of(prompts).dynamic

        def say(task: Task, cue: Cue) -> str:
            cue = cue._replace(error=told(cue.error))
            return replay.said(cue, replay.texts_of(task), wording)

        return Talks(accumulating, say, test_set_of, limits)

    return Asking(sampling, script, talks, questions=questions)
