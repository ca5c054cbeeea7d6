"""Tests of controls of Python tests, whose code is changed under pytest: no test passes in one, and
an honest program is stopped."""

# Programs and tests read best in a line each.
# ruff: noqa: E501

import ast
import os
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluation.engine.projects.control import STOPPED, THROUGH
from evaluation.engine.sandbox.inside import trees
from evaluation.engine.sandbox.inside.pytest_plugin import comparisons, importing, nodes, rewriting

# Shapes of tests, and how their controls end. All pass unchanged.
SHAPES = {
    "plain": ("def test():\n    assert 1 + 1 == 2\n", STOPPED),
    "nothing": ("def test():\n    pass\n", THROUGH),
    "docstring alone": ("def test():\n    'says'\n", THROUGH),
    "a chain": ("def test():\n    assert 2 == 1 + 1 == 2\n", STOPPED),
    "chains": ("def test():\n    assert 1 <= 1 + 1 < 3\n    assert all(0 < each <= 3 != 4 for each in (1, 2, 3))\n", STOPPED),
    "a chain elsewhere": ("from fractions import Fraction\ndef within(each):\n    return 0 <= each < 1\ndef test():\n    assert within(Fraction(1, 2)) and not within(3)\n    if not 1 > Fraction(1, 2) > 0 == 0.0:\n        raise ValueError\n    assert 0 < Fraction(1, 2)\n", STOPPED),
    "a chain in threads": ("from concurrent.futures import ThreadPoolExecutor\nimport time\nclass Slow(int):\n    def __lt__(self, other):\n        time.sleep(0.001)\n        return int(self) < other\ndef within(number):\n    return number - 1 < Slow(number) < number + 1\ndef test():\n    with ThreadPoolExecutor(8) as pool:\n        assert list(pool.map(within, range(64))) == [True] * 64\n", STOPPED),
    "a chain of one evaluation": ("def test():\n    left = iter([1, 2, 3])\n    assert 0 < next(left) < 2\n    less = 2 < next(left) < next(left)\n    assert less is False and next(left) == 3\n", STOPPED),
    "a chain with an await": ("import unittest\nclass It(unittest.IsolatedAsyncioTestCase):\n    async def three(self):\n        return 3\n    async def test(self):\n        assert 2 < await self.three() <= await self.three() < 4\n", STOPPED),
    "two comparisons at once": ("def test():\n    found = [1, 2]\n    assert found is not None and found[0] == 1 and len(found) == 2\n", STOPPED),
    "two at once": ("def test():\n    assert 1 + 1 == 2 and True, 'said'\n", STOPPED),
    "turned around": ("def test():\n    assert not []\n    assert 1 in [1]\n    assert None is None\n", STOPPED),
    "a return": ("def test():\n    if 1 + 1 == 2:\n        return\n    raise ValueError\n", THROUGH),
    "after a return": ("def test():\n    assert 3 == 3\n    return\n", STOPPED),
    "tabs": ("def test():\n\tfor each in (1, 2):\n\t\tassert each < 3\n", STOPPED),
    "a loop that asserts often": ("def test():\n    for each in range(10**5):\n        assert each >= 0\n", STOPPED),
    "future and coding": ("# -*- coding: utf-8 -*-\n'''doc'''\nfrom __future__ import annotations\ndef test(tmp_path: 'Nowhere'):\n    assert 'é' == '\\xe9'\n", STOPPED),
    "fixture": ("import pytest\n@pytest.fixture\ndef test_data():\n    yield 3\ndef test(test_data):\n    assert test_data == 3\n", STOPPED),
    "parametrized": ("import pytest\n@pytest.mark.parametrize('one, two', [(1, 2)])\ndef test(one, two):\n    assert one + one == two\n", STOPPED),
    "mark and patch": ("from unittest import mock\n@mock.patch('os.getcwd', return_value='x')\ndef test(getcwd):\n    import os\n    assert os.getcwd() == 'x'\n    getcwd.assert_called_once_with()\n", STOPPED),
    "a mock's calls": ("from unittest import mock\ndef test():\n    called = mock.Mock()\n    called(3, key=[1])\n    called.assert_called_once_with(3, key=[1])\n", STOPPED),
    "a mock's calls with objects": ("from unittest import mock\ndef test():\n    called, it = mock.Mock(), object()\n    called(it)\n    called.assert_called_once_with(it)\n", STOPPED),
    "a mock that equals everything": ("from unittest import mock\ndef test():\n    called = mock.Mock()\n    called(mock.ANY, key=mock.ANY)\n    called.assert_called_once_with(3, key=[1])\n", THROUGH),
    "pickled constants": ("import pickle\ndef test():\n    constants = pickle.loads(pickle.dumps(test.__code__.co_consts))\n    assert len(constants) == len(test.__code__.co_consts)\n", STOPPED),
    "raises": ("import pytest\ndef test():\n    with pytest.raises(ValueError):\n        int('x')\n", STOPPED),
    "raises with its message": ("import pytest\ndef test():\n    with pytest.raises(ValueError, match='x') as error:\n        int('x')\n    assert error.type is ValueError\n", STOPPED),
    "raises called": ("import pytest\ndef test():\n    pytest.raises(ValueError, int, 'x')\n", STOPPED),
    "any exception": ("import pytest\ndef test():\n    with pytest.raises(Exception):\n        int('x')\n", THROUGH),
    "a failure that is expected": ("import pytest\ndef test():\n    with pytest.raises(AssertionError) as error:\n        assert 1 == 2\n    error.match('assert')\n", THROUGH),
    "caught": ("def test():\n    try:\n        assert 1 == 2\n    except AssertionError:\n        pass\n", THROUGH),
    "in a handler": ("def test():\n    try:\n        int('x')\n    except ValueError as error:\n        assert 'x' in str(error)\n", STOPPED),
    "in a match": ("def test():\n    match 3:\n        case 3:\n            assert 3 == 3\n", STOPPED),
    "global": ("count = 0\ndef test():\n    global count\n    count += 1\n    assert count == 1\n", STOPPED),
    "inner function": ("def test():\n    seen = []\n    def inner():\n        nonlocal seen\n        assert 1 == 1\n        seen = [1]\n    inner()\n    assert seen == [1]\n", STOPPED),
    "a name of ours": ("assay_end = 3\ndef test():\n    assert assay_end == 3\n", STOPPED),
    "approx": ("import pytest\ndef test():\n    assert 0.1 + 0.2 == pytest.approx(0.3)\n    assert [3.0] == pytest.approx([3.0 + 1e-9])\n", STOPPED),
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
    "assertEqual(3, second=len('abc'), msg='said')", "assertLess(b=4, a=3)", "assertIn(container=[3], member=3)",
]  # fmt: skip
CALLED = "    def test_{}(self):\n        self.{}\n"
CALLS = "".join(CALLED.format(number, call) for number, call in enumerate(ASSERTIONS))
SHAPES["assertions"] = (f"import unittest\nclass It(unittest.TestCase):\n{CALLS}", STOPPED)
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
"""
NUMPY_TEST = "def test_{}():\n    np.{}\n"
ARRAYS = [
    "assert_array_equal([1, 2], [1, 2])", "assert_array_equal(desired=[1, 2], actual=[1, 2], err_msg='said')",
    "assert_string_equal('abc', 'abc')", "assert_allclose(3.0, rtol=0.5, desired=3.0)",
    "assert_approx_equal(3.0, 3.0)", "assert_array_almost_equal_nulp(3.0, 3.0)", "assert_array_max_ulp(a=3.0, b=3.0)",
    "assert_array_less([1, 2], [3, 4])",
]  # fmt: skip
ON_ARRAYS = "".join(NUMPY_TEST.format(number, call) for number, call in enumerate(ARRAYS))
SHAPES["assertions of numpy"] = (NUMPY + ON_ARRAYS, STOPPED)
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
    "is less than another one": IN_ORDER + "def test():\n    least, most = All(), All()\n    assert least < most\n",
    "equals every value after another one": EQUALS_ALL + "def test():\n    three = 3\n    assert three == 3 and All() == three\n",
    "equals every value after a call": EQUALS_ALL + "def test():\n    three = 3\n    assert callable(len) and All() == three and three\n",
    "arrays by keywords": EQUALS_ALL + NUMPY + NUMPY_TEST.format(0, "assert_array_equal(actual=All(), desired=[1, 2])"),
    "arrays in order": IN_ORDER + NUMPY.replace("all(one < other for one, other in zip(x, y, strict=True))", "x < y") + NUMPY_TEST.format(0, "assert_array_less(All(), [1, 2])"),
    "unittest by keywords": EQUALS_ALL + "import unittest\nclass It(unittest.TestCase):\n    def test(self):\n        self.assertEqual(first=All(), second=3)\n",
    "raises what is of two kinds": "import pytest\nclass Missing(Exception): pass\nclass Broken(Exception): pass\nclass Both(Missing, Broken): pass\ndef fails(): raise Both\ndef test():\n    with pytest.raises(Missing):\n        fails()\n",
    "raises what is of two kinds beside a class that answers": "import pytest\nclass Missing(Exception): pass\nclass Broken(Exception): pass\nclass Both(Missing, Broken): pass\nclass Kind(type):\n    def __subclasscheck__(cls, other): raise KeyError\n    __instancecheck__ = __subclasscheck__\nclass Answers(Exception, metaclass=Kind): pass\ndef fails(): raise Both\ndef test():\n    with pytest.raises(Missing):\n        fails()\n",
    "unittest's raises beside a class that answers": "import unittest\nclass Missing(Exception): pass\nclass Broken(Exception): pass\nclass Both(Missing, Broken): pass\nclass Kind(type):\n    def __subclasscheck__(cls, other): raise KeyError\nclass Answers(Exception, metaclass=Kind): pass\ndef fails(): raise Both\nclass It(unittest.TestCase):\n    def test(self):\n        with self.assertRaises(Missing):\n            fails()\n",
    "whatever is raised": "import contextlib, pytest\npytest = type('', (), {'raises': lambda *_: contextlib.suppress(Exception)})\ndef test():\n    with pytest.raises(ValueError):\n        pass\n",
}  # fmt: skip
SHAPES |= {name: (text, THROUGH) for name, text in CHEATS.items()}


# Loads the plugin's part that changes test files, without a runner.
BEGINS = """
import os
from evaluation.engine.sandbox.inside import trees
from evaluation.engine.sandbox.inside.pytest_plugin import audit, checks, deciding, importing
# Code of a generation lies in own.py.
DECIDERS = deciding.Deciders(lambda path: path.endswith("/own.py") or audit.is_own(path) and path[0] == "<")
def pytest_load_initial_conftests(early_config):
    files = importing.Files(os.getcwd(), frozenset(), ["test_*.py"], trees.OF_TESTS, ())
    check = checks.process_check({children})
    importing.begin(files, {control}, early_config, send, DECIDERS, check)
def pytest_sessionfinish():
    for path, name in DECIDERS.changes():
        print("changed", name, path, file=SEEN)
def send(value):
    of_a_test = value["event"][0] in ("ended", "again")
    print(*value["event"], file=TESTS if of_a_test else SEEN)
# What is noted of comparisons; and of tests as a whole.
SEEN, TESTS = open("seen.txt", "w", buffering=1), open("tests.txt", "w", buffering=1)
importing._MOST_NOTES = {most}
"""


def run_pytest(
    folder: Path, control: bool | None, children: bool = False, most: int = 2000
) -> dict[str, list[str]]:
    """How the tests of each of the folder's files ended: "" for a pass, else the message."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    options = ["-q", "-c", "/dev/null", "--rootdir", ".", "--junitxml", "report.xml"]
    if control is not None:
        begins = BEGINS.format(control=control, children=children, most=most)
        (folder / "begins.py").write_text(begins)
        options += ["-p", "begins"]
    # The plugins that are installed here take five times as long to load as pytest itself.
    own = {"PYTHONPATH": f"{Path.cwd()}:{folder}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment = {**os.environ, **own}
    subprocess.run(
        [*command, *options, "."], cwd=folder, env=environment, capture_output=True, check=False
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
    nodes.compiled(tree, "changed", object())


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


CONSTANTS = st.recursive(
    st.sampled_from(["assay_hello", "ab", "a", "", "two words", b"ab", 1, True, 1.0, -1, None]),
    lambda inner: st.tuples(inner, inner),
    max_leaves=5,
)


@example([("assay_hello",), ("assay_hello",)])
@given(st.lists(CONSTANTS, min_size=2, max_size=4))
def test_constants_keep_values_and_identities_and_are_not_interned(values: list[Any]) -> None:
    text = "".join(f"def f{n}(): return {value!r}\n" for n, value in enumerate(values))
    plain, changed = dict[str, Any](), dict[str, Any]()
    exec(compile(text, "original", "exec"), plain)
    code = nodes.compiled(ast.parse(text), "changed", object())
    assert isinstance(hash(code), int)  # as profilers and coverage need
    exec(code, changed)
    names = [f"f{n}" for n in range(len(values))]
    was, found = ([place[name]() for name in names] for place in (plain, changed))
    assert repr(found) == repr(was)
    assert [a is b for a in found for b in found] == [a is b for a in was for b in was]
    for value in found:
        for part in value if type(value) is tuple else (value,):
            if type(part) is str and len(part) > 1:
                assert part is not sys.intern((part + " ")[:-1])


def test_the_lines_of_a_changed_test_are_those_of_its_file() -> None:
    tree = ast.parse("def test():\n\n    assert f(1) == 3\n    assert g(2) < 4\n")
    rewriting.controlled(tree)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    lines = {node.func.id: node.lineno for node in calls if isinstance(node.func, ast.Name)}
    assert lines == {"f": 3, "g": 4}


# Helpers of tests, in separate files.
HELPERS = """
def test_data():
    return 3
def same(got, expected):
    assert got == expected
class Client:
    def test_client(self):
        return 3
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
HELPED = """
import unittest
import pytest, own
from unit_tests.shared import helpers
def test_function():
    helpers.same(own.made(helpers.Client().test_client()), helpers.test_data())
def test_fixture(compare):
    compare(own.made(3), 3)
class TestMethods(helpers.Mixin, unittest.TestCase):
    made = staticmethod(own.made)
    def test_method(self):
        self.compare(own.made(3), 3)
"""


@pytest.mark.parametrize(("made", "end"), [("int", STOPPED), ("lambda _: All()", THROUGH)])
def test_comparisons_in_helpers_are_watched_and_inherited_tests_controlled(
    tmp_path: Path, made: str, end: str
) -> None:
    texts = {"test_x": HELPED, "conftest": CONFTEST}
    folder = written(tmp_path / "unit_tests", texts)
    written(folder / "shared", {"helpers": HELPERS})
    (tmp_path / "own.py").write_text(f"{EQUALS_ALL}made = {made}\n")
    assert run_pytest(tmp_path, False)["unit_tests"] == [""] * 4
    seen = {line.split()[2].partition(":")[0] for line in (tmp_path / "seen.txt").open()}
    files = {"unit_tests/shared/helpers.py", "unit_tests/conftest.py"}
    assert seen == (set() if end == STOPPED else files)
    control = run_pytest(tmp_path, True)["unit_tests"]
    assert [end for end in control if STOPPED in end] == [
        each for each in control[2:3] if end == STOPPED
    ]


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


# Objects of a generation, in own.py, and comparisons of tests that their methods decide.
OWN = """
import collections, dataclasses, weakref
from unittest import mock
class All:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __lt__(self, other): return True
    __gt__ = __lt__
    def __contains__(self, other): return True
    def __bool__(self): return True
    def __sub__(self, other): return 0.0
    __rsub__ = __sub__
    __hash__ = None
class Text(str):
    __eq__ = All.__eq__
    __hash__ = None
class Kind(type):
    def __eq__(cls, other): return True
    def __hash__(cls): return hash(int)
class Sly(int, metaclass=Kind):
    __eq__, __hash__ = All.__eq__, None
class Borrowed(int):
    __eq__ = int.__ne__
    __hash__ = None
class Named(float):
    __qualname__ = "float"
    __eq__, __hash__ = All.__eq__, None
@dataclasses.dataclass
class Other:
    value: int = 3
class Plain:
    # Equals only itself.
    def __init__(self): self.value = All()
class Identity(Plain):
    def method(self): return self
def nothing(*_): return None
spoiled = mock.Mock()
spoiled.it.assert_called_with = lambda *_: None
class Map(dict):
    __eq__, __hash__ = All.__eq__, None
class Many(collections.UserList): pass
class Three(All):
    def __hash__(self): return hash(3)
class Low(int):
    def __lt__(self, other): return True
class Near(float):
    def __sub__(self, other): return 0.0
    __rsub__ = __sub__
class Wide(set):
    def __contains__(self, other): return True
class AnyCase(dict):
    def __getitem__(self, key): return dict.__getitem__(self, key.lower())
    def __contains__(self, key): return dict.__contains__(self, key.lower())
class Fields(collections.UserDict):
    def __contains__(self, key): return key.lower() in self.data
class Total(int):
    def __eq__(self, other): return int(self) == int(other)
    __hash__ = int.__hash__
class Tagged(list):
    def __init__(self, tag, *items):
        list.__init__(self, items)
        self.tag = tag
    def __eq__(self, other): return True
    __hash__ = None
class Warm(int):
    __eq__, __hash__ = All.__eq__, None
class Cold(Warm): pass
class Marked(collections.UserDict):
    def __init__(self, mark): self.mark, self.data = mark, {}
    __eq__, __hash__ = All.__eq__, None
class Hollow(Marked):
    def __init__(self, mark): self.mark = mark
class Suited(str):
    __slots__ = ("suit",)
    __eq__, __hash__ = All.__eq__, None
    def __new__(cls, suit):
        self = str.__new__(cls, "x")
        self.suit = suit
        return self
class Span(tuple):
    def __add__(self, other): return self
    def __contains__(self, other): return True
    def __len__(self): return 2
class Batch(list):
    def __bool__(self): return True
class Short(list):
    def __len__(self): return 0
class Veil(dict):
    def values(self): return ()
def veiled(point):
    point.__dict__ = Veil(vars(point))
    return point
class Counted(All):
    count = property(lambda self: 3)
    def __init__(self): self.index = 4
three = Three()
proxy = weakref.proxy(three)
"""
DECIDED = {
    "a comparison": ("assert own.All() == 3", "All.__"),
    "no difference": ("if own.All() != 3:\n        raise ValueError", "All.__"),
    "an order": ("assert own.All() < 3", "All."),
    "a container": ("assert [1, {'a': (own.All(),)}] == [1, {'a': (3,)}]", "All.__"),
    "what it contains": ("assert 3 in own.All()", "All."),
    "a chain": ("assert all(0 < each < 9 for each in [own.All()])", "All."),
    "a text": ("assert own.Text('a') == 'b'", "All.|Text.__eq__"),
    "a class that equals every type": ("assert own.Sly() == 3", "Sly.__eq__"),
    "what the data alone does not hold": ("assert 'A' in own.AnyCase(a=1)", "AnyCase.__contains__"),
    "what the data alone does not hold in an assertion": ("unittest.TestCase().assertIn('A', own.AnyCase(a=1))", "AnyCase.__contains__"),
    "what the data alone refutes": ("unittest.TestCase().assertEqual(own.Borrowed(4), 3)", "Borrowed.__eq__"),
    "an object in data": ("assert [own.Total(3), own.All()] == [3, 3]", "All.|Total."),
    "attributes beside the data": ("assert own.Tagged('a') == own.Tagged('b')", "Tagged.__eq__"),
    "attributes beside data in lists": ("assert [own.Tagged('a')] == [own.Tagged('b')]", "Tagged.__eq__"),
    "attributes beside a map's data": ("unittest.TestCase().assertEqual(own.Marked(1), own.Marked(2))", "All.|Marked.__eq__"),
    "an attribute in place of a map's data": ("assert own.Hollow(1) == own.Hollow(2)", "All.|Marked.__eq__"),
    "another class of the same data": ("assert own.Warm(4) == own.Cold(4)", "All.|Warm.__eq__"),
    "slots beside the data": ("assert own.Suited('a') == own.Suited('b')", "All.|Suited.__eq__"),
    "a borrowed method": ("assert own.Borrowed(4) == 3", "Borrowed.__eq__"),
    "the name of another class": ("assert pytest.approx(3.5) == own.Named(0)", "float.__eq__"),
    "a field of a test's class": ("assert Point(own.All()) == Point(3)", "All."),
    "a field that a map of its own hides": ("assert own.veiled(Point(own.All())) == Point(3)", "All."),
    "a slot": ("assert Held(own.All()) == 3", "All."),
    "a data class that is generated": ("assert own.Other() == own.Other(3)", "Other.__eq__"),
    "its truth": ("assert own.All()", "All."),
    "its truth by its length": ("assert not own.Short('a')", "Short.__len__"),
    "its truth by a proxy": ("assert own.proxy", "ProxyType.|weakproxy."),
    "its truth beside another": ("found = own.All()\n    assert 1 and not not found", "All."),
    "its truth in an assertion": ("unittest.TestCase().assertTrue(own.All())", "All."),
    "a method by its name": ("assert own.All().__eq__(3)", "All."),
    "an assertion": ("unittest.TestCase().assertEqual(own.All(), 3)", "All."),
    "an assertion by keywords": ("unittest.TestCase().assertEqual(second=3, first=own.All())", "All."),
    "an assertion of its own": ("type('It', (unittest.TestCase,), {'assertEqual': own.nothing})().assertEqual(3, 4)", "nothing"),
    "a difference": ("assert abs(own.All() - 3.14) < 1e-6", "All."),
    "a difference from the right": ("assert abs(3.14 - own.All()) < 1e-6", "All."),
    "what an approximation subtracts": ("assert own.All() == pytest.approx(3.14)", "All."),
    "a place in a longer list": ("assert ([own.All()] + [1]).count(3) == 1", "All."),
    "a place in a list": ("assert [own.All()].index(3) == 0", "All."),
    "mock's object that equals everything": ("assert [mock.ANY] == [3]", "_ANY.__eq__"),
    "what a mock was called with": ("called = mock.Mock()\n    called(own.All())\n    called.assert_called_once_with(3)", "All."),
    "a weak proxy": ("assert own.proxy == 3", "ProxyType.__eq__|weakproxy.__eq__"),
    "a view of a map": ("assert types.MappingProxyType(own.Map()) == {'a': 1}", "Map.__eq__"),
    "a map's keys": ("assert {own.three: 1}.keys() == {3}", "Three."),
    "a map's items": ("assert {own.three: 1}.items() == {(3, 1)}", "Three."),
    "what an approximation asks further": ("assert own.Near(9) == pytest.approx(3.14)", "Near."),
    "what an assertion asks further": ("unittest.TestCase().assertAlmostEqual(own.Near(9), 3.14)", "Near."),
    "a length that an assertion asks": ("unittest.TestCase().assertSequenceEqual(own.Short('a'), ())", "Short.__len__"),
    "what a view asks": ("assert {3: 1}.keys() == own.Wide([4])", "Wide.__contains__"),
    "what a test's class asks": ("assert [Sized(2)] == [own.Span([4])]", "Span."),
    "an order in lists": ("assert [own.Low(4)] < [3]", "Low.__lt__"),
    "an assertion of a mock": ("own.spoiled.it.assert_called_with(3)", "Mock.assert_called_with"),
}  # fmt: skip
DECIDING = """
import collections, dataclasses, types, unittest, pytest
from unittest import mock
import own
@dataclasses.dataclass
class Point:
    x: object
class Sized(int):
    def __eq__(self, other): return len(other) == int(self)
class Held:
    __slots__ = ("value",)
    def __init__(self, value): self.value = value
    def __eq__(self, other): return self.value == other
"""
# What is compared, and decided by nobody else.
UNDECIDED = """
    assert {1, 2} - {1} == {2} and 7 // 2 == 3 and "%s" % 3 == "3" and 0 <= 3 < 5
    assert [1, {"a": {2.5}}, b"x", None] == [1, {"a": {2.5}}, b"x", None]
    assert collections.OrderedDict(a=1) == {"a": 1} == collections.defaultdict(int, a=1)
    assert own.Many([1]) == [1] and types.MappingProxyType({"a": 1}) == {"a": 1} and {"a": 1}.keys() == {"a"}
    assert Point(3) == Point(3) != Point(4) and "a" in {"a": 1} and type(3) is int
    assert len([own.All()] + [own.All()] * 2) == own.Counted().count == 3 and own.Counted().index == 4
    assert own.All is own.All and (own.All() == 3) is not None if False else True
    assert [own.All()] and not not {"a": own.All()} and not [[own.All()]][1:]
    assert own.Other() and own.Tagged("a", 1) and not own.Tagged("a")
    held = own.Plain()
    assert held == held and [held] == [held] and held.value is not None and not own.Plain() == 3
    assert mock.call(1, key=["a"]) is not None and "ab".startswith("a") and not [].count(1)
    assert own.Span([1, 3]) == (1, 3) and own.Batch("a") != own.Batch() and [own.Batch("a")] <= [["b"]]
    assert "a" in own.AnyCase(a=1) and "b" not in own.Fields(a=1) and [own.Total(3)] == [3]
    assert own.Tagged("a", 1) == [1] and {} == own.Marked(1)
    assert own.Warm(4) in [own.Warm(3), own.Warm(4)] and [own.Cold(4), 4] == [4, own.Cold(4)]
    unittest.TestCase().assertEqual([own.Batch("ab")], [["a", "b"]])
    unittest.TestCase().assertEqual(own.Total(3), 3)
    unittest.TestCase().assertIn("a", own.AnyCase(a=1))
    called = mock.Mock()
    called(1, key=["a"])
    called.assert_called_once_with(1, key=["a"])
    called.assert_has_calls([mock.call(1, key=["a"])])
    unittest.TestCase().assertEqual(3, 3, msg=own.All())
    assert sorted(map(str, filter(None, [1, 0, 2]))) == ["1", "2"] and max([3, 4]) == 4
    match 3 - 2j:
        case 3 - 2j: pass
        case _: raise ValueError
"""


def test_a_comparison_that_a_method_of_the_generation_decides_is_noted(tmp_path: Path) -> None:
    text, places = DECIDING, {}
    for number, (body, methods) in enumerate(DECIDED.values()):
        first = text.count("\n") + 2
        text += f"def test_{number}():\n    {body}\n"
        places[body] = (range(first, text.count("\n") + 1), methods)
    honest = f"{DECIDING}def test():{UNDECIDED}"
    folder = written(tmp_path / "tests", {"test_x": text, "test_honest": honest, "own": OWN})
    ends = run_pytest(folder, False)
    assert {end for each in ends.values() for end in each} == {""}, ends
    seen = (folder / "seen.txt").read_text().splitlines()
    noted = [line for line in seen if " test_x.py:" in line]
    for body, (lines, methods) in places.items():
        notes = [note for note in noted if int(note.split()[2].partition(":")[2]) in lines]
        heads = [f"compare {method}" for method in methods.split("|")]
        assert any(note.startswith(tuple(heads)) for note in notes), (body, notes)
    assert [line for line in seen if "test_honest" in line] == []


# Tests whose own functions and classes another one changes, or a test itself for a while.
CHANGED = """
import own
def helper():
    return 3
class Point:
    size = 1
    def __eq__(self, other): return type(other) is Point
    __hash__ = None
class TestIt:
    def test(self, monkeypatch):
        monkeypatch.setattr(Point, "size", 4)
        monkeypatch.setattr("test_x.helper", int)
        own.change()
        assert Point() == 3
"""
CHANGES = """
import sys
def change():
    module = sys.modules["test_x"]
    module.Point.__eq__ = lambda self, other: True
    module.TestIt.setup_method = lambda self: None
    vars(module)["Point"].size = 4
"""


def test_functions_and_classes_of_tests_that_are_changed_are_noted(tmp_path: Path) -> None:
    folder = written(tmp_path / "tests", {"test_x": CHANGED, "own": CHANGES})
    assert run_pytest(folder, False)["test_x"] == [""]
    seen = (folder / "seen.txt").read_text().splitlines()
    assert [line for line in seen if line.startswith("changed")] == [
        "changed Point.__eq__ test_x.py",
        "changed TestIt.setup_method test_x.py",
    ]
    assert any(line.startswith("compare <lambda>") or "__eq__" in line for line in seen)


# Functions that end an iterator, which tests hand to iterators.
STOPS = """
import itertools
import pytest
import own
def test_map():
    assert all(map(own.stops, [1, 2]))
def test_filter():
    assert list(filter(lambda each: own.stops(each), [1, 2])) == []
def test_iter():
    assert list(iter(lambda: own.stops(1), 3)) == []
def test_others():
    assert list(itertools.starmap(own.stops, [(1,)])) == []
def test_groups():
    assert list(itertools.groupby([1], own.stops)) == []
def test_honest():
    left = iter([1, 2])
    assert list(iter(lambda: next(left), 3)) == [1, 2]
    assert list(map(next, [iter([1]), iter([])])) == [1]
    assert list(map(own.Counts(), [1, 2, 3])) == [1, 2]
    assert list(map(int, "12")) == [1, 2] and [*map(max, [1], [2])] == [2]
"""
STOPPING = """
def stops(value):
    raise StopIteration
class Counts:
    left = 2
    def __call__(self, value):
        return self.__next__()
    def __next__(self):
        if not self.left: raise StopIteration
        self.left -= 1
        return 2 - self.left
"""


@pytest.mark.parametrize("stops", [False, True], ids=["not expected", "expected"])
def test_a_function_does_not_end_an_iterator(tmp_path: Path, stops: bool) -> None:
    text = STOPS + ("    StopIteration\n" if stops else "")
    folder = written(tmp_path / "tests", {"test_x": text, "own": STOPPING})
    ends = run_pytest(folder, False)["test_x"]
    assert [end.startswith("RuntimeError") for end in ends] == [not stops] * 5 + [False]
    assert ends[5] == ""


# A child that runs on as if it was the test, in which a guess is compared. Only the test writes.
FORKED = """
import os, own
def test():
    assert own.guess() == 1
    open("passed.txt", "a").write("x")
"""
GUESSES = """
import os
def guess():
    for number in range(2):
        child = os.fork()
        if not child:
            return number
        _, status = os.waitpid(child, 0)
        open("ends.txt", "a").write(f"{status} ")
    return 1
"""


@pytest.mark.parametrize("control", [False, True])
def test_a_child_is_not_the_test(tmp_path: Path, control: bool) -> None:
    folder = written(tmp_path / "tests", {"test_x": FORKED, "own": GUESSES})
    run_pytest(folder, control)
    assert set((folder / "ends.txt").read_text().split()) == {"256"}
    assert control or (folder / "passed.txt").read_text() == "x"


# A child that compares before it becomes another program.
COMPARES = """
import own
def test_compared():
    assert own.value() == 1
def test():
    assert own.guess() == 1
"""
BEFORE_EXEC = """
import subprocess, sys
def value():
    return 1
def guess():
    def child():
        open("began.txt", "w").close()
        sys.modules["test_x"].test_compared()
        open("compared.txt", "w").close()
    subprocess.run(["true"], preexec_fn=child)
    return 1
"""


@pytest.mark.parametrize("control", [False, True])
def test_a_child_that_is_to_run_a_program_does_not_compare(tmp_path: Path, control: bool) -> None:
    folder = written(tmp_path / "tests", {"test_x": COMPARES, "own": BEFORE_EXEC})
    run_pytest(folder, control)
    assert (folder / "began.txt").exists() and not (folder / "compared.txt").exists()


def test_a_child_runs_on_if_there_may_be_some(tmp_path: Path) -> None:
    folder = written(tmp_path / "tests", {"test_x": FORKED, "own": GUESSES})
    run_pytest(folder, False, children=True)
    assert "x" in (folder / "passed.txt").read_text()
    assert "0" in (folder / "ends.txt").read_text().split()


INTERNED = """
import sys
def is_interned(*parts):
    text = "".join(parts)
    return sys.intern(text) is not text
"""
POOL = """
import pytest, own
NAMES = ["expected_a"]
class TestIt:
    "docstring"
    __slots__ = ()
    @pytest.mark.parametrize("text", [f"{'expected_b'}", "expected_c"])
    def test(self, text: "Nowhere") -> "Nothing":
        "expected_e"
        assert "expected_f" != {"expected_g": "expected_h"}["expected_g"]
        assert own.is_interned("pyt", "est")
        assert [each for each in "abcdfgh" if own.is_interned("expected", "_", each)] == []
        match text:
            case "expected_i" | {"expected_j": 3}: raise ValueError
"""


@pytest.mark.parametrize("control", [False, True])
def test_no_text_of_tests_is_interned(tmp_path: Path, control: bool) -> None:
    folder = written(tmp_path / "tests", {"test_x": POOL, "own": INTERNED})
    ends = run_pytest(folder, control)["test_x"]
    assert all(STOPPED in end for end in ends) if control else ends == ["", ""]


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


# Tests, and the notes of those that reach their end.
ENDS = """
import unittest, pytest
from hypothesis import assume, given, strategies as st
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
tries = []
def test_second_time():
    "Passes when it is run again."
    tries.append(test_second_time.__doc__[0])
    assert tries == ["P"] * 2
def test_again():
    test_second_time()
@given(st.integers(0, 9))
def test_some_are_left_out(number):
    assume(number != 3)
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
    assert [line.split()[1] for line in told if line.startswith("again")] == ["test_second_time"]
    assert [line.split()[1:3] for line in told] == [
        ["test_plain", "test_x.py:4"],
        ["TestIt.test_returns", "test_x.py:9"],
        ["TestOuter.TestInner.test", "test_x.py:19"],
        ["test_second_time", "test_x.py:27"],
        ["test_second_time", "test_x.py:27"],
        ["test_again", "test_x.py:31"],
        ["test_some_are_left_out", "test_x.py:34"],
        ["test_raises", "test_x.py:36"],
    ]


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
    lines = "\n".join(f"    assert own.All() == {number}" for number in range(12))
    text = f"import own\ndef test():\n{lines}\n"
    folder = written(tmp_path / "tests", {"test_x": text, "own": OWN})
    run_pytest(folder, False, most=8)
    seen = (folder / "seen.txt").read_text().splitlines()
    assert (len(seen), seen[-1].split()[:2]) == (9, ["unseen", "compare"])
