"""Tests of cutting functions out of Python files, with generated files and Python's own."""

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.making.cuts import EMPTY, ON_ONE_LINE, UNDECODABLE, UNREADABLE, Cut, Uncut
from evaluation.making.python_bodies import (
    AFTER_THE_COLON,
    CARRIAGE_RETURNS,
    DECLARED_ONLY,
    OUTDENTED,
    cut,
    joined,
)

# Any text between a name and its colon; `@` stands for the line's indent.
SIGNATURES = [
    "(self):",
    "(a, *, b: 'x:y' = {1: 2}, **k) -> dict[str, int]:",
    "(a=lambda: 0, b=[1, 2][0:1]):",
    "(\n@    a,  # with a colon: here\n@    b=':',\n@) -> 'c: d':",
    "() -> lambda: {0: 1}:",
    "(\u0438\u043c\u044f='\u0434\u0430: \u043d\u0435\u0442') \\\n@  -> None:",
]
STATEMENTS = [
    "return 1",
    "x = 1; y = 'def g(): pass'",
    'text = """one\n@two: three\n"""',
    "if x:\n@\t\treturn 2\n@else:\n@    y = {1: 2}  # colon: comment",
    "# nothing but a comment",
    "",
    "x = 1 + \\\n@    2",
    "'''\u0442\u0435\u043a\u0441\u0442'''",
    "\f",
]
DECORATORS = ["", "@property\n@", "@wraps(f, x={1: 2})\n@# why\n@"]


@st.composite
def functions(draw: st.DrawFn, indent: str = "", depth: int = 0) -> str:
    """The lines of a function at the indent, with functions nested in it."""
    inner = indent + draw(st.sampled_from(["    ", "\t", " "]))
    head = draw(st.sampled_from(DECORATORS)) + draw(st.sampled_from(["def f", "async def g"]))
    lines = [indent + (head + draw(st.sampled_from(SIGNATURES))).replace("\n@", "\n" + indent)]
    for _ in range(draw(st.integers(0, 3))):
        statement = draw(st.sampled_from(STATEMENTS))
        lines.append((inner + statement).replace("\n@", "\n" + inner) if statement else "")
    if depth < 2 and draw(st.booleans()):
        lines.append(draw(functions(inner, depth + 1)))
    return "\n".join([*lines, inner + "return 0"])


FILES = st.builds(
    lambda start, parts, end: start + "\n\n".join(parts) + end,
    st.sampled_from(["", "\ufeff", "import os\n\n", "class A:\n    x: int\n", "#!\n\f\n"]),
    st.lists(functions(), min_size=1, max_size=3),
    st.sampled_from(["", "\n", "\n\n\n", "\nif x:\n    f()\n"]),
)


def cuts(text: str) -> list[Cut]:
    return [found for found in cut(text) if isinstance(found, Cut)]


def named(tree: ast.AST) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    nodes = ast.walk(tree)
    return [n for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


def check(text: str) -> None:
    """Asserts for any file that the parts of each cut join to the file again and hold exactly one
    body."""
    code = text.removeprefix("\ufeff")
    bodies = {node.lineno: ast.dump(ast.Module(node.body, [])) for node in named(ast.parse(code))}
    found = cut(text)
    assert [each.line for each in found] == sorted(bodies)
    for each in cuts(text):
        assert joined(each.left, each.body, each.right).rstrip("\n") == text.rstrip("\n")
        assert each.left.endswith(":") and not each.right.endswith("\n")
        alone = ast.parse(f"async def f():\n{each.body}\n")
        inside = ast.dump(ast.Module(named(alone)[0].body, []))
        assert inside == bodies[each.line]


def _indent(body: str) -> str:
    first = next(line for line in body.split("\n") if line.strip())
    return first[: len(first) - len(first.lstrip())]


@given(FILES)
def test_every_cut_gives_the_file_again_and_is_python_with_another_body_as_well(text: str) -> None:
    check(text)
    for each in cuts(text):
        changed = f"{each.left}\n{_indent(each.body)}pass\n{each.right}\n"
        ast.parse(changed.removeprefix("\ufeff"))


@given(st.text() | st.text(alphabet="def f():\n\r\t \\'\"#@;ab\ufeff\x0c\ud800", max_size=60))
def test_no_text_is_too_odd(text: str) -> None:
    for found in cut(text):
        if isinstance(found, Cut):
            assert joined(found.left, found.body, found.right).rstrip("\n") == text.rstrip("\n")


# Files of many authors and sizes; all keep to Python 3.11's grammar.
@pytest.mark.parametrize("name", ["dataclasses", "enum", "tarfile", "typing"])
def test_python_s_own_files_are_cut_whole(name: str) -> None:
    path = Path(ast.__file__).with_name(f"{name}.py")
    text = path.read_text("utf-8")
    check(text)
    assert len(cuts(text)) > len(named(ast.parse(text))) / 2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def f(): return 1\n", ON_ONE_LINE),
        ("def f(): return (\n    1)\n", ON_ONE_LINE),
        ("def f():  # why\n    return 1\n", AFTER_THE_COLON),
        ("def f(): \n    return 1\n", AFTER_THE_COLON),
        ("def f(): \\\n  return 1\n", AFTER_THE_COLON),
        ("def f():\r\n    return 1\r\n", CARRIAGE_RETURNS),
        ("x = 1\rdef f():\n    return 1\n", CARRIAGE_RETURNS),
        ("def f():\n    pass\n", EMPTY),
        ("def f():\n    '''Says.'''\n    ...\n", EMPTY),
        ("def f():\n    raise NotImplementedError('later')\n", EMPTY),
        ("def f():\n    '''Says.'''\n    raise abc.NotImplementedError\n", EMPTY),
        ("@typing.overload\ndef f(a: int) -> int:\n    return a\n", DECLARED_ONLY),
        ("def f():\n    return '''\na'''\n", OUTDENTED),
        ("def f():\n# here\n    return 1\n", OUTDENTED),
        ("def f():\n        # further in\n    return 1\n", OUTDENTED),
        ("def f(:\n    return 1\n", UNREADABLE),
        ("print 'so it was'\n", UNREADABLE),
        ("def f():\n    return '\udce9'\n", UNDECODABLE),
    ],
)
def test_what_makes_no_task_says_why(text: str, why: str) -> None:
    assert [(type(found), found.why) for found in cut(text) if isinstance(found, Uncut)] == [
        (Uncut, why)
    ]
    assert not cuts(text)


def test_the_body_holds_the_docstring_and_a_function_begins_with_its_first_decorator() -> None:
    (plain,) = cuts('def f(a):\n    """Twice."""\n\n    return 2 * a\n\n\nf(1)\n')
    assert plain.left == "def f(a):"
    assert plain.body == '    """Twice."""\n\n    return 2 * a'
    assert plain.right == "\n\nf(1)"
    (decorated,) = cuts("import a\n\n@a.b(\n    1)\n@c\nasync def f():\n    return 1")
    assert (decorated.name, decorated.top, decorated.line) == ("f", 3, 6)


def test_a_nested_function_and_the_one_around_it_are_both_cut() -> None:
    outer, inner = cuts("def f():\n    def g():\n        return 1\n    return g\n")
    assert outer.body == "    def g():\n        return 1\n    return g"
    assert (inner.left, inner.right) == ("def f():\n    def g():", "    return g")


def test_of_files_with_both_line_ends_only_clean_signatures_are_cut() -> None:
    (found,) = cuts("def f():\n    return 1\r\n\ndef g():\r\n    return 2\r\n")
    assert found.name == "f"
    assert not re.search(r"\r$", found.left)
