"""The shapes that a record of predictions may have, and how a file's shape is recognised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from evaluation.engine.errors import UploadError
from evaluation.engine.records import Problem
from evaluation.engine.uploads.bounds import Bounds
from evaluation.engine.uploads.decode import Rejected, decode
from evaluation.engine.uploads.layout import Layout, raw_records
from evaluation.engine.uploads.source import Source

Record: TypeAlias = dict[str, Any]

_LOOKED_AT = 100


@dataclass(frozen=True, slots=True)
class Format:
    """How the records of one format are read; each function raises Rejected.

    task_id, requirement: the value as it stands in the record, of any type.
    texts: the generations, and whether they are all that the file says for their
        slot (else further records may add samples).
    hint: a field that names the requirement where `requirement` is absent and the
        field's value is one; "" for none.
    repeated: what to do about a second record for a slot.
    """

    name: str
    words: str
    task_id: Callable[[Record], object]
    requirement: Callable[[Record], object]
    texts: Callable[[Record], tuple[Sequence[object], bool]]
    hint: str = ""
    repeated: str = "Put all generations of a task into one list."


def recognise(source: Source, layout: Layout, bounds: Bounds) -> Format:
    """The format of the first record that has a known one. Raises UploadError."""
    if layout is Layout.DOCUMENT:
        return MERA
    first_reason = ""
    for line, raw in islice(raw_records(source, layout, bounds), _LOOKED_AT):
        try:
            record, _ = decode(raw or b"null")
        except Rejected as rejection:
            first_reason = first_reason or f" Line {line}: {rejection.sentence}"
            continue
        if shape := _shape(record):
            return shape
        if _is_transcript(record):
            raise UploadError([Problem(_TRANSCRIPT, line, member=source.member)])
    raise UploadError([Problem(_UNKNOWN + first_reason, member=source.member)])


def _shape(record: object) -> Format | None:
    if not isinstance(record, dict):
        return None
    if "doc" in record and ("resps" in record or "filtered_resps" in record):
        return HARNESS
    if _is_transcript(record) or not any(name in record for name in _PLAIN_FIELDS):
        return None
    return PLAIN


def _is_transcript(record: object) -> bool:
    """Even with `code` in it, which may be the dataset's reference, left from its line."""
    return isinstance(record, dict) and "messages" in record and not _ANSWERS & record.keys()


def _plain_id(record: Record) -> object:
    for name in ("task_id", "namespace"):
        if name in record:
            return record[name]
    raise Rejected("The record has no `task_id`. Add the id of the task it answers.")


def _plain_texts(record: Record) -> tuple[Sequence[object], bool]:
    if "outputs" in record and "completion" in record:
        raise Rejected("The record has both `outputs` and `completion`. Leave one of them.")
    if "outputs" in record:
        return _outputs(record["outputs"]), True
    if _is_transcript(record):
        raise Rejected(_TRANSCRIPT)
    for name in ("completion", "code"):
        if name in record:
            return [_one_text(name, record[name])], False
    raise Rejected(
        "The record has no generation. Put one under `completion`, or several under `outputs`."
    )


def _one_text(name: str, value: object) -> object:
    if isinstance(value, list):
        raise Rejected(f"`{name}` is a list. Put several generations under `outputs`.")
    if not isinstance(value, str):
        raise Rejected(f"`{name}` is {described(value)} where it should be a string.")
    return value


def _outputs(value: object) -> Sequence[object]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        raise Rejected(
            f"`outputs` is {described(value)} where it should be a string or a list of strings."
        )
    if len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    if not value:
        raise Rejected("`outputs` is empty. Add a generation, or leave the task out.")
    return value


def _meta_id(holder: Record, where: str) -> object:
    meta = holder.get("meta")
    if isinstance(meta, dict) and "id" in meta:
        return meta["id"]
    raise Rejected(f"The record has no `{where}`. Add the id of the task it answers.")


def _mera_requirement(record: Record) -> object:
    beside = record.get("requirement")
    return record["meta"].get("requirement") if beside is None else beside


def _mera_texts(record: Record) -> tuple[Sequence[object], bool]:
    if "outputs" not in record:
        raise Rejected("The record has no `outputs`. Add the generations, or leave the task out.")
    return _outputs(record["outputs"]), True


def _harness_id(record: Record) -> object:
    doc = record.get("doc")
    if not isinstance(doc, dict):
        raise Rejected("The record has no `doc`, so it is no line of a harness log.")
    return _meta_id(doc, "doc.meta.id")


def _harness_requirement(record: Record) -> object:
    return record["doc"]["meta"].get("requirement")


def _harness_texts(record: Record) -> tuple[Sequence[object], bool]:
    resps = record.get("resps")
    if resps is None:
        raise Rejected(
            "The record has no `resps`. `filtered_resps` is never taken, since it may hold "
            "results instead of code: log the samples with their raw responses."
        )
    if not isinstance(resps, list) or not all(isinstance(one, list) for one in resps):
        raise Rejected("`resps` should be a list of lists of strings, as the harness logs it.")
    texts = [text for one in resps for text in one]
    if not texts:
        raise Rejected("`resps` is empty. Add a generation, or leave the task out.")
    return texts, True


def described(value: object) -> str:
    """The JSON type of a value with its article."""
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string"}
    names |= {list: "a list", dict: "an object", type(None): "null"}
    return names[type(value)]


MERA = Format(
    "mera",
    "a MERA submission, taken from `data.test`",
    lambda record: _meta_id(record, "meta.id"),
    _mera_requirement,
    _mera_texts,
)
HARNESS = Format(
    "harness",
    "a sample log of lm-evaluation-harness, taken from `resps`",
    _harness_id,
    _harness_requirement,
    _harness_texts,
    repeated="Keep one line per document; where the log has several filters, the lines of one.",
)
PLAIN = Format(
    "records",
    "records with a task_id and `outputs`, `completion` or `code`",
    _plain_id,
    lambda record: record.get("requirement"),
    _plain_texts,
    hint="type",
)

_PLAIN_FIELDS = ("task_id", "outputs", "completion", "code")
_ANSWERS = {"outputs", "completion"}
_TRANSCRIPT = (
    "This is a transcript of conversations (`messages`). Transcripts belong to a dynamic "
    "setting: choose that setting, or upload the generations as `completion` or `outputs`."
)
_UNKNOWN = (
    "This is none of the known formats: a MERA submission (data.test with `outputs` and "
    "`meta.id`), a sample log of lm-evaluation-harness (`doc` and `resps`), or records with "
    "`task_id` and `outputs`, `completion` or `code`, each on a line of its own or in one "
    "JSON array."
)
