"""Tests of building a benchmark from small projects, in real containers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.engine import registry
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.preparation import store
from evaluation.engine.preparation.options import Options
from evaluation.engine.sandbox import project_images
from evaluation.engine.sandbox.slots import Slots
from evaluation.making import reasons
from evaluation.making.build import BuildReport, build
from evaluation.making.cuts import ON_ONE_LINE
from evaluation.making.languages import Origin
from evaluation.making.site import Host
from tests.evaluation.engine.preparation.repositories import commit

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

POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>small</groupId><artifactId>small</artifactId><version>1</version>
  <properties>
    <maven.compiler.source>8</maven.compiler.source>
    <maven.compiler.target>8</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies><dependency>
    <groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version>
    <scope>test</scope>
  </dependency></dependencies>
</project>
"""
JAVA_PRODUCT = """\
package small;

import java.util.List;

public class Product {
    private final int count;

    public Product(int count) {
        this.count = count;
    }

    public int twice() {
        return 2 * count;
    }

    public static List<String> names() {
        return java.util.Collections.singletonList("one");
    }

    public static void unwatched() {
        System.out.println("nobody looks");
    }

    public static int untested() {
        return 1;
    }
}
"""
JAVA_TESTS = """\
package small;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class ProductTest {
    @Test
    public void twice() {
        Product.unwatched();
        assertEquals(8, new Product(4).twice());
    }

    @Test
    public void names() {
        assertEquals("one", Product.names().get(0));
    }
}
"""
JAVA = {
    "pom.xml": POM,
    "src/main/java/small/Product.java": JAVA_PRODUCT,
    "src/test/java/small/ProductTest.java": JAVA_TESTS,
}


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
def host(options: Options) -> Host:
    return Host(options, Slots(), workers=2)


def built_in(
    folder: Path, origin: Origin, host: Host, language: str = "python", most: int | None = None
) -> BuildReport:
    return build(origin, language, folder / "tasks.jsonl", folder / "report.jsonl", most, host)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def names(path: Path) -> list[str]:
    return [task["meta"]["intent"].removesuffix("[function]") for task in lines(path)]


@pytest.fixture(scope="module")
def built(
    small: Origin, host: Host, tmp_path_factory: pytest.TempPathFactory
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
    assert done.reasons == {ON_ONE_LINE: 1, reasons.UNREACHED: 1, reasons.STUB_PASSES: 1}
    _, *fates = lines(folder / "report.jsonl")
    assert sorted(fate["function"] for fate in fates if fate["kept"]) == sorted(KEPT)
    assert {fate["function"]: fate["reason"] for fate in fates if not fate["kept"]} == {
        "untested": reasons.UNREACHED, "nothing": reasons.STUB_PASSES, "shown": ON_ONE_LINE,
    }  # fmt: skip
    tasks = registry.family("realcode").load_tasks(path, None)
    assert [task.id for task in tasks] == [1, 2, 3, 4, 5]
    tests = ["test_counter", "test_helped", "test_nothing", "test_twice"]
    for task in lines(path):
        assert task["meta"]["PASS_TO_PASS"] == [f"tests/test_product.py::{x}" for x in tests]


def test_an_interrupted_build_goes_on_to_the_same_end(
    built: tuple[BuildReport, Path], small: Origin, host: Host, tmp_path: Path
) -> None:
    whole = (built[1] / "report.jsonl").read_bytes()
    (tmp_path / "report.jsonl").write_bytes(whole[: len(whole) * 2 // 3])
    done = built_in(tmp_path, small, replace(host, workers=1))
    assert done == built[0]
    for name in ("report.jsonl", "tasks.jsonl"):
        assert (tmp_path / name).read_bytes() == (built[1] / name).read_bytes()


def test_no_more_than_wanted_are_written(
    built: tuple[BuildReport, Path], small: Origin, host: Host, tmp_path: Path
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
    options: Options, host: Host, tmp_path: Path, files: dict[str, str], words: str
) -> None:
    with pytest.raises(BenchmarkError, match=words):
        built_in(tmp_path, origin(options, f"none-{len(files)}", files), host)


def test_java_s_methods_make_tasks_of_the_other_family(
    options: Options, host: Host, tmp_path: Path
) -> None:
    maven = {
        "image": "maven:3.9-eclipse-temurin-17",
        "build_command": "",
        "test_command": "mvn test",
    }
    done = built_in(tmp_path, origin(options, "java", JAVA, **maven), host, "java")
    assert names(tmp_path / "tasks.jsonl") == ["Product", "twice", "names"]
    assert done.reasons == {reasons.STUB_PASSES: 1, reasons.UNREACHED: 1}
    tasks = registry.family("realcode_java").load_tasks(tmp_path / "tasks.jsonl", None)
    assert tasks[2].hidden["pass_to_pass"] == [
        "small.ProductTest::names",
        "small.ProductTest::twice",
    ]
