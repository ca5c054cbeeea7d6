"""Receipts of an Assay site, checked without the site: in-toto statements in DSSE envelopes."""

import base64
import json
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import FormatError, VerificationError
from securesystemslib.signer import SSlibKey  # type: ignore[attr-defined]  # has no __all__

from assay_client.errors import Refused

Json = dict[str, Any]
_PAYLOAD_TYPE = "application/vnd.in-toto+json"
_TYPES = ("https://in-toto.io/Statement/v1", "urn:assay:receipt:v1")
_FIELDS = ("requirement", "sample", "task_id", "text", "turn")


def content_of(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}.") from error


def checked(
    receipt: str | Path,
    keys: bytes,
    *,
    generations: str | Path | None = None,
    verdicts: str | Path | None = None,
    known: Callable[[str], bool] | None = None,
) -> tuple[Json, str]:
    """The statement of a receipt that is signed and of these files, and its SHA-256. `keys` is the
    content of the site's assay-keys.json; `known` asks the site whether it has made a statement.
    Raises Refused, which names the part that differs."""
    try:
        content = json.loads(content_of(receipt))
        (signature,) = content["signatures"]
        payload = _decoded("payload", content["payload"])
        _decoded("signature", signature["sig"])
        envelope = Envelope.from_dict(deepcopy(content))
        keyid = signature["keyid"]
        public: list[Any] = [
            SSlibKey.from_dict(keyid, key)
            for key in json.loads(keys)["keys"]
            if key.pop("keyid") == keyid
        ]
    except (ValueError, KeyError, TypeError, AttributeError, FormatError) as error:
        raise Refused(f"This is no signed receipt, or these are no keys ({error}).") from error
    if envelope.payload_type != _PAYLOAD_TYPE:
        raise Refused(f"payloadType: a receipt has {_PAYLOAD_TYPE}.")
    if not public:
        raise Refused(f"keyid: the site has no key {keyid}.")
    digest = sha256(payload).hexdigest()
    try:
        envelope.verify(public, 1)
    except VerificationError as error:
        if known is None:
            raise Refused("payload or signature: they do not fit together.") from error
        if known(digest):
            raise Refused("signature: it is not the site's.") from error
        raise Refused("payload: the site has made no such statement.") from error
    statement: Json = json.loads(payload)
    if (statement.get("_type"), statement.get("predicateType")) != _TYPES:
        raise Refused("payload: this is no statement on a result.")
    digests = {subject["name"]: subject["digest"]["sha256"] for subject in statement["subject"]}
    if generations is not None:
        data = content_of(generations)
        if not {sha256(data).hexdigest(), _generations_sha256(data)} & {*digests.values()}:
            raise Refused("generations: the file is neither the uploaded one nor its generations.")
    signed_file = statement["predicate"]["verdicts"]["sha256"]
    if verdicts is not None and sha256(content_of(verdicts)).hexdigest() != signed_file:
        raise Refused("verdicts: the file is not the one that the receipt names.")
    return statement, digest


def _decoded(name: str, text: str) -> bytes:
    """Base64 has several texts for the same bytes; a site writes one of them."""
    with suppress(ValueError):
        content = base64.b64decode(text, validate=True)
        if base64.b64encode(content).decode() == text:
            return content
    raise Refused(f"{name}: it is not base64 as a site writes it.")


def _generations_sha256(data: bytes) -> str | None:
    """The digest of lines of generations in any order; None for another file."""

    def order(row: Json) -> Any:
        task, turn = row["task_id"], -1 if row["turn"] is None else row["turn"]
        return isinstance(task, str), task, row["sample"], row["requirement"] or "", turn

    try:
        rows = [{name: row[name] for name in _FIELDS} for row in map(json.loads, data.splitlines())]
        rows.sort(key=order)
    except (ValueError, KeyError, TypeError):
        return None
    lines = (json.dumps(row, sort_keys=True, separators=(",", ":")) for row in rows)
    return sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
