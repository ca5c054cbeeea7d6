"""Sentences for users, each with a code and parameters, so that a site can translate them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self, TypeAlias

from evaluation.engine.records import Json

# A parameter that is a Message is translated too.
Params: TypeAlias = Mapping[str, str | int]


def gettext_noop(template: str) -> str:
    """Marks a template for scripts/translations.py."""
    return template


@dataclass(frozen=True, slots=True)
class Text:
    """A sentence with placeholders. `template` is the msgid of its translations: import the class
    as `_`, which scripts/translations.py looks for. `code` is stored: the template may be reworded,
    but its code keeps its meaning."""

    template: str
    code: str = ""

    def __call__(self, **params: str | int) -> "Message":
        return Message(self, params)


def named_texts(area: str, constants: Mapping[str, object]) -> dict[str, Text]:
    """Gives each text among a module's constants its code, the area and the constant's name, and
    returns the texts by code."""
    texts = {f"{area}.{n.lower()}": text for n, text in constants.items() if type(text) is Text}
    for code, text in texts.items():
        assert text.code in ("", code), f"{code} is also {text.code}"
        object.__setattr__(text, "code", code)
    return texts


class Message(str):
    """An English sentence that keeps its template and parameters. Joining or formatting it gives a
    plain string: pass it to another Text as a parameter instead."""

    __slots__ = ("params", "text")

    text: Text
    params: Params

    def __new__(cls, text: Text, params: Params) -> Self:
        made = super().__new__(cls, text.template % params)
        made.text, made.params = text, dict(params)
        return made

    def __reduce__(self) -> tuple[type[Self], tuple[Text, Params]]:
        return type(self), (self.text, self.params)


def said_by(error: BaseException) -> str:
    return next((part for part in error.args if isinstance(part, Message)), str(error))


def stored(message: Message) -> Json:
    params = {
        name: stored(value) if isinstance(value, Message) else value
        for name, value in message.params.items()
    }
    return {"code": message.text.code, "params": params}


def restored(said: Json, texts: Mapping[str, Text]) -> Message | None:
    """Returns None if the stored message's code or parameters are unknown."""
    if not isinstance(said, dict) or not isinstance(params := said.get("params"), dict):
        return None
    text = texts.get(str(said.get("code")))
    values: dict[str, str | int] = {}
    for name, value in params.items():
        part = restored(value, texts) if isinstance(value, dict) else value
        if not isinstance(part, str | int):
            return None
        values[name] = part
    try:
        return None if text is None else text(**values)
    except (KeyError, ValueError):  # stored before the template's placeholders changed
        return None
