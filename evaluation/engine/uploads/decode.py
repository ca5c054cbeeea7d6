"""From the raw bytes of one record to its JSON value, or a sentence that says why not."""

from __future__ import annotations

import json
from typing import Any

import orjson

from evaluation.engine.texts import Message
from evaluation.engine.uploads import texts

_INT_DIGITS = 4000  # Python itself refuses to read longer ones
_JSON_FAULTS = {
    text.template: text
    for text in (
        texts.JSON_VALUE,
        texts.JSON_COMMA,
        texts.JSON_COLON,
        texts.JSON_PROPERTY,
        texts.JSON_EXTRA,
        texts.JSON_CONTROL,
        texts.JSON_STRING,
    )
}


class Rejected(Exception):
    """A record cannot be used; the sentence is for who supplied it."""

    def __init__(self, sentence: Message) -> None:
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
        raise Rejected(texts.TOO_DEEP()) from None
    except json.JSONDecodeError as error:
        # Some of json's messages end in the word that follows here.
        fault = error.msg.removesuffix(" at")
        known = _JSON_FAULTS.get(fault)
        raise Rejected(
            texts.NOT_JSON(fault=known() if known else fault, position=error.pos + 1)
        ) from None


def decode_text(raw: bytes) -> str:
    """Raises Rejected where it is not UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = f"0x{raw[error.start]:02x}"
        raise Rejected(texts.NOT_UTF8(byte=byte, position=error.start + 1)) from None


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
