"""Figures on the size and structure of the code, without limits.

    python -m scripts.shape [BEFORE] [AFTER]

Each is a directory or a revision of this repository; by default this checkout.
"""

from __future__ import annotations

import ast
import io
import statistics
import subprocess
import sys
import tarfile
import tempfile
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.environment import ROOT

PRODUCT = ("evaluation", "leaderboard", "client")
INSIDE = "sandbox/inside/"
SHORT = 5
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
FOR_TOOLS = ("# noqa", "# type:", "# fmt:", "#!")
FORMULAS = f"""\
product      Python files of evaluation/, leaderboard/ and client/ without migrations
tests        Python files of tests/; programs of a corpus lie in directories that are no packages
lines        lines of a file, blank ones and comments included; a function's from `def` to its end,
             without decorators; methods and functions inside functions are functions too
p95          the smallest value that at least 95 % of the values do not exceed
private      a name that begins with an underscore and does not end in two; counted without
             sandbox/inside, whose modules are programs
named once   besides its `def`, the name occurs once in its own file, as a name, an attribute, or a
             text that is just the name; a recursive call counts
short        the function has at most {SHORT} lines
docstrings   lines from the opening to the closing quotes, of modules, classes and functions
comments     lines with a comment, behind code as well, without those for tools (`noqa`, `type:`)
per 100      for 100 lines of code: neither blank, nor docstring, nor nothing but a comment"""


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    place: str
    lines: int
    private: bool
    # Number of uses of the name in the file, without the definition.
    named: int
    has_docstring: bool


@dataclass(frozen=True, slots=True)
class File:
    place: str
    lines: int
    functions: tuple[Function, ...]
    code_lines: int
    docstring_lines: int
    comment_lines: int


def measure(root: Path) -> dict[str, str]:
    """The figures of a tree, as texts by their names."""
    product = [look(root, path) for top in PRODUCT for path in sorted((root / top).rglob("*.py"))]
    product = [file for file in product if "migrations" not in Path(file.place).parts]
    paths = (root / "tests").rglob("*.py")
    tests = {path: len(path.read_bytes().splitlines()) for path in paths}
    programs = sum(tests[path] for path in tests if not (path.parent / "__init__.py").exists())
    functions = [function for file in product for function in file.functions]
    outside = [function for function in functions if INSIDE not in function.place]
    private = [function for function in outside if function.private]
    once = [function for function in private if function.named == 1]
    lines = sum(file.lines for file in product)
    code = sum(file.code_lines for file in product)
    docstrings = sum(file.docstring_lines for file in product)
    comments = sum(file.comment_lines for file in product)
    return {
        "lines of product": f"{lines:,}",
        "lines of tests": f"{sum(tests.values()):,} ({programs:,} of them programs of corpora)",
        "files of product": f"{len(product):,}",
        "lines per file": spread([(file.lines, file.place) for file in product]),
        "functions": f"{len(functions):,}",
        "functions per 1,000 lines": f"{1000 * len(functions) / max(lines, 1):.1f}",
        "lines per function": spread([(one.lines, one.place) for one in functions]),
        "functions over 50 lines": share([one for one in functions if one.lines > 50], functions),
        "private functions": share(private, outside),
        "private, named once": share(once, private),
        "private, named once, short": share([one for one in once if one.lines <= SHORT], private),
        "private with a docstring": share([one for one in private if one.has_docstring], private),
        "docstring lines per 100": f"{100 * docstrings / max(code, 1):.1f}",
        "comment lines per 100": f"{100 * comments / max(code, 1):.1f}",
    }


def look(root: Path, path: Path) -> File:
    text = path.read_text("utf-8")
    place = path.relative_to(root).as_posix()
    nodes = list(ast.walk(ast.parse(text)))
    uses = Counter(_names(nodes))
    lines = text.splitlines()
    docstrings = {number for node in nodes for number in _docstring(node)}
    comments = _comments(text)
    code = [
        number
        for number, line in enumerate(lines, 1)
        if line.strip()
        and number not in docstrings
        and not (number in comments and line.lstrip().startswith("#"))
    ]
    return File(
        place,
        len(lines),
        tuple(_function(node, place, uses) for node in nodes if isinstance(node, FUNCTIONS)),
        len(code),
        len(docstrings),
        sum(not comment.startswith(FOR_TOOLS) for comment in comments.values()),
    )


def _function(
    node: ast.FunctionDef | ast.AsyncFunctionDef, place: str, uses: Counter[str]
) -> Function:
    assert node.end_lineno
    return Function(
        node.name,
        f"{place}:{node.lineno} {node.name}",
        node.end_lineno - node.lineno + 1,
        node.name.startswith("_") and not node.name.endswith("__"),
        uses[node.name],
        ast.get_docstring(node) is not None,
    )


def _names(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _docstring(node: ast.AST) -> range:
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return range(0)
    if ast.get_docstring(node, clean=False) is None:
        return range(0)
    assert node.body[0].end_lineno is not None
    return range(node.body[0].lineno, node.body[0].end_lineno + 1)


def _comments(text: str) -> dict[int, str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {token.start[0]: token.string for token in tokens if token.type == tokenize.COMMENT}


def spread(values: Sequence[tuple[int, str]]) -> str:
    """The median, the 95th percentile and the largest, with its place."""
    if not values:
        return "-"
    counts = sorted(count for count, _ in values)
    p95 = counts[-(-95 * len(counts) // 100) - 1]
    most, place = max(values)
    return f"median {statistics.median(counts):g}, p95 {p95}, longest {most} ({place})"


def share(part: Sequence[object], whole: Sequence[object]) -> str:
    return f"{len(part):,} of {len(whole):,} ({100 * len(part) / max(len(whole), 1):.1f} %)"


def measured(named: str) -> dict[str, str]:
    """The figures of a directory or, if there is none of that name, of a revision."""
    if Path(named).is_dir():
        return measure(Path(named))
    with tempfile.TemporaryDirectory(prefix="assay-shape-") as directory:
        command = ["git", "-C", str(ROOT), "archive", named, "--", *PRODUCT, "tests"]
        packed = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(directory, filter="data")
        return measure(Path(directory))


def main() -> int:
    names = sys.argv[1:] or [str(ROOT)]
    if len(names) > 2:
        print("shape: one or two directories or revisions are compared", file=sys.stderr)
        return 2
    columns = [measured(name) for name in names]
    print(FORMULAS, end="\n\n")
    for figure in columns[0]:
        first, *rest = (column[figure] for column in columns)
        print(f"{figure:28}{first}")
        for text in rest:
            print(f"{'':26}> {text}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
