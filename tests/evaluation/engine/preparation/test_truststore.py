"""Truststores for Java: any certificate that is written is read back unchanged."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import struct
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.preparation.truststore import PASSWORD, certificates, truststore

DERS = st.lists(st.binary(max_size=300), max_size=5)
TEXT = st.text(st.characters(codec="ascii", exclude_characters="-"), max_size=80)


def pem(der: bytes) -> str:
    body = "\n".join(textwrap.wrap(base64.b64encode(der).decode(), 64))
    return f"-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n"


def read(store: bytes) -> list[tuple[str, bytes]]:
    """The entries, read according to the format's description; the digest is checked."""
    body, digest = store[:-20], store[-20:]
    guarded = PASSWORD.encode("utf-16-be") + b"Mighty Aphrodite" + body
    assert hashlib.sha1(guarded).digest() == digest
    stream = io.BytesIO(body)
    magic, version, count = struct.unpack(">III", stream.read(12))
    assert (magic, version) == (0xFEEDFEED, 2)
    entries = [entry(stream) for _ in range(count)]
    assert stream.read() == b""
    return entries


def entry(stream: io.BytesIO) -> tuple[str, bytes]:
    assert stream.read(4) == struct.pack(">I", 2)
    alias = text(stream)
    stream.read(8)
    assert text(stream) == "X.509"
    return alias, stream.read(struct.unpack(">I", stream.read(4))[0])


def text(stream: io.BytesIO) -> str:
    return stream.read(struct.unpack(">H", stream.read(2))[0]).decode("ascii")


@given(DERS)
def test_every_certificate_is_in_the_store_once_and_in_order(ders: list[bytes]) -> None:
    assert read(truststore(ders)) == [(f"ca-{n}", der) for n, der in enumerate(ders)]


@given(DERS, st.lists(TEXT, min_size=6, max_size=6))
def test_what_stands_between_certificates_is_passed_over(
    ders: list[bytes], between: list[str]
) -> None:
    bundle = "".join(f"{words}\n{pem(der)}" for words, der in zip(between, ders, strict=False))
    assert certificates(f"{bundle}{between[-1]}".encode()) == ders


def test_a_certificate_that_is_no_base64_is_an_error() -> None:
    broken = b"-----BEGIN CERTIFICATE-----\n!?\n-----END CERTIFICATE-----\n"
    with pytest.raises(ValueError, match="base64"):
        certificates(broken)


@given(st.binary(max_size=500))
def test_anything_between_the_marks_is_a_certificate_or_a_value_error(data: bytes) -> None:
    marked = b"-----BEGIN CERTIFICATE-----\n" + data + b"-----END CERTIFICATE-----"
    with contextlib.suppress(ValueError):
        assert len(certificates(marked)) <= 1
