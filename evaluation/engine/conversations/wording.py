"""The texts of conversations about code: our own, or those of an operator's prompts file. A
placeholder `{name}` is replaced by a text of the task, verbatim.

A prompts file is a JSON object with one or more of the objects of `Prompts`, each with all its
templates."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from string import Formatter
from typing import Any, TypeAlias, TypeVar

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.records import Json

# {"role": "user" or "assistant", "content": the text}, the format of chat endpoints.
Message: TypeAlias = dict[str, str]
# `formatted` or `replaced`, depending on the benchmark's own scripts.
Fill: TypeAlias = Callable[[str, Mapping[str, str]], str]
_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class FunctionTexts:
    base: str = "Write a Python function for this task, in one code block:\n{prompt}"
    requirement: str = "The function has to meet this requirement as well: {requirement}"


@dataclass(frozen=True, slots=True)
class RepositoryTexts:
    """`l1` shows nothing of the project, `l2` the function's file, `l3` other files too."""

    l1: str = (
        "Write the Python function '{name}', in one code block.\nWhat it does: {Functionality}\n"
        "Its parameters and result: {Arguments}"
    )
    l2: str = l1 + "\n\nThe reference context that it belongs to:\n{context}"
    l3: str = (
        l1 + "\n\nThe reference context that it belongs to, its own file first:\n{intra_context}\n"
        "\nWhat it may need from other files:\n{cross_context}"
    )
    requirement: str = "The function has to meet this requirement as well: {requirement}"


@dataclass(frozen=True, slots=True)
class DynamicTexts:
    """By the rules, the prompt and the instructions are sent without additions. `feedback_error`
    follows `feedback` if there is an error."""

    first: str = "{prompt}"
    instruction: str = "{requirement}"
    feedback: str = "Your code does not do what was asked for here:\n{instruction}\n"
    feedback_error: str = "\nIts tests ended with this error:\n```\n{error}\n```\n"

    def feedback_on(self, instruction: str, error: str) -> str:
        text = replaced(self.feedback, {"instruction": instruction})
        if not error.strip():
            return text
        return text + replaced(self.feedback_error, {"error": error.strip()})


@dataclass(frozen=True, slots=True)
class Prompts:
    function: FunctionTexts = FunctionTexts()
    repository: RepositoryTexts = RepositoryTexts()
    dynamic: DynamicTexts = DynamicTexts()


OURS = Prompts()

# A template needs the placeholders of ours, except this one: without the others it would ask for
# nothing.
_OPTIONAL = {"Arguments"}
_Texts = TypeVar("_Texts", FunctionTexts, RepositoryTexts, DynamicTexts)


def load_prompts(path: Path) -> Json:
    """Returns the JSON value of a prompts file, unchecked but never None. Raises BenchmarkError."""
    try:
        prompts: Json = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        prompts = None
    if prompts is None:
        raise BenchmarkError(f"{path.name} is not a JSON file of prompts.")
    return prompts


def wording_of(prompts: Json) -> Prompts:
    """Returns the wording of a prompts file's value, with ours for omitted objects; ours for None.
    Raises BenchmarkError."""
    if prompts is None:
        return OURS
    try:
        if not isinstance(prompts, dict):
            raise ValueError("a prompts file must hold a JSON object")
        names = [field.name for field in fields(Prompts)]
        if not set(prompts) & set(names):
            raise ValueError(f"a prompts file must have at least one of {', '.join(names)}")
        return Prompts(
            _worded(prompts, "function", OURS.function),
            _worded(prompts, "repository", OURS.repository),
            _worded(prompts, "dynamic", OURS.dynamic),
        )
    except ValueError as error:
        raise BenchmarkError(f"The prompts file is invalid: {error}.") from error


def _worded(prompts: Mapping[str, Any], name: str, ours: _Texts) -> _Texts:
    if name not in prompts:
        return ours
    if not isinstance(prompts[name], dict):
        raise ValueError(f"{name} must hold a JSON object")
    templates = {}
    for key, template in asdict(ours).items():
        text = prompts[name].get(key)
        if not isinstance(text, str):
            raise ValueError(f"{name}.{key} is missing or no text")
        if missing := sorted(places(template) - _OPTIONAL - places(text)):
            raise ValueError(f"{name}.{key} has no place {{{missing[0]}}}")
        # Feedback must differ from its instruction, and the error in it from the words around it.
        if key == "feedback" and text.strip() == "{instruction}":
            raise ValueError(f"{name}.{key} says nothing but the instruction")
        if key == "feedback_error" and text.count("{error}") != 1:
            raise ValueError(f"{name}.{key} has the place {{error}} more than once")
        templates[key] = text
    return replace(ours, **templates)


def replaced(template: str, values: Mapping[str, str]) -> str:
    """Keeps other braces and placeholders without a value."""
    return _PLACE.sub(lambda place: values.get(place[1], place[0]), template)


def formatted(template: str, values: Mapping[str, str]) -> str:
    """Fills placeholders like Python's `str.format`: `{{` is a brace. Raises BenchmarkError if the
    template is invalid or names a placeholder without a value."""
    try:
        parts = list(Formatter().parse(template))
    except ValueError as error:
        raise BenchmarkError(f"The instruction cannot be filled in: {error}.") from error
    for _, name, form, conversion in parts:
        if name is not None and (name not in values or form or conversion):
            raise BenchmarkError(f"The instruction has a place {{{name}}} that nothing can fill.")
    return "".join(text + (values[name] if name is not None else "") for text, name, *_ in parts)


def places(template: str) -> set[str]:
    return set(_PLACE.findall(template))


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def assistant(text: str) -> Message:
    return {"role": "assistant", "content": text}
