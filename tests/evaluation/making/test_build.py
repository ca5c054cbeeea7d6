"""Tests of building a benchmark from small projects, in real containers."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine import registry
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.preparation import store
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.setup import Setup
from evaluation.engine.records import Limits
from evaluation.engine.sandbox import project_images
from evaluation.engine.sandbox.slots import Slots
from evaluation.making import java_bodies, python_bodies, site
from evaluation.making.build import BuildReport, build, functions, is_test, named_by_tests, spread
from evaluation.making.cuts import ON_ONE_LINE, Cut, Uncut
from evaluation.making.languages import LANGUAGES, Origin
from tests.evaluation.engine.preparation.repositories import commit
from tests.support.commands import report_lines
from tests.support.ledgers import JAVA

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(900)]

PRODUCT = '''\
"""What the tests are about."""


def twice(number):
    """Two times a number."""
    return number * 2


def nothing():
    found = None
    return found


def untested():
    return 1


def helped():
    return helper()


def helper():
    return 3


class Counter:
    def __init__(self):
        self.count = 0

    def add(self, number):
        for _ in range(number):
            self.count += 1

    def shown(self): return str(self.count)
'''
TESTS = """\
from small import product


def test_twice():
    assert product.twice(4) == 8


def test_nothing():
    assert product.nothing() is None


def test_helped():
    assert product.helped() == 3


def test_counter():
    counter = product.Counter()
    counter.add(2)
    assert counter.shown() == "2"
"""
PYTHON = {"small/__init__.py": "", "small/product.py": PRODUCT, "tests/test_product.py": TESTS}
KEPT = ["twice", "helped", "helper", "__init__", "add"]


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Options]:
    # From the environment, which says how this machine reaches pip and Maven.
    made = replace(
        Options.from_environment(os.environ),
        repositories=(str(tmp_path_factory.mktemp("repositories") / "{name}"),),
        directory=tmp_path_factory.mktemp("projects"),
    )
    yield made
    for kept in store.listed(made):
        project_images.remove(kept.prepared.image)


def origin(options: Options, name: str, files: Mapping[str, str], **changed: str) -> Origin:
    folder = Path(options.repositories[0].format(name=name))
    made = Origin(
        f"tests/{name}",
        commit(folder, files),
        "python:3.11-slim-bookworm",
        "pip install pytest",
        "pytest tests",
    )
    return replace(made, **changed)


@pytest.fixture(scope="module")
def small(options: Options) -> Origin:
    return origin(options, "small", PYTHON)


@pytest.fixture(scope="module")
def host(options: Options) -> Setup:
    return Setup(Limits(1), Slots(), lambda: options, workers=2, retry=True)


def built_in(
    folder: Path, origin: Origin, host: Setup, language: str = "python", most: int | None = None
) -> BuildReport:
    limits = registry.FAMILIES[LANGUAGES[language].family].by_execution().limits
    setup = replace(host, limits=limits)
    return build(origin, language, folder / "tasks.jsonl", folder / "report.jsonl", most, setup)


def names(path: Path) -> list[str]:
    return [task["meta"]["intent"].removesuffix("[function]") for task in report_lines(path)]


@pytest.fixture(scope="module")
def built(
    small: Origin, host: Setup, tmp_path_factory: pytest.TempPathFactory
) -> tuple[BuildReport, Path]:
    folder = tmp_path_factory.mktemp("built")
    return built_in(folder, small, host), folder


def test_what_the_tests_tell_apart_is_kept_and_the_report_says_why(
    built: tuple[BuildReport, Path],
) -> None:
    done, folder = built
    path = folder / "tasks.jsonl"
    assert names(path) == KEPT
    assert (done.found, done.cut, done.reached, done.tried, done.kept) == (8, 7, 6, 6, 5)
    assert done.reasons == {ON_ONE_LINE: 1, site.UNREACHED: 1, site.STUB_PASSES: 1}
    _, *fates = report_lines(folder / "report.jsonl")
    assert sorted(fate["function"] for fate in fates if fate["kept"]) == sorted(KEPT)
    assert {fate["function"]: fate["reason"] for fate in fates if not fate["kept"]} == {
        "untested": site.UNREACHED, "nothing": site.STUB_PASSES, "shown": ON_ONE_LINE,
    }  # fmt: skip
    tasks = registry.family("realcode").load_tasks(path, None)
    assert [task.id for task in tasks] == [1, 2, 3, 4, 5]
    tests = ["test_counter", "test_helped", "test_nothing", "test_twice"]
    for task in report_lines(path):
        assert task["meta"]["PASS_TO_PASS"] == [f"tests/test_product.py::{x}" for x in tests]


def test_an_interrupted_build_goes_on_to_the_same_end(
    built: tuple[BuildReport, Path], small: Origin, host: Setup, tmp_path: Path
) -> None:
    whole = (built[1] / "report.jsonl").read_bytes()
    (tmp_path / "report.jsonl").write_bytes(whole[: len(whole) * 2 // 3])
    done = built_in(tmp_path, small, replace(host, workers=1))
    assert done == built[0]
    for name in ("report.jsonl", "tasks.jsonl"):
        assert (tmp_path / name).read_bytes() == (built[1] / name).read_bytes()


def test_no_more_than_wanted_are_written(
    built: tuple[BuildReport, Path], small: Origin, host: Setup, tmp_path: Path
) -> None:
    done = built_in(tmp_path, small, host, most=2)
    assert done.kept == 2
    assert len(set(names(tmp_path / "tasks.jsonl")) & set(KEPT)) == 2


FAILING = {**PYTHON, "tests/test_product.py": "def test_a():\n    assert 0\n"}


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (FAILING, "none of its tests passes"),
        ({"a.py": "x = 1\n"}, "No function can be cut out of tests/none"),
    ],
)
def test_a_project_without_a_passing_test_or_a_function_is_refused(
    options: Options, host: Setup, tmp_path: Path, files: dict[str, str], words: str
) -> None:
    with pytest.raises(BenchmarkError, match=words):
        built_in(tmp_path, origin(options, f"none-{len(files)}", files), host)


def test_java_s_methods_make_tasks_of_the_other_family(
    options: Options, host: Setup, tmp_path: Path
) -> None:
    maven = {
        "image": "maven:3.9-eclipse-temurin-17",
        "build_command": "",
        "test_command": "mvn test",
    }
    done = built_in(tmp_path, origin(options, "java", JAVA, **maven), host, "java")
    assert (names(tmp_path / "tasks.jsonl"), done.reasons) == (["total", "mean"], {})
    tasks = registry.family("realcode_java").load_tasks(tmp_path / "tasks.jsonl", None)
    tests = [f"ledger.TotalsTest::{name}" for name in ("nothing", "one", "several")]
    assert tasks[1].hidden["pass_to_pass"] == tests


PATHS = st.sampled_from(["a.py", "b/c.py", "b/d.py"])
PLACES = st.lists(st.tuples(PATHS, st.integers(1, 40)), unique=True)


def candidate(path: str, line: int) -> Cut:
    return Cut("f", line, line, "", 0, "", 0, path=path)


@given(PLACES, st.text(), st.randoms())
def test_the_order_is_the_seed_s_and_files_take_turns(
    places: list[tuple[str, int]], seed: str, random: object
) -> None:
    candidates = [candidate(*place) for place in places]
    ordered = spread(candidates, seed)
    assert spread(reversed(candidates), seed) == ordered
    assert sorted(each.place for each in ordered) == sorted(places)
    files = {path for path, _line in places}
    assert {each.path for each in ordered[: len(files)]} == files


def test_another_seed_is_another_order() -> None:
    candidates = [candidate("a.py", line) for line in range(1, 30)]
    assert spread(candidates, "one") != spread(candidates, "two")


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("tests/helpers.py", True),
        ("pkg/test/data.py", True),
        ("pkg/test_a.py", True),
        ("pkg/a_test.py", True),
        ("conftest.py", True),
        ("src/test/java/a/B.java", True),
        ("pkg/testing.py", False),
        ("pkg/latest.py", False),
        ("src/main/java/a/TestKit.java", False),
    ],
)
def test_what_belongs_to_the_tests(path: str, test: bool) -> None:
    assert is_test(path) is test


def test_functions_are_those_of_the_product_s_own_files() -> None:
    body = "def f():\n    return 1\n"
    texts = {"b.py": body, "a.py": body + "def g(): return 2\n", "tests/c.py": body, "d.txt": body}
    texts["\udce9.py"] = body  # its name is not UTF-8
    candidates, rest = functions(texts, ".py", python_bodies.cut)
    assert [each.place for each in candidates] == [("a.py", 1), ("b.py", 1)]
    assert rest == [Uncut("g", 3, ON_ONE_LINE, "a.py")]


JAVA_CLASS = """class A {
  int direct() {
    return byAnother();
  }
  int byAnother() {
    return 1;
  }
  int never() {
    return alone();
  }
  int alone() {
    return direct();
  }
  @Override
  public String toString() {
    return shown();
  }
  String shown() {
    return "";
  }
}
"""


def test_java_s_methods_are_followed_from_the_tests_by_name() -> None:
    texts = {"A.java": JAVA_CLASS, "src/test/T.java": "class T { void t() { new A().direct(); } }"}
    candidates, _ = functions(texts, ".java", java_bodies.cut)
    near = [each.name for each in named_by_tests(candidates, texts)]
    assert near == ["direct", "byAnother", "toString", "shown"]
