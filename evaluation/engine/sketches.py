"""Sketches of answers, by which copies are found: sets of hashes of what an answer runs.

An answer is reduced to what the task's function reaches, in the order in which it is reached,
without comments, docstrings, annotations, statements that never run or whose value is never read,
and names of its own. The hashes are the smallest ones of all runs of WINDOW words and signs: two
sketches estimate which share of these runs two answers have in common. All steps take linear time,
which a general parser of Java does not: therefore Java is read by its tokens."""

import ast
import builtins
import re
from collections.abc import Collection, Iterator
from hashlib import blake2b
from typing import NamedTuple, TypeAlias
from zlib import crc32

from evaluation.engine import java_tokens
from evaluation.engine.normal_form import PIECE, python_tree

# Words and signs in a run; hashes in a sketch.
WINDOW, MOST_HASHES = 5, 64
# The prefix of words that stand for an answer's own definitions. No word of a language has it.
OWN = "0d"
# A part of the code is a list of words and signs. `Parts` lists the parts for which a word with
# the prefix OWN stands.
Part: TypeAlias = list[str]
Parts: TypeAlias = dict[str, list[Part]]
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BUILTINS = {*dir(builtins)}
_EFFECTS = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
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
    r"(?<!\S)(?:(?:import|package) [^;]*+(?:; )?+|(?:final|private|protected|public|static) "
    r"|@ (?!interface )[\w$]++ (?:\. [\w$]++ )*+(?:\( [^()]*+\) )?+)"
)
_QUALIFIED = re.compile(r"(?<!\S)((?:[a-z_$][\w$]*+ \. )++)([A-Z][\w$]*+)?+")
_QUALIFIER = re.compile(r"(?<!\S)([\w$]++) \. ")
_CLASS = re.compile(r"(?<!\S)(?:class|interface|enum) ([\w$]++)")


class Sketch(NamedTuple):
    """`hashes` in ascending order; `size` is the number of words and signs that count."""

    hashes: tuple[int, ...]
    size: int


def sketch(code: str, language: str, entry: Collection[str], slot: str) -> Sketch:
    """`entry`: names that the task's function may have; if there are none, all code counts, and if
    the answer defines none of them, it is a function's body. Sketches of different slots have no
    hash in common. Never raises."""
    readers = {"python": _python, "java": _java}
    try:
        waiting, parts = readers[language](code, entry)
    except (KeyError, SyntaxError, ValueError, RecursionError, MemoryError):
        waiting, parts = [PIECE.findall(code)], {}
    pieces, done = list[str](), set[int]()
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


def _python(code: str, entry: Collection[str]) -> tuple[list[Part], Parts]:
    """The parts to begin with, and those that own words stand for. A part is an outermost function,
    class or statement. Raises what parsing raises."""
    origins, ending = dict[str, str](), set[ast.AST]()
    nodes = [*ast.walk(tree := python_tree(code))]
    # Whether an expression is true, if that depends on no variable.
    truths: dict[ast.AST, bool] = {n: bool(n.value) for n in nodes if isinstance(n, ast.Constant)}
    used = [n for n in nodes if isinstance(getattr(n, "ctx", None), ast.Load)]
    read = {*entry, *(getattr(node, "id", getattr(node, "attr", "")) for node in used)}
    for node in reversed(nodes):
        names = None if node is tree else read
        for field in ("body", "orelse", "finalbody"):
            if isinstance(block := getattr(node, field, None), list):
                setattr(node, field, _unnamed_end([*_running(block, ending, truths, names)]))
        match node:
            case ast.Compare(left, [ast.Gt() | ast.GtE() as sign], [right]):
                node.left, node.comparators = right, [left]
                node.ops = [ast.Lt() if isinstance(sign, ast.Gt) else ast.LtE()]
            case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
                ending.add(node)
            case ast.If(_, [*_, one], [*_, other]) if {one, other} <= ending:
                ending.add(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                node.returns = None
            case ast.arg():
                node.annotation = None
            case ast.Constant(str(value)):
                # So that no word in it is taken for a name.
                node.value = f"text{crc32(value.encode('utf-8', 'replace'))}"
            case ast.List([]) | ast.Tuple([]) | ast.Call(ast.Name("range"), [ast.Constant(0)]):
                truths[node] = False
            case ast.UnaryOp(ast.Not(), value) if value in truths:
                truths[node] = not truths[value]
            case ast.BoolOp(operator, values):
                decisive, of_values = isinstance(operator, ast.Or), [truths.get(v) for v in values]
                if decisive in of_values or None not in of_values:
                    truths[node] = (decisive in of_values) == decisive
            case ast.Import() | ast.ImportFrom():
                path = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
                # Cut, because a long path could stand for each of many short names.
                origins |= {
                    name.asname or name.name: ".".join(f"{path}{name.name}".split(".")[-3:])[:100]
                    for name in node.names
                    if name.name != "*"
                }
    outermost: dict[str, list[ast.stmt]] = {}
    bound_names = {statement: _bound(statement) for statement in tree.body}
    for statement in tree.body:
        if isinstance(statement, _DEFINITIONS):
            outermost[statement.name] = [statement]  # the last definition counts
            continue
        for name in bound_names[statement]:
            if name in entry and isinstance(statement, ast.Assign):
                outermost.pop(name, None)
            outermost.setdefault(name, []).append(statement)
    pieces: dict[ast.stmt, Part] = {}
    for statement in tree.body:
        try:
            words = PIECE.findall(ast.unparse(statement))
        except RecursionError:
            words = [type(node).__name__ for node in ast.walk(statement)]
        bound, part = bound_names[statement], pieces.setdefault(statement, [])
        for last, word, following in zip(["", *words], words, [*words[1:], ""], strict=False):
            # What is called is a definition or a builtin, even if a variable has its name.
            if last != "." and word in outermost and (word not in bound or following == "("):
                word = f"{OWN}{word}"
            elif last != "." and word in bound and not (following == "(" and word in _BUILTINS):
                word = "_"
            part += PIECE.findall(word if last == "." else origins.get(word, word))
    parts = {f"{OWN}{name}": [pieces[s] for s in outermost[name]] for name in outermost}
    named = [part for name in sorted(entry) for part in parts.get(f"{OWN}{name}", ())]
    body = [pieces[s] for s in tree.body if entry and not isinstance(s, _DEFINITIONS)]
    return named or body or [*pieces.values()], parts


def _bound(statement: ast.stmt) -> set[str]:
    """The names that it binds, its own excepted. Matching and exceptions bind names, too."""
    kinds = (*_DEFINITIONS, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
    inner = [node for node in ast.walk(statement) if node is not statement]
    names = {n.id for n in inner if isinstance(n, ast.Name) and type(n.ctx) is not ast.Load}
    names |= {node.arg for node in inner if isinstance(node, ast.arg)}
    return names | {node.name for node in inner if isinstance(node, kinds) and node.name}


def _unnamed_end(block: list[ast.AST]) -> list[ast.AST]:
    """The statements without names for a result that is returned at once: they say nothing."""
    while True:
        match block[-2:]:
            case [ast.Assign([ast.Name(x)], result), ast.Return(ast.Name(y)) as end] if x == y:
                end.value = result
                del block[-2]
            case _:
                return block


def _running(
    block: list[ast.stmt], ending: set[ast.AST], truths: dict[ast.AST, bool], read: set[str] | None
) -> Iterator[ast.stmt]:
    """The statements of a block up to its end, without imports, those that have no effect, and
    branches that are never taken. `read` is None for the outermost block: behind the end of a
    function's body, definitions follow there."""
    statements: list[ast.stmt] = []
    for statement in block:
        match statement:
            case ast.If(test, body, orelse) if test in truths:
                statements += body if truths[test] else orelse
            case ast.While(test, _, rest) | ast.For(_, test, _, rest) if truths.get(test) is False:
                statements += rest
            case ast.Import() | ast.ImportFrom() | ast.AnnAssign(value=None):
                pass
            case ast.FunctionDef(name) | ast.ClassDef(name) | ast.Assign([ast.Name(name)]) if (
                read and name not in read and name[:2] != "__"
            ):
                pass
            case ast.AnnAssign(target, _, ast.expr() as value):
                statements.append(ast.copy_location(ast.Assign([target], value), statement))
            case ast.Expr(value) | ast.If(value, [], []) | ast.For(_, value, [], []) if not any(
                isinstance(node, _EFFECTS) for node in ast.walk(value)
            ):
                pass
            case _:
                statements.append(statement)
    ended = False
    for statement in statements:
        if not ended or (read is None and isinstance(statement, _DEFINITIONS)):
            yield statement
        ended = ended or statement in ending


def _java(code: str, entry: Collection[str]) -> tuple[list[Part], Parts]:
    """As `_python`, by the tokens: methods, fields and statements. Classes are opened."""
    text = " ".join(
        t.text if t.kind != "literal" else f"0t{crc32(t.text.encode('utf-8', 'replace'))}"
        for t in java_tokens.tokens(code)
    )
    text = _SILENT.sub("", f"{text} ").replace(" . class ", " . type ")
    text = _QUALIFIED.sub(lambda path: path[2] or path[1].removeprefix("this . "), text)
    classes = {*_CLASS.findall(text)}
    text = _QUALIFIER.sub(lambda path: "" if path[1] in classes else path[0], text)
    words = text.split()
    sections, start, depth = list[Part](), 0, 0
    for at, word in enumerate(words):
        opens_class = word == "{" and not depth and _CLASS.search(" ".join(words[start:at]))
        if opens_class or (not depth and word in (")", "]", "}")):
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
        if f"{word}(" in defined and last != "." and (following == "(" or last == ":"):
            return f"{OWN}{word}("
        return f"{OWN}{word}" if word in variables and last != "." else word

    parts, every = dict[str, list[Part]](), list[Part]()
    for name, section in zip(names, sections, strict=True):
        around = zip(["", *section], section, [*section[1:], ""], strict=False)
        every.append([own(*words) for words in around])
        parts.setdefault(f"{OWN}{name}", []).append(every[-1])
    named = [part for name in sorted(entry) for part in parts.get(f"{OWN}{name}(", ())]
    statements = [part for part, name in zip(every, names, strict=True) if name[-1:] != "("]
    return named or (statements if entry and not classes else []) or every, parts


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
