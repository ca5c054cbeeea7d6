"""The formats of prediction records, and how to recognise a file's format."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import Any, TypeAlias

from evaluation.engine.errors import UploadError
from evaluation.engine.records import Problem
from evaluation.engine.texts import Message, Text
from evaluation.engine.uploads import texts
from evaluation.engine.uploads.decode import NAME, TASK_KEY, Rejected, decode, printable
from evaluation.engine.uploads.layout import Layout, raw_records
from evaluation.engine.uploads.source import Bounds, Source, in_words

Record: TypeAlias = dict[str, Any]

_IDS = ("task_id", TASK_KEY, "namespace")
_PLAIN_FIELDS = ("task_id", TASK_KEY, "outputs", "completion", "code")
_ANSWERS = {"outputs", "completion"}
_LOOKED_AT = 100
_KEYS_SHOWN = 8
# Names that other tools give to a field.
_ID_NAMES = "id task question problem index idx instance"
_TEXT_NAMES = (
    "answer response prediction generation generated output solution reply completion text "
    "content result pred resp program code candidate sample choice body function"
)
_SYNONYMS = {
    **dict.fromkeys(("task_id", "meta.id"), _ID_NAMES),
    **dict.fromkeys(("completion", "outputs"), _TEXT_NAMES),
    "messages": "conversation dialogue dialog chat turn history",
}
_LIKENESS = 0.75
_BETWEEN_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])|[\W_]+")


# An unchecked record: the requirement; the texts; whether they are all of the file's texts for
# their slot (otherwise further records may add samples); and a hint, which may name the requirement
# if that is None. A plain tuple, because creating a named tuple takes as long as parsing a short
# record.
Fields: TypeAlias = tuple[object, Sequence[Any], bool, object]


@dataclass(frozen=True, slots=True)
class Format:
    """How the records of one format are read. Each function raises Rejected. `entry` reads the rest
    after `task_id`; `words` is the format's name, `repeated` advice for a second record for the
    same slot."""

    name: str
    words: Text
    task_id: Callable[[Record], object]
    entry: Callable[[Record], Fields]
    repeated: Text = texts.ADVICE_ONE_LIST


def recognise(
    source: Source, layout: Layout, bounds: Bounds, *, transcripts: bool = False
) -> Format:
    """The format of the first record with a known one. Raises UploadError."""
    if layout is Layout.DOCUMENT:
        if transcripts:
            raise UploadError([Problem(texts.TRANSCRIPTS_WANTED(), member=source.member)])
        return MERA
    unknown = sentence = texts.UNKNOWN_FORMAT()
    long, line, undecided = None, 0, True
    for line, raw in islice(raw_records(source, layout, bounds), _LOOKED_AT):
        if raw is None:
            size = in_words(bounds.record_bytes)
            long = long or Problem(texts.RECORD_LONG(size=size), line, member=source.member)
            continue
        try:
            record, _ = decode(raw)
            if not isinstance(record, dict):
                raise Rejected(texts.RECORD_NO_OBJECT(kind=described(record)))
        except Rejected as rejection:
            if undecided:
                fault, undecided = rejection.sentence, False
                unknown = texts.UNKNOWN_FORMAT_AT(sentence=sentence, line=line, fault=fault)
            continue
        if transcripts and "messages" in record:
            return TRANSCRIPTS
        is_harness = "doc" in record and ("resps" in record or "filtered_resps" in record)
        if not is_harness and _is_transcript(record):
            raise UploadError([Problem(texts.TRANSCRIPT_HERE(), line, member=source.member)])
        if record and undecided:
            undecided = isinstance(record.get(NAME), dict)  # it may be a header
            unknown = with_keys(sentence, record, "task_id", "completion")
        if is_harness or any(name in record for name in _PLAIN_FIELDS):
            if transcripts:
                raise UploadError([Problem(texts.TRANSCRIPTS_WANTED(), line, member=source.member)])
            return HARNESS if is_harness else PLAIN
    unknown = unknown if line else texts.NO_GENERATIONS()
    raise UploadError([long or Problem(unknown, member=source.member)])


def _is_transcript(record: Record) -> bool:
    """Ignores `code`, which may be the dataset's reference copied from its line."""
    return "messages" in record and not _ANSWERS & record.keys()


def with_keys(sentence: Message, record: Record, *missing: str) -> Message:
    """Adds the record's keys, and those that are probably meant for the missing fields."""
    names = islice((name for name in record if name != TASK_KEY), _LOOKED_AT)
    keys = {key: printable(key, 40).replace("`", "'") for key in names}
    shown = ", ".join(f"`{key}`" for key in islice(keys.values(), _KEYS_SHOWN))
    sentence = texts.KEYS(sentence=sentence, keys=shown) if keys else sentence
    for field in missing:
        if field in record or (field == "task_id" and not record.keys().isdisjoint(_IDS)):
            continue
        words = {
            key: [word.removesuffix("s") for word in _BETWEEN_WORDS.sub(" ", key).lower().split()]
            for key in keys
            if field == "messages" or not _has_objects(record[key])
        }
        by_case = {key.lower(): key for key in words}
        meant = [by_case[key] for key in get_close_matches(field, by_case, 1, _LIKENESS)]
        synonyms = _SYNONYMS.get(field, "").split()
        meant += [key for name in synonyms for key in words if name in words[key]]
        if not meant:
            break  # renaming another one would not help
        several = field == "completion" and isinstance(record[meant[0]], list)
        name = "outputs" if several else field
        sentence = texts.KEY_MEANT(sentence=sentence, key=keys[meant[0]], name=name)
    return sentence


def _without_id(holder: Record, field: str) -> Rejected:
    """Names the keys of `meta` as well, where other tools put an id."""
    meta, prefix = holder.get("meta"), field.rpartition("meta.")[0]
    inner = {f"meta.{key}": value for key, value in meta.items()} if isinstance(meta, dict) else {}
    record = {prefix + key: value for key, value in (holder | inner).items()}
    return Rejected(with_keys(texts.NO_ID(field=field), record, field))


def _has_objects(value: object) -> bool:
    """Such a value is neither a generation nor an id: for example the `choices` of a server."""
    return isinstance(value[0] if isinstance(value, list) and value else value, dict)


def _plain_id(record: Record) -> object:
    for name in _IDS:
        if name in record:
            return record[name]
    raise _without_id(record, "task_id")


def _plain_entry(record: Record) -> Fields:
    requirement, hint = record.get("requirement"), record.get("type")
    if "completion" in record:
        if "outputs" in record:
            raise Rejected(texts.OUTPUTS_AND_COMPLETION())
        return requirement, _one_text("completion", record["completion"]), False, hint
    if "outputs" in record:
        return requirement, _outputs(record["outputs"]), True, hint
    if _is_transcript(record):
        raise Rejected(texts.TRANSCRIPT_HERE())
    if "code" in record:
        return requirement, _one_text("code", record["code"]), False, hint
    raise Rejected(with_keys(texts.NO_GENERATION(), record, "completion"))


def _one_text(name: str, value: object) -> Sequence[Any]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list):
        raise Rejected(texts.FIELD_LIST(field=name))
    raise Rejected(texts.FIELD_NO_STRING(field=name, kind=described(value)))


def _outputs(value: object) -> Sequence[Any]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        raise Rejected(texts.FIELD_NO_STRINGS(field="outputs", kind=described(value)))
    if len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    if not value:
        raise Rejected(texts.FIELD_EMPTY(field="outputs"))
    return value


def _meta_id(holder: Record, where: str) -> object:
    meta = holder.get("meta")
    if isinstance(meta, dict) and "id" in meta:
        return meta["id"]
    raise _without_id(holder, where)


def _mera_entry(record: Record) -> Fields:
    requirement = record.get("requirement")
    if requirement is None:
        requirement = record["meta"].get("requirement")
    if "outputs" not in record:
        raise Rejected(with_keys(texts.NO_OUTPUTS(), record, "outputs"))
    return requirement, _outputs(record["outputs"]), True, None


def _harness_id(record: Record) -> object:
    if not isinstance(record.get("doc"), dict):
        raise Rejected(texts.NO_DOC())
    return _meta_id(record["doc"], "doc.meta.id")


def _harness_entry(record: Record) -> Fields:
    resps = record.get("resps")
    if resps is None:
        raise Rejected(texts.NO_RESPS())
    if not isinstance(resps, list) or not all(isinstance(part, list) for part in resps):
        raise Rejected(texts.RESPS_NO_LISTS())
    outputs = [text for part in resps for text in part]
    if not outputs:
        raise Rejected(texts.FIELD_EMPTY(field="resps"))
    return record["doc"]["meta"].get("requirement"), outputs, True, None


def _transcript_entry(record: Record) -> Fields:
    if "messages" not in record:
        raise Rejected(with_keys(texts.NO_MESSAGES(), record, "messages"))
    return None, (record["messages"],), True, None


def described(value: object) -> str:
    return "null" if value is None else _KINDS[type(value)]()


_KINDS = {
    bool: texts.KIND_BOOLEAN,
    int: texts.KIND_NUMBER,
    float: texts.KIND_NUMBER,
    str: texts.KIND_STRING,
    list: texts.KIND_LIST,
    dict: texts.KIND_OBJECT,
}


MERA = Format("mera", texts.FORM_MERA, lambda record: _meta_id(record, "meta.id"), _mera_entry)
HARNESS = Format(
    "harness", texts.FORM_HARNESS, _harness_id, _harness_entry, repeated=texts.ADVICE_ONE_FILTER
)
PLAIN = Format("records", texts.FORM_RECORDS, _plain_id, _plain_entry)
TRANSCRIPTS = Format(
    "transcripts",
    texts.FORM_TRANSCRIPTS,
    _plain_id,
    _transcript_entry,
    repeated=texts.ADVICE_ONE_CONVERSATION,
)
FILE = Format("files", texts.FORM_FILES, _plain_id, _plain_entry)
