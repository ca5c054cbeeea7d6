"""Tests of controls of Python tests, whose code is changed under pytest: no test passes in one, and
an honest program is stopped."""

# Programs and tests read best in a line each.
# ruff: noqa: E501

from __future__ import annotations

import ast
import os
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.projects.control import STOPPED, THROUGH
from evaluation.engine.sandbox.inside import trees
from evaluation.engine.sandbox.inside.pytest_plugin import comparisons, importing, rewriting

# Shapes of tests, and how their controls end. All pass unchanged.
SHAPES = {
    "plain": ("def test():\n    assert 1 + 1 == 2\n", STOPPED),
    "one line": ("def test(): assert 1 + 1 == 2\n", STOPPED),
    "nothing": ("def test():\n    pass\n", THROUGH),
    "docstring alone": ("def test():\n    'says'\n", THROUGH),
    "no literal": ("def test():\n    two = 2\n    assert 1 + 1 == two\n", STOPPED),
    "a chain": ("def test():\n    assert 2 == 1 + 1 == 2\n", STOPPED),
    "chains": ("def test():\n    assert 1 <= 1 + 1 < 3\n    assert all(0 < each <= 3 != 4 for each in (1, 2, 3))\n", STOPPED),
    "a chain elsewhere": ("from fractions import Fraction\ndef within(each):\n    return 0 <= each < 1\ndef test():\n    assert within(Fraction(1, 2)) and not within(3)\n    if not 1 > Fraction(1, 2) > 0 == 0.0:\n        raise ValueError\n    assert 0 < Fraction(1, 2)\n", STOPPED),
    "a chain in threads": ("from concurrent.futures import ThreadPoolExecutor\nimport time\nclass Slow(int):\n    def __lt__(self, other):\n        time.sleep(0.001)\n        return int(self) < other\ndef within(number):\n    return number - 1 < Slow(number) < number + 1\ndef test():\n    with ThreadPoolExecutor(8) as pool:\n        assert list(pool.map(within, range(64))) == [True] * 64\n", STOPPED),
    "a chain of one evaluation": ("def test():\n    left = iter([1, 2, 3])\n    assert 0 < next(left) < 2\n    less = 2 < next(left) < next(left)\n    assert less is False and next(left) == 3\n", STOPPED),
    "a chain with an await": ("import unittest\nclass It(unittest.IsolatedAsyncioTestCase):\n    async def three(self):\n        return 3\n    async def test(self):\n        assert 2 < await self.three() <= await self.three() < 4\n", STOPPED),
    "two comparisons at once": ("def test():\n    found = [1, 2]\n    assert found is not None and found[0] == 1 and len(found) == 2\n", STOPPED),
    "two at once": ("def test():\n    assert 1 + 1 == 2 and True, 'said'\n", STOPPED),
    "turned around": ("def test():\n    assert not []\n    assert 1 in [1]\n    assert None is None\n", STOPPED),
    "a return": ("def test():\n    if 1 + 1 == 2:\n        return\n    raise ValueError\n", STOPPED),
    "after a return": ("def test():\n    assert 3 == 3\n    return\n", STOPPED),
    "tabs": ("def test():\n\tfor each in (1, 2):\n\t\tassert each < 3\n", STOPPED),
    "a loop that asserts often": ("def test():\n    for each in range(10**5):\n        assert each >= 0\n", STOPPED),
    "future and coding": ("# -*- coding: utf-8 -*-\n'''doc'''\nfrom __future__ import annotations\ndef test(tmp_path: 'Nowhere'):\n    assert 'é' == '\\xe9'\n", STOPPED),
    "fixture": ("import pytest\n@pytest.fixture\ndef test_data():\n    yield 3\ndef test(test_data):\n    assert test_data == 3\n", STOPPED),
    "parametrized": ("import pytest\n@pytest.mark.parametrize('one, two', [(1, 2)])\ndef test(one, two):\n    assert one + one == two\n", STOPPED),
    "mark and patch": ("from unittest import mock\n@mock.patch('os.getcwd', return_value='x')\ndef test(getcwd):\n    import os\n    assert os.getcwd() == 'x'\n    getcwd.assert_called_once_with()\n", STOPPED),
    "raises": ("import pytest\ndef test():\n    with pytest.raises(ValueError):\n        int('x')\n", STOPPED),
    "raises with its message": ("import pytest\ndef test():\n    with pytest.raises(ValueError, match='x') as error:\n        int('x')\n    assert error.type is ValueError\n", STOPPED),
    "raises called": ("import pytest\ndef test():\n    pytest.raises(ValueError, int, 'x')\n", STOPPED),
    "any exception": ("import pytest\ndef test():\n    with pytest.raises(Exception):\n        int('x')\n", THROUGH),
    "a failure that is expected": ("import pytest\ndef test():\n    with pytest.raises(AssertionError) as error:\n        assert 1 == 2\n    error.match('assert')\n", STOPPED),
    "caught": ("def test():\n    try:\n        assert 1 == 2\n    except AssertionError:\n        pass\n", STOPPED),
    "in a handler": ("def test():\n    try:\n        int('x')\n    except ValueError as error:\n        assert 'x' in str(error)\n", STOPPED),
    "in a finally": ("def test():\n    try:\n        pass\n    finally:\n        assert 1 == 1\n", STOPPED),
    "in a match": ("def test():\n    match 3:\n        case 3:\n            assert 3 == 3\n", STOPPED),
    "global": ("count = 0\ndef test():\n    global count\n    count += 1\n    assert count == 1\n", STOPPED),
    "inner function": ("def test():\n    seen = []\n    def inner():\n        nonlocal seen\n        assert 1 == 1\n        seen = [1]\n    inner()\n    assert seen == [1]\n", STOPPED),
    "a name of ours": ("assay_end = 3\ndef test():\n    assert assay_end == 3\n", STOPPED),
    "approx": ("import pytest\ndef test():\n    assert 0.1 + 0.2 == pytest.approx(0.3)\n    assert [3.0] == pytest.approx([3.0 + 1e-9])\n", STOPPED),
    "approx within": ("import pytest\ndef test():\n    assert 3.0 == pytest.approx(4.0, abs=2)\n", STOPPED),
    "beside its file": ("import pathlib\nHERE = pathlib.Path(__file__)\ndef test():\n    assert HERE.suffix == '.py'\n", STOPPED),
    "methods": ("class TestIt:\n    @staticmethod\n    def test_static():\n        assert 1 == 1\n    def test(self):\n        assert type(self).__name__ == 'TestIt'\n    class TestInner:\n        def test(self):\n            assert 1 == 1\n", STOPPED),
    "super": ("class Base:\n    def test(self):\n        assert 1 == 1\nclass TestIt(Base):\n    def test(self):\n        super().test()\n        assert __class__ is TestIt\n", STOPPED),
    "unittest": ("import unittest\nclass It(unittest.TestCase):\n    def setUp(self):\n        self.three = 3\n    def test(self):\n        'Says.'\n        self.assertEqual(3, self.three)\n", STOPPED),
    "unittest run alone": ("import unittest\nclass It(unittest.TestCase):\n    def runTest(self):\n        self.assertTrue(True)\n", STOPPED),
    "unittest raises": ("import unittest\nclass It(unittest.TestCase):\n    def test(self):\n        with self.assertRaises(ValueError):\n            int('x')\n    def test_call(self):\n        self.assertRaises(ValueError, int, 'x')\n", STOPPED),
    "unittest in parts": ("import unittest\nclass It(unittest.TestCase):\n    def test(self):\n        for each in (1, 2):\n            with self.subTest(each=each):\n                self.assertLess(each, 3)\n", STOPPED),
    "unittest async": ("import unittest\nclass It(unittest.IsolatedAsyncioTestCase):\n    async def three(self):\n        return 3\n    async def test(self):\n        assert await self.three() == 3\n", STOPPED),
    "given": ("from hypothesis import given, settings, strategies as st\n@settings(database=None, max_examples=10)\n@given(st.integers())\ndef test(number):\n    if number > 3:\n        assert number != 3\n    assert number == number\n", STOPPED),
    "in a condition": ("import sys\nif sys.version_info >= (3,):\n    def test():\n        assert 1 == 1\n", STOPPED),
}  # fmt: skip
# Each assertion holds unchanged, and must be refused separately when it is made wrong.
ASSERTIONS = [
    "assertEqual([1, 'a'], [1, 'a'])", "assertEqual(3, len('abc'))", "assertEqual(len('abc'), len('abc'))",
    "assertEqual(len('abc'), 3, 'said')", "assertNotEqual(3, 4)", "assertTrue(3)", "assertFalse('')",
    "assertIs(None, None)", "assertIsNot(3, 'x')", "assertIsNone(None)", "assertIsNotNone(3)", "assertIn(3, [3])",
    "assertNotIn(3, [4])", "assertIsInstance(3, int)", "assertNotIsInstance(3, str)", "assertAlmostEqual(0.1 + 0.2, 0.3)",
    "assertAlmostEqual(3.0, 3.04, places=1)", "assertNotAlmostEqual(3, 4)", "assertGreater(4, 3)",
    "assertGreaterEqual(3, 3)", "assertLess(3, 4)", "assertLessEqual(3, 3)", "assertRegex('abc', 'b')",
    "assertNotRegex('abc', 'd')", "assertCountEqual([2, 1], [1, 2])", "assertListEqual([1], [1])",
    "assertDictEqual({'a': 1}, {'a': 1})", "assertSetEqual({1}, {1})", "assertTupleEqual((1,), (1,))",
    "assertMultiLineEqual('a', 'a')", "assertSequenceEqual([], [])", "assertEqual(first=3, second=len('abc'))",
    "assertEqual(3, second=len('abc'), msg='said')", "assertLess(a=3, b=4)", "assertIn(container=[3], member=3)",
]  # fmt: skip
CALLED = "import unittest\nclass It(unittest.TestCase):\n    def test(self):\n        self.{}\n"
SHAPES |= {call: (CALLED.format(call), STOPPED) for call in ASSERTIONS}
# Assertions of numpy, by functions that compare as theirs do: numpy is not among our packages.
NUMPY = """
class np:
    def assert_array_equal(actual, desired, err_msg=''):
        assert actual == desired
    def assert_string_equal(actual, desired):
        assert type(actual) is type(desired) is str and actual == desired
    def assert_allclose(actual, desired, rtol=1e-7):
        assert abs(actual - desired) <= rtol * abs(desired)
    assert_approx_equal = assert_allclose
    def assert_array_almost_equal_nulp(x, y, nulp=1):
        assert abs(x - y) <= nulp * 1e-9
    def assert_array_max_ulp(a, b, maxulp=1):
        assert abs(a - b) <= maxulp * 1e-9
    def assert_array_less(x, y):
        assert all(one < other for one, other in zip(x, y, strict=True))
def test():
    np.{}
"""
ARRAYS = [
    "assert_array_equal([1, 2], [1, 2])", "assert_array_equal(desired=[1, 2], actual=[1, 2], err_msg='said')",
    "assert_string_equal('abc', 'abc')", "assert_allclose(actual=3.0, desired=3.0, rtol=0.5)",
    "assert_approx_equal(3.0, 3.0)", "assert_array_almost_equal_nulp(3.0, 3.0)", "assert_array_max_ulp(a=3.0, b=3.0)",
    "assert_array_less([1, 2], [3, 4])",
]  # fmt: skip
SHAPES |= {f"np.{call}": (NUMPY.format(call), STOPPED) for call in ARRAYS}
# Programs that pass their tests by deceit.
EQUALS_ALL = "class All:\n    def __eq__(self, other):\n        return True\n    __hash__ = None\n"
IN_ORDER = (
    EQUALS_ALL
    + "    def __le__(self, other):\n        return True\n    __lt__ = __ge__ = __gt__ = __le__\n"
)
CHEATS = {
    "equals every literal": EQUALS_ALL + "def test():\n    assert All() == 3\n",
    "equals every value": EQUALS_ALL + "def test():\n    three = 3\n    assert All() == three\n",
    "equals what is no number": EQUALS_ALL.replace("True", "type(other) is not int or other == 3") + "def test():\n    assert 3 == All()\n",
    "equals every value from the right": EQUALS_ALL + "def test():\n    three = 3\n    assert three == All()\n",
    "equals, but not at first": EQUALS_ALL + "def test():\n    assert 1 + 2 == 3\n    assert All() == 4\n",
    "nothing is compared": "import unittest\nclass It(unittest.TestCase):\n    assertEqual = lambda *_: None\n    def test(self):\n        self.assertEqual(3, 4)\n",
    "nothing is asserted": "import unittest\nclass It(unittest.TestCase):\n    assertTrue = assertFalse = lambda *_: None\n    def test(self):\n        self.assertTrue(False)\n",
    "equals every value in a condition": EQUALS_ALL + "def test():\n    if All() == 3:\n        return\n    raise ValueError\n",
    "differs from no value": EQUALS_ALL + "def test():\n    if All() != 3:\n        raise ValueError\n    assert 3 == 3\n",
    "equals every value one by one": EQUALS_ALL + "def test():\n    three = 3\n    assert all(each == three for each in [All()])\n",
    "equals every value in an inner function": EQUALS_ALL + "def test():\n    def same(got):\n        assert got == 3\n    same(All())\n    assert 3 == 3\n",
    "equals every value where failures are expected": EQUALS_ALL + "def test():\n    try:\n        assert All() == 3\n    except KeyError:\n        pass\n",
    "equals every value in a test that is called": EQUALS_ALL + "class Base:\n    def test(self):\n        same = All() == 3\nclass TestIt(Base):\n    def test(self):\n        super().test()\n",
    "equals every value in a chain": EQUALS_ALL + "def test():\n    assert 3 == All() == 3\n",
    "lies between all values": IN_ORDER + "def test():\n    assert 0 <= All() <= 9\n",
    "lies between all values one by one": IN_ORDER + "def test():\n    assert all(0 <= each <= 9 for each in [All()])\n",
    "lies between all values in a condition": IN_ORDER + "def test():\n    if not 0 < All() < 9:\n        raise ValueError\n    assert 3 == 3\n",
    "is at most every value": IN_ORDER + "def test():\n    assert 0 <= All()\n",
    "is less than another one": IN_ORDER + "def test():\n    least, most = All(), All()\n    assert least < most\n",
    "equals every value after another one": EQUALS_ALL + "def test():\n    three = 3\n    assert three == 3 and All() == three\n",
    "equals every value after a call": EQUALS_ALL + "def test():\n    three = 3\n    assert callable(len) and All() == three and three\n",
    "arrays by keywords": EQUALS_ALL + NUMPY.format("assert_array_equal(actual=All(), desired=[1, 2])"),
    "arrays in order": IN_ORDER + NUMPY.replace("all(one < other for one, other in zip(x, y, strict=True))", "x < y").format("assert_array_less(All(), [1, 2])"),
    "unittest by keywords": EQUALS_ALL + "import unittest\nclass It(unittest.TestCase):\n    def test(self):\n        self.assertEqual(first=All(), second=3)\n",
    "raises what is of two kinds": "import pytest\nclass Missing(Exception): pass\nclass Broken(Exception): pass\nclass Both(Missing, Broken): pass\ndef fails(): raise Both\ndef test():\n    with pytest.raises(Missing):\n        fails()\n",
    "whatever is raised": "import contextlib, pytest\npytest = type('', (), {'raises': lambda *_: contextlib.suppress(Exception)})\ndef test():\n    with pytest.raises(ValueError):\n        pass\n",
}  # fmt: skip
SHAPES |= {name: (text, THROUGH) for name, text in CHEATS.items()}


# Loads the plugin's part that changes test files, without a runner.
BEGINS = """
import os
from evaluation.engine.sandbox.inside import trees
from evaluation.engine.sandbox.inside.pytest_plugin import importing
def pytest_load_initial_conftests(early_config):
    files = importing.Files(os.getcwd(), frozenset(), ["test_*.py"], trees.OF_TESTS, ())
    importing.begin(files, {control}, early_config, send)
def send(value):
    of_a_test = value["event"][0] in ("ended", "equal")
    print(*value["event"], file=TESTS if of_a_test else SEEN)
# What is noted of comparisons; and of tests as a whole.
SEEN, TESTS = open("seen.txt", "w", buffering=1), open("tests.txt", "w", buffering=1)
"""


def run_pytest(
    folder: Path, control: bool | None, settings: str = "/dev/null"
) -> dict[str, list[str]]:
    """How the tests of each of the folder's files ended: "" for a pass, else the message."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:django"]
    options = ["-q", "-c", settings, "--rootdir", ".", "--junitxml", "report.xml"]
    if control is not None:
        (folder / "begins.py").write_text(BEGINS.format(control=control))
        options += ["-p", "begins"]
    path = {**os.environ, "PYTHONPATH": f"{Path.cwd()}:{folder}"}
    subprocess.run(
        [*command, *options, "."], cwd=folder, env=path, capture_output=True, check=False
    )
    ends: dict[str, list[str]] = {}
    for test in ElementTree.parse(folder / "report.xml").iter("testcase"):
        file = str(test.get("classname")).split(".")[0]
        ends.setdefault(file, []).append(test[0].get("message", "") if len(test) else "")
    return ends


def written(folder: Path, texts: dict[str, str]) -> Path:
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.py").write_bytes(text.encode("utf-8", "surrogateescape"))
    return folder


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, list[str]]]:
    """How all shapes end: unchanged, in a first run, and in a control."""
    folder = tmp_path_factory.mktemp("shapes")
    names = {f"test_{number}": text for number, (text, _) in enumerate(SHAPES.values())}
    names["test_2_bytes"] = (
        b"# coding: latin-1\ndef test():\n    assert '\xe9' == '\\xe9'\n".decode(
            "utf-8", "surrogateescape"
        )
    )
    ends = [run_pytest(written(folder / str(kind), names), kind) for kind in (None, False, True)]
    for kind in (False, True):
        assert "unchanged" not in (folder / str(kind) / "seen.txt").read_text()
    return ends


@pytest.mark.parametrize("name", SHAPES)
def test_a_test_that_passes_fails_in_the_control_and_says_how(
    name: str, ends: list[dict[str, list[str]]]
) -> None:
    original, first, control = (each[f"test_{[*SHAPES].index(name)}"] for each in ends)
    assert set(original) == set(first) == {""}
    assert len(control) == len(original)
    assert all(SHAPES[name][1] in message for message in control), control


def test_bytes_that_a_coding_line_explains_stay_what_they_are(
    ends: list[dict[str, list[str]]],
) -> None:
    original, first, control = (each["test_2_bytes"] for each in ends)
    assert original == first == [""]
    assert STOPPED in control[0]


STATEMENTS = st.sampled_from(
    ["assert f() == 1", "assert not x", "pass", "return", "self.assertEqual(a, b)", "'text'", "x: int = 3",
     "with pytest.raises(ValueError): f()", "with suppress(E) as e, raises(V): f()", "global g", "f'{x!r:>{y}}'",
     "assert x == y == {1: [2], **z}", "for a in b:\n    assert a == -1\nelse:\n    assert a is None",
     "try:\n    assert x\nexcept E:\n    assert y\nelse:\n    assert z == ()\nfinally:\n    assert w == set()",
     "while x:\n    assert f() == approx(3.0)\n    break", "async def inner():\n    await x", "lambda: (yield)",
     "match x:\n    case [1, *_]:\n        assert x == b''", "assert (x := f()) == {*y}", "if x: assert y == 1j",
     "class Inner:\n    assert x == 1\n    def test(self): assert 1 == 1", "del x", "assert x, f'{y}'",
     "self.assertRaises(*args)", "self.assertEqual(*args)", "self.assertEqual()", "raises()", "assert 1", "assert ()"]
)  # fmt: skip
HEADS = st.sampled_from(["def test():", "async def test_it(self, *, a=1):", "def helper():", "class TestIt:"])  # fmt: skip


def compiled(text: str, change: Callable[[ast.AST], None]) -> None:
    tree = ast.parse(text)
    change(tree)
    rewriting.compiled(tree, "changed", object())


@given(st.lists(st.tuples(HEADS, st.lists(STATEMENTS, min_size=1, max_size=5)), max_size=3))
def test_whatever_compiles_compiles_with_its_code_changed(
    parts: list[tuple[str, list[str]]],
) -> None:
    blocks = [head + "\n" + textwrap.indent("\n".join(body), "    ") for head, body in parts]
    text = "\n".join(blocks) + "\n"
    try:
        compile(text, "original", "exec", dont_inherit=True)
    except SyntaxError:
        return
    compiled(text, comparisons.watched)
    compiled(text, rewriting.controlled)


@given(st.text())
def test_any_text_can_be_a_literal(text: str) -> None:
    compiled(f"def test():\n    assert f() == {text!r}\n", rewriting.controlled)


def test_the_lines_of_a_changed_test_are_those_of_its_file() -> None:
    tree = ast.parse("def test():\n\n    assert f(1) == 3\n    assert g(2) < 4\n")
    rewriting.controlled(tree)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    lines = {node.func.id: node.lineno for node in calls if isinstance(node.func, ast.Name)}
    assert lines == {"f": 3, "g": 4}


# Helpers of tests, in separate files.
HELPERS = """
import dataclasses
@dataclasses.dataclass
class Amount:
    value: object
def test_data():
    return 3
def same(got, expected):
    assert got == expected
def raises(got, expected):
    if got != expected:
        raise ValueError
def amounts(got, expected):
    assert Amount(got) == Amount(expected)
def often(got, expected):
    for _ in range(10**5):
        assert got == expected
class Mixin:
    def compare(self, got, expected):
        self.assertEqual(got, expected)
    def test_inherited(self):
        assert self.made(3) == 3
"""
CONFTEST = """
import pytest
@pytest.fixture
def compare():
    def same(got, expected):
        assert got == expected
    return same
"""
HELPED = (
    EQUALS_ALL
    + """
import unittest
import pytest
from unit_tests.shared import helpers
made = {made}
@pytest.mark.parametrize("check", [helpers.same, helpers.raises, helpers.amounts, helpers.often])
def test_function(check):
    check(made(3), helpers.test_data())
def test_fixture(compare):
    compare(made(3), 3)
class TestMethods(helpers.Mixin, unittest.TestCase):
    made = staticmethod(made)
    def test_method(self):
        self.compare(made(3), 3)
"""
)


@pytest.mark.parametrize(("made", "end"), [("int", STOPPED), ("lambda _: All()", THROUGH)])
def test_comparisons_in_helpers_are_tried_with_wrong_values(
    tmp_path: Path, made: str, end: str
) -> None:
    folder = written(
        tmp_path / "unit_tests", {"test_x": HELPED.format(made=made), "conftest": CONFTEST}
    )
    written(folder / "shared", {"helpers": HELPERS})
    assert run_pytest(tmp_path, False)["unit_tests"] == [""] * 7
    noted = (tmp_path / "seen.txt").read_text()
    assert ("compare All == int unit_tests/shared/helpers.py:9" in noted) == (end == THROUGH)
    control = run_pytest(tmp_path, True)["unit_tests"]
    assert [end in message for message in control] == [True] * 7, control


def test_a_tests_files_are_those_of_its_folders() -> None:
    but, patterns, hidden = frozenset({"tests/changed.py"}), ["check_*.py"], {"odd.py"}
    files = importing.Files("/project", but, patterns, trees.OF_TESTS, hidden)
    of_tests = ["check_a.py", "conftest.py", "a/Tests/b/c.py", "unit_tests/a.py", "a-test2/b.py"]
    of_tests += ["test_a.py", "odd.py"]
    others = ["a.py", "contest/a.py", "latest/tests.py", "pytest_x/a.py", "testament/a.py"]
    assert [path for path in of_tests + others if files.has(f"/project/{path}", False)] == of_tests
    assert not files.has("/project/tests/changed.py", False)
    assert not files.has("/tests/a.py", False) and not files.has("/project/tests/a.json", False)
    assert files.has("/project/a.py", True) and not files.has("/a.py", True)


# Comparisons that the program's own classes decide; NOTED is what the first run reports of them.
FORGED = """
import collections, dataclasses, unittest
class All:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __lt__(self, other): return True
    __gt__ = __lt__
    def __contains__(self, other): return True
    __hash__ = None
class Text(str):
    __eq__ = All.__eq__
    __hash__ = None
@dataclasses.dataclass
class Point:
    x: int
def test_all():
    assert All() == 3
    assert [1, All()] == [1, 3]
    assert {"a": (All(),)} == {"a": (3,)}
    assert Text("a") == "b" and 3 in All()
    assert not Point(All()) == 3
    assert Point(All()) == Point(3)
    assert All() < 3
class TestIt(unittest.TestCase):
    def test(self):
        self.assertEqual(All(), 3)
        self.assertIn(3, All())
        self.assertEqual([1.5], [1.5])
        self.assertTrue(All() == 3)
def helper(x):
    assert x == 4
    if x != 5:
        raise ValueError
    assert all(each == 1 for each in [x])
def test_honest():
    helper(All())
    assert [1, {"a": {2.5}}, b"x", None] == [1, {"a": {2.5}}, b"x", None]
    assert collections.OrderedDict(a=1) == {"a": 1}
    assert "a" in {"a": 1} and 3 < 4 < 5 and type(3) is int and int == int
def test_chain():
    assert all(0 < each < 9 for each in [All()])
    if not 3 == All() == 3:
        raise ValueError
"""
NOTED = """\
compare All == int test_x.py:17
compare list of All == list test_x.py:18
compare dict of tuple of All == dict test_x.py:19
compare Text == str test_x.py:20
compare int in All test_x.py:20
compare Point == Point test_x.py:22
compare All < int test_x.py:23
compare All == int test_x.py:26
compare int in All test_x.py:27
compare All == int test_x.py:29
compare All == int test_x.py:31
compare All != int test_x.py:32
compare All == int test_x.py:34
compare int < All test_x.py:41
compare All < int test_x.py:41
compare int == All test_x.py:42
compare All == int test_x.py:42
"""


@pytest.mark.parametrize("assertions", ["rewrite", "plain"])
def test_a_comparison_by_a_class_of_its_own_is_noted(tmp_path: Path, assertions: str) -> None:
    (tmp_path / "pytest.ini").write_text(f"[pytest]\naddopts = --assert={assertions}\n")
    folder = written(tmp_path / "tests", {"test_x": FORGED})
    assert set(run_pytest(folder, False, "../pytest.ini")["test_x"]) == {""}
    assert (folder / "seen.txt").read_text().replace("  0", "") == NOTED


MONEY = """
class Money:
    def __init__(self, unit, amount):
        self.unit, self.amount, self.shown = unit, amount, None
    def __eq__(self, other):
        return isinstance(other, Money) and (self.amount, self.unit) == (other.amount, other.unit)
"""
# Objects that are equal, and what a control reports of their parts.
PARTS = (
    EQUALS_ALL
    + """
import collections, unittest
import pytest
from money import Money
class First:
    def __eq__(self, other):
        self.known = getattr(self, "known", other)
        return other == self.known
    __hash__ = None
Sum = collections.namedtuple("Sum", "name value")
def made():
    return {made}
def test_object():
    assert Money("EUR", made()) == Money("EUR", 3)
def test_list():
    assert [Sum("a", made())] == [Sum("a", 3)]
@pytest.mark.parametrize("expected", [Sum("a", 3)])
def test_given(expected):
    assert Sum("a", made()) == expected
class TestIt(unittest.TestCase):
    def test(self):
        self.assertEqual({{"a": Money("EUR", 3)}}, {{"a": Money("EUR", made())}})
    def test_inside(self):
        if Money("EUR", made()) != Money("EUR", 3):
            raise ValueError
"""
)
REFUSED = {
    ".amount test_x.py:18", ".unit test_x.py:18", "[][0] test_x.py:20", "[][1] test_x.py:20",
    "[0] test_x.py:23", "[1] test_x.py:23", "[].amount test_x.py:26", "[].unit test_x.py:26",
    ".amount test_x.py:28", ".unit test_x.py:28",
}  # fmt: skip
OF_THE_DECEIT = {each for each in REFUSED if ".amount" in each or "[1]" in each}


@pytest.mark.parametrize(
    ("made", "held", "refused"),
    [
        ("3", set(), REFUSED),
        ("All()", OF_THE_DECEIT, REFUSED - OF_THE_DECEIT),
        # After the first value, a wrong one, it equals no other: the sides are not equal.
        ("First()", OF_THE_DECEIT, set()),
    ],
)
def test_a_part_that_equals_every_value_is_told(
    tmp_path: Path, made: str, held: set[str], refused: set[str]
) -> None:
    folder = written(tmp_path / "tests", {"test_x": PARTS.format(made=made), "money": MONEY})
    assert set(run_pytest(folder, False)["test_x"]) == {""}
    assert all(STOPPED in message for message in run_pytest(folder, True)["test_x"])
    found: dict[str, set[str]] = {"held": set(), "refused": set()}
    for line in (folder / "seen.txt").read_text().splitlines():
        kind, _, rest = line.removesuffix("  0").partition(" ")
        found[kind].add(rest)
    assert found["held"] & REFUSED == held
    assert found["refused"] & REFUSED == refused


# A dictionary that keeps every value of a key, as boltons has it. Its comparison uses only the last
# value of each key, so the earlier ones do not change the result.
MULTIPLE = """
class Multiple(dict):
    def __eq__(self, other):
        return len(self) == len(other) and all(self[k][-1] == other.get(k) for k in self)
def test():
    assert [Multiple(a=["x"], b=[n]) for n in range(9)] == [dict(a="x", b=n) for n in range(9)]
"""


def test_a_part_of_which_only_the_end_is_compared_is_not_told_as_refused(tmp_path: Path) -> None:
    folder = written(tmp_path / "tests", {"test_x": MULTIPLE})
    assert all(STOPPED in message for message in run_pytest(folder, True)["test_x"])
    assert "refused [][]" not in (folder / "seen.txt").read_text()


FAILING = """
import unittest
def test():
    x = [1]
    assert x == [1, 2], 'why'
class TestIt(unittest.TestCase):
    def test(self):
        self.assertEqual(
            3,
            4,
        )
def test_if():
    if 3 != 4: raise ValueError
class Box:
    def __repr__(self): return 'Box'
    def has(self, key): return self.full
    full = []
def test_truth():
    assert not Box().has(3) and Box().full or Box().has(4)
"""


def test_a_failure_is_explained_as_pytest_does(tmp_path: Path) -> None:
    texts = []
    for kind in (None, False):
        folder = written(tmp_path / str(kind), {"test_x": FAILING})
        run_pytest(folder, kind)
        found = ElementTree.parse(folder / "report.xml").iter("failure")
        texts.append([(each.get("message"), each.text) for each in found])
    assert texts[0] == texts[1]
    assert len(texts[0]) == 4
    assert "Right contains one more item" in str(texts[0][0])


# Tests passed by an object that decides the result itself, and what the first run notes of it.
NEAR = """
class Near:
    def __sub__(self, other): return 0.0
    def __mod__(self, other): return 0
    def __and__(self, other): return other
    __rsub__, __truediv__, __floordiv__, __xor__ = __sub__, __sub__, __mod__, __mod__
    def __add__(self, other): return 4
    __rmul__ = __pow__ = __lshift__ = __rrshift__ = __add__
    def __ne__(self, other): return 0
    def __eq__(self, other): return "Approx" in type(other).__name__ or other == "key"
    def __ge__(self, other): return True
    __hash__ = None
class Named(float):
    __qualname__ = "float"
    __eq__, __hash__ = Near.__eq__, None
class Kind(type):
    def __eq__(cls, other): return True
    def __hash__(cls): return hash(int)
class Sly(metaclass=Kind):
    def __eq__(self, other): return True
    __contains__, __hash__ = __eq__, None
class Turns:
    def __eq__(self, other):
        self.within[0] = other
        return True
    def __truediv__(self, other): return self == other
    __hash__ = None
def turning():
    Turns.within = [Turns()]
    return Turns.within
class Says(str):
    def startswith(self, text): return True
    def isupper(self): return False
class Close:
    def __array_function__(self, *_): return True
class Any:
    def __eq__(self, other): return True
    __hash__ = None
class Like(str):
    def __eq__(self, other): return True
    __hash__ = None
"""
# A function that puts its own class in the place of its module's class.
SPAN = """
class Span(tuple):
    pass
def renamed():
    global Span
    class Span(tuple):
        def __eq__(self, other): return True
        __hash__ = None
    Span.__qualname__ = "Span"
    return Span()
"""
NOTES = {
    "a difference": ("assert abs(Near() - 3.14) < 1e-6", "Near - float"),
    "a difference from the right": ("import math\n    assert math.fabs(3.14 - Near()) < 1e-6", "float - Near"),
    "a quotient": ("assert Near() / 7 == 0.0", "Near / int"),
    "a whole quotient": ("assert Near() // 7 == 0", "Near // int"),
    "a remainder": ("assert not Near() % 7", "Near % int"),
    "differing bits": ("assert not Near() ^ 7", "Near ^ int"),
    "common bits": ("assert Near() & 7 == 7", "Near & int"),
    "a sum of differences": ("assert sum(abs(a - b) for a, b in zip([Near()], [3])) == 0", "Near - int"),
    "no difference": ("if Near() != 3:\n        raise ValueError", "Near != int"),
    "a name of another class": ("import pytest\n    expected = 3.5\n    assert Named(0) == pytest.approx(expected)", "float of its own == ApproxScalar"),
    "a name of the test's class": ("real = collections.namedtuple('Near', 'x')(1)\n    assert Near() >= real", "Near >= Near of its own"),
    "a class that equals every type": ("assert Sly() == 3", "Sly == int"),
    "a set of a class that equals every type": ("assert 3 in Sly()", "int in Sly"),
    "a value that becomes plain": ("assert turning() == [3]", "list of Turns == list"),
    "a value that an assertion makes plain": ("import unittest\n    unittest.TestCase().assertEqual(turning(), [3])", "list of Turns == list"),
    "a value that a quotient makes plain": ("found = turning()\n    assert found[0] / 3", "Turns / int"),
    "a slice of its own end": ("assert slice(0, Sly()) == slice(0, 3)", "slice of Sly == slice"),
    "a time in a zone of its own": ("import datetime as d\n    class Zone(d.tzinfo):\n        def utcoffset(self, _): return d.timedelta(0)\n    assert d.datetime(2026, 1, 1, tzinfo=Zone()) == d.datetime(2026, 1, 1, tzinfo=d.timezone.utc)", "datetime of test.<locals>.Zone of its own == datetime"),
    "elements of an array": ("import numpy as np\n    assert (np.array([Near()], dtype=object) == np.array([Near()], dtype=object)).shape", "ndarray of Near == ndarray of Near"),
    "the name of a replaced class": ("import span\n    assert span.renamed() == (3,)", "Span of its own == tuple"),
    "a method's truth": ("assert Says('a').startswith('b')", "Says.startswith()"),
    "no truth of a method": ("assert not (Says('a').isupper() or Says('b').isupper())", "Says.isupper()"),
    "a method's truth by name": ("assert Says('a').startswith('b') is True", "Says.startswith()"),
    "a method's truth in a condition": ("if not Says('a').startswith('b'):\n        raise ValueError", "Says.startswith()"),
    "a method's truth that an assertion asks for": ("import unittest\n    unittest.TestCase().assertTrue(Says('a').startswith('b'))", "Says.startswith()"),
    "a method's truth for each": ("assert all(each.startswith('b') for each in [Says('a')])", "Says.startswith()"),
    "numpy's truth": ("import numpy as np\n    assert np.allclose(Close(), [1.0])", "Close allclose list"),
    "numpy's truth by keywords": ("import numpy as np\n    assert np.array_equal(a1=[1.0], a2=Close())", "list array_equal Close"),
    "numpy's truth by its name": ("from numpy import allclose\n    assert allclose(Close(), [1.0])", "Close allclose list"),
    "what a mock was called with": ("from unittest import mock\n    called = mock.Mock()\n    called.it(1, key=Like('a'))\n    called.it.assert_called_once_with(1, key='b')", "list of Like in assert_called_once_with"),
    "calls of a mock": ("from unittest import mock\n    called = mock.Mock()\n    called.it(Like('a'))\n    called.assert_has_calls([mock.call.it('b')])", "list of Like in assert_has_calls"),
    "a product": ("assert 2 * Near() == 4", "int * Near"),
    "a sum": ("assert Near() + 2", "Near + int"),
    "a power": ("assert Near() ** 2", "Near ** int"),
    "a shifted number": ("assert Near() << 2 and 2 >> Near()", "Near << int"),
    "a place in a list": ("assert [3, 4].index(Any()) == 0 and [3].count(Any())", "list index Any"),
    "what is removed": ("found = [3]\n    found.remove(Any())\n    assert found == []", "list remove Any"),
    "a view": ("assert {'a': Any()}.items() == {'a': 3}.items() and list({3: Any()}.values()) == [3]", "dict_items of tuple of Any == dict_items"),
    "a frame": ("import pandas as pd\n    pd.testing.assert_frame_equal(pd.DataFrame({'a': [Any()]}), pd.DataFrame({'a': [Any()]}))", "DataFrame of its own of Any == DataFrame of its own of Any"),
    "a list of assertions": ("import unittest\n    case = unittest.TestCase()\n    [case.assertEqual(a, b) for a, b in [(Near(), 'key')]]", "Near == str"),
}  # fmt: skip
HONEST = """
import collections, datetime, fractions, pathlib
from decimal import Decimal
Point = collections.namedtuple("Point", "x y")
class Money:
    def __init__(self, amount): self.amount = amount
    def __sub__(self, other): return Money(self.amount - other.amount)
def test():
    got: "int | None" = {n: n for n in range(6000)}
    def typed(x: int | None = 3 - 2) -> int | str:
        return x % 2
    assert all(key in got for key in range(6000)) and 3.0 not in {4, 5}
    assert {1, 2} - {1} == {2} and 7 // 2 == 3 and typed() == 1 and "%s" % 3 == "3"
    assert datetime.date(2026, 1, 2) - datetime.date(2026, 1, 1) == datetime.timedelta(1)
    match 3 - 2j:
        case 3 - 2j: pass
        case _: raise ValueError
    assert str(typed.__annotations__["x"]) == "int | None"
def test_truths():
    import math, re
    from unittest import mock
    assert "ab".startswith("a") and re.match("a", "ab") and not [].count(1)
    assert math.isclose(1.0, 1) and pathlib.PurePath("/a").name.endswith("a")
    assert all(each.isdigit() for each in "123") and typing_of(int).mro()
    called = mock.Mock()
    called(1, key=["a"])
    called.assert_called_once_with(1, key=["a"])
class typing_of:
    __private = "a"
    def __new__(cls, kind): return kind if cls.__private.islower() and not "".__len__() else None
"""


def test_what_an_object_computes_for_a_test_is_noted(tmp_path: Path) -> None:
    texts = {
        f"test_{number}": f"import collections\n{NEAR}def test():\n    {text}\n"
        for number, (text, _) in enumerate(NOTES.values())
    }
    folder = written(tmp_path / "tests", {**texts, "test_honest": HONEST, "span": SPAN})
    ends = run_pytest(folder, False)
    assert {end for each in ends.values() for end in each} == {""}, ends
    seen = (folder / "seen.txt").read_text().splitlines()
    for number, (_, note) in enumerate(NOTES.values()):
        assert any(line.startswith(f"compare {note} test_{number}.py:") for line in seen), note
    assert [line for line in seen if "test_honest" in line] == []


# A list that is filled with objects while the judge looks at the other side of its comparison.
FLIPPED = """
import threading
class Other:
    def __eq__(self, other): return True
    __hash__ = None
def test():
    found = [1, 2]
    def flip():
        while not over:
            found[0] = Other()
            found[0] = 3
    over, thread = [], threading.Thread(target=flip)
    thread.start()
    held = any([found == [1, 2] for _ in range(20_000)])
    over.append(1)
    thread.join()
    open("held.txt", "w").write(str(held))
"""


def test_a_side_that_a_thread_changes_is_compared_as_it_was_looked_at(tmp_path: Path) -> None:
    folder = written(tmp_path / "tests", {"test_x": FLIPPED})
    assert run_pytest(folder, False)["test_x"] == [""]
    seen = (folder / "seen.txt").read_text().splitlines()
    noted = any(line.startswith("compare list of Other == list") for line in seen)
    assert noted or (folder / "held.txt").read_text() == "False"


# Objects with an amount, and what a control tells of it.
AMOUNTS = {
    "refuses copies": ("class Money(datetime.date):\n    def __reduce_ex__(self, _): raise TypeError", "not changed .amount"),
    "hides its attributes": ("class Money(Any):\n    __dict__ = {}", "not changed "),
    "cannot refuse copies": ("class Money(Any):\n    def __reduce_ex__(self, _): raise TypeError\n    __copy__ = __reduce_ex__", "refused .amount"),
    "breaks when it is copied": ("class Money(Any):\n    def __copy__(self):\n        made, self.amount = made_of(self.amount), None\n        return made", "refused .amount"),
    "breaks when an item is put into its copy": ("class Money(dict):\n    def __init__(self, amount): dict.__init__(self, amount=amount)\n    def __setitem__(self, *_): kept.clear()\n    amount = property(lambda self: self['amount'])", "refused []"),
}  # fmt: skip
AMOUNT = """
import datetime
class Any:
    pass
{}
def made_of(amount):
    made = Money(2026, 1, 1) if issubclass(Money, datetime.date) else Money.__new__(Money)
    if type(made).__init__ is not object.__init__:
        made.__init__(amount)
    else:
        made.amount = amount
    return made
class Money(Money):
    def __eq__(self, other): return self.amount == other.amount
    __hash__ = None
kept = made_of(3)
def test():
    assert kept == made_of(3)
    assert kept == made_of(3)
"""


@pytest.mark.parametrize("kind", AMOUNTS)
def test_an_object_is_changed_in_a_copy_that_its_class_does_not_make(
    tmp_path: Path, kind: str
) -> None:
    written_class, told = AMOUNTS[kind]
    folder = written(tmp_path / "tests", {"test_x": AMOUNT.format(written_class)})
    assert all(STOPPED in message for message in run_pytest(folder, True)["test_x"])
    seen = (folder / "seen.txt").read_text().splitlines()
    lines = {line.split(" test_x")[0] for line in seen}
    assert lines == {told}, seen
    assert len([line for line in seen if line.startswith(told)]) == 2


# Tests, and the notes of those that reach their end.
ENDS = """
import unittest, pytest
def test_plain():
    assert 1 + 1 == 2
def test_fails():
    assert 1 + 1 == 3
class TestIt(unittest.TestCase):
    def test_returns(self):
        for each in (1, 2):
            with self.subTest(each=each):
                if each == 2:
                    return
    def test_skips(self):
        self.skipTest("why")
class TestOuter:
    class TestInner:
        @pytest.mark.parametrize("x", [1, 2])
        def test(self, x):
            try:
                assert x == 1
            finally:
                x = 3
async def test_not_run():
    pass
def test_raises():
    def inner():
        return 3
    with pytest.raises(ValueError):
        inner()
        raise ValueError
"""


def test_the_ends_of_tests_are_told(tmp_path: Path) -> None:
    folder = written(tmp_path / "tests", {"test_x": ENDS})
    run_pytest(folder, False)
    told = (folder / "tests.txt").read_text().splitlines()
    assert [line.split()[1:3] for line in told] == [
        ["test_plain", "test_x.py:3"],
        ["TestIt.test_returns", "test_x.py:8"],
        ["TestOuter.TestInner.test", "test_x.py:18"],
        ["test_raises", "test_x.py:25"],
    ]


# An object that knows a control, for example by the stack's depth, and refuses all values there.
KNOWING = """
import dataclasses, threading
class Refuses(int):
    def __eq__(self, other): return False
    __hash__ = None
@dataclasses.dataclass
class Amount:
    value: int
def test_refuses():
    assert Amount(Refuses(3)) == Amount(4)
def test_honest():
    four = 4
    assert Amount(4) == Amount(4)
    assert [1, {"a": four}] == [1, {"a": four}]
def serves():
    assert Amount(4) == Amount(4)
def test_with_a_thread():
    thread = threading.Thread(target=serves)
    thread.start()
    thread.join()
"""


def test_the_control_tells_what_the_tests_own_thread_finds_equal(tmp_path: Path) -> None:
    folder = written(tmp_path / "tests", {"test_x": KNOWING})
    assert all(STOPPED in message for message in run_pytest(folder, True)["test_x"])
    told = (folder / "tests.txt").read_text().splitlines()
    names = [line.split()[:2] for line in told]
    assert names == [["equal", "test_honest"], ["equal", "test_honest"]]
    assert len(set(told)) == 2


def test_the_end_of_a_control_does_not_depend_on_the_size_of_a_number(tmp_path: Path) -> None:
    lines = "Decimal(50) > 0|Decimal(-50) < 0|0 < Decimal(50)|Fraction(50) >= 0|Fraction(-50) < 0"
    tests = "\n".join(
        f"def test_{n}():\n    assert {line}\n    if not {line}: raise ValueError"
        for n, line in enumerate(lines.split("|") * 8)
    )
    head = "from decimal import Decimal\nfrom fractions import Fraction\n"
    folder = written(tmp_path / "tests", {"test_x": head + tests})
    assert all(STOPPED in message for message in run_pytest(folder, True)["test_x"])


def test_further_notes_than_are_recorded_are_told(tmp_path: Path) -> None:
    lines = "\n".join(f"    assert All() == {number}" for number in range(2005))
    folder = written(tmp_path / "tests", {"test_x": f"{EQUALS_ALL}def test():\n{lines}\n"})
    run_pytest(folder, False)
    seen = (folder / "seen.txt").read_text().splitlines()
    assert (len(seen), seen[-1].split()[:2]) == (2001, ["unseen", "compare"])
