"""The sources of projects, and their handling on this host."""

import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.preparation import sources
from evaluation.engine.preparation.options import Options
from evaluation.engine.records import Project
from tests.evaluation.engine.preparation.repositories import DATE, commit, git, write

TREE = {
    "pkg/__init__.py": "",
    "pkg/text.py": "crlf = 1\r\n",
    "tests/test_text.py": "def test(): pass\n",
    ".gitattributes": "tests export-ignore\npkg/text.py -text\n",
}


@pytest.fixture
def options(tmp_path: Path) -> Options:
    return Options(
        repositories=(f"{tmp_path}/mirror/{{owner}}+{{name}}",),
        source_trees=tmp_path / "trees",
        directory=tmp_path / "projects",
    )


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Alice's project, at the first of two commits."""
    mirror = tmp_path / "mirror/alice+thing"
    first = commit(mirror, TREE, tag="v1.2")
    commit(mirror, {"pkg/text.py": "later\n"})
    return Project("alice/thing", first, "python:3", "")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "checkout"
    made.mkdir()
    return made


def files(folder: Path) -> dict[str, bytes]:
    """The content of the folder, without git's own files."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    relative = {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}
    return {path: data for path, data in relative.items() if not path.startswith(".git/")}


def test_the_tree_is_that_of_the_commit_with_its_date_and_tag(
    project: Project, options: Options, folder: Path, tmp_path: Path
) -> None:
    mirror = Path(options.repositories[0].format(owner="alice", name="thing"))
    hook = mirror / ".git/hooks/post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/run\n")
    hook.chmod(0o755)
    before = files(mirror)
    sources.checkout(project, options, folder)
    assert files(folder) == {path: text.encode() for path, text in TREE.items()}
    assert git(folder, "log", "--format=%cI") == DATE
    assert git(folder, "describe", "--tags", "--dirty") == "v1.2"
    # The mirror is left as it was, and its hook was not run.
    assert files(mirror) == before
    assert git(mirror, "status", "--porcelain") == ""
    assert not (tmp_path / "run").exists()


def test_a_bare_mirror_and_a_short_commit_do(
    project: Project, options: Options, folder: Path, tmp_path: Path
) -> None:
    work = tmp_path / "mirror/alice+thing"
    git(tmp_path, "clone", "--quiet", "--bare", str(work), str(tmp_path / "bare/alice/thing"))
    bare = replace(options, repositories=(f"{tmp_path}/bare/{{repository}}",))
    sources.checkout(replace(project, commit=project.commit[:10]), bare, folder)
    assert files(folder).keys() == TREE.keys()


@pytest.mark.parametrize("length", [40, 12])
def test_a_url_does_with_either_form_of_a_commit(
    project: Project, options: Options, folder: Path, length: int
) -> None:
    url = replace(options, repositories=(f"file://{options.repositories[0]}",))
    sources.checkout(replace(project, commit=project.commit[:length]), url, folder)
    assert files(folder).keys() == TREE.keys()


def test_templates_are_tried_in_order(project: Project, options: Options, folder: Path) -> None:
    both = replace(options, repositories=("/nowhere/{repository}", *options.repositories))
    sources.checkout(project, both, folder)
    assert files(folder).keys() == TREE.keys()


def test_what_was_tried_is_told_without_passwords(options: Options, folder: Path) -> None:
    templates = ("https://bob:secret@127.0.0.1:9/{repository}", "/nowhere/{repository}")
    absent = Project("alice/thing", "0" * 40, "python:3", "")
    with pytest.raises(BenchmarkError) as caught:
        sources.checkout(absent, replace(options, repositories=templates), folder)
    assert "/nowhere/alice/thing: there is no git repository" in str(caught.value)
    assert "https://127.0.0.1:9/alice/thing: " in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_commit_that_a_mirror_lacks_is_told(
    project: Project, options: Options, folder: Path
) -> None:
    with pytest.raises(BenchmarkError, match="no such commit.*ASSAY_REPOSITORIES"):
        sources.checkout(replace(project, commit="0" * 40), options, folder)


def test_no_transport_but_the_usual_ones_is_used(
    project: Project, options: Options, folder: Path, tmp_path: Path
) -> None:
    asked = f"ext::touch {tmp_path}/run % {{repository}}"
    with pytest.raises(BenchmarkError):
        sources.checkout(project, replace(options, repositories=(asked,)), folder)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"repository": "../thing"},
        {"repository": "-alice/thing"},
        {"repository": "alice/thing\n"},
        {"commit": "--upload-pack=touch"},
        {"withheld": ("../outside.py",)},
        {"withheld": ("/etc/passwd",)},
        {"commit": "", "repository": "/etc"},
        {"commit": "", "repository": "trees/../.."},
    ],
)
def test_names_that_could_mean_something_else_are_refused(
    project: Project, options: Options, folder: Path, changes: dict[str, Any]
) -> None:
    with pytest.raises(BenchmarkError, match="is not"):
        sources.checkout(replace(project, **changes), options, folder)


@given(st.text(max_size=30), st.text(max_size=12))
def test_whatever_passes_for_a_project_stays_in_its_place(repository: str, commit: str) -> None:
    project = Project(repository, commit, "python:3", "")
    try:
        sources.validate(project)
    except BenchmarkError:
        return
    assert not repository.startswith(("-", "/", "."))
    assert ".." not in repository.split("/")
    assert commit == "" or commit.isalnum()
    assert sources.name(project) not in ("", ".", "..")


def test_an_operators_tree_comes_without_its_history(
    options: Options, folder: Path, tmp_path: Path
) -> None:
    commit(tmp_path / "trees/Text/thing", {"a.py": "answer\n"})
    commit(tmp_path / "trees/Text/thing", {"a.py": "question\n"})
    write(tmp_path / "trees/Text/thing", {"__pycache__/a.cpython-311.pyc": "answer"})
    sources.checkout(Project("Text/thing", "", "python:3", ""), options, folder)
    assert files(folder) == {"a.py": b"question\n"}
    assert len(git(folder, "log", "--oneline").splitlines()) == 1


def test_a_tree_is_known_by_what_it_holds(options: Options, tmp_path: Path) -> None:
    project = Project("Text/thing", "", "python:3", "")
    write(tmp_path / "trees/Text/thing", {"a.py": "one\n"})
    before = sources.identity(project, options)
    write(tmp_path / "trees/Text/thing", {"__pycache__/a.pyc": "anything"})
    assert sources.identity(project, options) == before
    (tmp_path / "trees/Text/thing/a.py").chmod(0o755)
    assert sources.identity(project, options) != before


def test_a_tree_that_nobody_supplied_is_asked_for(options: Options) -> None:
    project = Project("Text/thing", "", "python:3", "")
    with pytest.raises(BenchmarkError, match="no folder .*Text/thing"):
        sources.identity(project, options)
    with pytest.raises(BenchmarkError, match="ASSAY_SOURCE_TREES"):
        sources.identity(project, replace(options, source_trees=None))


def test_texts_are_files_without_a_zero_byte_and_those_withheld(folder: Path) -> None:
    write(folder, {"a.py": "text\r\n", "b.bin": "\0", "c.py": "\udcff\n", "d.py": "\0withheld"})
    (folder / "link.py").symlink_to("/etc/passwd")
    assert sources.texts(folder, ("d.py",)) == {
        "a.py": "text\r\n",
        "c.py": "\udcff\n",
        "d.py": "\0withheld",
    }


def test_a_large_file_is_no_text_unless_it_is_withheld(folder: Path) -> None:
    write(folder, {"a.py": "#" * (sources.TEXT_MOST + 1), "b.py": "#" * (sources.TEXT_MOST + 1)})
    assert sources.texts(folder, ("b.py",)).keys() == {"b.py"}


def test_what_is_packed_is_roots_and_links_are_links(folder: Path) -> None:
    write(folder, {"run.sh": "", "a.py": ""})
    (folder / "run.sh").chmod(0o711)
    (folder / "a.py").chmod(0o600)
    (folder / "link").symlink_to("/etc/passwd")
    with sources.packed(folder, "/workspace/thing") as file, tarfile.open(fileobj=file) as tar:
        found = {member.name: member for member in tar}
    assert {member.uid for member in found.values()} == {0}
    assert found["workspace/thing/link"].issym()
    assert found["workspace/thing/run.sh"].mode == 0o755
    assert found["workspace/thing/a.py"].mode == 0o644
