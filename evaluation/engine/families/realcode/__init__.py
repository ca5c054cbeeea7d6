"""RealCode: bodies of functions in real Python projects. Follows the benchmark's post-processing
in its order; README.md lists the differences."""

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice, pairwise

from evaluation.engine.compiler_messages import LINE_END
from evaluation.engine.conversations.scripts import own_prompts
from evaluation.engine.conversations.wording import formatted
from evaluation.engine.family import Sampling
from evaluation.engine.parsing import bound_names, parse
from evaluation.engine.projects import mera
from evaluation.engine.projects.bodies import Bodies, Body, family
from evaluation.engine.projects.suite import Place
from evaluation.engine.records import Limits, Prepared, Task
from evaluation.engine.texts import gettext_noop as _

# The authors' seconds and memory; the other limits as projects' test suites need them.
LIMITS = Limits(cpu_seconds=300.0, memory=10 * 2**30, output=64 * 2**20, pids=512, open_files=4096)
_REPAIRS = SIGNATURE_DROPPED, REINDENTED, CUT = "signature_dropped", "reindented", "cut"
_OPENS, _CLOSES = ("(", "[", "{"), (")", "]", "}")
# What matters to where a signature or an import ends.
_TOKEN = re.compile(
    # A string without an end takes the rest, so that no character is read twice.
    r"""\"{3}(?s:.*?)(?:\"{3}|\Z)|\'{3}(?s:.*?)(?:\'{3}|\Z)"""
    r"""|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|\#[^\n]*|\\\n|[()\[\]{}:\n]"""
)
# What a text raises that is no code.
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
# Characters to parse in all to tell a repeated signature from others of the same name.
_MOST_PARSED = 50_000
_DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORT = re.compile(r"[^\S\n]*(?:from|import)\b")
# A one-line stub, and more code after it.
_STUB = re.compile(r"(?:\.{3}|pass\b|raise\b).*\n\s*\S")
_CODE = re.compile(r"^[^\S\n]*(?:@|(?:class|def|from|if|import|try|with)\b)", re.MULTILINE)


def body_of(generation: str, name: str, gt: str, left_context: str = "") -> Body:
    """The body in a generation for the function `name`; always ends in two newlines. Imports before
    a repeated signature that the left context has are not repeated: tests may patch their names in
    the module."""
    code = "\n".join(LINE_END.split(extract_code(generation)))
    signature = re.compile(
        rf"^[^\S\n]*(?:async[^\S\n]+)?(?:def|class)[^\S\n]+{re.escape(name)}\b.*$", re.MULTILINE
    )
    indent, dropped = indent_of(gt), code
    imports: list[str] = []
    if repeated := _repeated(code, signature, name, indent):
        dropped = _after(code, repeated)
        present, taken, is_class = set[tuple[object, ...]](), set[str](), False
        with suppress(*_UNREADABLE):
            left = joined(left_context, f"{indent}pass", "")
            present = _bound(_of_module(parse(left).body))
            taken = bound_names(left) | bound_names(f"if 1:\n{_reindented(dropped, indent)}")
            is_class = repeated[0].split()[0] == "class"
        for node in _imports(code[: repeated.start()], indent_of(repeated[0])):
            if isinstance(node, ast.Import | ast.ImportFrom):
                node.names = [name for name, key in _keys(node) if key not in present]
            if _bound([node]) - present:
                with suppress(*_UNREADABLE):  # unparsing takes more recursion
                    text = ast.unparse(node)
                    # Methods do not see the names of a class body, and an Enum makes members of
                    # them.
                    names = ", ".join(sorted(bound_names(text) - taken)) if is_class else ""
                    imports.append(f"global {names}\n{text}" if names else text)
    indented = _reindented(dropped, indent)
    lines, least = indented.split("\n"), len(indent)
    end = next((n for n, line in enumerate(lines) if line.strip() and _width(line) < least), None)
    cut = "\n".join(lines[:end])
    repairs = zip(_REPAIRS, pairwise((code, dropped, indented, cut)), strict=True)
    flags = tuple(flag for flag, (before, after) in repairs if before != after)
    lines, start = cut.rstrip().split("\n"), 0
    if imports and (block := _in_place(cut, indent)):
        first, *others = block.body
        # Lines count from 1, and the first is the one that _in_place adds.
        end, indent = first.end_lineno or 0, lines[first.lineno - 2][: first.col_offset]
        if ast.get_docstring(block) is not None and all(node.lineno > end for node in others):
            start = end - 1
    lines[start:start] = [textwrap.indent(text, indent) for text in imports if cut.strip()]
    return Body("\n".join(lines) + "\n\n", flags)


def _repeated(
    code: str, signature: re.Pattern[str], name: str, indent: str
) -> re.Match[str] | None:
    """The first signature that a body follows, else the first one. None if the code is a body: if
    it returns, has the name in strings alone, or is indented as a body and no body follows."""
    first, most = signature.search(code), _MOST_PARSED // (len(code) + 1)
    if not first or not most:
        return first
    if block := _in_place(code, indent):
        outside: list[ast.AST] = [*block.body]
        for node in outside:
            outside += [] if isinstance(node, _DEFINITION) else ast.iter_child_nodes(node)
        returns = any(isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) for node in outside)
        named = (isinstance(n, _DEFINITION) and n.name == name for n in ast.walk(block))
        if returns or not any(named):
            return None
    least = min(_width(line) for line in code.split("\n") if line.strip())
    default = None if block and least >= len(indent) else first
    for match in islice(signature.finditer(code), most):
        body = _after(code, match)
        if not _STUB.match(body) and _in_place(body, indent):
            return match
    return default


def _in_place(code: str, indent: str) -> ast.Module | None:
    """The statements of a body; None if it does not parse."""
    with suppress(*_UNREADABLE):
        (block,) = parse(f"if 1:\n{_reindented(code, indent)}").body
        return ast.Module(block.body, []) if isinstance(block, ast.If) else None
    return None


def _after(code: str, signature: re.Match[str]) -> str:
    """The code after the colon that ends the parameters and the annotation, which may span lines,
    or after the signature's first line."""
    depth, end = 0, signature.end()
    for token in _TOKEN.finditer(code, signature.start()):
        depth += (token[0] in _OPENS) - (token[0] in _CLOSES)
        if not depth and token[0] in (":", "\n"):
            end = token.end() if token[0] == ":" else end
            break
    line, _, following = code[end:].partition("\n")
    has_body = line.strip() and not line.lstrip().startswith("#")
    return f"{line.lstrip()}\n{following}" if has_body else following.lstrip("\n")


def _keys(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[ast.alias, tuple[object, ...]]]:
    """Each name of an import with what makes it equal to another."""
    module, level = getattr(node, "module", None), getattr(node, "level", 0)
    for alias in node.names:
        yield alias, (module, level, alias.name, alias.asname)


def _bound(nodes: Iterable[ast.AST]) -> set[tuple[object, ...]]:
    within = chain.from_iterable(map(ast.walk, nodes))
    imports = (node for node in within if isinstance(node, ast.Import | ast.ImportFrom))
    return {key for node in imports for _alias, key in _keys(node)}


def _of_module(nodes: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The imports that run with a module, with the `try`, `if` or `with` around them. Those from
    `__future__` and of `*` cannot stand in a body."""
    for node in nodes:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in (test := ast.unparse(node.test)):
            yield from _of_module(node.body if test.startswith("not ") else node.orelse)
        elif isinstance(node, ast.With):
            if all(isinstance(statement, ast.Import | ast.ImportFrom) for statement in node.body):
                yield node
        elif isinstance(node, ast.Import | ast.ImportFrom | ast.Try | ast.TryStar | ast.If):
            keys = _bound([node])
            if keys and not any(key[0] == "__future__" or key[2] == "*" for key in keys):
                yield node


def _imports(text: str, indent: str) -> Iterator[ast.stmt]:
    """The imports before a signature with such an indent. Where the text is prose in part, each
    logical line may be one."""
    first = _CODE.search(text)
    for code in (text, text[first.start() :]) if first else ():
        with suppress(*_UNREADABLE):
            alone = re.sub(f"^{indent_of(code)}", "", f"{code}{indent}def f(): pass", flags=re.M)
            imports = [*_of_module(parse(alone).body)]
            yield from imports
            return
    ends, depth = [0], 0
    for token in _TOKEN.finditer(text):
        depth += (token[0] in _OPENS) - (token[0] in _CLOSES)
        if token[0] == "\n" and (not depth or _IMPORT.match(text, token.end())):
            ends.append(token.end())
            depth = 0
    for start, end in pairwise([*ends, len(text)]):
        statement = text[start:end].strip()
        if _IMPORT.match(statement):
            with suppress(*_UNREADABLE):
                yield from _of_module(parse(statement).body)


def extract_code(text: str) -> str:
    """The text between the first ```` ```python ```` and the next ```` ``` ````, at any column; the
    whole text if one of the two is missing."""
    _before, opening, after = text.partition("```python")
    code, closing, _rest = after.partition("```")
    return code if opening and closing else text


def indent_of(code: str) -> str:
    return next((line[: _width(line)] for line in code.split("\n") if line.strip()), "")


def joined(left_context: str, body: str, right_context: str) -> str:
    """A left context ends in the signature's colon, without a newline."""
    return left_context + "\n" + body + "\n" + right_context.rstrip("\n")


def _reindented(code: str, indent: str) -> str:
    if not code.strip():
        return code
    lines = code.split("\n")
    width = min(_width(line) for line in lines if line.strip())
    # A shorter blank line stays as it is, so that code with the right indent does not change,
    # including its multi-line strings.
    return "\n".join(
        indent + line[width:] if line.strip() or len(line) > width else line for line in lines
    )


def _width(line: str) -> int:
    return len(line) - len(line.lstrip())


def _place(task: Task, _prepared: Prepared) -> Place:
    hidden, public = task.hidden, task.public
    after = joined("", "", hidden["right_context"]).removeprefix("\n")
    placeholder = indent_of(hidden["gt"]) + "pass"
    return Place(
        public["path"], f"{hidden['left_context']}\n", after, placeholder, public["entry_point"]
    )


BODIES = Bodies(
    extracted=extract_code,
    rule=_(
        "The code is the text between the first ```python and the next ```. If one of them is "
        "missing, it is the whole answer."
    ),
    of=lambda task, text: body_of(
        text, task.public["entry_point"], task.hidden["gt"], task.hidden["left_context"]
    ),
    joined=joined,
    stubs={
        "stub_pass": lambda task: indent_of(task.hidden["gt"]) + "pass",
        "stub_empty_str": lambda task: indent_of(task.hidden["gt"]) + 'return ""',
    },
    report="pytest",
    limits=LIMITS,
    dry_run_limits=LIMITS,
    place=_place,
)
FAMILY = family(
    "realcode",
    "RealCode",
    mera.Form(language="python", path="fn"),
    BODIES,
    own_prompts(
        Sampling(temperature=0.7, top_p=0.8, repetition_penalty=1.05), ("left_context",), formatted
    ),
    flags={
        SIGNATURE_DROPPED: _("the repeated signature was dropped"),
        REINDENTED: _("indented to match the body's position"),
        CUT: _("cut where the function ends"),
    },
)
