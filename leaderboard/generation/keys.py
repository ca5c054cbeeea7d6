"""Endpoints' keys, encrypted for one run each. Only the worker that asks the endpoint reads one."""

from __future__ import annotations

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

_PURPOSE = "assay: keys of models' endpoints"


class Unreadable(Exception):
    """No secret of the installation decrypts it for this run."""


def seal(*, run: int, key: str) -> str:
    return box(_PURPOSE).encrypt(f"{run} {key}".encode()).decode("ascii")


def unseal(*, run: int, sealed: str) -> str:
    """Raises Unreadable, also for the key of another run."""
    try:
        number, _blank, key = box(_PURPOSE).decrypt(sealed.encode()).decode().partition(" ")
    except InvalidToken:
        raise Unreadable from None
    if number != str(run):
        raise Unreadable
    return key


def box(purpose: str) -> MultiFernet:
    """Encrypts with the installation's secrets, for this purpose only."""
    boxes = []
    for secret in settings.KEY_SECRETS or [settings.SECRET_KEY]:
        # Derived, so that nothing is encrypted with what signs sessions.
        derive = HKDF(SHA256(), length=32, salt=None, info=purpose.encode())
        boxes.append(Fernet(base64.urlsafe_b64encode(derive.derive(secret.encode()))))
    return MultiFernet(boxes)
