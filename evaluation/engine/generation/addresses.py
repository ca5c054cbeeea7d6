"""Checks endpoints' addresses and keys. Imports no HTTP client, so that pages can use it."""

from __future__ import annotations

from urllib.parse import urlsplit

from evaluation.engine.errors import EndpointError
from evaluation.engine.generation import texts


def checked_url(url: str) -> str:
    """The address without a trailing slash. Raises EndpointError if it is malformed or may hold a
    secret (user, password, query, fragment), because it is published."""
    try:
        parts = urlsplit(url)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname)
        secret = parts.username or parts.password or parts.query or parts.fragment
        parts.port  # noqa: B018  # raises ValueError if it is no number
    except ValueError:
        whole, secret = False, None
    if not whole:
        raise EndpointError(texts.NO_ADDRESS())
    if secret:
        raise EndpointError(texts.SECRET_IN_ADDRESS())
    return url.rstrip("/")


def is_key(text: str) -> bool:
    """Whether a header can hold it: printable ASCII without blanks."""
    return all("!" <= one <= "~" for one in text)


class Forbidden(Exception):
    """The client may not connect to this address."""
