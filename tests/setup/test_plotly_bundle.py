"""Tests of the small bundle of plotly.js: only the pinned one is used, and set-up never fails
without it."""

import io
import tarfile
from hashlib import sha256
from pathlib import Path

import plotly
import pytest

from leaderboard import finders, plotly_release
from scripts import plotly_bundle

CONTENT = b"var Plotly = {};"


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program `npm` that delivers an archive with CONTENT, whose digest is the pinned one
    here."""
    monkeypatch.setattr(plotly_release, "SHA256", sha256(CONTENT).hexdigest())
    with tarfile.open(tmp_path / "a.tgz", "w:gz") as archive:
        member = tarfile.TarInfo(plotly_release.MEMBER)
        member.size = len(CONTENT)
        archive.addfile(member, io.BytesIO(CONTENT))
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "npm").write_text(
        f'#!/bin/sh\necho "$2" > {tmp_path}/asked\ncp {tmp_path}/a.tgz "$5/"\n'
    )
    (programs / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    return programs / "npm"


def fetched(environment: Path) -> bytes | None:
    plotly_bundle.fetch(environment)
    path = plotly_release.folder(environment) / plotly_release.BUNDLE
    return path.read_bytes() if path.exists() else None


def test_npm_delivers_the_pinned_release_once(npm: Path, tmp_path: Path) -> None:
    assert fetched(tmp_path) == CONTENT
    asked = f"{plotly_release.PACKAGE}@{plotly_release.RELEASE}\n"
    assert (tmp_path / "asked").read_text() == asked
    npm.unlink()
    assert fetched(tmp_path) == CONTENT


@pytest.mark.parametrize("program", ["exit 1", "exit 0", 'echo x > "$5/x.tgz"', None])
def test_without_it_set_up_goes_on_and_says_why(
    npm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], program: str | None
) -> None:
    npm.write_text(f"#!/bin/sh\n{program}\n")
    if program is None:
        npm.unlink()
        npm.parent.joinpath("npm").mkdir()
    assert fetched(tmp_path) is None
    assert "the whole bundle is used" in capsys.readouterr().out


def test_another_bundle_is_refused(
    npm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plotly_release, "SHA256", sha256(b"another").hexdigest())
    assert fetched(tmp_path) is None


def test_the_site_serves_the_pinned_bundle_and_no_changed_one(
    npm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    fetched(tmp_path)
    small = plotly_release.folder(tmp_path) / plotly_release.BUNDLE
    assert finders.PlotlyFinder().find("plotly/plotly.min.js") == str(small)
    small.write_bytes(CONTENT + b" ")
    whole = Path(plotly.__file__).parent / "package_data/plotly.min.js"
    assert finders.PlotlyFinder().find("plotly/plotly.min.js") == str(whole)


def test_the_pinned_release_is_that_of_the_python_package() -> None:
    whole = Path(plotly.__file__).parent / "package_data/plotly.min.js"
    with whole.open(encoding="utf-8") as script:
        assert f"plotly.js v{plotly_release.RELEASE}\n" in script.read(200)
