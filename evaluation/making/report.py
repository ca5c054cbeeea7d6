"""A build's report, from which an interrupted build resumes. JSONL: the first line holds the
build's inputs, each other line one function's result."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.lines import GrowingFile, line

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


class ReportFile(GrowingFile):
    def __init__(self, path: Path, build: Mapping[str, Any]) -> None:
        """Raises BenchmarkError if the file is another build's report, or no report."""
        self.fates: list[Fate] = []
        self._path, self._build = path, dict(build)
        try:
            if path.exists():
                with path.open("rb") as file:
                    start = file.read(len(_BEGINS))
                if not _BEGINS.startswith(start):
                    raise BenchmarkError(
                        f"{path} exists and is not the report of a build; name another file."
                    )
            super().__init__(path)
        except OSError as error:
            raise BenchmarkError(f"{path} cannot be used: {error.strerror}.") from error
        if not self.load(self._take):
            self.write([line({"build": self._build})])

    def add(self, fates: Iterable[Fate]) -> None:
        """Stores the fates whose place is new; they are on disk when this returns."""
        places = {fate.place for fate in self.fates}
        new = [fate for fate in fates if fate.place not in places]
        self.write(line(asdict(fate)) for fate in new)
        self.fates += new

    def _take(self, number: int, text: bytes) -> None:
        try:
            value = json.loads(text)
            if number > 1:
                self.fates.append(Fate(**value))
                return
            build = value["build"]
        except (ValueError, KeyError, TypeError):
            raise BenchmarkError(f"{self._path} is damaged; name another report.") from None
        if build != self._build:
            raise BenchmarkError(f"{self._path} is the report of another build; name another.")
