"""Words for the marks and flags of verdicts and for the marks of chunks."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from evaluation.engine.records import Integrity, Status
from evaluation.engine.registry import FLAG_WORDS

# Each kind has a symbol in parts/sprite.html. Summaries use this order.
MARK_WORDS = {
    Status.PASSED.value: gettext_lazy("passed"),
    Status.FAILED.value: gettext_lazy("wrong result"),
    Status.COMPILE_ERROR.value: gettext_lazy("does not compile"),
    Status.RUNTIME_ERROR.value: gettext_lazy("error"),
    Status.TIMEOUT.value: gettext_lazy("too slow"),
    Status.MEMORY_EXCEEDED.value: gettext_lazy("too much memory"),
    Status.OUTPUT_EXCEEDED.value: gettext_lazy("too much output"),
    "review": gettext_lazy("under review"),
    "discounted": gettext_lazy("not counted after review"),
    Status.NOT_RUN.value: gettext_lazy("not run yet (our side)"),
    "waiting": gettext_lazy("not judged yet"),
}
CHUNK_WORDS = {
    "done": gettext_lazy("done"),
    "running": gettext_lazy("being judged"),
    "returned": gettext_lazy("returned to the queue"),
    "lost": gettext_lazy("lost, to be retried"),
    "cancelled": gettext_lazy("cancelled"),
    "waiting": gettext_lazy("waiting"),
}


def mark_kind(status: str | None, integrity: str | None = None) -> str:
    """The key in MARK_WORDS for a verdict, or for none."""
    if not status:
        return "waiting"
    if status == Status.PASSED and integrity == Integrity.SUSPECT:
        return "review"
    if status == Status.PASSED and integrity == Integrity.CONFIRMED:
        return "discounted"
    return str(status)


def flag_words(flag: str) -> str:
    """The flag in words; an unknown flag with spaces for its underscores."""
    name, _colon, rest = flag.partition(":")
    words = FLAG_WORDS.get(flag) or FLAG_WORDS.get(name)
    if words is None:
        return flag.replace("_", " ")
    return f"{gettext(words)} ({rest})" if rest and flag not in FLAG_WORDS else gettext(words)


def tally(kinds: Iterable[str], words: Mapping[str, Any]) -> str:
    """Counts in the order of `words`, for example "8 passed, 1 too slow"."""
    counts = Counter(kinds)
    pairs = [{"number": counts[kind], "words": words[kind]} for kind in words if counts[kind]]
    return ", ".join(gettext("%(number)s %(words)s") % pair for pair in pairs)
