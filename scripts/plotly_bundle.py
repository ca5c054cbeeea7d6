"""Fetches the small bundle of plotly.js with npm, from the registry that this machine's npm uses.

It is not needed: without it the site serves the bundle of the Python package.
"""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

from leaderboard import plotly_release
from scripts.console import last_words, say

SECONDS = 120


def fetch(environment: Path) -> None:
    """Puts the bundle into the virtual environment, or says why the whole one is used."""
    if plotly_release.is_there(environment):
        return
    npm = shutil.which("npm")
    problem = "npm is missing" if npm is None else _fetched(npm, environment)
    say(f"plotly.js: {f'the whole bundle is used: {problem}' if problem else 'small bundle'}")


def _fetched(npm: str, environment: Path) -> str:
    """Returns the problem; "" if the bundle is in its place."""
    name = f"{plotly_release.PACKAGE}@{plotly_release.RELEASE}"
    with TemporaryDirectory() as made:
        command = [npm, "pack", name, "--silent", "--pack-destination", made]
        try:
            done = subprocess.run(
                command, cwd=made, capture_output=True, text=True, check=False, timeout=SECONDS
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"npm does not answer ({type(error).__name__})"
        if done.returncode != 0:
            return f"npm could not fetch it. {last_words(done.stderr)}"
        found = [_member(path) for path in Path(made).glob("*.tgz")]
    if len(found) != 1 or not plotly_release.is_pinned(found[0]):
        return f"npm delivered something else than {name}"
    place = plotly_release.folder(environment)
    place.mkdir(parents=True, exist_ok=True)
    (place / "new").write_bytes(found[0])
    (place / "new").replace(place / plotly_release.BUNDLE)
    return ""


def _member(path: Path) -> bytes:
    """The bundle in the archive, in memory; empty if there is none."""
    try:
        with tarfile.open(path) as archive:
            member = archive.extractfile(plotly_release.MEMBER)
            return member.read() if member else b""
    except (tarfile.TarError, KeyError, EOFError):
        return b""
