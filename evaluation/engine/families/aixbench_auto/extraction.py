"""Extracts the code of a model's answer, and maps the members of an uploaded zip to tasks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from evaluation.engine.families.aixbench_auto.declarations import (
    Declaration,
    Kind,
    declarations,
    method_of,
)
from evaluation.engine.java_tokens import Token, code_positions, tokens
from evaluation.engine.records import Task, TaskId

_TAG = re.compile(
    r"^[ \t]*+<(?P<opening>think(?:ing)?|thought|reason(?:ing)?)>"
    r"|</(?:think(?:ing)?|thought|reason(?:ing)?)>",
    re.MULTILINE | re.IGNORECASE,
)
_IN_A_LINE = re.compile(r"[^\r\n]")
# With the rest of its line if that is an info string, or else with Java's name.
_FENCE = re.compile(
    r"(?:`{3,}+|^[ \t]*+~{3,}+)(?:[ \t]*+[\w+#.-]*+[ \t]*+\r?$\n?|[ \t]*+java\b)?",
    re.MULTILINE | re.IGNORECASE,
)
# More fences are not read. A text is read this many times in all to find the fences in its
# comments and literals.
_MOST_FENCES, _MOST_READ = 100, 2
# Levels of classes in classes, where each level takes as long as all within it.
MOST_NESTED = 4
_CLOSING = {"(": ")", "[": "]", "{": "}"}
# The digits before the ending are the id, so a prefix cannot end in a digit. Nine digits keep the
# number small for later code; no benchmark needs more.
_MEMBER = re.compile(r"(?:.*\D)?(0|[1-9][0-9]{0,8})\.java", re.DOTALL)


class Extract(NamedTuple):
    """The bounds of the code, and the names that other parts of the answer import."""

    start: int
    end: int
    imports: tuple[str, ...] = ()


class _Part(NamedTuple):
    start: int
    end: int
    parses: bool
    declares: bool
    holds_code: bool
    imports: tuple[str, ...]


def judged_part(task: Task, text: str) -> str:
    """The code in an answer to the task."""
    part = extract(text, str(task.public["signature"]))
    return text[part.start : part.end]


@lru_cache(maxsize=16)
def extract(text: str, signature: str) -> Extract:
    """Finds the first part that parses and declares the method with a body; else one that declares
    it, else the longest that parses, else the text. A closed reasoning block is no part, unless
    nothing else declares the method. Takes linear time."""
    method = method_of(signature)
    without_reasoning = _without_reasoning(text)
    part, declares = _chosen(without_reasoning, method)
    if not declares and without_reasoning != text:
        whole, declares = _chosen(text, method)
        part = whole if declares else part
    return part


def _without_reasoning(text: str) -> str:
    """Blanks closed reasoning blocks; offsets stay. The first may begin in the prompt."""
    blocks: list[tuple[int, int]] = []
    opened: int | None = 0
    is_open = False
    for tag in _TAG.finditer(text):
        if tag["opening"]:
            opened = opened if is_open else tag.start()
            is_open = True
        elif opened is not None:
            blocks.append((opened, tag.end()))
            opened, is_open = None, False
    parts, done = [], 0
    for start, end in blocks:
        parts += [text[done:start], _IN_A_LINE.sub(" ", text[start:end])]
        done = end
    return "".join([*parts, text[done:]])


def _chosen(text: str, method: Declaration) -> tuple[Extract, bool]:
    """Also whether the part declares the method."""
    fences = list(islice(_FENCE.finditer(text), _MOST_FENCES))
    whole = _read(text, 0, len(text), method)
    parts = [] if whole.parses and whole.declares else [
        _read(text, start, end, method) for start, end in _bounds(text, fences)
    ]  # fmt: skip
    # `sorted` is stable, so that the first of equal parts comes first.
    best, *_rest = sorted(
        (*parts, whole),
        key=lambda part: (
            not (part.parses and part.declares),
            not part.declares,
            not part.parses,
            0 if part.declares or not part.parses else part.start - part.end,
        ),
    )
    if not (best.parses or best.declares):
        # Fences around nothing are no code.
        nothing = bool(parts) and not any(part.holds_code for part in parts)
        best = whole._replace(end=0) if nothing else whole
    others = (part for part in parts if part.end <= best.start or part.start >= best.end)
    imports = dict.fromkeys(name for part in others for name in part.imports)
    return Extract(best.start, best.end, tuple(imports)), best.declares


def _bounds(text: str, fences: list[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """The parts between fences, in their order. A fence in a comment or a literal may not end a
    part: a longer one, if there is one, precedes it."""
    if not fences:
        return
    yield 0, fences[0].start()
    left = _MOST_READ * len(text)
    places = [fence.start() for fence in fences]
    for fence, following in pairwise([*fences, None]):
        assert fence is not None
        start, end = fence.end(), len(text) if following is None else following.start()
        if left > 0 and following is not None:
            outside = code_positions(text, start, places)
            longer = next(outside, len(text))
            left -= longer - start
            if longer > end:
                yield start, longer
        yield start, max(start, end)
        if text[start - 1] != "\n" and start < (second := text.find("\n", start, end) + 1):
            yield second, end


def _read(text: str, start: int, end: int, method: Declaration) -> _Part:
    code_tokens = tokens(text[start:end])
    top = list(declarations(code_tokens))
    parses = bool(top) and _is_balanced(code_tokens) and all(map(_is_whole, top))
    imports = tuple(declared.names for declared in top if declared.kind is Kind.IMPORT)
    declares = _declares(method, code_tokens, top)
    return _Part(start, end, parses, declares, bool(code_tokens), imports)


def _is_balanced(code_tokens: list[Token]) -> bool:
    """Whether brackets match; False for an omission ("...") and for a fence too."""
    expected, dots = [], 0
    for token in code_tokens:
        if token.text == "`" or (dots == 3 and token.kind != "word"):
            return False
        dots = dots + 1 if token.text == "." else 0
        if token.text in _CLOSING:
            expected.append(_CLOSING[token.text])
        elif token.text in (")", "]", "}") and (not expected or expected.pop() != token.text):
            return False
    return not expected and dots < 3


def _is_whole(declared: Declaration) -> bool:
    """Whether words before a declaration are no prose."""
    if declared.kind is Kind.OTHER:
        return declared.ends_with_semicolon
    head = declared.words[: declared.opening]
    adjacent = [
        (first.text, second.text)
        for first, second in pairwise(head)
        if first.kind == second.kind == "word"
        and not {first.text, second.text} & {"extends", "super"}
    ]
    return declared.kind is not Kind.METHOD or len(adjacent) <= 1


def _declares(
    method: Declaration, code_tokens: list[Token], top: list[Declaration], depth: int = MOST_NESTED
) -> bool:
    """Whether one of the declarations is the method with a body, or holds it."""
    return any(
        declared.is_like(method)
        or (
            depth > 0
            and declared.is_type
            and _declares(
                method, code_tokens, list(declarations(code_tokens, declared.body or 0)), depth - 1
            )
        )
        for declared in top
    )


def member_task(name: str) -> TaskId | None:
    """The id in `<prefix><task_id>.java`; None for metadata files (`._Name12.java`)."""
    base = name.replace("\\", "/").rpartition("/")[2]
    member = _MEMBER.fullmatch(base)
    return int(member[1]) if member and not base.startswith(".") else None
