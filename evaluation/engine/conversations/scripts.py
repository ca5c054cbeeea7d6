"""The ways in which benchmarks ask models, for families to declare, and the messages of
conversations with a fixed course (docs/specification/conversations.md).

Knows no family: a task with a public `requirement` belongs to a project, others are functions."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from evaluation.engine import instructions
from evaluation.engine.conversations import replay
from evaluation.engine.conversations.wording import (
    Fill,
    Message,
    Prompts,
    assistant,
    places,
    replaced,
    user,
    wording_of,
)
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import Asking, Cue, Sampling, Script, Talks
from evaluation.engine.records import Json, Limits, Task

_CONTEXTS = {"L-1": (), "L-2": ("context",), "L-3": ("intra_context", "cross_context")}
# A Single-Round prompt has its requirement in front of this text.
_CONTEXT_BEGINS = "The reference context"


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
            asked=lambda task: asked_in(task, setting),
            before=lambda task, requirement: asked_before(task, setting, requirement),
            messages=lambda task, requirement, answers: messages(
                task, setting, wording, requirement, answers, shown
            ),
        )

    def talks(prompts: Json) -> Talks:
        wording = wording_of(prompts).dynamic

        def say(task: Task, cue: Cue) -> str:
            cue = cue._replace(error=told(cue.error))
            return replay.said(cue, replay.texts_of(task), wording)

        return Talks(instructions.accumulating, say, instructions.test_set_of, limits)

    return Asking(sampling, script, talks, questions=questions)


class History(StrEnum):
    """The earlier turns that a Multi-Turn conversation shows: all, or only the last answer."""

    LAST = "last"
    FULL = "full"


def messages(
    task: Task,
    setting: str,
    prompts: Prompts,
    requirement: str | None = None,
    answers: Sequence[str] = (),
    history: History = History.LAST,
) -> list[Message]:
    """Returns the messages that ask for the Base completion or for one requirement. `answers` are
    the model's earlier answers, verbatim, to all of asked_before(). Raises ValueError if their
    number is wrong or the setting does not ask for the requirement, and BenchmarkError if the task
    lacks a field that its prompt shows."""
    earlier = asked_before(task, setting, requirement)
    if len(answers) != len(earlier):
        raise ValueError(f"{len(answers)} answers before {requirement} of {setting}")
    if requirement is None:
        return [user(base_text(task, prompts))]
    if setting == instructions.SINGLE_ROUND and "requirement" not in task.public:
        return [user(f"{base_text(task, prompts)}. {_asked(task, prompts, requirement)}")]
    if setting == instructions.SINGLE_ROUND:
        # Search the template only, because a task's own text may contain the same words.
        before, begins, after = _project_template(task, prompts).partition(_CONTEXT_BEGINS)
        head, values = before.rstrip(), _project_values(task)
        context = before[len(head) :] + replaced(begins + after, values)
        prompt = _asked(task, prompts, requirement)
        return [user(f"{replaced(head, values)} {prompt}{context}")]
    if setting == instructions.TWO_ROUND or history is History.FULL:
        said = []
        for name, answer in zip(earlier, answers, strict=True):
            prompt = base_text(task, prompts) if name is None else _asked(task, prompts, name)
            said += [user(prompt), assistant(answer)]
        return [*said, user(_asked(task, prompts, requirement))]
    # Show the last answer as a reply to the base prompt with all requirements so far.
    so_far = "".join(task.public["requirements"][name] for name in earlier[1:])
    prompt = base_text(task, prompts) + (_sentence(task, prompts, so_far) if earlier[1:] else "")
    return [user(prompt), assistant(answers[-1]), user(_asked(task, prompts, requirement))]


def asked_in(task: Task, setting: str) -> tuple[str | None, ...]:
    """Returns the requirements that a setting asks for, in order; None is Base. Raises ValueError
    for an unknown setting."""
    if setting == instructions.BASE:
        return (None,)
    if setting in (instructions.SINGLE_ROUND, instructions.TWO_ROUND):
        return tuple(task.public["requirements"])
    if setting != instructions.MULTI_TURN:
        raise ValueError(f"{setting} is no setting whose course is fixed")
    return tuple(task.public["turns"])


def asked_before(task: Task, setting: str, requirement: str | None) -> tuple[str | None, ...]:
    """Returns the requirements to be answered before this one; None is Base. Raises ValueError for
    an unknown setting, or if it does not ask for the requirement."""
    requirements = asked_in(task, setting)
    if requirement is None:
        return ()
    if requirement not in requirements:
        raise ValueError(f"{requirement} is not asked for in {setting}")
    if setting == instructions.MULTI_TURN:
        return (None, *requirements[: requirements.index(requirement)])
    return (None,) if setting == instructions.TWO_ROUND else ()


def base_text(task: Task, prompts: Prompts) -> str:
    if "requirement" in task.public:
        return replaced(_project_template(task, prompts), _project_values(task))
    return replaced(prompts.function.base, {"prompt": task.public["prompt"]})


def _project_template(task: Task, prompts: Prompts) -> str:
    texts = prompts.repository
    return {"L-1": texts.l1, "L-2": texts.l2, "L-3": texts.l3}[task.level or "L-1"]


def _project_values(task: Task) -> dict[str, str]:
    wanted = task.public["requirement"]
    values = {
        "name": str(task.id).rpartition(".")[2],
        "Functionality": str(wanted.get("Functionality", "")),
        "Arguments": str(wanted.get("Arguments", "")),
    }
    for name in _CONTEXTS[task.level or "L-1"]:
        if name not in task.public:
            raise BenchmarkError(f"Task {task.id} lacks its {name}, which its prompt shows.")
        # Lists of other files keep the format of the published prompts: str() of the list.
        values[name] = str(task.public[name])
    return values


def _sentence(task: Task, prompts: Prompts, requirement: str) -> str:
    texts = prompts.repository if "requirement" in task.public else prompts.function
    return replaced(texts.requirement, {"requirement": requirement})


def _asked(task: Task, prompts: Prompts, requirement: str) -> str:
    return _sentence(task, prompts, task.public["requirements"][requirement])
