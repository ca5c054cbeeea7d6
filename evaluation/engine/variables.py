"""Reads environment variables; no other module reads ASSAY_ ones. A blank one is not set."""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from evaluation.engine.errors import EngineError, SettingError

T = TypeVar("T")
Number = TypeVar("Number", int, float)

_SWITCH = {"1": True, "true": True, "yes": True, "on": True} | {
    "0": False, "false": False, "no": False, "off": False
}  # fmt: skip
_NUMBERS = {int: re.compile(r"[0-9]+"), float: re.compile(r"[0-9]+(\.[0-9]+)?")}
_SHOWN_CHARS = 100


class Variables:
    """Every method except `text`, `path` and `chosen` raises SettingError."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._values = os.environ if values is None else values

    def text(self, name: str, default: str = "") -> str:
        """Returns the value unchanged, blanks included."""
        value = self._values.get(name, "")
        return value if value.strip() else default

    def path(self, name: str) -> Path | None:
        value = self.text(name)
        return Path(value) if value else None

    def switch(self, name: str, *, default: bool) -> bool:
        return self.one_of(name, _SWITCH, default)

    def one_of(self, name: str, choices: Mapping[str, T], default: T) -> T:
        """Ignores case."""
        allowed = f"one of {', '.join(choices)}"
        return self.parsed(name, lambda word: choices[word.lower()], default, allowed)

    def whole(
        self, name: str, default: int, unit: str = "", *, least: int = 0, most: int | None = None
    ) -> int:
        noun = f"a whole number of {unit}" if unit else "a whole number"
        return self._within(name, default, noun, least, most)

    def number(
        self, name: str, default: float, unit: str, *, least: float, most: float | None = None
    ) -> float:
        return self._within(name, float(default), f"a number of {unit}", least, most)

    def _within(
        self, name: str, default: Number, noun: str, least: float, most: float | None
    ) -> Number:
        kind = type(default)

        def parse(text: str) -> Number:
            # int() and float() also take signs, underscores, "nan" and other scripts' digits.
            if not _NUMBERS[kind].fullmatch(text):
                raise ValueError
            number = kind(text)
            if number < least or (most is not None and number > most):
                raise ValueError
            return number

        bounds = f"at least {least}" if most is None else f"from {least} to {most}"
        return self.parsed(name, parse, default, f"{noun}, {bounds}")

    def parsed(
        self,
        name: str,
        parse: Callable[[str], T],
        default: T,
        allowed: str,
        *,
        secret: bool = False,
    ) -> T:
        """`parse` raises ValueError, KeyError or EngineError for a wrong value. `allowed` completes
        the sentence "it must be". The error does not show a secret."""
        value = self.text(name).strip()
        if not value:
            return default
        try:
            return parse(value)
        except (ValueError, KeyError, EngineError):
            sentence = f"{name} is {_shown(value, secret)}: it must be {allowed}."
            raise SettingError(sentence) from None

    def each(
        self,
        name: str,
        parse: Callable[[str], T],
        allowed: str,
        *,
        default: Iterable[str] = (),
        separator: str | None = ",",
        secret: bool = False,
    ) -> list[T]:
        """Parses each non-blank part, like `parsed`. A separator of None means white space.
        `allowed` completes the sentence "each part must be"."""
        parts = [part.strip() for part in self.text(name).split(separator) if part.strip()]
        values = []
        for part in parts or default:
            try:
                values.append(parse(part))
            except (ValueError, KeyError, EngineError):
                sentence = f"{name} has {_shown(part, secret)}: each part must be {allowed}."
                raise SettingError(sentence) from None
        return values

    def chosen(self, wanted: Callable[[str], bool]) -> dict[str, str]:
        return {name: value for name, value in self._values.items() if wanted(name)}


def matching(pattern: str) -> Callable[[str], str]:
    """Returns a parser for `parsed` and `each` that accepts text if all of it matches."""
    compiled = re.compile(pattern)

    def parse(text: str) -> str:
        if not compiled.fullmatch(text):
            raise ValueError
        return text

    return parse


def _shown(value: str, secret: bool) -> str:
    if secret:
        return "a value that is not shown here"
    short = value if len(value) <= _SHOWN_CHARS else f"{value[:_SHOWN_CHARS]}..."
    return repr(short)
