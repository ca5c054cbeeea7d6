"""A task's public inputs for display. Takes only the public part: hidden content cannot leak."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from evaluation.engine import instructions
from leaderboard.text import showable

_LABELS: Mapping[str, str | Promise] = {
    "instruction": _("Instruction"),
    "function": _("Given function"),
    "prompt": _("Prompt"),
    "raw_nl": _("The original task description"),
    "context": _("Context"),
    "signature": _("Signature"),
    "entry_point": _("Function"),
    "requirements": _("Further instructions"),
    "turns": _("Order of turns"),
    "test_count": _("Hidden tests"),
    "left_context": _("Preceding code"),
    "intra_context": _("Code of the same file"),
    "cross_context": _("Code of other files"),
    "intent_type": _("Kind"),
    "repository": _("Repository"),
    "commit": _("Commit"),
    "path": _("File"),
    "image": _("Image"),
    "build_command": _("Build command"),
    "test_command": _("Test command"),
}
# Texts with such a line are shown as code. Prose that quotes code is too, which does no harm.
_CODE = re.compile(r"(?m)^\s*(def |class |import |from [\w.]+ import |@\w|public |private )")


# A placeholder in an instruction, which another input fills.
_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Field:
    """A public input. `kind`: fact (short), text, code, texts (by name) or list."""

    label: str | Promise
    kind: str
    value: Any


CATEGORIES: Mapping[str, str | Promise] = {
    "function": pgettext_lazy("category of tasks", "function"),
    "Input-Output Conditions": _("Input-Output Conditions"),
    "Exception Handling": _("Exception Handling"),
    "Edge Case Handling": _("Edge Case Handling"),
    "Functionality Extension": _("Functionality Extension"),
    "Annotation Coverage": _("Annotation Coverage"),
    "Code Complexity": _("Code Complexity"),
    "Code Standard": _("Code Standard"),
    "Context Usage Verification": _("Context Usage Verification"),
    "Context Usage Correctness Verification": _("Context Usage Correctness Verification"),
}
LEVELS: Mapping[str, str | Promise] = {
    "easy": pgettext_lazy("level of tasks", "easy"),
    "medium": pgettext_lazy("level of tasks", "medium"),
    "hard": pgettext_lazy("level of tasks", "hard"),
}


def category_words(category: str) -> str:
    return str(CATEGORIES.get(category, category))


def instruction_words(name: str | None) -> str:
    """An instruction of a conversation; None is Base."""
    return gettext("Base") if name is None else category_words(name)


def tests_words(test_set: str) -> str:
    """The name of a set of tests; "" for the set that setting and slot imply."""
    return instruction_words(instructions.name_of(test_set)) if test_set else ""


def level_words(level: str) -> str:
    words = str(LEVELS.get(level.lower(), level))
    return capfirst(words) if level[:1].isupper() else words


def fields_in(public: Mapping[str, Any]) -> list[Field]:
    """The public inputs in the dataset's order, without empty ones."""
    shown = _showable(public)

    def filled(place: re.Match[str]) -> str:
        has_title = place[1] in shown and place[1] in _LABELS
        return f"[{_LABELS[place[1]]}]" if has_title else place[0]

    if isinstance(text := shown.get("instruction"), str):
        shown["instruction"] = _PLACE.sub(filled, text)
    return [
        Field(_LABELS.get(name) or name.replace("_", " ").capitalize(), _kind(value), value)
        for name, value in shown.items()
        if value not in (None, "", [], {})
    ]


def _showable(value: Any) -> Any:
    if isinstance(value, str):
        return showable(value)
    if isinstance(value, Mapping):
        return {showable(name): _showable(part) for name, part in value.items()}
    return [_showable(part) for part in value] if isinstance(value, list) else value


def _kind(value: Any) -> str:
    if isinstance(value, Mapping):
        return "texts"
    if isinstance(value, list):
        return "list"
    if not isinstance(value, str):
        return "fact"
    if _CODE.search(value):
        return "code"
    return "fact" if value.isidentifier() else "text"
