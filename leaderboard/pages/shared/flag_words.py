"""Words for the flags of verdicts, as the engine and the families name them."""

from __future__ import annotations

from django.utils.translation import gettext

from evaluation.engine.registry import FLAG_WORDS


def flag_words(flag: str) -> str:
    """The flag in words; an unknown flag with spaces for its underscores."""
    name, _colon, rest = flag.partition(":")
    words = FLAG_WORDS.get(flag) or FLAG_WORDS.get(name)
    if words is None:
        return flag.replace("_", " ")
    return f"{gettext(words)} ({rest})" if rest and flag not in FLAG_WORDS else gettext(words)
