"""The keys of receipts: the private one in a file of this host, the public ones in the database."""

from __future__ import annotations

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

Move = Callable[[Path, Path], object]


class RetiredKey(Exception):
    """The file holds a key that was rotated out; the text says what to do."""


def signing_key() -> tuple[str, Ed25519PrivateKey]:
    """The key's id and private part. Makes a key if there is none, and publishes a key that is not
    public yet, which ends the others. Raises RetiredKey, OSError, ValueError."""
    path = Path(settings.RECEIPT_KEY)
    if not path.exists():
        with contextlib.suppress(FileExistsError):  # another process was faster
            _write_new_key(path, os.link)
    private = form.load_pem_private_key(path.read_bytes(), None)
    if not isinstance(private, Ed25519PrivateKey):
        raise ValueError(f"{path} holds no Ed25519 key.")
    raw = private.public_key().public_bytes(form.Encoding.Raw, form.PublicFormat.Raw)
    described = published_form(raw.hex())
    # As securesystemslib computes it.
    canonical = json.dumps(described, sort_keys=True, separators=(",", ":"))
    keyid = hashlib.sha256(canonical.encode()).hexdigest()
    with transaction.atomic():
        row, is_new = ReceiptKey.objects.get_or_create(keyid=keyid, defaults={"public": raw.hex()})
        if is_new:
            ReceiptKey.objects.filter(until=None).exclude(pk=row.pk).update(until=Now())
    if row.until is not None:
        raise RetiredKey(
            f"{path} holds a key of receipts that was replaced. Copy the present key from the host "
            "that has it, or run: manage.py rotate_receipt_key"
        )
    return keyid, private


def rotate_key() -> str:
    """Replaces the private key. Returns the new key's id; the old one stays public."""
    _write_new_key(Path(settings.RECEIPT_KEY), os.replace)
    keyid, _private = signing_key()
    return keyid


def published_form(public: str) -> dict[str, Any]:
    """A key as securesystemslib reads it."""
    return {"keytype": "ed25519", "scheme": "ed25519", "keyval": {"public": public}}


def _write_new_key(path: Path, move: Move) -> None:
    pem = Ed25519PrivateKey.generate().private_bytes(
        form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()
    )
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(pem)
            os.fsync(file.fileno())
        move(draft, path)
    finally:
        draft.unlink(missing_ok=True)
