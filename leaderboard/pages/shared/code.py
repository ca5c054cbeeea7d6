"""Generations as people read them: the judged part, unseen characters marked, syntax in colour."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from difflib import unified_diff
from io import StringIO
from itertools import groupby, islice, takewhile
from threading import Lock
from time import sleep, thread_time

from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Number, String, _TokenType
from pygments.util import ClassNotFound

from evaluation.engine import records
from evaluation.engine.characters import UNSEEN, named
from evaluation.engine.family import ByExecution
from leaderboard.benchmarks.models import Benchmark, Task
from leaderboard.benchmarks.public import public_record
from leaderboard.submissions.models import Generation, Submission

TEXT_SHOWN = 20_000
# In runs.
_UNSEEN = re.compile(f"({UNSEEN})\\1*")
_CODE = re.compile(r'data-code="U\+([0-9A-F]+)')
# Longer texts are not highlighted.
MOST_COLOURED = 50_000
# Processor time for highlighting on a page: one text of 20,000 characters can take a lexer 20 s.
SECONDS = 0.5
# One thread of a process at a time: several leave too little of the processors to other pages.
_COLOURING = Lock()
# Size of a page's texts as HTML.
PAGE_BYTES = 2 * 2**20
# Tags around a line, and the most that a character takes: an unseen one with its mark.
LINE_BYTES, CHARACTER_BYTES = 27, 70
# More lines are not compared: comparing takes quadratic time.
MOST_COMPARED = 1_000
_MARKS = {"+": "added", "-": "removed", "@": "comment"}
_CLASSES = ((Keyword, "keyword"), (Comment, "comment"), (String, "string"), (Number, "number"))


class Budget:
    """What a page may still spend on its texts: processor seconds for colours, bytes of HTML.
    Colours end when half of these are spent."""

    def __init__(self, size: int = PAGE_BYTES) -> None:
        self.seconds, self.size, self.plain_size = SECONDS, size, size // 2

    def take(self, html: str, more: int = 0) -> bool:
        """Returns False if the page has no room for the HTML and `more` bytes; then it has none for
        anything further."""
        self.size -= len(html.encode()) + more
        return self.size >= 0

    def plain(self, text: str) -> SafeString:
        """The first TEXT_SHOWN characters by `shown_text`, or as many as there is room for."""
        shown = shown_text(text[:TEXT_SHOWN])
        room = max(0, self.size)
        return shown if self.take(shown) else shown_text(text[: room // CHARACTER_BYTES])


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


def code_lines(code: str, task: Task, budget: Budget) -> tuple[list[SafeString], bool]:
    """The lines of the first TEXT_SHOWN characters, as far as the budget goes, and whether that
    cuts the code."""
    lines = coloured_lines(code[:TEXT_SHOWN], task.language, budget)
    with _COLOURING:
        began = thread_time()
        shown = [*takewhile(lambda line: budget.take(line, LINE_BYTES), lines)]
        # Other pages go first: threads that compute take turns of 5 ms with them.
        sleep(thread_time() - began)
    return shown, len(code) > TEXT_SHOWN or budget.size < 0


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
    names = [named(chr(code)) for code in sorted({int(code, 16) for code in _CODE.findall(text)})]
    if not names:
        return SafeString()
    if len(names) > 12:
        names[12:] = ["…"]
    note = gettext("Characters that cannot be seen are marked by their code points: %(names)s.")
    return format_html('<p class="note">{}</p>', note % {"names": ", ".join(names)})


def framed(text: str) -> SafeString:
    """The text as pages of the admin show it."""
    shown = shown_text(text)
    return format_html('{}<pre class="readonly" tabindex="0">{}</pre>', unseen_note(shown), shown)


def coloured(text: str, language: str) -> SafeString:
    """The whole text as escaped HTML; without highlighting if the language is unknown."""
    parts = _parts(text, language, Budget())
    return format_html_join("", "{}", ((_part(name, value),) for name, value in parts))


def coloured_lines(text: str, language: str, budget: Budget) -> Iterator[SafeString]:
    """Yields each line as escaped HTML, without its line break."""
    line = SafeString()
    for name, value in _parts(text, language, budget):
        first, *further = value.split("\n")
        line += _part(name, first)
        for part in further:
            yield line
            line = _part(name, part)
    if text and not text.endswith("\n"):
        yield line


def text_changes(before: str, after: str) -> SafeString:
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


def _parts(text: str, language: str, budget: Budget) -> Iterator[tuple[str, str]]:
    """The parts of the text, each with its class of colour or "". What the budget does not cover
    has no colours. The time that the caller takes for the parts counts."""
    text = text.replace("\r\n", "\n")
    lexer: Lexer | None = None
    if len(text) <= MOST_COLOURED and budget.seconds > 0 and budget.size > budget.plain_size:
        with suppress(ClassNotFound):
            lexer = get_lexer_by_name(language)
    if lexer is None:
        yield "", text
        return
    until, end = thread_time() + budget.seconds, 0

    def colour(token: tuple[int, _TokenType, str]) -> str:
        return next((name for parent, name in _CLASSES if token[1] in parent), "")

    # Unlike get_tokens, this changes no line breaks.
    tokens = takewhile(lambda _: thread_time() <= until, lexer.get_tokens_unprocessed(text))
    for name, group in groupby(tokens, key=colour):
        value = "".join(value for _place, _kind, value in group)
        end += len(value)
        yield name, value
    budget.seconds = until - thread_time()
    yield "", text[end:]


def _part(name: str, value: str) -> SafeString:
    shown = shown_text(value)
    return format_html('<span class="{}">{}</span>', name, shown) if name and value else shown
