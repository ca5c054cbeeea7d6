"""Tests of the arguments and messages of `build-tasks`."""

import argparse
from pathlib import Path

import pytest

from evaluation.cli import arguments, commands
from evaluation.engine.errors import UploadError
from evaluation.making.build import BuildReport


def parsed(*words: str) -> argparse.Namespace:
    needed = ["--image", "i", "--build-command", "", "--test-command", "t", "--language", "java"]
    return arguments.parser().parse_args(
        ["build-tasks", *needed, "--repository", "a/b", "--out", "tasks.jsonl", *words]
    )


@pytest.mark.parametrize(
    ("given", "name", "where"),
    [
        ("mahmoud/boltons", "mahmoud/boltons", ()),
        ("https://git.example/mahmoud/boltons.git", "mahmoud/boltons", None),
        ("https://git.example/mahmoud/boltons/", "mahmoud/boltons", None),
        ("git@git.example:mahmoud/boltons.git", "mahmoud/boltons", None),
        ("ssh://git.example/group/mahmoud/boltons", "mahmoud/boltons", None),
    ],
)
def test_tasks_call_a_repository_by_its_last_two_names(
    given: str, name: str, where: tuple[str, ...] | None
) -> None:
    assert commands.located(given, None) == (name, (given,) if where is None else where)


def test_a_folder_is_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "owner" / "na{me}"
    folder.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UploadError, match="--name OWNER/NAME"):
        commands.located("owner/na{me}", None)
    called, (template,) = commands.located("owner/na{me}", "a/b")
    assert called == "a/b"
    assert template.format(repository="x", owner="y", name="z") == str(folder)


@pytest.mark.parametrize("given", ["boltons", "https://git.example", "mahmoud+x/boltons"])
def test_what_names_no_repository_is_said(given: str) -> None:
    with pytest.raises(UploadError, match="is not a repository's name"):
        commands.located(given, None)


def test_a_commit_is_named_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    assert parsed("--commit", "0a" * 20).commit == "0a" * 20
    for commit in ("HEAD", "0a0a0a0", "0A" * 20):
        with pytest.raises(SystemExit):
            parsed("--commit", commit)
    assert "40 hexadecimal digits" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_said_before_anything_runs(tmp_path: Path) -> None:
    words = parsed("--commit", "0a" * 20, "--out", str(tmp_path / "none" / "tasks.jsonl"))
    with pytest.raises(UploadError, match="cannot be written"):
        commands.build_tasks(words)


def test_the_summary_counts_reasons() -> None:
    done = BuildReport(1400, 1200, 900, 30, 12, {"no test reaches it": 300, "it is luck": 2})
    assert commands.summary(done).splitlines() == [
        "1,400 functions found, 1,200 can be cut out, 900 of these are reached by tests; "
        "30 were tried and 12 kept.",
        "    300  no test reaches it",
        "      2  it is luck",
    ]
