"""Small repositories, made as the tests need them."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

DATE = "2021-05-06T07:08:09+00:00"
_ENVIRONMENT = {
    **os.environ,
    "GIT_CONFIG_GLOBAL": "/dev/null",
    **{f"GIT_{role}_NAME": "alice" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": "alice@example.org" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_DATE": DATE for role in ("AUTHOR", "COMMITTER")},
}


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *words],
        env=_ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def write(folder: Path, tree: Mapping[str, str]) -> None:
    for path, text in tree.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, errors="surrogateescape")


def commit(folder: Path, tree: Mapping[str, str], *, tag: str = "") -> str:
    """Writes and commits the files, in a new repository if there is none; returns the commit."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / ".git").exists():
        git(folder, "init", "--quiet")
    write(folder, tree)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "change")
    if tag:
        git(folder, "tag", tag)
    return git(folder, "rev-parse", "HEAD")
