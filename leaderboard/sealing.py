"""Encryption with the installation's secrets."""

import base64

from cryptography.fernet import Fernet, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


def box(purpose: str) -> MultiFernet:
    """Its keys are derived for this purpose only: nothing is encrypted with what signs sessions.
    The first encrypts. The last reads what was encrypted before KEY_SECRETS was set."""
    boxes = []
    for secret in (*settings.KEY_SECRETS, settings.SECRET_KEY):
        derive = HKDF(SHA256(), length=32, salt=None, info=purpose.encode())
        boxes.append(Fernet(base64.urlsafe_b64encode(derive.derive(secret.encode()))))
    return MultiFernet(boxes)
