"""Tests of turning a generation into the file under test."""

import ast
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.realcode import (
    CUT,
    REINDENTED,
    SIGNATURE_DROPPED,
    body_of,
    indent_of,
    joined,
)
from tests.evaluation.engine.families.realcode import cases
from tests.support.linear import at_most

GT = "        return 1"
PIECES = st.sampled_from(
    ["def f(x):", "class f:", "\n", "\r\n", "\r", " ", "    ", "\t", "x", '"""', "```python", "```"]
    + ["\f", "\u2028", "\u00a0", "async "]
)
TEXTS = st.lists(PIECES, max_size=20).map("".join) | st.text(max_size=40)
LINES = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), min_size=1, max_size=8
)


@pytest.mark.parametrize(
    ("generation", "body"),
    [
        pytest.param("        return 1", "        return 1", id="as it should be"),
        pytest.param("return 1", "        return 1", id="not indented"),
        pytest.param("            return 1", "        return 1", id="indented too far"),
        pytest.param(
            "if x:\n    return 1\nreturn 2",
            "        if x:\n            return 1\n        return 2",
            id="the rest moves along",
        ),
        pytest.param("def f(x):\n    return 1", "        return 1", id="the signature is repeated"),
        pytest.param(
            "import a\n\n@b\nasync def f(x) -> int:  # c\n\n    return 1",
            "        import a\n        return 1",
            id="with all before it but imports",
        ),
        pytest.param("class f(A):\n    x = 1", "        x = 1", id="a class"),
        pytest.param(
            "def f(x):\n    def f():\n        pass",
            "        def f():\n            pass",
            id="the first that is so called",
        ),
        pytest.param("def ff(x):\n    return 1", None, id="another function stays"),
        pytest.param("def f(x): return 1", "        return 1", id="a body of one line"),
        pytest.param(
            "def f(x): 'a'; x = 1\n\n\nx",
            "        'a'; x = 1\n\n\n        x",
            id="statements of one line",
        ),
        pytest.param("def f(x):", "", id="nothing follows"),
        pytest.param(
            "@a(\n    b)\ndef f(\n    x: dict[str, int] = {':': (1)},  # :)\n    *,\n    y=')',\n"
            ") -> (\n    'a:b'\n):\n    return x",
            "        return x",
            id="a signature of several lines",
        ),
        pytest.param("def f[T](x: T) -> T:\n  return 1", "        return 1", id="type parameters"),
        pytest.param("def f(x\n  return 1", "        return 1", id="a signature without an end"),
        pytest.param(
            "class A:\n  @b\n  def f(self,\n        x):\n    return 1",
            "        return 1",
            id="in a class",
        ),
        pytest.param(
            "It's here (see below\nfrom the start:\nfrom a import (  # b\n    c,\n)\nimport d, \\\n"
            "    e\nfrom __future__ import annotations\nimport\n\ndef g(): import h\n"
            "def f(x):\n    return 1",
            "        from a import c\n        import d, e\n        return 1",
            id="imports in prose",
        ),
        pytest.param(
            "```python\nfrom math import *\ndef f(x):\n    return ceil(1)\n```",
            "        return ceil(1)",
            id="a star cannot stand in a body",
        ),
        pytest.param(
            "Вот:\n\n  try:\n    import a as b\n\n# c\n  except ImportError:\n    import b\n"
            "  if c: import d\n  if t.TYPE_CHECKING:\n    import e\n  def g():\n    import h\n"
            "  try:\n    from i import *\n  finally:\n    pass\n"
            "  if not TYPE_CHECKING:\n    import k\n  else:\n    import l\n"
            "  class C:\n    import j\n    def g(self):\n      import m\n"
            "    @staticmethod\n    def f(self):\n      return 1",
            "        try:\n            import a as b\n        except ImportError:\n"
            "            import b\n        if c:\n            import d\n        import k\n"
            "        return 1",
            id="imports with the statement around them",
        ),
        pytest.param(
            "print(1)\nwhile True:\n    import a\nwith open('x') as h:\n    import b; print(h)\n"
            "with suppress(ImportError):\n    import c\ntry:\n    from d import e\n"
            "except ImportError:\n    def e(x): return x\n"
            "def f(x):\n    return 1",
            "        with suppress(ImportError):\n            import c\n        try:\n"
            "            from d import e\n        except ImportError:\n\n"
            "            def e(x):\n                return x\n        return 1",
            id="what stands in for a missing module",
        ),
        pytest.param(
            f"try:\n    import a\nexcept ImportError:\n    a = {'1 + ' * 600}1\n"
            "def f(x):\n    return 1",
            "        return 1",
            id="imports in what is too deep",
        ),
        pytest.param(
            "for example:\n\n    import c\n    import d.e\nif you wish\n  import g\n"
            "try:\n    import h as i\n    def f(x):\n        return 1",
            "        import c\n        import d.e\n        import g\n"
            "        import h as i\n        return 1",
            id="imports in what is no statement",
        ),
        pytest.param(
            "```python\n        return 1\n```\nвот", "\n        return 1", id="prose after"
        ),
        pytest.param(
            "import a\ndef f(x):\n    # b\n    '''Doc\n    of f.'''\n    return a",
            "        # b\n        '''Doc\n        of f.'''\n        import a\n        return a",
            id="imports after a docstring",
        ),
        pytest.param(
            "import a\ndef f(x):\n    return a\n\n# f(1)",
            "            import a\n            return a\n\n        # f(1)",
            id="imports where the statements stand",
        ),
        pytest.param(
            "import a\ndef f(x): 'Doc.'; return a",
            "        import a\n        'Doc.'; return a",
            id="imports before a docstring that shares its line",
        ),
        pytest.param("return 1\r\nx\r", "        return 1\n        x", id="line ends"),
        pytest.param(" \n\t\n", "", id="nothing but blanks"),
        pytest.param(
            "class H:\n  def f(self):\n    self.x = 1\n\nclass A:\n  def f(self):\n    pass",
            "        pass",
            id="after another's of the same name",
        ),
        pytest.param(
            "@overload\ndef f(x: int) -> int: ...  # a\n@overload\ndef f(x: str) -> str: ...\n"
            "class A(Protocol):\n  def f(self): pass\n\nclass B:\n"
            "  def f(self): raise NotImplementedError\n\ndef f(x):\n  return x",
            "        return x",
            id="after stubs of one line",
        ),
        pytest.param("def f(x): ...", "        ...", id="a stub alone"),
        pytest.param("def f(x): ...\n\n\nx", "        ...\n\n\n        x", id="a stub before more"),
        pytest.param(
            "def f(x):\n  return g(x)\n\ndef g(x):\n  return 1",
            "          return g(x)\n\n        def g(x):\n          return 1",
            id="with a helper after it",
        ),
        pytest.param(
            "def f(x): return x\nreturn f(1)",
            "        def f(x): return x\n        return f(1)",
            id="a body that defines its own name",
        ),
        pytest.param(
            "        class f:\n            x = 1\n        y = 1", None, id="a class in a class"
        ),
        pytest.param(
            "'''\ndef f(x):\n    x\n'''\nx = 1",
            "        '''\n        def f(x):\n            x\n        '''\n        x = 1",
            id="a signature in a docstring",
        ),
    ],
)
def test_the_body_in_a_generation(generation: str, body: str | None) -> None:
    if body is None:
        body = textwrap.indent(textwrap.dedent(generation), "        ")
    assert body_of(generation, "f", GT).text == body + "\n\n"


@pytest.mark.parametrize(
    ("generation", "flags"),
    [
        ("        return 1", ()),
        ("return 1", (REINDENTED,)),
        ("def f(x):\n        return 1", (SIGNATURE_DROPPED,)),
        ("def f(x):\n    return 1", (SIGNATURE_DROPPED, REINDENTED)),
    ],
)
def test_repairs_are_told(generation: str, flags: tuple[str, ...]) -> None:
    assert body_of(generation, "f", GT).flags == flags


def test_tabs_of_the_project_are_tabs_of_the_body() -> None:
    assert body_of("if x:\n    return 1", "f", "\t\treturn 1").text.startswith("\t\tif x:\n\t\t ")


def test_what_follows_the_function_is_not_cut_off() -> None:
    """In the benchmark's own steps, re-indenting comes before cutting."""
    text = body_of("    return 1\n\nprint(2)\n", "f", GT).text
    assert text == "            return 1\n\n        print(2)\n\n"


def test_texts_over_several_lines_stay_as_they_are_where_the_body_stands_right() -> None:
    generation = '        x = """a\n\n  \n        b"""\n        return x'
    assert body_of(generation, "f", GT).text == generation + "\n\n"


@pytest.mark.parametrize(
    ("code", "indent"), [("\n  \n    x\n y", "    "), ("x", ""), ("\t x", "\t "), (" \n", "")]
)
def test_the_first_line_of_code_says_the_indent(code: str, indent: str) -> None:
    assert indent_of(code) == indent


@given(TEXTS, st.sampled_from(["", "    ", "\t", "        "]))
def test_any_text_gives_a_body_that_stands_no_further_left(text: str, indent: str) -> None:
    body, flags = body_of(text, "f", f"{indent}pass")
    assert body.endswith("\n\n") and not body[:-2].endswith("\n")
    lines = [line for line in body.split("\n") if line.strip()]
    assert all(line.startswith(indent) for line in lines)
    assert CUT not in flags


@given(st.lists(LINES, min_size=1, max_size=5), st.lists(st.integers(0, 3), min_size=5))
def test_a_body_that_stands_right_is_left_alone(lines: list[str], depths: list[int]) -> None:
    """The first line is the least indented one."""
    words = [f"x{line}" for line in lines]
    spaces = ["        " + "  " * depth for depth in [0, *depths]]
    body = "\n".join(before + word for before, word in zip(spaces, words, strict=False))
    assert body_of(body, "f", GT) == (body.rstrip() + "\n\n", ())


@given(TEXTS)
def test_a_body_that_went_through_goes_through_unchanged(text: str) -> None:
    body = body_of(text, "f", GT).text
    if "```" not in body and "f" not in body:
        assert body_of(body, "f", GT) == (body, ())


@given(st.lists(st.text("ab \n", max_size=6), min_size=2, max_size=5), st.integers(0))
def test_contexts_and_the_reference_body_are_the_file(parts: list[str], place: int) -> None:
    """They equal the file up to its last newlines, wherever it was cut."""
    lines = "\n".join(parts).split("\n")
    first = place % len(lines)
    left, gt, right = lines[:first], lines[first : first + 1], lines[first + 1 :]
    whole = joined("\n".join(left), "\n".join(gt), "\n".join(right))
    there = "\n".join([*(left or [""]), *gt, *right]).rstrip("\n")
    assert whole.rstrip("\n") == there


@pytest.mark.parametrize(
    "generation",
    [
        cases.GT,
        textwrap.dedent(cases.GT),
        f"def weigh(self, load, unit='g'):\n{textwrap.indent(textwrap.dedent(cases.GT), '  ')}",
        f"```python\n{cases.LEFT}\n{cases.GT}\n```",
    ],
    ids=["as it was", "not indented", "with its signature", "with all before it"],
)
def test_the_file_under_test_is_the_project_s_with_another_body(generation: str) -> None:
    body = body_of(generation, "weigh", cases.GT, cases.LEFT).text
    whole = joined(cases.LEFT, body, cases.RIGHT)
    assert ast.dump(ast.parse(whole)) == ast.dump(ast.parse(cases.ORIGINAL))


IMPORTING = """import requests
import os.path as paths
from json import dumps, loads
try:
    import numpy
except ImportError:
    numpy = None
if typing.TYPE_CHECKING:
    import decimal
else:
    import fractions
def g():
    import csv
def f(x):"""


@pytest.mark.parametrize(
    ("before", "kept"),
    [
        ("import re\n", "import re"),
        ("import requests\n", ""),
        ("import requests, re\n", "import re"),
        ("import os.path\n", "import os.path"),
        ("from json import (\n    loads,\n    load,\n)\n", "from json import load"),
        ("import numpy\n", ""),
        ("import decimal\nimport fractions\n", "import decimal"),
        ("try:\n    import requests\nexcept ImportError:\n    requests = None\n", ""),
        (
            "from json import loads as read; import csv\n",
            "from json import loads as read\nimport csv",
        ),
    ],
)
def test_imports_that_the_module_has_are_not_repeated(before: str, kept: str) -> None:
    body = body_of(f"{before}def f(x):\n    return x", "f", "    pass", IMPORTING).text
    assert body == textwrap.indent(f"{kept}\nreturn x".strip(), "    ") + "\n\n"


@pytest.mark.parametrize(
    ("left", "answer", "value"),
    [
        (
            "import os\n\n\nclass A:",
            "import json\ntry:\n    import csv\nexcept ImportError:\n    csv = None\n\n\n"
            "class A:\n    def get(self):\n        return json.dumps(csv.QUOTE_ALL)\n",
            "A().get() == '1'",
        ),
        (
            "import enum\nclass A(enum.Enum):",
            "from enum import Enum\nclass A(Enum):\n    B = 1\n",
            "[*A] == [A.B]",
        ),
        (
            "import datetime\nclass A:",
            "from datetime import datetime\nclass A:\n    day: datetime = 1\n",
            "datetime.datetime and A.datetime is datetime.datetime",
        ),
        (
            "class A:",
            "from datetime import date\nclass A:\n    date: date = 1\n",
            "A.date == 1",
        ),
    ],
)
def test_imports_before_a_class_serve_its_methods_and_spare_the_module(
    left: str, answer: str, value: str
) -> None:
    module: dict[str, object] = {"__name__": "module"}
    exec(joined(left, body_of(answer, "A", "    x = 1", left).text, ""), module)
    assert eval(value, module)


def test_many_lines_take_linear_time() -> None:
    generation = "    x\n" * 200_000 + " def g(\n" * 50_000 + " " * 100_000
    assert body_of(generation, "f", GT).text.count("x") == 200_000


@pytest.mark.parametrize("piece", ['"\\', '"\\"', "'''\n", "'\\\n\"", "import a (\n", "import a\n"])
@pytest.mark.parametrize("end", ["\ndef f(x):\n    pass", ""])
def test_long_texts_take_little_time(piece: str, end: str) -> None:
    text = f"def f({piece * (100_000 // len(piece))}{end}"
    with at_most(2):
        body_of(text, "f", GT)
        body_of(text.removeprefix("def f("), "f", GT)


def test_many_names_of_an_import_take_little_time() -> None:
    names = ", ".join(f"x{number}" for number in range(20_000))
    with at_most(2):
        body_of(f"from __future__ import {names}\ndef f(x):\n    return 1", "f", GT)
