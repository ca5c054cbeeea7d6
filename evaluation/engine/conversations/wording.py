"""The texts of conversations about code: our own, or those of an operator's prompts file.

A prompts file is a JSON object with one or more objects of `_PLACES`, each with all templates.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from evaluation.engine.conversations.filling import places, replaced
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.records import Json


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
        told = replaced(self.feedback, {"instruction": instruction})
        if not error.strip():
            return told
        return told + replaced(self.feedback_error, {"error": error.strip()})


@dataclass(frozen=True, slots=True)
class Prompts:
    function: FunctionTexts = field(default_factory=FunctionTexts)
    repository: RepositoryTexts = field(default_factory=RepositoryTexts)
    dynamic: DynamicTexts = field(default_factory=DynamicTexts)


OURS = Prompts()

# Required placeholders: without them a template would ask for nothing.
_PLACES: Mapping[str, Mapping[str, frozenset[str]]] = {
    "function": {"base": frozenset({"prompt"}), "requirement": frozenset({"requirement"})},
    "repository": {
        "l1": frozenset({"name", "Functionality"}),
        "l2": frozenset({"name", "Functionality", "context"}),
        "l3": frozenset({"name", "Functionality", "intra_context", "cross_context"}),
        "requirement": frozenset({"requirement"}),
    },
    "dynamic": {
        "first": frozenset({"prompt"}),
        "instruction": frozenset({"requirement"}),
        "feedback": frozenset({"instruction"}),
        "feedback_error": frozenset({"error"}),
    },
}

_Texts = TypeVar("_Texts", FunctionTexts, RepositoryTexts, DynamicTexts)


def load_prompts(path: Path) -> Json:
    """Returns the JSON value of a prompts file, unchecked but never None. Raises BenchmarkError."""
    try:
        found: Json = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        found = None
    if found is None:
        raise BenchmarkError(f"{path.name} is not a JSON file of prompts.")
    return found


def wording_of(prompts: Json) -> Prompts:
    """Returns the wording of a prompts file's value; ours for None. Raises BenchmarkError."""
    if prompts is None:
        return OURS
    try:
        return prompts_of(prompts)
    except ValueError as error:
        raise BenchmarkError(f"The prompts file is invalid: {error}.") from error


def prompts_of(found: Any) -> Prompts:
    """Returns a prompts file's wording, with ours for omitted objects. Raises ValueError."""
    if not isinstance(found, dict):
        raise ValueError("a prompts file must hold a JSON object")
    if not set(found) & set(_PLACES):
        raise ValueError(f"a prompts file must have at least one of {', '.join(_PLACES)}")
    return Prompts(
        _section(found, "function", FunctionTexts),
        _section(found, "repository", RepositoryTexts),
        _section(found, "dynamic", DynamicTexts),
    )


def _section(found: Mapping[str, Any], name: str, kind: type[_Texts]) -> _Texts:
    if name not in found:
        return kind()
    section = found[name]
    if not isinstance(section, dict):
        raise ValueError(f"{name} must hold a JSON object")
    texts = {key.name: _template(section, name, key.name) for key in fields(kind)}
    return kind(**texts)


def _template(section: Mapping[str, Any], name: str, key: str) -> str:
    text = section.get(key)
    if not isinstance(text, str):
        raise ValueError(f"{name}.{key} is missing or no text")
    missing = sorted(_PLACES[name][key] - places(text))
    if missing:
        raise ValueError(f"{name}.{key} has no place {{{missing[0]}}}")
    # Feedback must differ from its instruction, and the error in it from the words around it.
    if key == "feedback" and text.strip() == "{instruction}":
        raise ValueError(f"{name}.{key} says nothing but the instruction")
    if key == "feedback_error" and text.count("{error}") != 1:
        raise ValueError(f"{name}.{key} has the place {{error}} more than once")
    return text
