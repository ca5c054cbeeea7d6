"""The engine's sentences as a page shows them: what stands between backticks becomes code."""

from __future__ import annotations

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString


def with_code(sentence: str) -> SafeString:
    """Escaped, with `names` as code. Backticks that do not pair stay as they are."""
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
