"""Extracts the code of a model's answer, and maps the members of an uploaded zip to tasks."""

import re
from bisect import bisect, bisect_left
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from evaluation.engine.compiler_messages import MARKER
from evaluation.engine.families.aixbench_auto.declarations import (
    Declaration,
    declarations,
    method_of,
    owners_in,
)
from evaluation.engine.java_tokens import Token, code_positions, tokens
from evaluation.engine.normal_form import PIECE
from evaluation.engine.records import Task, TaskId

# Of <think>, [THINK] and ◁think▷, of <|begin_of_thought|>, and of channels of the Harmony format.
# The part before the word is bounded, so that a long name takes linear time.
_REASONS = (
    r"(?=[\w:-]{0,40}?(?:think|thought|reason|reflect|analysis|scratch|rationale"
    r"|brainstorm|monologue|deliberat|chain.of|\b(?:cot|plan|draft)\b))[\w:-]++"
)
_REASONING = re.compile(
    rf"(?P<opening>^[ \t]*+(?:[<\[◁]|&lt;)[ ]?{_REASONS}[^<>\[\]\n]*+(?:[>\]▷]|&gt;)"
    rf"|<\|begin_of_{_REASONS}\|>|<\|channel\|>(?:analysis|commentary)\b)"
    rf"|(?:[<\[◁]|&lt;)[ ]?/[ ]?{_REASONS}[ ]?(?:[>\]▷]|&gt;)|<\|end_of_{_REASONS}\|>"
    r"|<\|channel\|>final\b(?:<\|message\|>)?|assistantfinal",
    re.MULTILINE | re.IGNORECASE,
)
_ANSWER = r"(?:answer|solution|response|output|code|pre)\b"
_IN_A_LINE, _END = re.compile(r"[^\r\n]"), re.compile(r"[\r\n]")
_INFO = r"(?!\b(?:class|interface|enum|record|static|import)\b)[^\r\n;(){}@`]"
# With the rest of its line if that is an info string, which holds no code, or else with Java's
# name. A tag around an answer, a model's word, a byte order mark and an end mark of DOS count
# like a fence.
_FENCE = re.compile(
    r"(?:(?:^(?:[^\S\r\n]|[\u200b-\u200d\u2060])*+)?`{3,}+|^[^\S\r\n]*+(?:~{3,}+|'{3,}+))"
    rf"(?:(?>[ \t]*+java[ \t]*+(?:\([^()\r\n]*+\)[^\S\r\n]*+)++|(?:{_INFO}|\{{(?:{_INFO})*+\}})*)"
    r"(?:\r\n|\r|\n|\Z)|[ \t]*+java\b)?"
    rf"|(?:{MARKER})(?:assistant\b)?|<!\[CDATA\[|\]\]>|[\ufeff\x1a]"
    rf"|</?{_ANSWER}[^<>\n]{{0,80}}>",
    re.MULTILINE | re.IGNORECASE,
)
# A fence and, without Java in its info string, the first word at the fence, the only one, or one
# before attributes.
_LANGUAGE = re.compile(
    r"[^\w`~'<]*(?:`{3}|~{3}|'{3})"
    r"(?:(?![^\r\n]*\bjava(?![a-z]))"
    r"(?:[^\w\s]*+|\s*+\{\.|\W*+(?=\S*(?:\s+\w+=.*)?\s*\Z))(?P<other>\w))?",
    re.IGNORECASE,
)
# Backticks; quotes and tags where a line begins or ends; words and a colon where it begins.
_MARKS = "\"'“”„‘’«»´「」*~\u200b-\u200d\u2060"  # noqa: RUF001 - quotes
_TAG = r"<[!?/]?\w[^<>\n]++>|<!--[^<>]*+>|\[/?\w[^][\r\n]*+\]"
_FENCE_OR_MARK = re.compile(
    rf"{_FENCE.pattern}|`++|(?:^[^\S\r\n]*+(?:{_TAG}|[{_MARKS}]++(?:java\b)?|\w[\w ]*+:(?!:))++"
    rf"|(?<![]>{_MARKS}])(?:{_TAG}|[{_MARKS}]++)++[^\S\r\n]*+$)(?:[^\S\r\n]*+[\r\n])*+",
    re.MULTILINE | re.IGNORECASE,
)
# An import after a mark, no letter or a word that denies nothing, up to a mark or the line's end.
_IMPORT = re.compile(
    r"(?:(?:^|\r)(?:[^\w\r\n/]|\d)*+|[;:`][ \t]*+|\w(?<!not|n['’]t)(?<!ever)[ \t]++)import\s++"
    r"(?P<static>static\s++)?"
    r"(?P<name>[\w$]++(?:\s*+\.\s*+(?:[\w$]++|\*))++)(?=[^\w\r\n]*+(?:[\r\n]|\Z)|\s*+[;`])",
    re.MULTILINE,
)
# More fences, and lines of a head that begins with prose, are not read. A text is read this many
# times in all to find the fences in its brackets, comments and literals.
_MOST_FENCES, _MOST_READ, _MOST_LINES = 1_000, 2, 30
# Words and signs of a text that is read at all, about as many as a model writes tokens. It may be
# read twenty times, which would take the host a minute for the longest text.
_MOST_PIECES = 30_000
_CLOSING = {"(": ")", "[": "]", "{": "}"}
# The digits before the ending are the id, so a prefix cannot end in a digit. Nine digits keep the
# number small for later code; no benchmark needs more.
_MEMBER = re.compile(r"(?:.*\D)?(0|[1-9][0-9]{0,8})\.java", re.DOTALL | re.IGNORECASE)


class Extract(NamedTuple):
    """A part of an answer by its bounds; reasoning in the code is blank. `imports`: the names that
    lines of other parts import, for the judged part. `rank` is the better the less; a second number
    of 1 for a part that declares the method means another language."""

    start: int
    end: int
    code: str
    rank: tuple[int, int]
    imports: tuple[str, ...] = ()


def judged_part(task: Task, text: str) -> str:
    """The code in an answer to the task."""
    return extract(text, str(task.public["signature"])).code


@lru_cache(maxsize=16)
def extract(text: str, signature: str) -> Extract:
    """Finds the first part that parses and declares the method with a body; else one that declares
    it, else the longest that parses, else the text. Closed reasoning blocks are blank, unless the
    text is Java as it is or nothing else. A text over _MOST_PIECES is the code as it is. Takes
    linear time."""
    method, tags = method_of(signature), list(_REASONING.finditer(text))
    if tags and _is_read(text):
        whole = _read(text, 0, len(text), False, method)
        if whole.rank == _BEST:
            return whole
    # An end without a beginning may end what begins in the prompt, or be in a literal.
    worst = (_DECLARES, 1) if tags and not tags[0]["opening"] else _BEST
    readings = (_without_reasoning(text, tags, is_sure) for is_sure in (False, True))
    for reading in dict.fromkeys(readings):
        part = _chosen(reading, method)
        if part.rank <= worst:
            break
    return part if reading.strip() else _chosen(text, method)


def _without_reasoning(text: str, tags: list[re.Match[str]], is_sure: bool) -> str:
    """The text with blank reasoning; if not `is_sure`, also up to ends without a beginning."""
    begins, blocks = list[int](), list[tuple[int, int]]()
    for tag in tags:
        if tag["opening"]:
            begins.append(tag.start())
        elif begins or not is_sure:
            begin = begins.pop() if begins else 0
            while blocks and blocks[-1][0] >= begin:
                blocks.pop()
            blocks.append((begin, tag.end()))
    # A block that does not end lasts to the end of the next.
    first = (
        [*begins[bisect(begins, done - 1) : bisect(begins, begin)], begin][0]
        for (_, done), (begin, _) in pairwise([(0, 0), *blocks])
    )
    return blanked(text, zip(first, (end for _, end in blocks), strict=True))


def blanked(text: str, parts: Iterable[tuple[int, int]]) -> str:
    """The text with blanks, and the same line ends, in parts by their bounds, in order."""
    around, done = list[str](), 0
    for start, end in parts:
        around += [text[done:start], _IN_A_LINE.sub(" ", text[start:end])]
        done = end
    return "".join([*around, text[done:]])


_DECLARES_AND_PARSES, _DECLARES, _PARSES, _IS_CODE, _IS_EMPTY = range(5)
_BEST = (_DECLARES_AND_PARSES, 0)


def _is_read(text: str) -> bool:
    return len(PIECE.findall(text)) <= _MOST_PIECES


def _chosen(text: str, method: Declaration) -> Extract:
    if not _is_read(text):
        return Extract(0, len(text), text, (_IS_CODE, 0))
    whole = best = _read(text, 0, len(text), False, method)
    parts, fenced = list[Extract](), [(0, len(text), False)]
    for pattern in (_FENCE, _FENCE_OR_MARK):
        if best.rank > _BEST and pattern.search(text):
            fences = list(islice(pattern.finditer(text), _MOST_FENCES))
            if pattern is _FENCE_OR_MARK:
                fences = _in_code(text, fences)
            bounds = [*_bounds(text, fences)]
            if pattern is _FENCE:
                fenced = bounds
            parts += [_read(text, *place, method) for place in bounds]
            best = min(parts, key=lambda part: part.rank)
    if best.rank > _BEST:
        for start, end, is_other in fenced:
            for first, last in _runs(text[start:end]):
                part = _read(text, start + first, start + last, is_other, method)
                if part.rank < min(best.rank, (_PARSES,)):
                    best = part
    if whole.rank[0] == _DECLARES < best.rank[0] or best.rank[0] == _IS_CODE:
        best = whole
    lines = _IMPORT.finditer(f"{text[: best.start]}\n{text[best.end :]}")
    names = ("static " * bool(line["static"]) + "".join(line["name"].split()) for line in lines)
    return best._replace(imports=tuple(dict.fromkeys(names)))


def _in_code(text: str, marks: list[re.Match[str]]) -> list[re.Match[str]]:
    """The marks in no comment or text block; quotes of a block that end a line may be marks."""
    code_tokens = tokens(text)
    starts = [token.start for token in code_tokens]

    def is_in_code(mark: re.Match[str]) -> bool:
        place = mark.end() - len(mark[0].lstrip())
        token = code_tokens[bisect(starts, place) - 1]
        is_block = token.text[:3] == '"""' and text[token.end : token.end + 1].strip()
        return token.start <= place < token.end and not is_block

    return [mark for mark in marks if code_tokens and is_in_code(mark)]


def _bounds(text: str, fences: list[re.Match[str]]) -> Iterator[tuple[int, int, bool]]:
    """The parts between fences, in their order, and whether each is in another language. A fence in
    brackets, a comment or a literal may not end a part: a longer one, if there is one, precedes
    it."""
    places = [*(fence.start() for fence in fences), len(text)]
    left, wanted, is_other = _MOST_READ * len(text), frozenset(places), False
    for fence, end in zip([None, *fences], places, strict=True):
        start = fence.end() if fence else 0
        if fence and (language := _LANGUAGE.match(fence.group())):
            is_other = language["other"] is not None
        if left > 0:
            longer = next(code_positions(text, start, wanted), len(text))
            left -= longer - start
            if longer > end:
                yield start, longer, is_other
        yield start, max(start, end), is_other


def _runs(code: str) -> Iterator[tuple[int, int]]:
    """The bounds of declarations between lines of prose, which heads may begin with."""
    code_tokens, left = tokens(code), _MOST_LINES
    starts, begin, at = [*(token.start for token in code_tokens), len(code)], None, 0
    gaps = ["\n", *(code[token.end : other.start] for token, other in pairwise(code_tokens)), "\n"]
    while at < len(starts):
        declared = next(declarations(code_tokens, at), None)
        after = bisect_left(starts, declared.end) if declared else at + 1
        is_first = _END.search(gaps[at])
        if declared and declared.is_plain and (is_first or begin is not None):
            if begin is None:
                # With the comments before it.
                begin = starts[at] - len(gaps[at].partition("\n")[2].lstrip()) if at else 0
            at = after
            continue
        if begin is not None and is_first:
            yield begin, starts[at]
        head = declared.body - 1 if declared and declared.body else after
        # A bracket that prose opens hides all code after it.
        is_open = declared is not None and declared.words[-1:] == code_tokens[after - 1 : after]
        is_open = is_open and any(token.text == "{" for token in code_tokens[at:after])
        left -= is_open
        most = len(starts) if is_open and left >= 0 else _MOST_LINES
        later = [n for n in range(at + 1, head) if _END.search(gaps[n])][-most:]
        begin, at = None, later[0] if later else after


def _read(text: str, start: int, end: int, is_other: bool, method: Declaration) -> Extract:
    code = text[start:end]
    code_tokens = tokens(code)
    top = list(declarations(code_tokens))
    parses = _is_balanced(code_tokens) and all(declared.is_plain for declared in top)
    levels = (top, *(owner.members for owner in owners_in(code_tokens, top)))
    methods = [member for members in levels for member in members if member.is_like(method)]
    if methods:
        # A quoted signature may have an empty body.
        bodies = [method.body for method in methods if method.body is not None and method.has_types]
        parses = parses and any(code_tokens[body].text != "}" for body in bodies)
        rank = (_DECLARES_AND_PARSES if parses else _DECLARES, int(is_other))
    else:
        rank = (_PARSES, start - end) if parses else (_IS_CODE, 0)
    return Extract(start, end, code, rank if top else (_IS_EMPTY, 0))


def _is_balanced(code_tokens: list[Token]) -> bool:
    """Whether brackets match; False for an omission and for what can be a fence too."""
    expected, dots, before = list[str](), 0, code_tokens[:1]
    for token in code_tokens:
        # Dots of a parameter's type are between words.
        is_type = token.kind == before[0].kind == "word" or before[0].text in ("]", ">")
        if token.text in ("…", "`", "'", "#", "\ufeff") or (dots == 3 and not is_type):
            return False
        dots, before = (dots + 1, before) if token.text == "." else (0, [token])
        if token.text in _CLOSING:
            expected.append(_CLOSING[token.text])
        elif token.text in (")", "]", "}") and (not expected or expected.pop() != token.text):
            return False
    return not expected


def member_task(name: str) -> TaskId | None:
    """The id in `<prefix><task_id>.java`; None for metadata files (`._Name12.java`)."""
    base = name.replace("\\", "/").rpartition("/")[2]
    member = _MEMBER.fullmatch(base)
    return int(member[1]) if member and not base.startswith(".") else None
