"""Generations as people read them: the judged part, with marked unseen characters and highlighted
syntax."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import suppress
from difflib import unified_diff
from io import StringIO
from itertools import groupby, islice, takewhile
from time import thread_time

from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Number, String, _TokenType
from pygments.util import ClassNotFound

from evaluation.engine import records
from evaluation.engine.family import ByExecution
from leaderboard.benchmarks.models import Benchmark, Task
from leaderboard.submissions.models import Generation, Submission

TEXT_SHOWN = 20_000
# What cannot be seen or changes the order of other characters, in runs: the categories Cc (without
# tabs and line breaks), Cf, Cs, Zl, Zp, Zs (without the blank), variation selectors, tags, fillers.
_UNSEEN = re.compile(
    "([\0-\x08\x0b-\x1f\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160"
    "\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ud800-\udfff"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff])\\1*"
)
_CODE = re.compile(r'data-code="U\+([0-9A-F]+)')
# Longer texts are not highlighted.
MOST_COLOURED = 50_000
# Processor time for highlighting a text: one of 20,000 characters can take a lexer 20 s.
SECONDS = 0.25
# More lines are not compared: comparing takes quadratic time.
MOST_COMPARED = 1_000
_MARKS = {"+": "added", "-": "removed", "@": "comment"}
_CLASSES = ((Keyword, "keyword"), (Comment, "comment"), (String, "string"), (Number, "number"))


def judged_part(generation: Generation, task: Task, submission: Submission) -> str:
    """The part of its text that is judged."""
    judged = submission.revision.benchmark.family.judged
    if not isinstance(judged, ByExecution):
        return generation.text
    record = records.Generation(generation.key_of(task.external_id), generation.text)
    return judged.extracted(record, submission.setting)


def rule_of(benchmark: Benchmark) -> str:
    """How the judged part is found, in the reader's language; "" if it is the whole text."""
    judged = benchmark.family.judged
    rule = judged.rule if isinstance(judged, ByExecution) else ""
    return gettext(rule) if rule else ""


def code_lines(code: str, task: Task) -> list[SafeString]:
    """The first TEXT_SHOWN characters, as `coloured_lines` returns them."""
    return coloured_lines(code[:TEXT_SHOWN], task.language)


def shown_text(text: str) -> SafeString:
    """The text as escaped HTML. Unseen characters stay, marked with their code points: what is
    copied is the text. Only NUL and lone surrogates are replaced, since no page can have them."""

    def marked(run: re.Match[str]) -> str:
        code, number = ord(run[1]), len(run[0])
        times = f" ×{number}" if number > 1 else ""
        unfit = code == 0 or 0xD800 <= code <= 0xDFFF
        # Browsers take a bare carriage return for a line break.
        inner = "\N{REPLACEMENT CHARACTER}" * number if unfit else run[0].replace("\r", "&#13;")
        return f'<span class="codepoint" data-code="U+{code:04X}{times}">{inner}</span>'

    return SafeString(_UNSEEN.sub(marked, escape(text.replace("\r\n", "\n"))))


def unseen_note(shown: str | Iterable[str] | None) -> SafeString:
    """A note that names the marked characters of shown texts; "" if there are none."""
    text = shown if isinstance(shown, str) else "".join(shown or ())
    codes = sorted({int(code, 16) for code in _CODE.findall(text)})
    if not codes:
        return SafeString()
    names = [f"U+{code:04X} {unicodedata.name(chr(code), '')}".strip() for code in codes]
    if len(names) > 12:
        names[12:] = ["…"]
    note = gettext("Characters that cannot be seen are marked by their code points: %(names)s.")
    return format_html('<p class="note">{}</p>', note % {"names": ", ".join(names)})


def framed(text: str) -> SafeString:
    """The text as pages of the admin show it."""
    shown = shown_text(text)
    return format_html('{}<pre class="readonly">{}</pre>', unseen_note(shown), shown)


def coloured(text: str, language: str) -> SafeString:
    """The whole text as escaped HTML; without highlighting if the language is unknown."""
    parts = _parts(text, language)
    return format_html_join("", "{}", ((_part(name, value),) for name, value in parts))


def coloured_lines(text: str, language: str) -> list[SafeString]:
    """Each line as escaped HTML, without its line break."""
    parts = _parts(text, language)
    lines: list[list[tuple[str, str]]] = [[]]
    for name, value in parts:
        first, *further = value.split("\n")
        lines[-1].append((name, first))
        lines += [[(name, one)] for one in further]
    if not text or text.endswith("\n"):
        lines.pop()
    return [
        format_html_join("", "{}", ((_part(name, value),) for name, value in line if value))
        for line in lines
    ]


def difference(before: str, after: str) -> SafeString:
    """The changed lines with three lines around each change, as escaped HTML; "" if there are none,
    or if a text is too long to compare."""
    texts = (StringIO(text.replace("\r\n", "\n")) for text in (before, after))
    old, new = ([line.rstrip("\n") for line in text] for text in texts)
    if max(len(old), len(new)) > MOST_COMPARED:
        return SafeString()
    # The first two lines name files.
    lines = islice(unified_diff(old, new, lineterm=""), 2, None)
    return format_html_join(
        "\n", "{}", ((_part(_MARKS.get(line[:1], ""), line),) for line in lines)
    )


def _parts(text: str, language: str) -> Iterator[tuple[str, str]]:
    """The parts of the text, each with its class of colour or "". After SECONDS the rest of the
    text has no colours."""
    text = text.replace("\r\n", "\n")
    lexer: Lexer | None = None
    if len(text) <= MOST_COLOURED:
        with suppress(ClassNotFound):
            lexer = get_lexer_by_name(language)
    if lexer is None:
        yield "", text
        return
    until, end = thread_time() + SECONDS, 0

    def colour(token: tuple[int, _TokenType, str]) -> str:
        return next((name for parent, name in _CLASSES if token[1] in parent), "")

    # Unlike get_tokens, this changes no line breaks.
    tokens = takewhile(lambda _: thread_time() <= until, lexer.get_tokens_unprocessed(text))
    for name, group in groupby(tokens, key=colour):
        value = "".join(value for _place, _kind, value in group)
        end += len(value)
        yield name, value
    yield "", text[end:]


def _part(name: str, value: str) -> SafeString:
    if not name:
        return shown_text(value)
    return format_html('<span class="{}">{}</span>', name, shown_text(value))
