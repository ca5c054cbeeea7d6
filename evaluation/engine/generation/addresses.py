"""Endpoints' addresses and keys as texts. Imports no client, so that pages may ask here."""

from __future__ import annotations

from urllib.parse import urlsplit

from evaluation.engine.errors import EndpointError
from evaluation.engine.generation import texts


def checked_url(url: str) -> str:
    """The address without a slash at its end. Raises EndpointError where it is none, or holds
    what may be secret: it is written into what is published."""
    try:
        parts = urlsplit(url)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname)
        secret = parts.username or parts.password or parts.query or parts.fragment
        parts.port  # noqa: B018  # raises where it is no number
    except ValueError:
        whole, secret = False, None
    if not whole:
        raise EndpointError(texts.NO_ADDRESS())
    if secret:
        raise EndpointError(texts.SECRET_IN_ADDRESS())
    return url.rstrip("/")


def is_key(text: str) -> bool:
    """Whether it can be sent as a key: one word of letters that every header takes."""
    return all("!" <= one <= "~" for one in text)


class Forbidden(Exception):
    """A client's way out does not lead there."""
