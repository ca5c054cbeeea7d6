"""Generations as people read them: the judged part, in printable characters, with highlighted
syntax."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from difflib import unified_diff
from itertools import groupby, islice, takewhile
from time import thread_time

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Number, String, _TokenType
from pygments.util import ClassNotFound

from evaluation.engine import records
from evaluation.engine.family import ByExecution
from leaderboard.benchmarks.models import Benchmark, Task
from leaderboard.benchmarks.public import public_record
from leaderboard.submissions.models import Generation, Submission

TEXT_SHOWN = 20_000
# Control characters, and lone surrogates, which cannot be encoded.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
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
    return judged.extracted(public_record(task), record, submission.setting)


def rule_of(benchmark: Benchmark) -> str:
    """How the judged part is found, in the reader's language; "" if it is the whole text."""
    judged = benchmark.family.judged
    rule = judged.rule if isinstance(judged, ByExecution) else ""
    return gettext(rule) if rule else ""


def code_lines(code: str, task: Task) -> list[SafeString]:
    """The first TEXT_SHOWN characters, as `coloured_lines` returns them."""
    return coloured_lines(shown_text(code[:TEXT_SHOWN]), task.language)


def shown_text(text: str) -> str:
    """Replaces unprintable characters, so that any text can be shown."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


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
    texts = before.splitlines(), after.splitlines()
    if max(map(len, texts)) > MOST_COMPARED:
        return SafeString()
    # The first two lines name files.
    lines = islice(unified_diff(*texts, lineterm=""), 2, None)
    return format_html_join(
        "\n", "{}", ((_part(_MARKS.get(line[:1], ""), line),) for line in lines)
    )


def _parts(text: str, language: str) -> Iterator[tuple[str, str]]:
    """The parts of the text, each with its class of colour or "". After SECONDS the rest of the
    text has no colours."""
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
        return format_html("{}", value)
    return format_html('<span class="{}">{}</span>', name, value)
