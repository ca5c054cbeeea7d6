"""The report of a run: one JSON line per verdict, and a second file that describes the run.

An interrupted run resumes from the report, so only final verdicts are written. The second file
(`OUT.jsonl.run.json`) holds the run's inputs: another file, setting or limit is another run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Self

from evaluation.engine.errors import UploadError
from evaluation.engine.records import (
    Evidence,
    Integrity,
    Key,
    Problem,
    Status,
    Tier,
    Unit,
    Verdict,
    evidence_in,
    evidence_text,
)

# Fields of a verdict that are numbers, under the same names.
_MEASURED = ("tests_passed", "tests_total", "duration_ms", "control_ms", "peak_memory_kib")


def line(verdict: Verdict) -> dict[str, Any]:
    """The verdict as the object of a report line; `evidence` is included if the integrity is not
    clean."""
    record = {
        **verdict.key._asdict(),
        "test_set": verdict.test_set,
        "status": verdict.status.value,
        "integrity": verdict.integrity.value,
        "tier": verdict.tier.value,
        "passed": verdict.passed,
        **{name: getattr(verdict, name) for name in _MEASURED},
        "flags": list(verdict.flags),
    }
    if verdict.integrity is not Integrity.CLEAN:
        record["evidence"] = [entry._asdict() for entry in evidence_in(verdict.evidence)]
    return record


def verdict(line: Mapping[str, Any]) -> Verdict:
    """The verdict of a report line. Raises KeyError, TypeError, ValueError."""
    return Verdict(
        key=Key(line["task_id"], line["sample"], line["requirement"], line["turn"]),
        status=Status(line["status"]),
        test_set=line.get("test_set", ""),
        integrity=Integrity(line["integrity"]),
        tier=Tier(line["tier"]),
        **{name: line[name] for name in _MEASURED},
        flags=tuple(line["flags"]),
        evidence=evidence_text(*(Evidence(**entry) for entry in line.get("evidence", []))),
    )


class ReportFile:
    """The lines of a batch are written and flushed to disk together."""

    def __init__(self, path: Path, run: Mapping[str, Any]) -> None:
        self.verdicts: dict[Unit, Verdict] = {}
        self._path = path
        self._beside = path.with_name(path.name + ".run.json")
        size = 0
        if path.exists() and path.stat().st_size:
            self._require_same(run)
            size = self._load()
        self._file: IO[str] = path.open("a", encoding="ascii")
        # Drops a line that the last run did not finish.
        self._file.truncate(size)
        # Written whole or not at all, even if the command is killed.
        new = self._beside.with_name(self._beside.name + ".new")
        new.write_text(json.dumps(run, indent=2, ensure_ascii=False) + "\n", "utf-8")
        new.replace(self._beside)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, verdicts: Sequence[Verdict]) -> None:
        self._file.writelines(json.dumps(line(found)) + "\n" for found in verdicts)
        self._file.flush()
        os.fsync(self._file.fileno())
        self.verdicts.update((found.unit, found) for found in verdicts)

    def _require_same(self, run: Mapping[str, Any]) -> None:
        if not self._beside.exists():
            raise UploadError(
                f"{self._path} exists and is not a report to resume from; name another file."
            )
        try:
            before = dict(json.loads(self._beside.read_text("utf-8")))
        except (ValueError, TypeError):
            raise UploadError(
                f"{self._path} cannot be resumed from: {self._beside} is damaged; name another."
            ) from None
        changed = ", ".join(name for name in run if before.get(name) != run[name])
        if changed:
            raise UploadError(
                f"{self._path} belongs to another run ({changed} differ); name another report."
            )

    def _load(self) -> int:
        """Loads the complete lines; returns their size in bytes."""
        size = 0
        with self._path.open("rb") as file:
            for number, text in enumerate(file, 1):
                if not text.endswith(b"\n"):
                    break
                try:
                    stored = verdict(json.loads(text))
                    self.verdicts[stored.unit] = stored
                except (ValueError, KeyError, TypeError):
                    reason = f"{self._path} contains a line that is not a verdict."
                    raise UploadError([Problem(reason, number)]) from None
                size += len(text)
        return size
