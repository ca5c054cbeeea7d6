"""The keys of receipts: the private one in a file of this host, the public ones in the database."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from leaderboard.scores.models import ReceiptKey

_TYPE = "application/vnd.in-toto+json"


class RetiredKey(Exception):
    """The file holds a key that was rotated out; the text says what to do."""


def signed(payload: bytes) -> dict[str, Any]:
    """The DSSE envelope of an in-toto statement. Makes a key if there is none, and publishes a key
    that is not public yet, which ends the others. Raises RetiredKey, OSError, ValueError."""
    path: Path = settings.RECEIPT_KEY
    if not path.exists():
        with contextlib.suppress(FileExistsError):  # another process was faster
            _write_key(path, os.link)
    private = form.load_pem_private_key(path.read_bytes(), None)
    if not isinstance(private, Ed25519PrivateKey):
        raise ValueError(f"{path} holds no Ed25519 key.")
    public = private.public_key().public_bytes(form.Encoding.Raw, form.PublicFormat.Raw).hex()
    # As securesystemslib computes it.
    canonical = json.dumps(ReceiptKey(public=public).described, sort_keys=True)
    keyid = hashlib.sha256(canonical.replace(" ", "").encode()).hexdigest()
    with transaction.atomic():
        row, is_new = ReceiptKey.objects.get_or_create(keyid=keyid, defaults={"public": public})
        if is_new:
            ReceiptKey.objects.filter(until=None).exclude(pk=row.pk).update(until=Now())
    if row.until is not None:
        raise RetiredKey(
            f"{path} holds a key of receipts that was replaced. Copy the present key from the host "
            "that has it, or run: manage.py rotate_receipt_key"
        )
    text = b"DSSEv1 %d %b %d %b" % (len(_TYPE), _TYPE.encode(), len(payload), payload)
    signature = {"keyid": keyid, "sig": base64.b64encode(private.sign(text)).decode()}
    encoded = base64.b64encode(payload).decode()
    return {"payload": encoded, "payloadType": _TYPE, "signatures": [signature]}


def rotate_key() -> None:
    """Replaces the private key. The old one stays public."""
    _write_key(settings.RECEIPT_KEY, os.replace)
    signed(b"")


def _write_key(path: Path, move: Callable[[Path, Path], object]) -> None:
    pem = Ed25519PrivateKey.generate().private_bytes(
        form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()
    )
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        draft.touch(mode=0o600)
        draft.write_bytes(pem)
        move(draft, path)
    finally:
        draft.unlink(missing_ok=True)
