"""Converts PEM certificates to a JKS truststore, because Java reads no PEM.

keytool would take half a second for each of about 140 certificates. The layout is that of OpenJDK's
sun.security.provider.JavaKeyStore.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import struct
from collections.abc import Sequence

from evaluation.engine.preparation import texts

PASSWORD = "changeit"  # noqa: S105 - Java's default; it is no secret
_MAGIC, _VERSION, _CERTIFICATE = 0xFEEDFEED, 2, 2
_SALT = b"Mighty Aphrodite"
_PEM = re.compile(rb"-----BEGIN CERTIFICATE-----\s(.*?)-----END CERTIFICATE-----", re.DOTALL)


def certificates(pem: bytes) -> list[bytes]:
    """The certificates of a bundle as DER, in order. Raises ValueError for invalid base64."""
    try:
        return [
            base64.b64decode(b"".join(text.split()), validate=True) for text in _PEM.findall(pem)
        ]
    except binascii.Error as error:
        raise ValueError(texts.NO_BASE64(error=str(error))) from None


def truststore(trusted: Sequence[bytes]) -> bytes:
    body = struct.pack(">III", _MAGIC, _VERSION, len(trusted))
    for number, der in enumerate(trusted):
        # The date is 1970, which keeps the output reproducible.
        body += struct.pack(">I", _CERTIFICATE) + _text(f"ca-{number}") + struct.pack(">Q", 0)
        body += _text("X.509") + struct.pack(">I", len(der)) + der
    digest = hashlib.sha1(PASSWORD.encode("utf-16-be") + _SALT + body)  # noqa: S324 - the format's
    return body + digest.digest()


def _text(ascii_text: str) -> bytes:
    return struct.pack(">H", len(ascii_text)) + ascii_text.encode("ascii")
