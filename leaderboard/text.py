"""Texts of strangers, made fit for where they go."""

from __future__ import annotations


def showable(text: str) -> str:
    """The text with a question mark for each lone surrogate, which no page can be sent with."""
    return text.encode("utf-8", "replace").decode()


def storable(text: str) -> str:
    """As `showable`, and without the NUL that PostgreSQL's text refuses."""
    return showable(text).replace("\0", "\N{REPLACEMENT CHARACTER}")
