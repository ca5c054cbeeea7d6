"""Mutants: places in a source text where one small edit changes the program's behaviour.

Reads text only. Skips edits that no test can see: docstrings, annotations, asserts, translated
texts, `__all__`, code for type checkers, and `strict=`, which ruff demands.
"""

from __future__ import annotations

import ast
import hashlib
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

KINDS = ("comparison", "number", "text", "boolean", "statement")
OTHER_TEXT = "mutant"
OPPOSITES = {
    "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "in": "not in",
    "not in": "in", "is": "is not", "is not": "is", "and": "or", "or": "and", "&&": "||",
    "||": "&&", "True": "False", "False": "True", "true": "false", "false": "true",
}  # fmt: skip
COMPARISON = re.compile(rb"==|!=|<=|>=|<|>|\bnot\s+in\b|\bin\b|\bis\s+not\b|\bis\b")
CONJUNCTION = re.compile(rb"\band\b|\bor\b")
NEGATION = re.compile(rb"not\s*")
GETTEXT = {"_"} | {
    f"{prefix}gettext{suffix}"
    for prefix in ("", "n", "p", "np")
    for suffix in ("", "_lazy", "_noop")
}
TYPING = {"cast", "NewType", "ParamSpec", "TypeVar"}
REMOVABLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Raise)


@dataclass(frozen=True, slots=True, order=True)
class Mutant:
    """`before` is the file's text from the byte `start` on, in the given line."""

    path: str
    start: int
    kind: str
    line: int
    before: str
    after: str

    @property
    def id(self) -> str:
        """Eight hexadecimal digits; the same for the same edit at the same place."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:8]

    def apply(self, source: bytes) -> bytes:
        """Raises ValueError if the text at this place is not `before`."""
        before = self.before.encode()
        end = self.start + len(before)
        if source[self.start : end] != before:
            raise ValueError(f"{self.path}:{self.line} does not read {self.before!r}")
        return source[: self.start] + self.after.encode() + source[end:]


def choose(mutants: Iterable[Mutant], count: int, seed: int) -> list[Mutant]:
    """Chooses `count` mutants, equally many of each kind; deterministic for a seed and sources."""
    found = sorted(mutants)
    chosen: list[Mutant] = []
    for place, kind in enumerate(KINDS):
        those = [mutant for mutant in found if mutant.kind == kind]
        wanted = count // len(KINDS) + (place < count % len(KINDS))
        # A string is a stable seed; a tuple's hash would change with PYTHONHASHSEED.
        chosen += random.Random(f"{seed} {kind}").sample(those, min(wanted, len(those)))  # noqa: S311 - not a secret
    return sorted(chosen)


def of(path: str, source: bytes) -> list[Mutant]:
    """All mutants of a Python or Java file. Raises SyntaxError for invalid Python."""
    if path.endswith(".java"):
        return list(_of_java(path, source))
    finder = _Finder(path, source)
    finder.visit(ast.parse(source))
    return finder.found


class _Finder(ast.NodeVisitor):
    def __init__(self, path: str, source: bytes) -> None:
        self.found: list[Mutant] = []
        self._path = path
        self._source = source
        self._lines = [0, *(match.end() for match in re.finditer(rb"\n", source))]
        self._in_function = False

    def visit(self, node: ast.AST) -> None:
        if self._in_function and isinstance(node, REMOVABLE) and not _does_nothing(node):
            self._add("statement", *self._span(node), "pass")
        super().visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._visit_all(node.decorator_list)
        self._visit_all([*node.args.defaults, *filter(None, node.args.kw_defaults)])
        outer, self._in_function = self._in_function, True
        self._visit_all(node.body)
        self._in_function = outer

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - ast names the methods

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._visit_all([one for one in node.decorator_list if _called(one) != "dataclass"])
        outer, self._in_function = self._in_function, False
        self._visit_all(node.body)
        self._in_function = outer

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._visit_all([node.value] if node.value else [])

    def visit_Assign(self, node: ast.Assign) -> None:
        if not any(isinstance(one, ast.Name) and one.id == "__all__" for one in node.targets):
            self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not _does_nothing(node):
            self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if not {"TYPE_CHECKING", "__name__"} & {
            one.id for one in ast.walk(node.test) if isinstance(one, ast.Name)
        }:
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = _called(node)
        given = node.args[1:] if name in TYPING else node.args
        if name in GETTEXT:
            given = [one for one in given if not isinstance(one, ast.Constant)]
        self._visit_all([node.func, *given])
        self._visit_all([one.value for one in node.keywords if one.arg != "strict"])

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not (isinstance(node.value, ast.Name) and node.value.id == "Literal"):
            self.generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> None:
        """Asserts are for readers and mypy; nothing depends on them at run time."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Python 3.11 has no positions for the parts of an f-string."""

    def visit_Compare(self, node: ast.Compare) -> None:
        for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
            self._swap("comparison", COMPARISON, left, right)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._swap("boolean", CONJUNCTION, left, right)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            start, end = self._span(node)
            negation = NEGATION.match(self._source, start, end)
            assert negation is not None
            self._add("boolean", start, negation.end(), "")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value, span = node.value, self._span(node)
        if isinstance(value, bool):
            self._add("boolean", *span, OPPOSITES[str(value)])
        elif isinstance(value, int | float):
            self._add("number", *span, repr(value + 1))
        elif isinstance(value, str | bytes) and value not in ("", b""):
            prefix = "b" if isinstance(value, bytes) else ""
            self._add("text", *span, f'{prefix}"{OTHER_TEXT}"')

    def _visit_all(self, nodes: Sequence[ast.AST]) -> None:
        for node in nodes:
            self.visit(node)

    def _swap(
        self, kind: str, operator: re.Pattern[bytes], left: ast.expr, right: ast.expr
    ) -> None:
        start, end = self._span(left)[1], self._span(right)[0]
        found = operator.search(self._source, start, end)
        # A comment between the two could contain a word that looks like an operator.
        if found and b"#" not in self._source[start:end]:
            self._add(kind, *found.span(), OPPOSITES[" ".join(found[0].decode().split())])

    def _span(self, node: ast.AST) -> tuple[int, int]:
        """The byte offsets of its start and end."""
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self._lines[node.lineno - 1] + node.col_offset
        return start, self._lines[node.end_lineno - 1] + node.end_col_offset

    def _add(self, kind: str, start: int, end: int, after: str) -> None:
        self.found.append(_mutant(self._path, self._source, kind, start, end, after))


def _does_nothing(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.AnnAssign) and node.value is None


def _called(node: ast.AST) -> str:
    """The last part of the name of a call's function, or of a name."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _mutant(path: str, source: bytes, kind: str, start: int, end: int, after: str) -> Mutant:
    line = source.count(b"\n", 0, start) + 1
    return Mutant(path, start, kind, line, source[start:end].decode(), after)


# Comments, characters and annotations are matched so that nothing inside them matches.
JAVA = re.compile(
    rb"""//[^\n]* | /\*.*?\*/ | '(?:\\.|[^'\\])+' | @\w+(?:\([^)]*\))?
    | (?P<text>"(?:\\.|[^"\\\n])+")
    | (?P<comparison>[=!<>]=|(?<=\ )[<>](?=\ ))
    | (?P<boolean>&&|\|\||\btrue\b|\bfalse\b|!(?=[\w(]))
    | (?P<number>(?<![\w.])\d+(?![\w.]))""",
    re.VERBOSE | re.DOTALL,
)
# A call or an assignment on a separate line, after the end of another statement.
JAVA_STATEMENT = re.compile(
    rb"""(?<=[{};]\n)\ +(?P<statement>
    (?!(?:return|throw|import|package|break|continue|super|this)\b)
    [A-Za-z_][\w.\[\]]*(?:\(|\ =\ |\ [-+|&]=\ |\+\+|--).*;)$""",
    re.VERBOSE | re.MULTILINE,
)


def _of_java(path: str, source: bytes) -> Iterator[Mutant]:
    for match in JAVA.finditer(source):
        kind = match.lastgroup
        if kind is None:
            continue
        before = match[0].decode()
        after = OPPOSITES.get(before, "")
        if kind == "number":
            after = str(int(before) + 1)
        elif kind == "text":
            after = f'"{OTHER_TEXT}"'
        yield _mutant(path, source, kind, *match.span(), after)
    for match in JAVA_STATEMENT.finditer(source):
        if match["statement"].count(b"(") == match["statement"].count(b")"):
            yield _mutant(path, source, "statement", *match.span("statement"), ";")
