"""A build's report, from which an interrupted build resumes. JSONL: the first line holds the
build's inputs, each other line one function's result."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Self

from evaluation.engine.errors import BenchmarkError

_BEGINS = b'{"build": '


@dataclass(frozen=True, slots=True)
class Fate:
    """The result of a function: a task, or the reason for its rejection. `detail` is for users."""

    path: str
    line: int
    function: str
    kept: bool
    reason: str = ""
    detail: str = ""

    @property
    def place(self) -> tuple[str, int]:
        return self.path, self.line


class ReportFile:
    def __init__(self, path: Path, build: Mapping[str, Any]) -> None:
        """Raises BenchmarkError if the file is another build's report, or no report."""
        self.fates: list[Fate] = []
        self._path = path
        try:
            keep = self._load(dict(build))
            self._file: IO[str] = path.open("a", encoding="ascii")
        except OSError as error:
            raise BenchmarkError(f"{path} cannot be used: {error.strerror}.") from error
        # Drops a line that the last build did not finish.
        self._file.truncate(keep)
        if not keep:
            self._write([{"build": dict(build)}])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, fates: Iterable[Fate]) -> None:
        """Stores the fates whose place is new; they are on disk when this returns."""
        known = {fate.place for fate in self.fates}
        new = [fate for fate in fates if fate.place not in known]
        self._write(asdict(fate) for fate in new)
        self.fates += new

    def _write(self, lines: Iterable[Mapping[str, Any]]) -> None:
        self._file.writelines(json.dumps(line) + "\n" for line in lines)
        self._file.flush()
        os.fsync(self._file.fileno())

    def _load(self, build: dict[str, Any]) -> int:
        """Loads the complete lines; returns their size in bytes."""
        data = self._path.read_bytes() if self._path.exists() else b""
        if data[: len(_BEGINS)] != _BEGINS[: len(data)]:
            raise BenchmarkError(
                f"{self._path} exists and is not the report of a build; name another file."
            )
        finished = data[: data.rfind(b"\n") + 1]
        if not finished:
            return 0
        try:
            first, *rest = map(json.loads, finished.splitlines())
            before = first["build"]
            self.fates = [Fate(**line) for line in rest]
        except (ValueError, KeyError, TypeError):
            raise BenchmarkError(f"{self._path} is damaged; name another report.") from None
        if before != build:
            raise BenchmarkError(f"{self._path} is the report of another build; name another.")
        return len(finished)
