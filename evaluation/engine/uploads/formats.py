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


# What a record says, not yet checked against the benchmark: the requirement; the texts;
# whether these are all that the file has for their slot (else further records may add
# samples); and a hint, which names the requirement where there is none and the hint is one.
# A bare tuple, as a named one takes as long to make as a short record to parse.
Entry: TypeAlias = tuple[object, Sequence[Any], bool, object]


@dataclass(frozen=True, slots=True)
class Format:
    """How the records of one format are read; each function raises Rejected.

    task_id: the value as it stands in the record, of any type.
    entry: the rest; called after task_id has succeeded.
    repeated: what to do about a second record for a slot.
    """

    name: str
    words: str
    task_id: Callable[[Record], object]
    entry: Callable[[Record], Entry]
    repeated: str = "Put all generations of a task into one list."


def recognise(
    source: Source, layout: Layout, bounds: Bounds, *, transcripts: bool = False
) -> Format:
    """The format of the first record that has a known one. With `transcripts` that is the only
    one that will do. Raises UploadError."""
    if layout is Layout.DOCUMENT:
        if transcripts:
            raise UploadError([Problem(_NO_TRANSCRIPT, member=source.member)])
        return MERA
    first_reason = ""
    for line, raw in islice(raw_records(source, layout, bounds), _LOOKED_AT):
        try:
            record, _ = decode(raw or b"null")
        except Rejected as rejection:
            first_reason = first_reason or f" Line {line}: {rejection.sentence}"
            continue
        if transcripts and isinstance(record, dict) and "messages" in record:
            return TRANSCRIPTS
        shape = _shape(record)
        if shape and transcripts:
            raise UploadError([Problem(_NO_TRANSCRIPT, line, member=source.member)])
        if shape:
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
    if "task_id" in record:
        return record["task_id"]
    if "namespace" in record:
        return record["namespace"]
    raise Rejected("The record has no `task_id`. Add the id of the task it answers.")


def _plain_entry(record: Record) -> Entry:
    requirement, hint = record.get("requirement"), record.get("type")
    if "completion" in record:
        if "outputs" in record:
            raise Rejected("The record has both `outputs` and `completion`. Leave one of them.")
        return requirement, _one_text("completion", record["completion"]), False, hint
    if "outputs" in record:
        return requirement, _outputs(record["outputs"]), True, hint
    if _is_transcript(record):
        raise Rejected(_TRANSCRIPT)
    if "code" in record:
        return requirement, _one_text("code", record["code"]), False, hint
    raise Rejected(
        "The record has no generation. Put one under `completion`, or several under `outputs`."
    )


def _transcript_entry(record: Record) -> Entry:
    """The messages as they stand, whatever they are."""
    if "messages" not in record:
        raise Rejected(
            "The record has no `messages`. Add the conversation about the task, or leave the task "
            "out."
        )
    return None, (record["messages"],), True, None


def _one_text(name: str, value: object) -> Sequence[Any]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list):
        raise Rejected(f"`{name}` is a list. Put several generations under `outputs`.")
    raise Rejected(f"`{name}` is {described(value)} where it should be a string.")


def _outputs(value: object) -> Sequence[Any]:
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


def _mera_entry(record: Record) -> Entry:
    requirement = record.get("requirement")
    if requirement is None:
        requirement = record["meta"].get("requirement")
    if "outputs" not in record:
        raise Rejected("The record has no `outputs`. Add the generations, or leave the task out.")
    return requirement, _outputs(record["outputs"]), True, None


def _harness_id(record: Record) -> object:
    doc = record.get("doc")
    if not isinstance(doc, dict):
        raise Rejected("The record has no `doc`, so it is no line of a harness log.")
    return _meta_id(doc, "doc.meta.id")


def _harness_entry(record: Record) -> Entry:
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
    return record["doc"]["meta"].get("requirement"), texts, True, None


def described(value: object) -> str:
    """The JSON type of a value with its article."""
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string"}
    names |= {list: "a list", dict: "an object", type(None): "null"}
    return names[type(value)]


def fault(text: object, limit: int) -> str:
    """What is wrong with a text, as a sentence goes on that names it."""
    if not isinstance(text, str):
        return f"is {described(text)} where it should be a string."
    if len(text) > limit:
        return f"is longer than {limit:,} characters."
    return "holds half of a surrogate pair, which is no character. Remove or replace it."


MERA = Format(
    "mera",
    "a MERA submission, taken from `data.test`",
    lambda record: _meta_id(record, "meta.id"),
    _mera_entry,
)
HARNESS = Format(
    "harness",
    "a sample log of lm-evaluation-harness, taken from `resps`",
    _harness_id,
    _harness_entry,
    repeated="Keep one line per document; where the log has several filters, the lines of one.",
)
PLAIN = Format(
    "records",
    "records with a task_id and `outputs`, `completion` or `code`",
    _plain_id,
    _plain_entry,
)

TRANSCRIPTS = Format(
    "transcripts",
    "transcripts of conversations, a task_id and `messages` for each",
    _plain_id,
    _transcript_entry,
    repeated="A conversation is held once for each task.",
)

FILE = Format("files", "a file for each prediction", _plain_id, _plain_entry)

_PLAIN_FIELDS = ("task_id", "outputs", "completion", "code")
_ANSWERS = {"outputs", "completion"}
_TRANSCRIPT = (
    "This is a transcript of conversations (`messages`). Transcripts belong to a dynamic "
    "setting: choose that setting, or upload the generations as `completion` or `outputs`."
)
_NO_TRANSCRIPT = (
    "This setting takes transcripts of conversations: records with a `task_id` and `messages`, "
    "each on a line of its own or in one JSON array. Upload these as the run wrote them, or "
    "choose the setting that the file was made for."
)
_UNKNOWN = (
    "This is none of the known formats: a MERA submission (data.test with `outputs` and "
    "`meta.id`), a sample log of lm-evaluation-harness (`doc` and `resps`), or records with "
    "`task_id` and `outputs`, `completion` or `code`, each on a line of its own or in one "
    "JSON array."
)
