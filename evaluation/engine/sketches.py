"""Sketches of answers, by which copies are found: sets of hashes of what an answer runs.

An answer is reduced to what the task's function reaches, in the order in which it is reached,
without comments, docstrings, annotations, statements that never run or whose value is never read,
and names of its own. The hashes are the smallest ones of all runs of WINDOW words and signs: two
sketches estimate which share of these runs two answers have in common. All steps take linear time,
which a general parser of Java does not: therefore Java is read by its tokens.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from hashlib import blake2b
from typing import NamedTuple
from zlib import crc32

from evaluation.engine import java_tokens
from evaluation.engine.normal_form import PIECE
from evaluation.engine.python_parts import OWN, Part, Parts, python_parts

# Words and signs in a run; hashes in a sketch.
WINDOW, MOST_HASHES = 5, 64
# Stands for the beginning of a branch that never runs.
_NEVER = "0never"
# What only passes arguments and results.
_PASSING = frozenset(("_", "(", ")", ",", "*", ".", "=", ":", ";", "{", "}", "return"))
_WORDS = (
    "abstract assert boolean break byte case catch char class const continue default do "
    "double else enum extends false final finally float for if implements import instanceof "
    "int interface long native new null package private protected public return short static "
    "super switch synchronized this throw throws transient true try var void volatile while"
)
_JAVA_WORDS = frozenset(_WORDS.split())
_TYPES = "boolean byte char double float int long short var void"
_JAVA_TYPES = frozenset((*_TYPES.split(), "]", ">"))
# In tokens with blanks behind them: what only says where names come from and who sees them; a path
# before a name; what may be a class before a name; a class's name.
_SILENT = re.compile(
    r"(?<!\S)(?:(?:import|package) [^;]*+; |(?:final|private|protected|public|static) "
    r"|@ (?!interface )[\w$]++ (?:\. [\w$]++ )*+(?:\( [^()]*+\) )?+)"
)
_QUALIFIED = re.compile(r"(?<!\S)((?:[a-z_$][\w$]*+ \. )++)([A-Z][\w$]*+)?+")
_QUALIFIER = re.compile(r"(?<!\S)([\w$]++) \. ")
_CLASS_WORDS = frozenset(("class", "interface", "enum"))
_CLASS = re.compile(r"(?<!\S)(?:class|interface|enum) ([\w$]++)")


class Sketch(NamedTuple):
    """`hashes` in ascending order; `size` is the number of words and signs that count."""

    hashes: tuple[int, ...]
    size: int


def sketch(code: str, language: str, entry: Collection[str], slot: str) -> Sketch:
    """`entry`: names that the task's function may have; if there are none, all code counts, and if
    the answer defines none of them, it is a function's body. Sketches of different slots have no
    hash in common. Never raises."""
    readers = {"python": python_parts, "java": _java}
    try:
        waiting, parts = readers[language](code, entry)
    except (KeyError, SyntaxError, ValueError, RecursionError, MemoryError):
        waiting, parts = [PIECE.findall(code)], {}
    pieces: Part = []
    done: set[int] = set()
    for part in waiting:  # grows: breadth first
        if id(part) not in done:
            done.add(id(part))
            for piece in part:
                waiting += parts.pop(piece, ())
            # Not if all that a part does is to call another one.
            begin = next((at for at, piece in enumerate(part) if piece in (":", "{")), 0)
            called = {piece for piece in part[begin:] if piece.startswith(OWN)}
            if not called or not _PASSING.issuperset({*part[begin:]} - called):
                pieces += ("_" if piece.startswith(OWN) else piece for piece in part)
    # An answer of imports alone runs nothing.
    pieces = pieces or PIECE.findall(code)
    starts = range(max(1, len(pieces) - WINDOW + 1)) if pieces else ()
    runs = {"\0".join(pieces[start : start + WINDOW]) for start in starts}
    key = blake2b(slot.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    hashes = {
        int.from_bytes(blake2b(run.encode("utf-8", "replace"), digest_size=4, key=key).digest())
        for run in runs
    }
    return Sketch(tuple(sorted(hashes)[:MOST_HASHES]), len(pieces))


def _java(code: str, entry: Collection[str]) -> tuple[list[Part], Parts]:
    """As `python_parts`, by the tokens: methods, fields and statements. Classes are opened."""
    text = " ".join(
        f"0t{crc32(token.text.encode('utf-8', 'surrogatepass'))}"
        if token.kind == "literal"
        else token.text
        for token in java_tokens.tokens(code)
    )
    text = _SILENT.sub("", f"{text} ").replace(" . class ", " . type ")
    text = _QUALIFIED.sub(lambda path: path[2] or path[1].removeprefix("this . "), text)
    classes = {*_CLASS.findall(text)}
    text = _QUALIFIER.sub(lambda path: "" if path[1] in classes else path[0], text)
    words, hidden = list[str](), 0
    for word in text.replace(" if ( false ) { ", f" {_NEVER} ").split():
        if hidden or word == _NEVER:
            hidden += (word in ("{", _NEVER)) - (word == "}")
        else:
            words.append(word)
    sections, start, depth = list[Part](), 0, 0
    for at, word in enumerate(words):
        if word == "{" and depth == 0 and not _CLASS_WORDS.isdisjoint(words[start:at]):
            start = at + 1
            continue
        if word in ("}", ")", "]") and depth == 0:
            start = at + 1
            continue
        depth += (word in ("(", "[", "{")) - (word in (")", "]", "}"))
        if at + 1 == len(words) or (depth == 0 and word in (";", "}")):
            sections.append(words[start : at + 1])
            start = at + 1
    names = [_java_name(section) for section in sections]
    defined = {*names}
    variables = classes | {
        word
        for last, word, following in zip(["", *words], words, [*words[1:], ""], strict=False)
        if word not in _JAVA_WORDS
        and word[0].isidentifier()
        and last != "."
        and following != "("
        and (word[0].islower() or (_is_type(last) and following in ("=", ";", ",", ")", ":")))
    }

    def own(last: str, word: str, following: str) -> str:
        if last != "." and (f"{word}(" in defined and (following == "(" or last == ":")):
            return f"{OWN}{word}("
        if last != "." and word in variables:
            return f"{OWN}{word}"
        return word

    parts: Parts = {}
    every = list[Part]()
    for name, section in zip(names, sections, strict=True):
        around = zip(["", *section], section, [*section[1:], ""], strict=False)
        every.append([own(*words) for words in around])
        parts.setdefault(f"{OWN}{name}", []).append(every[-1])
    named = [part for name in sorted(entry) for part in parts.get(f"{OWN}{name}(", ())]
    is_body = entry and not classes
    statements = [part for part, name in zip(every, names, strict=True) if name[-1:] != "("]
    return named or (statements if is_body else []) or every, parts


def _is_type(word: str) -> bool:
    return word in _JAVA_TYPES or (word[:1].isidentifier() and word not in _JAVA_WORDS)


def _java_name(section: Part) -> str:
    """The name that a method, with "(", or a field declares. Other statements may have any."""
    head = section[: section.index("{")] if "{" in section else []
    if section[-1] == "}" and "(" in head:
        *before, name = head[: head.index("(")] or [""]
        if name not in _JAVA_WORDS and (not before or _is_type(before[-1])):
            return f"{name}("
    end = next((at for at, word in enumerate(section) if word in ("=", ";")), 0)
    return section[end - 1] if end else ""
