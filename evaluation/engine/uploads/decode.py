"""From the raw bytes of one record to its JSON value, or a sentence that says why not."""

from __future__ import annotations

import json
from typing import Any

import orjson

_INT_DIGITS = 4000  # Python itself refuses to read longer ones


class Rejected(Exception):
    """A record cannot be used; the sentence is for who supplied it."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def decode(raw: bytes) -> tuple[Any, bool]:
    """The value, and whether it is exact and clean.

    The quick parser guarantees clean strings, but turns integers beyond 64 bits into
    floats and refuses NaN and lone surrogates; what it refuses is read slowly, and
    the caller looks at the fields that matter. Raises Rejected.
    """
    try:
        return orjson.loads(raw), True
    except orjson.JSONDecodeError:
        return decode_slowly(raw), False


def decode_slowly(raw: bytes) -> Any:
    """Reads NaN, numbers of any size and lone surrogates too. Raises Rejected."""
    try:
        return json.loads(decode_text(raw), parse_int=_integer)
    except RecursionError:
        raise Rejected("This is nested too deeply to be a record of predictions.") from None
    except json.JSONDecodeError as error:
        # Some of json's messages end in the word that follows here.
        fault = error.msg.removesuffix(" at")
        raise Rejected(
            f"This is not valid JSON: {fault} at character {error.pos + 1} of the record. "
            "Write the file with a JSON library."
        ) from None


def decode_text(raw: bytes) -> str:
    """Raises Rejected where it is not UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = raw[error.start]
        raise Rejected(
            f"This is not valid UTF-8: byte 0x{byte:02x} at position {error.start + 1} of the "
            "record. Save the file as UTF-8."
        ) from None


def is_clean(text: str) -> bool:
    """Whether the text has no lone surrogate, so that it can be stored and written out."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def written_out(text: str) -> str:
    """The text, clean: each half of a surrogate pair, which neither a file nor a message can
    hold, as Python's texts have it."""
    return text.encode("utf-8", "backslashreplace").decode()


def printable(value: object, width: int = 80) -> str:
    """A value from a file in a form that any page, log or database takes."""
    text = value if isinstance(value, str) else repr(value)
    text = text if len(text) <= width else text[: width - 3] + "..."
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _INT_DIGITS else float("inf")
