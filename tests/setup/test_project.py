"""Tests that the Makefile, the lock, the documents and the settings agree with each other."""

import re
import subprocess
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from scripts.lock import TOOLS

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
MAKEFILE = (ROOT / "Makefile").read_text()
LOCK = (ROOT / "requirements.lock").read_text()
TARGETS = re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE)
SETTINGS_PAGES = ("docs/setup.md", "docs/operators/settings.md")
SETTING = re.compile(r"\bASSAY_[A-Z_]+\b")


def locked() -> dict[str, str]:
    pins = re.findall(r"^([\w.-]+)==([\w.]+)", LOCK, re.MULTILINE)
    return {name.lower().replace("_", "-"): version for name, version in pins}


def test_help_explains_every_target() -> None:
    # Without directories, which make prints if make itself runs these tests.
    command = ["make", "--no-print-directory", "help"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    explained = {line.split()[0]: line.split()[1:] for line in said.stdout.splitlines()[1:]}
    assert set(explained) == set(TARGETS)
    assert all(explained.values())
    assert set(re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[0].split()) == set(TARGETS)


@pytest.mark.parametrize("target", TARGETS)
def test_the_documents_explain_every_target(target: str) -> None:
    assert f"`make {target}`" in (ROOT / "docs/setup.md").read_text()


def test_every_setting_is_documented_and_no_other() -> None:
    sources = [ROOT / "Makefile"]
    for directory in ("scripts", "evaluation", "leaderboard", "bench"):
        sources += [path for path in (ROOT / directory).rglob("*") if path.suffix in (".py", ".sh")]
    assert settings_in(sources) == settings_in(ROOT / page for page in SETTINGS_PAGES)


def settings_in(paths: Iterable[Path]) -> set[str]:
    return {name for path in paths for name in SETTING.findall(path.read_text())}


def test_every_dependency_is_locked_at_a_version_that_suffices() -> None:
    wanted = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]
    for requirement in map(Requirement, wanted):
        assert requirement.specifier.contains(locked()[requirement.name.lower()]), requirement


def test_the_lock_pins_files_and_names_no_place() -> None:
    entry = r"[\w.-]+==[\w.]+(?: ; [\w '.<!=]+)? \\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+"
    left = re.sub(rf"^{entry}", "", LOCK, flags=re.MULTILINE)
    assert [line for line in left.splitlines() if not line.startswith("#")] == []


def test_the_lock_has_the_tools_for_tests_last() -> None:
    """The Dockerfile installs what precedes them."""
    image, tools = LOCK.split(TOOLS)
    assert [name for name in ("pytest", "mypy", "krippendorff") if f"\n{name}==" in image] == []
    assert [name for name in ("django", "pip", "psycopg") if f"\n{name}==" in tools] == []


def test_the_lock_has_files_for_other_processors_and_sources() -> None:
    """numpy has some twenty wheels for Linux, macOS and Windows, and a source archive."""
    entry = LOCK.partition("\nnumpy==")[2]
    assert len(re.findall(r"\A[^\n]*\n((?:    --hash.*\n)+)", entry)[0].splitlines()) > 20
