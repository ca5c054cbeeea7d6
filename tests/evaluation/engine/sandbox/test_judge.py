"""Tests of what the judge reads from a program's text and from the replies of a candidate's
process.

Only the parts that run nothing are tested here; test_session.py tests the whole in containers."""

# Programs and tests read best in a line each.
# ruff: noqa: E501

import ast
import builtins
import sys
import typing
from types import FunctionType, ModuleType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluation.engine.sandbox.inside import judge, loading, plain, serve, text

# Lines after which a statement can go on in the following text or swallow it.
LINES = [
    "x = 1", "x = [1,", "2]", "x = (", ")", "x = 1 \\", "if x:", "else:", "elif x:", "try:", "except E:",
    "finally:", "for x in y:", "while x:", "match x:", "match (x)", "match = 1", "    case 1:",
    "        pass", "    pass", "    x", "@f", "def f(x):", "class A:", "async def f():", "type = x",
    "x: int", "'a'", "'b'", '"""', "#", "", "    ", "+ 1", ".y", "lambda: (", "import x",
    "from x import (", "y)", "return", "assert x, (", ";", "x;", "x if y", "else z",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(LINES), max_size=8).map("\n".join)


@given(TEXTS, TEXTS)
@example("match (x)", "    case 1:\n        pass")
@example("x\nif x:\n    pass", "else:\n    pass")
@example("x = 1\n'a'", "'b'")
def test_the_seam_tells_as_much_as_the_whole_file(program: str, tests: str) -> None:
    try:
        joined, alone, rest = map(ast.parse, (f"{program}\n{tests}", program, tests))
    except SyntaxError:
        return
    whole = ast.dump(joined) == ast.dump(ast.Module([*alone.body, *rest.body], []))
    assert judge._seamless(joined, alone, rest) is whole


@pytest.mark.parametrize(
    ("program", "line"),
    [
        ("def f(): pass", 1),
        ("x = 1\n\ndef f(): pass\n\ndef f(): pass", 5),
        ("import a\n@a\n@a.b\ndef f(): pass", 2),
        ("if x:\n    def f(): pass", 2),
        ("def f(): pass\nif x:\n    def f(): pass", 3),
        ("class f: pass", 1),
        ("async def f(): pass", 1),
        ("def g():\n    def f(): pass", None),
        ("f = 1", None),
        ("", None),
    ],
)
def test_the_line_is_that_of_the_last_definition_with_its_decorators(
    program: str, line: int | None
) -> None:
    assert text.definition_line(ast.parse(program), "f") == line


@pytest.mark.parametrize(
    ("tests", "names"),
    [
        ("assert f(1) == g(2)", {"f", "g"}),
        ("import inspect\ninspect.getsource(f)", {"f"}),
        ("from a.b import c as d\nd(f)", {"f"}),
        ("def check(g, *a, **k):\n    return g(a, k)\ncheck(f)", {"f"}),
        ("assert len(f(1)) == 2", {"len", "f"}),
        ("[f(y) for y in range(2)]", {"range", "f"}),
        ("class A: pass\nf(A)", {"f"}),
        ("try:\n    f()\nexcept E as e:\n    assert e.args", {"f", "E"}),
    ],
)
def test_free_names_are_read_and_not_bound_by_the_tests(tests: str, names: set[str]) -> None:
    assert text.free_names(ast.parse(tests)) == names


@pytest.mark.parametrize(
    ("tests", "further"),
    [
        ("from collections import Counter\nassert f(1) == Counter('a')", False),
        ("import inspect\nassert 'x' in inspect.getsource(f) and f.__doc__ and [].count(1)", False),
        ("import inspect, os\nopen('t.py', 'w').write(inspect.getsource(f))", False),
        ("from inspect import signature\nassert signature(f)", False),
        ("from inspect import isgeneratorfunction\nassert isgeneratorfunction(f)", True),
        ("import inspect\nassert inspect.iscoroutinefunction(f)", True),
        ("import unittest.mock", True),
        ("from io import StringIO", True),
        ("assert open('a').read() == 'x'", True),
        ("try:\n    f()\nexcept ValueError as e:\n    assert e.__cause__", True),
        ("assert f.calls == 1", True),
    ],
)
def test_tests_that_may_look_at_the_programs_process_are_known(tests: str, further: bool) -> None:
    assert text.looks_further(ast.parse(tests), {"f"}) is further


@pytest.mark.parametrize(
    ("program", "kind", "place"),
    [
        ("x y", "SyntaxError", "3.11 1 3"),
        (b"x = 1\nreturn", "SyntaxError", "3.11 2 1"),
        ("x = '\0'", "SyntaxError", "3.11 0 0"),
        (b"# coding: foo", "SyntaxError", "3.11 0 0"),
        ("x = " + "-" * 7000 + "1", "MemoryError", "3.11 0 0"),
        ("raise SyntaxError('x')", "SyntaxError", None),
        ("exec('x y')", "SyntaxError", None),
    ],
)
def test_only_an_error_of_the_compiler_is_that_a_program_does_not_compile(
    program: str | bytes, kind: str, place: str | None
) -> None:
    _, error = loading.load(program, "loaded_by_a_test", "/no/program.py")
    assert error is not None and (error["type"], error.get("place")) == (kind, place)


class Custom(ValueError):
    pass


class Two(KeyError, IndexError):
    pass


class Deep(Two, LookupError):
    pass


class Named(Exception):
    def __init__(self, code: int) -> None:
        super().__init__("told")
        self.code = code

    def __str__(self) -> str:
        return f"code {self.code}"


RAISED = [
    ValueError("no"), ValueError(), KeyError("k"), IndexError("a", 2), OSError(2, "none"),
    ZeroDivisionError("division by zero"), StopIteration(3), SystemExit(4), KeyboardInterrupt(),
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "why"), SyntaxError("bad"), AssertionError([1]),
    Custom("own"), Named(3),
    Two("both"), Deep(), FileNotFoundError(2, "gone", "name"), Exception(), TypeError(("t", 1)), Custom(object()),
]  # fmt: skip


def again(error: BaseException) -> BaseException:
    return judge.exception(serve._raised(error))


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_an_exception_arrives_by_name_text_and_builtin_bases(error: BaseException) -> None:
    arrived = again(error)
    assert type(arrived).__name__ == type(error).__name__
    assert str(arrived) == str(error)
    kinds = [k for k in vars(builtins).values() if isinstance(k, type)]
    assert [k for k in kinds if isinstance(arrived, k)] == [
        k for k in kinds if isinstance(error, k)
    ]


class Three(Two, ValueError):
    pass


@pytest.mark.parametrize("error", [Three("all"), ExceptionGroup("", [ValueError()])])
def test_an_exception_of_many_builtin_classes_does_not_cross(error: BaseException) -> None:
    with pytest.raises(plain.NotPlain):
        serve._raised(error)


@pytest.mark.parametrize(
    "bases",
    [["ExceptionGroup"], ["int"], [""], [], "KeyError", None, ["KeyError"] * 2,
     ["LookupError", "KeyError"], ["KeyError", "ValueError", "TypeError"]],
)  # fmt: skip
def test_an_exception_that_is_described_as_none_or_too_many_is_malformed(bases: object) -> None:
    with pytest.raises((ValueError, TypeError), match=r"exception|duplicate|MRO"):
        judge.exception({"bases": bases, "type": "ValueError", "text": "", "args": None})


@pytest.mark.parametrize("error", RAISED[:11], ids=lambda error: type(error).__name__)
def test_a_builtin_exception_arrives_as_itself(error: BaseException) -> None:
    assert type(again(error)) is type(error)
    assert again(error).args == error.args


WORDS = st.sampled_from(
    [*(n for n, k in vars(builtins).items() if isinstance(k, type)), "print", "eval", "__dict__", "", "a b", "\0"]
)  # fmt: skip
SAID = st.fixed_dictionaries(
    {},
    optional={
        "type": WORDS | st.none() | st.text(max_size=3) | st.lists(WORDS),
        "text": st.text(max_size=3) | st.none() | st.integers(),
        "bases": st.lists(WORDS, max_size=3) | WORDS | st.none(),
        "args": st.none() | st.just(["t", ["x"]]) | st.integers() | st.lists(WORDS, max_size=2),
    },
)


@given(SAID)
def test_whatever_is_said_of_an_exception_makes_one_or_is_malformed(said: dict[str, Any]) -> None:
    try:
        made = judge.exception(said)
    except (ValueError, TypeError, KeyError, RecursionError):  # `call` takes these as malformed
        return
    assert isinstance(made, BaseException)
    assert str(made) == str(said["text"])
    assert not [value for value in vars(type(made)).values() if isinstance(value, FunctionType)][1:]


def test_type_hints_of_a_stand_in_are_told_and_of_others_found() -> None:
    def stand_in() -> None: ...

    def other(x: int) -> None: ...

    stand_in.__annotations__ = {"x": "__import__('os').abort()"}
    hints = judge._type_hints({stand_in: [["x", ["name", "builtins", "int"]]]})
    assert hints(stand_in) == {"x": int}
    assert hints(other) == typing.get_type_hints(other)


def test_type_hints_that_failed_there_fail_here() -> None:
    def stand_in() -> None: ...

    hints = judge._type_hints({stand_in: serve._raised(NameError("name 'X' is not defined"))})
    with pytest.raises(NameError, match="'X'"):
        hints(stand_in)


@pytest.mark.parametrize(
    "tests", ["exec('x')", "eval(f())", "compile(f(), '', 'exec')", "import doctest as d", "from runpy import run_path", "import pickle\npickle.loads(f())", "os.system(f())"]
)  # fmt: skip
def test_tests_that_could_execute_text_are_noticed(tests: str) -> None:
    assert text.mentions(ast.parse(tests)) & text.EXECUTES_TEXT


TESTS = {
    "texts": "a = 'word'\nassert a == 'wo' 'rd'",
    "parts of a format": "assert f'ab{1}cd{2:>5}{\"ef\"!r:_^6}' == \"ab1cd    2_'ef'_\"",
    "a docstring": "def g():\n    'word'\nassert g.__doc__ == 'word'",
    "patterns": "match 'ab':\n    case 'cd' | 'ef':\n        assert 0\n    case 'ab' if 'x1' == 'x1':\n        pass",
    "builtins": "assert isinstance(len('ab'), int) and max(map(int, '12')) == 2",
    "a builtin of the tests": "def len(x):\n    return 7\nassert len('ab') == 7",
    "a method": "class A:\n    def __init__(self):\n        super().__init__()\nassert A()",
    "iterators": "assert list(iter([1, 2].__iter__().__next__, 2)) == [1]",
    "no function": "assert list(filter(None, [0, 1])) == [1]",
    "keys": "import itertools\nassert [k for k, _ in itertools.groupby('aab', key=ord)] == [97, 98]",
}  # fmt: skip


def beside(tests: str) -> None:
    """Runs tests as they run in a program's process."""
    tree = ast.parse(tests)
    changes = text.BesideProgram(tree, set())
    code = compile(ast.fix_missing_locations(changes.visit(tree)), "tests", "exec")
    exec(code, {"len": None, **changes.names})


@pytest.mark.parametrize("tests", TESTS.values(), ids=TESTS.keys())
def test_tests_beside_a_program_mean_the_same(tests: str) -> None:
    beside(tests)


@pytest.mark.parametrize(
    "tests",
    [
        "list(map(lambda x: f(x), [1]))",
        "list(iter(f, 1))",
        "import itertools\nlist(itertools.accumulate([1, 2], f))",
    ],
)
def test_a_function_ends_no_iteration_beside_a_program(tests: str) -> None:
    with pytest.raises(RuntimeError):
        beside(f"def f(*_):\n    return next(iter([]))\n{tests}")
    beside(f"def f(*_):\n    raise StopIteration\n{tests}")


def test_no_text_of_tests_beside_a_program_is_interned() -> None:
    word = "".join(["only_", "the_", "tests"])
    beside(f"assert ['{word}'] and f'{word}{{1}}' and {{'k': ('{word}',)}}")
    assert sys.intern(word) is word


def test_what_the_candidates_side_says_of_a_function_is_plain() -> None:
    def function(a: "int", *, b: "str" = "x") -> "list[int]":
        """Says."""
        return []

    said = serve.Server(ModuleType("m"))._function(function, ["annotations", "signature", "hints"])
    assert plain.decode(said["doc"]) == "Says."
    assert (
        str(judge._signature(said["signature"], judge.Judge(0, 0)))
        == "(a: 'int', *, b: 'str' = 'x') -> 'list[int]'"
    )
    assert judge._annotations(said["hints"]) == {"a": int, "b": str, "return": list[int]}
