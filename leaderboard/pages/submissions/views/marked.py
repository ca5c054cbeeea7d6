"""Sentences of the engine as HTML: text in backticks becomes code."""

from __future__ import annotations

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString


def with_code(sentence: str) -> SafeString:
    """Escapes the sentence; leaves it unchanged if backticks do not pair."""
    parts = sentence.split("`")
    if len(parts) % 2 == 0:
        return format_html("{}", sentence)
    return format_html_join(
        "",
        "{}",
        (
            (format_html("<code>{}</code>", part) if number % 2 else part,)
            for number, part in enumerate(parts)
        ),
    )
