"""The client finds what differs in a receipt, and names it. Nothing here is made by the site's
code."""

import base64
import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from assay_client import command
from assay_client.errors import Refused
from assay_client.receipts import checked
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from securesystemslib.dsse import Envelope
from securesystemslib.signer import CryptoSigner

ROWS = [
    {"requirement": None, "sample": 0, "task_id": 2, "text": "два\n", "turn": None},
    {"requirement": None, "sample": 0, "task_id": 10, "text": "ten", "turn": None},
    {"requirement": "x", "sample": 0, "task_id": "a", "text": "", "turn": 1},
]


def lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(
        json.dumps(row, sort_keys=True, separators=(",", ":")) + "\n" for row in rows
    ).encode()


class Made(NamedTuple):
    receipt: Path
    keys: Path
    verdicts: Path
    upload: Path
    generations: Path

    @property
    def digest(self) -> str:
        payload = json.loads(self.receipt.read_text())["payload"]
        return hashlib.sha256(base64.b64decode(payload)).hexdigest()

    def words(self) -> list[str]:
        files = ("keys", "verdicts", "generations")
        return [
            "verify", str(self.receipt), "--offline",
            *(f"--{name}={getattr(self, name)}" for name in files),
        ]  # fmt: skip


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """A receipt signed by securesystemslib, and its files."""
    paths = Made(*(tmp_path / name for name in Made._fields))
    paths.verdicts.write_bytes(b'{"task_id":2}\n')
    paths.upload.write_bytes(b"as it was sent")
    paths.generations.write_bytes(lines(ROWS))
    digests = {
        name: {"sha256": hashlib.sha256(getattr(paths, name).read_bytes()).hexdigest()}
        for name in ("upload", "generations", "verdicts")
    }
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "predicateType": "urn:assay:receipt:v1",
        "subject": [{"name": n, "digest": digests[n]} for n in ("upload", "generations")],
        "predicate": {
            "entrant": "larch", "benchmark": "rucodeeval", "setting": "base",
            "revision": {"label": "1.0"}, "verdicts": digests["verdicts"],
            "scores": [
                {"metric": "pass@1", "slice": "overall", "value": 0.5, "low": 0.4, "high": 0.6,
                 "n": 3, "top": None},
                {"metric": "correctness", "slice": "overall", "value": 0.9, "low": 0.8,
                 "high": None, "n": 3, "top": 4},
            ],
        },
    }  # fmt: skip
    signer = CryptoSigner(Ed25519PrivateKey.generate())
    payload = json.dumps(statement).encode()
    envelope = Envelope(payload, "application/vnd.in-toto+json", {})
    envelope.sign(signer)
    paths.receipt.write_text(json.dumps(envelope.to_dict()))
    key = {"keyid": signer.public_key.keyid, **signer.public_key.to_dict()}
    paths.keys.write_text(json.dumps({"keys": [key]}))
    return paths


def test_a_genuine_receipt_is_accepted_offline(
    made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(made.words()) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("larch on rucodeeval 1.0, base: genuine")
    assert [line.split() for line in shown[2:]] == [
        ["pass@1", "0.5", "0.4", "0.6", "3"],
        ["correctness", "3.7", "3.4", "-", "3"],
    ]
    assert command.main(["verify", str(made.receipt), "--offline"]) == command.REFUSED


@pytest.mark.parametrize("name", ["generations", "upload"])
def test_the_uploaded_file_or_its_generations_in_any_order_are_recognised(
    made: Made, name: str
) -> None:
    made.generations.write_bytes(lines(ROWS[::-1]))
    keys = made.keys.read_bytes()
    checked(made.receipt, keys, generations=getattr(made, name))


@pytest.mark.parametrize("part", ["payload", "sig", "keyid"])
def test_each_flipped_character_of_the_receipt_is_named(made: Made, part: str) -> None:
    """In base64 the last characters may change without a change of the bytes."""
    content = json.loads(made.receipt.read_text())
    keys, digest = made.keys.read_bytes(), made.digest
    place = content if part == "payload" else content["signatures"][0]
    text = place[part]
    named = {"payload": "payload", "sig": "signature", "keyid": "keyid"}[part]
    for position in {*range(0, len(text), 41), *range(len(text) - 4, len(text))}:
        for bit in (1, 2, 4):
            changed = text[:position] + chr(ord(text[position]) ^ bit) + text[position + 1 :]
            place[part] = changed
            made.receipt.write_text(json.dumps(content))
            with pytest.raises(Refused, match=f"^{named}: "):
                checked(made.receipt, keys, known=digest.__eq__)


def test_a_changed_type_is_named(made: Made) -> None:
    content = json.loads(made.receipt.read_text()) | {"payloadType": "application/json"}
    made.receipt.write_text(json.dumps(content))
    with pytest.raises(Refused, match="^payloadType: "):
        checked(made.receipt, made.keys.read_bytes())


@pytest.mark.parametrize("name", ["verdicts", "generations"])
def test_a_flipped_byte_of_a_file_is_named(
    made: Made, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path: Path = getattr(made, name)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert command.main(made.words()) == command.REFUSED
    assert capsys.readouterr().err.startswith(f"{name}: the file is")


def test_a_signature_by_another_key_is_refused(made: Made) -> None:
    content = json.loads(made.receipt.read_text())
    other = base64.b64encode(Ed25519PrivateKey.generate().sign(b"x")).decode()
    content["signatures"][0]["sig"] = other
    made.receipt.write_text(json.dumps(content))
    with pytest.raises(Refused, match="^payload or signature: "):
        checked(made.receipt, made.keys.read_bytes())
