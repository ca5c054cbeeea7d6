"""The keys of receipts: the private one in a file of this host, the public ones in the database."""

import base64
import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from leaderboard.scores.models import ReceiptKey

_TYPE = "application/vnd.in-toto+json"
_WRONG = (
    "{} does not hold the site's key of receipts. Copy it from the host or the backup that has it. "
    "If nobody has it, run on a host whose workers score: manage.py rotate_receipt_key --lost"
)


class WrongKey(Exception):
    """This host lacks the key that signs the site's receipts; the text says what to do."""


def signed(payload: bytes) -> dict[str, Any]:
    """The DSSE envelope of an in-toto statement. Makes and publishes a key if the site has none.
    Raises WrongKey, OSError, ValueError."""
    path: Path = settings.RECEIPT_KEY
    present = ReceiptKey.objects.filter(until=None)
    if not (path.exists() or present.exists()):
        with contextlib.suppress(FileExistsError):  # another process was faster
            _write_key(Ed25519PrivateKey.generate(), path)
    for row in present[:1]:
        with contextlib.suppress(FileNotFoundError):  # it is there only just after a rotation
            path.with_name(f"{path.name}.{row.keyid}").replace(path)
    if not path.exists():
        raise WrongKey(_WRONG.format(path))
    private = form.load_pem_private_key(path.read_bytes(), None)
    if not isinstance(private, Ed25519PrivateKey):
        raise ValueError(f"{path} holds no Ed25519 key.")
    key = _public_part(private)
    if not present.exists():
        ReceiptKey.objects.get_or_create(keyid=key.keyid, defaults={"public": key.public})
    # The older one, if two hosts have made one at once.
    if [key.keyid] != [row.keyid for row in present[:1]]:
        raise WrongKey(_WRONG.format(path))
    text = b"DSSEv1 %d %b %d %b" % (len(_TYPE), _TYPE.encode(), len(payload), payload)
    signature = {"keyid": key.keyid, "sig": base64.b64encode(private.sign(text)).decode()}
    encoded = base64.b64encode(payload).decode()
    return {"payload": encoded, "payloadType": _TYPE, "signatures": [signature]}


def rotate_key(*, lost: bool = False) -> None:
    """Replaces the private key. The old one stays public. Raises WrongKey on a host without it,
    where a new one may not belong, unless it is `lost`."""
    if not ReceiptKey.objects.exists():
        raise WrongKey("The site has no key of receipts yet: a worker makes it when it scores.")
    if not lost:
        signed(b"")
    private, path = Ed25519PrivateKey.generate(), settings.RECEIPT_KEY
    key = _public_part(private)
    # Beside the old one, which signs until the commit.
    _write_key(private, path.with_name(f"{path.name}.{key.keyid}"))
    with transaction.atomic():
        ReceiptKey.objects.filter(until=None).update(until=Now())
        key.save()
    signed(b"")  # moves the file; if this process dies before, the next receipt does


def _public_part(private: Ed25519PrivateKey) -> ReceiptKey:
    key = ReceiptKey(public=private.public_key().public_bytes_raw().hex())
    # As securesystemslib computes it.
    canonical = json.dumps(key.described, sort_keys=True).replace(" ", "")
    key.keyid = hashlib.sha256(canonical.encode()).hexdigest()
    return key


def _write_key(private: Ed25519PrivateKey, path: Path) -> None:
    pem = private.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        draft.touch(mode=0o600)
        with draft.open("wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
