"""Sketches of answers, by which copies are found: sets of hashes of what an answer runs.

An answer is reduced to what the task's function reaches, in the order in which it is reached,
without comments, docstrings, annotations, statements that never run, and names of its own. The
hashes are the smallest ones of all runs of WINDOW words and signs: two sketches estimate which
share of these runs two answers have in common. All steps take linear time, which a general parser
of Java does not: therefore Java is read by its tokens.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Container, Iterator
from hashlib import blake2b
from typing import NamedTuple
from zlib import crc32

from evaluation.engine import java_tokens
from evaluation.engine.normal_form import PIECE, python_tree

# Words and signs in a run; hashes in a sketch.
WINDOW, MOST_HASHES = 5, 64
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_WORDS = (
    "abstract assert boolean break byte case catch char class const continue default do "
    "double else enum extends false final finally float for if implements import instanceof "
    "int interface long native new null package private protected public return short static "
    "super switch synchronized this throw throws transient true try var void volatile while"
)
_JAVA_WORDS = frozenset(_WORDS.split())


class Sketch(NamedTuple):
    """`hashes` in ascending order; `size` is the number of words and signs that count."""

    hashes: tuple[int, ...]
    size: int


class _Part(NamedTuple):
    """A statement or definition at the outermost level, and the names that it defines there."""

    names: Collection[str]
    pieces: list[str]
    is_definition: bool


def sketch(code: str, language: str, entry: Container[str], slot: str) -> Sketch:
    """`entry`: names that the task's function may have. Sketches of different slots have no hash in
    common. Never raises."""
    readers = {"python": _python, "java": _java}
    try:
        parts, own = readers[language](code)
    except (KeyError, SyntaxError, ValueError, RecursionError, MemoryError):
        parts, own = [_Part((), PIECE.findall(code), False)], set()
    pieces: list[str] = []
    for part in _reached(parts, entry):
        before = ["", *part.pieces]
        pieces += (
            "_" if piece in own and last != "." else piece
            for last, piece in zip(before, part.pieces, strict=False)
        )
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


def _reached(parts: list[_Part], entry: Container[str]) -> Iterator[_Part]:
    """The parts that the task's function reaches, breadth first. If none has its name, the answer
    is a function's body: then what its statements reach, or everything."""
    waiting = [part for part in parts if part.is_definition and any(n in entry for n in part.names)]
    waiting = waiting or [part for part in parts if not part.is_definition] or [*parts]
    by_name: dict[str, list[_Part]] = {}
    for part in parts:
        for name in part.names:
            by_name.setdefault(name, []).append(part)
    done: set[int] = set()
    for part in waiting:  # grows
        if id(part) not in done:
            done.add(id(part))
            for piece in part.pieces:
                # Looks up each name once: the time stays linear.
                waiting += by_name.pop(piece, ())
            yield part


def _python(code: str) -> tuple[list[_Part], set[str]]:
    """The parts, and the names of the answer's own. Raises what parsing and unparsing raise."""
    tree = python_tree(code)
    own, origins = set[str](), dict[str, str]()
    for node in ast.walk(tree):
        for block in ("body", "orelse", "finalbody"):
            statements = getattr(node, block, None)
            if isinstance(statements, list):
                setattr(node, block, [*_running(statements, isinstance(node, ast.Module))])
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                own.add(node.name)
                if not isinstance(node, ast.ClassDef):
                    node.returns = None
            case ast.arg():
                node.annotation = None
                own.add(node.arg)
            case ast.Name(ctx=ast.Store()):
                own.add(node.id)
            case ast.ExceptHandler(name=str(name)):
                own.add(name)
            case ast.Constant(str(value)):
                # So that no word in it is taken for a name.
                node.value = f"text{crc32(value.encode('utf-8', 'surrogatepass'))}"
            case ast.Import() | ast.ImportFrom():
                module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
                # Cut, because a long path could stand for each of many short names.
                origins |= {
                    name.asname or name.name: ".".join(f"{module}{name.name}".split(".")[-3:])[:100]
                    for name in node.names
                    if name.name != "*"
                }
    parts = []
    for statement in tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            continue  # an imported name is replaced by where it comes from
        names = {
            node.id
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        if is_definition := isinstance(statement, _DEFINITIONS):
            names = {statement.name}
        words = (origins.get(word, word) for word in PIECE.findall(ast.unparse(statement)))
        pieces = [piece for word in words for piece in PIECE.findall(word)]
        parts.append(_Part(names, pieces, is_definition))
    return parts, own - origins.keys()


def _running(statements: list[ast.stmt], is_outermost: bool) -> Iterator[ast.stmt]:
    """The statements of a block up to its end, without conditions that are never true. Behind the
    end of a function's body, definitions follow at the outermost level."""
    ended = False
    for statement in statements:
        if ended and not (is_outermost and isinstance(statement, _DEFINITIONS)):
            continue
        match statement:
            case ast.If(test=ast.Constant(value), orelse=[]) if not value:
                continue
            case ast.AnnAssign(value=None):
                continue
            case ast.AnnAssign(target, _, ast.expr() as value):
                yield ast.copy_location(ast.Assign([target], value), statement)
            case _:
                yield statement
        ended |= isinstance(statement, ast.Return | ast.Raise | ast.Break | ast.Continue)


def _java(code: str) -> tuple[list[_Part], set[str]]:
    """As `_python`. A name of the answer's own is one that begins in lower case, and is neither a
    call nor a field of something."""
    words = [token.text for token in java_tokens.tokens(code)]
    around = zip(["", *words], words, [*words[1:], ""], strict=False)
    own = {
        word
        for last, word, following in around
        if word[0].islower() and word not in _JAVA_WORDS and last != "." and following != "("
    }
    parts, depth, start = list[_Part](), 0, 0
    for at, word in enumerate(words):
        depth = max(0, depth + (word in "({[") - (word in ")}]"))
        if at + 1 == len(words) or (depth == 0 and word in (";", "}")):
            pieces = words[start : at + 1]
            name = pieces[pieces.index("(") - 1] if "(" in pieces else ""
            is_method = word == "}" and name not in _JAVA_WORDS and name != ""
            parts.append(_Part({name} if is_method else (), pieces, is_method))
            own |= {name} if is_method else set()
            start = at + 1
    return parts, own
