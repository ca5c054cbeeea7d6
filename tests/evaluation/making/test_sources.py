"""`locate-sources` on small repositories, and the commit that is found in a history."""

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.projects.sources import Source, SourceSpan, sources_in, write_sources
from evaluation.making import sources
from evaluation.making.sources import Located, locate
from tests.evaluation.engine.preparation.repositories import commit, git

CODE = "def f():\n    return 1\n"
TASK: dict[str, Any] = {
    "namespace": "m.f",
    "project_path": "Sea/boat",
    "completion_path": "Sea/boat/m.py",
    "signature_position": [3, 3],
    "body_position": [4, 4],
    "code": CODE,
    "tests": ["tests/t.py::test_f"],
}
HELD = {"m.py": f"x = 1\n\n{CODE}", "tests/t.py": "def test_f(): pass\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tasks.jsonl").write_text(json.dumps(TASK))
    return tmp_path


def run(folder: Path, *words: str) -> int:
    parser = argparse.ArgumentParser()
    sources.add_arguments(parser)
    files = ["--tasks", str(folder / "tasks.jsonl"), "--out", str(folder / "sources.json")]
    mirror = ["--git", str(folder / "{owner}+{name}")]
    arguments = parser.parse_args([*files, *mirror, *words])
    return int(arguments.command(arguments))


def repository(folder: Path) -> Path:
    return folder / "sea+boat"


BOAT = ("--repository", "Sea/boat=sea/boat")


def entries(folder: Path) -> dict[str, Source]:
    return sources_in(folder / "sources.json")


def test_the_tagged_commit_whose_lines_hold_the_code_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(repository(folder), {"m.py": CODE})
    held = commit(repository(folder), HELD, tag="v1")
    commit(repository(folder), {"README": "x"})
    commit(repository(folder), {"m.py": f"y = 2\n{HELD['m.py']}"})
    assert run(folder, *BOAT) == 0
    assert entries(folder) == {"Sea/boat": Source("sea/boat", held, "v1")}
    out = capsys.readouterr().out
    assert f"Sea/boat: {held} (v1) holds the code of 1 of 1 tasks." in out
    assert "1 of 1 projects contain the code of all their tasks." in out


def test_a_state_that_was_on_a_side_branch_alone_is_found(folder: Path) -> None:
    commit(repository(folder), {"m.py": CODE})
    git(repository(folder), "checkout", "--quiet", "-b", "side")
    held = commit(repository(folder), HELD)
    git(repository(folder), "checkout", "--quiet", "-")
    assert run(folder, *BOAT) == 0
    assert entries(folder)["Sea/boat"].commit == held


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_project_s_last_part_names_it_and_a_path_or_url_its_repository(
    folder: Path, scheme: str
) -> None:
    held = commit(folder / "elsewhere" / "boat", HELD)
    assert run(folder, "--repository", f"boat={scheme}{folder}/elsewhere/boat") == 0
    assert entries(folder)["Sea/boat"] == Source("elsewhere/boat", held)


def test_entries_that_are_there_are_kept_and_their_builds_with_again(folder: Path) -> None:
    before = Source("sea/boat", "c0ffee", build_command="make")
    write_sources(folder / "sources.json", {"Sea/boat": before})
    held = commit(repository(folder), HELD)
    assert run(folder, *BOAT) == 0
    assert entries(folder)["Sea/boat"] == before
    assert run(folder, *BOAT, "--again") == 0
    assert entries(folder)["Sea/boat"] == replace(before, commit=held)


def test_what_a_commit_lacks_is_said_and_it_is_written_all_the_same(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(repository(folder), {"m.py": HELD["m.py"]})
    assert run(folder, *BOAT) == 2
    assert "  m.f: There is no tests/t.py." in capsys.readouterr().out
    assert "Sea/boat" in entries(folder)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "Sea/boat: name its repository with --repository Sea/boat=OWNER/NAME."),
        (BOAT, "Sea/boat: no commit contains the code of any task."),
        (("--repository", "boat=sea/none"), "sea+none' does not exist"),
    ],
)
def test_a_project_that_is_not_found_is_told_of(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], told: str
) -> None:
    commit(repository(folder), {"m.py": CODE})
    assert run(folder, *words) == 2
    out = capsys.readouterr().out
    assert told in out
    assert "0 of 1 projects contain the code of all their tasks." in out
    assert not (folder / "sources.json").exists()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("ship=sea/ship", "names ship, but the tasks have no such project"),
        ("boat=sea/boat", "which may be Lake/boat or Sea/boat: give the whole"),
    ],
)
def test_a_repository_of_no_project_or_of_one_of_two_is_refused(
    folder: Path, words: str, why: str
) -> None:
    other = {**TASK, "project_path": "Lake/boat", "completion_path": "Lake/boat/m.py"}
    (folder / "tasks.jsonl").write_text(json.dumps([TASK, other]))
    with pytest.raises(BenchmarkError, match=why):
        run(folder, "--repository", words)


@pytest.mark.parametrize("words", ["boat", "boat=", "=sea/boat", "boat=sea", "boat=/"])
def test_a_repository_has_an_owner_and_a_name(words: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        sources.named(words)


@pytest.mark.parametrize("text", ["/m/{project}", "/m/{", "/m/{0}"])
def test_a_template_has_the_parts_that_there_are(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        sources.template(text)


PLACE = SourceSpan("m.f", "A/b", "m.py", 3, 4, 4, CODE, ("tests/t.py::test_f",))
LACKS = {**HELD, "m.py": CODE}
UNTESTED = {**HELD, "tests/t.py": "def test_g(): pass\n"}

Tree = Mapping[str, str]


@dataclass
class Trees:
    """A history of whole trees by commit, newest first. The text of a blob is also its name."""

    trees: Mapping[str, Tree]
    tagged: Mapping[str, str]

    def tags(self) -> Iterable[tuple[str, str]]:
        return self.tagged.items()

    def commits(self, paths: Sequence[str]) -> Iterable[str]:
        return [name for name, tree in self.trees.items() if tree.keys() & set(paths)]

    def blobs(self, commit: str, paths: Sequence[str]) -> Sequence[str | None]:
        return [self.trees[commit].get(path) for path in paths]

    def text(self, blob: str) -> str:
        return blob


def located(trees: Mapping[str, Tree], *places: SourceSpan, **tags: str) -> Located | None:
    return locate(Trees(trees, tags), places or (PLACE,))


@pytest.mark.parametrize(
    ("trees", "tags", "found"),
    [
        ({"c3": LACKS, "c2": HELD, "c1": HELD}, {}, Located("c2", "", {}, {})),
        ({"c2": HELD, "c1": HELD}, {"v1": "c1"}, Located("c1", "v1", {}, {})),
        ({"c2": HELD, "c1": UNTESTED}, {"v1": "c1"}, Located("c2", "", {}, {})),
        (
            {"c2": LACKS, "c1": UNTESTED},
            {},
            Located("c1", "", {}, {"m.f": "There is no test_f in tests/t.py."}),
        ),
    ],
    ids=["the newest of all", "a tag first", "no tag that lacks something", "code before tests"],
)
def test_the_newest_commit_that_holds_all_or_lacks_least(
    trees: Mapping[str, Tree], tags: dict[str, str], found: Located
) -> None:
    assert located(trees, **tags) == found
