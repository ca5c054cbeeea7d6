"""A directory with the product of one commit and the tests of another, and pytest run in it.

For scripts/mutants.py. Does not change the checkout; uses the packages of this environment.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import cache_from_source
from pathlib import Path
from typing import IO

from scripts.environment import ROOT
from scripts.mutations import Mutant

# Time for an interrupted test to remove its containers and servers.
CLEAN_UP_SECONDS = 30
OF_THE_SUITE = ("bench", "pyproject.toml", "scripts", "tests")
CHOSEN = "not slow and not acceptance and not postgresql"
# The same examples for every mutant and suite.
HYPOTHESIS = "--hypothesis-seed=0"
# `make setup` would install packages into the virtual environment that this script runs in.
LEFT_OUT = ("tests/setup/test_setup.py",)


@dataclass(frozen=True, slots=True)
class Ended:
    """`test` failed first, or cannot be imported; "" if pytest did not start."""

    how: str
    test: str = ""


@dataclass
class Copy:
    """The product of one commit with the suite of another, in its own directory."""

    root: Path
    # Tests that fail without any mutant.
    broken: set[str] = field(default_factory=set)
    variables: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def mutated(self, mutant: Mutant) -> Iterator[None]:
        path = self.root / mutant.path
        source = path.read_bytes()
        self._write(path, mutant.apply(source))
        shutil.rmtree(self.root / ".hypothesis", ignore_errors=True)
        # A failed preparation of a project is stored, and would fail the tests without the mutant.
        with tempfile.TemporaryDirectory(prefix="mutant-") as state:
            self.variables["ASSAY_STATE_DIR"] = state
            try:
                yield
            finally:
                del self.variables["ASSAY_STATE_DIR"]
                self._write(path, source)

    @staticmethod
    def _write(path: Path, source: bytes) -> None:
        path.write_bytes(source)
        # Python compares byte code with the source's time in seconds and its size; a mutant may
        # change neither.
        Path(cache_from_source(str(path))).unlink(missing_ok=True)

    def tests(self) -> dict[str, str]:
        found = sorted((self.root / "tests").rglob("test_*.py"))
        texts = {path.relative_to(self.root).as_posix(): path for path in found}
        # The corpus has program files with such names; pytest collects packages only.
        return {
            name: path.read_text()
            for name, path in texts.items()
            if name not in LEFT_OUT and (path.parent / "__init__.py").exists()
        }

    def pytest(self, words: Sequence[str], seconds: float) -> Ended:
        """Runs the suite in one process up to the first failure."""
        with tempfile.TemporaryDirectory(prefix="mutant-") as name:
            cache, output = Path(name, "cache"), Path(name, "output")
            # Without --rootdir, pytest would use a setup.py above the copy as the root.
            options = [f"--rootdir={self.root}", "-x", "-v", "-p", "no:xdist", "-m", CHOSEN]
            options += ["-o", f"cache_dir={cache}"]
            with output.open("w") as stream:
                status = self._wait([*options, HYPOTHESIS, *words], stream, seconds)
            if status is None:
                return Ended("time over")
            # 5: pytest selected no test.
            if status in (0, 5):
                return Ended("passed")
            return Ended("failed", _first_failed(cache, output.read_text(errors="replace")))

    def _wait(self, words: Sequence[str], stream: IO[str], seconds: float) -> int | None:
        """pytest's exit status; None if time ran out."""
        environment = {**os.environ, "PYTHONPATH": str(self.root), "PYTHONUNBUFFERED": "1"}
        environment |= self.variables
        for name in ("DATABASE_URL", "DJANGO_SETTINGS_MODULE", "PYTEST_ADDOPTS"):
            environment.pop(name, None)
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *words],
            cwd=self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(CLEAN_UP_SECONDS)
            return None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _first_failed(cache: Path, output: str) -> str:
    with suppress(FileNotFoundError):
        for test in json.loads((cache / "v/cache/lastfailed").read_text()):
            return str(test)
    # The process itself ended, for example by pytest-timeout's thread.
    begun = re.findall(r"^(tests/\S+\.py::\S+)", output, re.MULTILINE)
    return str(begun[-1]) if begun else ""


@contextmanager
def copy_of(product: str, suite: str) -> Iterator[Copy]:
    with tempfile.TemporaryDirectory(prefix="assay-mutants-", ignore_cleanup_errors=True) as name:
        root = Path(name)
        _unpack(root, product)
        for part in OF_THE_SUITE:
            path = root / part
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        _unpack(root, suite, *OF_THE_SUITE)
        yield Copy(root)


def _unpack(root: Path, commit: str, *paths: str) -> None:
    command = ["git", "-C", str(ROOT), "archive", commit, "--", *paths]
    packed = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(root, filter="data")
