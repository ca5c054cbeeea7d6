"""Small projects with tests, as git repositories, one per language.

Their commits are the same on every machine, so that a project that was prepared once is found
again."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_STABLE = {
    "GIT_AUTHOR_NAME": "Assay",
    "GIT_AUTHOR_EMAIL": "assay@localhost",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00+00:00",
    "GIT_COMMITTER_NAME": "Assay",
    "GIT_COMMITTER_EMAIL": "assay@localhost",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00+00:00",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


@dataclass(frozen=True, slots=True)
class Ledger:
    """`mirror` is a template of repositories as options have it; `tasks` is a file with the one
    task; `meta` is that task's `meta`."""

    mirror: str
    tasks: Path
    meta: dict[str, Any]


PYTHON = {
    "pyproject.toml": """[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "ledger"
version = "1.0"

[tool.setuptools]
packages = ["ledger"]
""",
    "ledger/__init__.py": "",
    "ledger/totals.py": '''"""Sums of entries."""

RATES = {"a": 2, "b": 3}


def total(entries):
    """The weighted sum of the entries."""
    result = 0
    for name, count in entries:
        result += RATES[name] * count
    return result


EMPTY = total([])


def mean(entries):
    """What an entry comes to on average."""
    return total(entries) / len(entries)
''',
    "tests/expected.json": '{"three": 9}\n',
    "tests/checking.py": """import collections
import dataclasses

from ledger.totals import total


Sum = collections.namedtuple("Sum", "name value")


@dataclasses.dataclass
class Amount:
    value: int


def check(entries, expected):
    assert total(entries) == expected


def check_amount(entries, expected):
    assert Amount(total(entries)) == Amount(expected)


class Nothing:
    entries = []

    def check(self, got, expected):
        self.assertEqual(got, expected)

    def test_inherited(self):
        if total(self.entries) != 0:
            raise ValueError(self.entries)
""",
    "tests/conftest.py": """import pytest


@pytest.fixture
def same():
    def compare(got, expected):
        assert [got] == [expected]

    return compare
""",
    "tests/test_totals.py": """import json  # сумма, ∑ and 𝚺: a file of tests is no ASCII
import pathlib
import unittest
import checking
import pytest

from ledger.totals import mean, total


def test_nothing():
    assert total([]) == 0


def test_one():
    assert total([("a", 2)]) == 4


@pytest.mark.parametrize("entries, expected", [([("a", 1), ("b", 1)], 5), ([("a", 4)], 8)])
def test_many(entries, expected):
    assert total(entries) == expected


def test_as_recorded():
    recorded = json.loads((pathlib.Path(__file__).parent / "expected.json").read_text())
    assert total([("b", 3)]) == recorded["three"]


def test_unknown():
    with pytest.raises(KeyError):
        total([("c", 1)])


class TestMean(unittest.TestCase):
    def test_of_two(self):
        self.assertEqual(mean([("a", 1), ("b", 2)]), 4.0)


def test_by_a_helper():
    checking.check((), 0)


def test_by_a_helper_of_amounts():
    checking.check_amount(set(), 0)


def test_by_a_fixture(same):
    same(total({}), 0)


class TestNothing(checking.Nothing, unittest.TestCase):
    entries = frozenset()

    def test_by_a_method(self):
        self.check(total(""), 0)


def test_in_a_list():
    assert [checking.Sum("none", total(b""))] == [checking.Sum("none", 0)]


def test_in_a_chain():
    entries = checking.collections.deque()
    assert all(0 == found is not None for found in [total(entries)])


def test_two_at_once():
    entries = {}.items()
    assert entries is not None and total(entries) == 0


def test_by_a_method_of_the_total():
    assert total(range(0)).__eq__(0)


def test_by_a_mock():
    import unittest.mock

    report = unittest.mock.Mock()
    report(total(bytearray()))
    report.assert_called_once_with(0)
""",
}

JAVA = {
    "pom.xml": """<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>ledger</groupId>
  <artifactId>ledger</artifactId>
  <version>1.0</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source>
    <maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>junit</groupId>
      <artifactId>junit</artifactId>
      <version>4.13.2</version>
    </dependency>
  </dependencies>
</project>
""",
    "src/main/java/ledger/Totals.java": """package ledger;

public class Totals {

    public static int total(int[] amounts) {
        int result = 0;
        for (int amount : amounts) {
            result += amount;
        }
        return result;
    }

    public static double mean(int[] amounts) {
        return (double) total(amounts) / amounts.length;
    }
}
""",
    "src/test/java/ledger/TotalsTest.java": """package ledger;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class TotalsTest {

    @Test
    public void nothing() {
        assertEquals(0, Totals.total(new int[] {}));
    }

    @Test
    public void one() {
        assertEquals(7, Totals.total(new int[] {7}));
    }

    @Test
    public void several() {
        assertEquals(6, Totals.total(new int[] {1, 2, 3}));
        assertEquals(2.0, Totals.mean(new int[] {1, 2, 3}), 1e-9);
    }
}
""",
}


def python_ledger(folder: Path) -> Ledger:
    """The Python project with one task, the body of `total`."""
    text = PYTHON["ledger/totals.py"]
    start = text.index('    """The weighted sum')
    end = text.index("\n\n\nEMPTY")
    # The left context ends with the signature's colon; the right one begins after the body's last
    # line.
    contexts = {
        "left_context": text[: start - 1],
        "gt": text[start:end],
        "right_context": text[end + 1 :],
        "fn": "ledger/totals.py",
        "image_name": "python:3.11-slim-bookworm",
        "build_command": "pip install .; pip install pytest pytest-json-report",
        "test_command": "pytest tests --json-report --json-report-file=report_pytest.json",
    }
    return _ledger(folder, "ledger", PYTHON, contexts)


def java_ledger(folder: Path) -> Ledger:
    """The Java project with one task, the body of `total`."""
    path = "src/main/java/ledger/Totals.java"
    text = JAVA[path]
    start = text.index("        int result")
    end = text.index("\n\n    public static double mean")
    contexts = {
        "left_context": text[:start],
        "gt": text[start:end],
        "right_context": text[end:],
        "stub": "        return 0;\n    }",
        "file_path": path,
        "image_name": "maven:3.9-eclipse-temurin-17",
        "build_command": "",
        "test_command": "mvn test",
    }
    return _ledger(folder, "ledger-java", JAVA, contexts)


def _ledger(folder: Path, name: str, files: dict[str, str], contexts: dict[str, str]) -> Ledger:
    repository = f"assay/{name}"
    meta = {
        "id": 1,
        "repo": repository,
        "base_commit": _committed(folder / "mirror" / repository, files),
        "intent": "total[function]",
        "intent_type": "function",
        "PASS_TO_PASS": [],
        "FAIL_TO_PASS": [],
        **contexts,
    }
    task = {
        "instruction": "{left_context}",
        "inputs": {"left_context": contexts["left_context"]},
        "outputs": contexts["gt"],
        "meta": meta,
    }
    tasks = folder / f"{name}.jsonl"
    tasks.write_text(json.dumps(task) + "\n", "utf-8")
    return Ledger(f"{folder}/mirror/{{owner}}/{{name}}", tasks, meta)


def _committed(folder: Path, files: dict[str, str]) -> str:
    """Makes the repository. Returns its commit."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    _git(folder, "init", "-q", "-b", "main")
    _git(folder, "add", "-A")
    _git(folder, "commit", "-q", "-m", "A small ledger")
    return _git(folder, "rev-parse", "HEAD")


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *words],
        cwd=folder,
        env={"PATH": os.environ["PATH"], **_STABLE},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()
