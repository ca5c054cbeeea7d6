"""Tests of mutants: how source texts are changed, in which order tests meet them, and what counts
as found."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import mutants
from scripts.mutations import Mutant, choose, of
from scripts.suite_copy import Copy

ROOT = Path(__file__).parents[2]
PYTHON = '''\
"""A docstring."""
from typing import Literal, TypeVar, cast

__all__ = ["first"]
MOST = 7
T = TypeVar("T")
Way = Literal["up"]


@dataclass(frozen=True)
class Place:
    name: str = "größe"
    left: "Place | None" = None

    def first(self, way: Literal["up"], most: int = 2) -> Literal["no"]:
        """A docstring."""
        assert most > 3
        if not (self.left) and way not in ("down", f"{most == 4}"):
            raise ValueError(_("translated"))
        count: int
        for one in zip([1.5], strict=True): ...
        return cast("Place", most
            <= MOST)


if __name__ == "__main__":
    first(True)
'''
JAVA = """\
package assay;

/** Is `a == b`; "never" */
class Start {
    @SuppressWarnings("unchecked")
    static String of(List<String> all, int most) {
        // if (1 < 2)
        for (int i = 0; i < all.size() && !all.isEmpty(); i++) {
            all.add("one; two");
            found.put(all.get(i),
                    most);
        }
        return c == '"' ? null : "x";
    }
}
"""


def edits(path: str, source: str) -> set[tuple[str, str, str]]:
    return {(one.kind, one.before, one.after) for one in of(path, source.encode())}


def test_python_is_mutated_where_its_behaviour_changes_and_nowhere_else() -> None:
    assert edits("a.py", PYTHON) == {
        ("number", "7", "8"),
        ("text", '"größe"', '"mutant"'),
        ("number", "2", "3"),
        ("boolean", "not ", ""),
        ("boolean", "and", "or"),
        ("comparison", "not in", "in"),
        ("text", '"down"', '"mutant"'),
        ("statement", 'raise ValueError(_("translated"))', "pass"),
        ("number", "1.5", "2.5"),
        ("comparison", "<=", "<"),
    }


def test_java_is_mutated_outside_comments_annotations_and_characters() -> None:
    assert edits("A.java", JAVA) == {
        ("number", "0", "1"),
        ("comparison", "<", "<="),
        ("boolean", "&&", "||"),
        ("boolean", "!", ""),
        ("text", '"one; two"', '"mutant"'),
        ("statement", 'all.add("one; two");', ";"),
        ("comparison", "==", "!="),
        ("text", '"x"', '"mutant"'),
    }


def test_every_mutant_of_a_real_module_parses_and_differs() -> None:
    source = (ROOT / "evaluation/engine/metrics/passk.py").read_bytes()
    found = of("passk.py", source)
    mutated = {ast.dump(ast.parse(one.apply(source))) for one in found}
    assert len(mutated) > 5
    assert ast.dump(ast.parse(source)) not in mutated


def test_a_mutant_of_another_text_is_refused() -> None:
    (mutant,) = of("a.py", b"MOST = 7\n")
    assert mutant.apply(b"MOST = 7\n") == b"MOST = 8\n"
    with pytest.raises(ValueError, match="does not read '7'"):
        mutant.apply(b"MOST  = 7\n")


def test_a_seed_chooses_the_same_mutants_in_every_process_as_many_of_each_kind() -> None:
    program = (
        "from scripts.mutations import choose, of; from pathlib import Path;"
        "found = of('a.py', Path('evaluation/engine/pipeline.py').read_bytes());"
        "print([one.id for one in choose(found, 10, 14)])"
    )
    found = of("a.py", (ROOT / "evaluation/engine/pipeline.py").read_bytes())
    first, second = choose(found, 10, 14), choose(found, 10, 15)
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
        said = subprocess.check_output(
            [sys.executable, "-c", program], cwd=ROOT, env=environment, text=True
        )
        assert said == f"{[mutant.id for mutant in first]}\n"
    kinds = ["boolean", "comparison", "number", "statement", "text"]
    assert sorted(mutant.kind for mutant in first) == sorted(kinds * 2)
    assert first != second


def test_the_nearest_tests_come_first_and_all_of_them_come() -> None:
    tests = {
        "tests/leaderboard/test_fields.py": "import json",
        "tests/evaluation/engine/test_runs.py": "",
        "tests/evaluation/engine/metrics/test_means.py": "",
        "tests/evaluation/engine/metrics/test_passk.py": "",
        "tests/leaderboard/test_scores.py": "from evaluation.engine.metrics import passk",
    }
    (first, rest) = mutants.batches("evaluation/engine/metrics/passk.py", tests)
    assert [Path(name).stem for name in first + rest] == [
        "test_passk", "test_means", "test_scores", "test_runs", "test_fields",
    ]  # fmt: skip


def test_what_runs_in_the_sandbox_meets_the_corpora_and_nothing_else() -> None:
    tests = Copy(ROOT).tests()
    for path, first in {
        "java/compiler/CopiedCalls.java": "families/aixbench_auto/test_corpus.py",
        "inside/surefire.py": "projects_corpus/test_projects_corpus.py",
        "inside/judge.py": "test_corpus.py",
    }.items():
        (order,) = mutants.batches(f"evaluation/engine/sandbox/{path}", tests)
        assert order[0] == f"tests/evaluation/engine/{first}"
        assert len(order) > 10
        assert all("corpus" in name or "java" in name or "aixbench" in name for name in order)


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Copy:
    """A product with its own suite, one of whose tests fails for every mutant."""
    # Loading the plugins takes five times as long as the rest; hypothesis has this option.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    option = 'def pytest_addoption(parser): parser.addoption("--hypothesis-seed")\n'
    (tmp_path / "product.py").write_text("MOST = 7\nLEAST = 1\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/__init__.py").touch()
    (tmp_path / "tests/conftest.py").write_text(option)
    (tmp_path / "tests/test_product.py").write_text(
        "import product\n\n"
        "def test_that_always_fails(): assert False\n"
        "def test_the_most(): assert product.MOST == 7\n"
    )
    return Copy(tmp_path)


def test_a_mutant_leaves_no_prepared_project_to_the_tests_without_it(
    copy: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = copy.root / "store"
    store.mkdir()
    monkeypatch.setenv("ASSAY_STATE_DIR", str(store))
    (copy.root / "tests/test_product.py").write_text(
        "import os\n"
        "from pathlib import Path\n"
        "import product\n\n"
        "def test_a_failed_preparation_is_stored():\n"
        "    failure = Path(os.environ['ASSAY_STATE_DIR'], 'failure.json')\n"
        "    if product.MOST != 7: failure.touch()\n"
        "    assert not failure.exists()\n"
    )
    ended, _ = mutants.judge(copy, mutant_of(copy, line=1))
    assert (ended.how, copy.broken, [*store.iterdir()]) == ("failed", set(), [])


def mutant_of(copy: Copy, line: int) -> Mutant:
    found = of("product.py", (copy.root / "product.py").read_bytes())
    return next(one for one in found if one.line == line)


def test_a_mutant_is_found_by_a_test_that_passes_without_it(copy: Copy) -> None:
    ended, _ = mutants.judge(copy, mutant_of(copy, line=1))
    assert (ended.how, ended.test) == ("failed", "tests/test_product.py::test_the_most")
    assert copy.broken == {"tests/test_product.py::test_that_always_fails"}
    assert (copy.root / "product.py").read_text() == "MOST = 7\nLEAST = 1\n"


def test_a_mutant_that_no_test_meets_is_not_found_nor_one_whose_time_is_over(copy: Copy) -> None:
    copy.broken.add("tests/test_product.py::test_that_always_fails")
    mutant = mutant_of(copy, line=2)
    assert [mutants.judge(copy, mutant, *seconds)[0].how for seconds in ((), (0.1,))] == [
        "passed",
        "time over",
    ]


def test_the_comparison_fails_for_what_only_the_old_suite_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"

    def write(path: Path, **found: bool) -> None:
        lines = (
            {"id": id, "kind": "text", "path": "a.py", "line": 1, "found": yes, "how": "any"}
            for id, yes in found.items()
        )
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    write(old, both=True, neither=False)
    write(new, both=True, neither=False, only_new=True)
    assert mutants.compare(old, new) == 0
    assert "new: 2 of 3 found" in capsys.readouterr().out
    write(old, both=True, lost=True)
    assert mutants.compare(old, new) == 1
    assert "by the new one: 1" in capsys.readouterr().out
