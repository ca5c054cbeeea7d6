"""Decodes one record's raw bytes to a JSON value, or reports why that fails."""

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
    """A record cannot be used. The sentence is for its submitter."""

    def __init__(self, sentence: Message) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def decode(raw: bytes) -> tuple[Any, bool]:
    """Returns the value, and whether its numbers are exact and its strings clean. The fast parser
    guarantees clean strings but turns integers beyond 64 bits into floats and rejects NaN and lone
    surrogates, which the slow parser reads. Raises Rejected."""
    try:
        return orjson.loads(raw), True
    except orjson.JSONDecodeError:
        return decode_slowly(raw), False


def decode_slowly(raw: bytes) -> Any:
    """Also reads NaN, numbers of any size and lone surrogates. Raises Rejected."""
    try:
        return json.loads(
            decode_text(raw),
            parse_int=lambda digits: int(digits) if len(digits) <= _INT_DIGITS else float("inf"),
        )
    except RecursionError:
        raise Rejected(texts.TOO_DEEP()) from None
    except json.JSONDecodeError as error:
        # Some of json's messages end in "at", which the sentence repeats.
        fault = error.msg.removesuffix(" at")
        text = _JSON_FAULTS.get(fault)
        sentence = texts.NOT_JSON(fault=text() if text else fault, position=error.pos + 1)
        raise Rejected(sentence) from None


def decode_text(raw: bytes) -> str:
    """Raises Rejected if the bytes are not UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = f"0x{raw[error.start]:02x}"
        raise Rejected(texts.NOT_UTF8(byte=byte, position=error.start + 1)) from None


def is_clean(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def written_out(text: str) -> str:
    """Replaces lone surrogates, which no file or message can hold, by Python escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


def printable(value: object, width: int = 80) -> str:
    """Returns a value from a file, shortened and escaped for any page, log or database."""
    text = value if isinstance(value, str) else repr(value)
    text = text if len(text) <= width else text[: width - 3] + "..."
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
