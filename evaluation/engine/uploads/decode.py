"""Decodes one record's raw bytes to a JSON value, or reports why that fails; and the optional first
record of a predictions file, the submitter's unverified statement."""

import json
from collections.abc import Mapping
from typing import Any

import orjson

from evaluation.engine.records import Json
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
NAME = "generation"
MOST_BYTES = 64 * 1024
# Has the key of a record in an object that is keyed by task. No known tool writes such a field.
TASK_KEY = "\0task"
# Every record of predictions has at least one of these.
OF_PREDICTIONS = frozenset(
    {"task_id", TASK_KEY, "namespace", "doc", "outputs", "completion", "messages"}
)


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
    """Whether UTF-8 can hold the text: it has no half of a surrogate pair."""
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


def header_of(raw: bytes | None) -> Mapping[str, Json] | None:
    """Returns None if the first record is missing or holds predictions. Raises Rejected if the
    header cannot be stored."""
    if raw is None or f'"{NAME}"'.encode() not in raw:
        return None
    try:
        record, exact = decode(raw)
    except Rejected:
        return None
    if not isinstance(record, dict) or NAME not in record or OF_PREDICTIONS & record.keys():
        return None
    said = record[NAME]
    if not isinstance(said, dict) or len(raw) > MOST_BYTES or not (exact or _is_clean(said)):
        raise Rejected(texts.HEADER_UNFIT(name=NAME))
    return said


def _is_clean(value: Any) -> bool:
    """Whether JSON and databases accept the value: no lone surrogates, NaN or infinities."""
    if isinstance(value, dict):
        return all(_is_clean(name) and _is_clean(item) for name, item in value.items())
    if isinstance(value, list):
        return all(map(_is_clean, value))
    if isinstance(value, float):
        return value - value == 0
    return is_clean(value) if isinstance(value, str) else True
