"""The optional first record of a predictions file: the submitter's unverified statement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluation.engine.records import Json
from evaluation.engine.uploads import texts
from evaluation.engine.uploads.decode import Rejected, decode, is_clean

NAME = "generation"
MOST_BYTES = 64 * 1024
# Every record of predictions has at least one of these.
OF_PREDICTIONS = frozenset({"task_id", "namespace", "doc", "outputs", "completion", "messages"})


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
        return all(_is_clean(name) and _is_clean(one) for name, one in value.items())
    if isinstance(value, list):
        return all(map(_is_clean, value))
    if isinstance(value, float):
        return value - value == 0
    return is_clean(value) if isinstance(value, str) else True
