"""Receipts of an Assay site, checked without the site: in-toto statements in DSSE envelopes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import FormatError, VerificationError
from securesystemslib.signer import SSlibKey

from assay_client.errors import Refused

Json = dict[str, Any]
_TYPES = ("https://in-toto.io/Statement/v1", "urn:assay:receipt:v1")
_PAYLOAD = "application/vnd.in-toto+json"
_FIELDS = ("requirement", "sample", "task_id", "text", "turn")


def content_of(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}.") from error


def keys_in(path: str | Path) -> list[Json]:
    """The keys of a stored /.well-known/assay-keys.json."""
    try:
        keys: list[Json] = json.loads(content_of(path))["keys"]
    except (ValueError, KeyError, TypeError) as error:
        raise Refused(f"{path} is no file of a site's keys.") from error
    return keys


def checked(
    receipt: str | Path,
    keys: Sequence[Json],
    *,
    generations: str | Path | None = None,
    verdicts: str | Path | None = None,
) -> tuple[Json, str]:
    """The statement of a receipt that one of the keys signed and that is of these files, and its
    SHA-256. Raises Refused, which names the part that differs."""
    try:
        content = json.loads(content_of(receipt))
        envelope = Envelope.from_dict(deepcopy(content))
        written = envelope.to_dict()
        (signature,) = content["signatures"]
    except (ValueError, KeyError, TypeError, AttributeError, FormatError) as error:
        raise Refused(f"{receipt}: this is no signed receipt ({error}).") from error
    # Base64 has several texts for the same bytes.
    if written["payload"] != content["payload"]:
        raise Refused("payload: it was changed.")
    if written["signatures"][0]["sig"] != signature["sig"]:
        raise Refused("signature: it was changed.")
    if envelope.payload_type != _PAYLOAD:
        raise Refused(f"payloadType: it has to be {_PAYLOAD}.")
    keyid = signature["keyid"]
    public = [SSlibKey.from_dict(keyid, deepcopy(key)) for key in keys if key["keyid"] == keyid]
    if not public:
        raise Refused(f"keyid: the site has no key {keyid}.")
    try:
        envelope.verify(public, 1)
    except VerificationError as error:
        raise Refused("payload or signature: one does not fit the other.") from error
    statement: Json = json.loads(envelope.payload)
    if (statement.get("_type"), statement.get("predicateType")) != _TYPES:
        raise Refused("payload: this is no statement on a result.")
    digests = {one["name"]: one["digest"]["sha256"] for one in statement["subject"]}
    if generations is not None:
        data = content_of(generations)
        if sha256(data).hexdigest() != digests.get("upload"):
            _require_generations(data, digests["generations"])
    signed_file = statement["predicate"]["verdicts"]["sha256"]
    if verdicts is not None and sha256(content_of(verdicts)).hexdigest() != signed_file:
        raise Refused("verdicts: the file is not the one that the receipt names.")
    return statement, sha256(envelope.payload).hexdigest()


def _require_generations(data: bytes, digest: str) -> None:
    """Raises Refused unless the data is lines of generations with this digest, in any order."""
    try:
        rows = [{name: row[name] for name in _FIELDS} for row in map(json.loads, data.splitlines())]
        rows.sort(key=_order)
    except (ValueError, KeyError, TypeError):
        rows = []
    lines = (json.dumps(row, sort_keys=True, separators=(",", ":")) for row in rows)
    if sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest() != digest:
        raise Refused("generations: the file is neither the uploaded one nor its generations.")


def _order(row: Json) -> Any:
    task, turn = row["task_id"], -1 if row["turn"] is None else row["turn"]
    return isinstance(task, str), task, row["sample"], row["requirement"] or "", turn
