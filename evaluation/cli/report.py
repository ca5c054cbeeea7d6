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


def line(verdict: Verdict) -> dict[str, Any]:
    """The verdict as the object of a report line; `evidence` is included if the integrity is not
    clean."""
    key = verdict.key
    doubts = [entry._asdict() for entry in evidence_in(verdict.evidence)]
    return {
        "task_id": key.task_id,
        "sample": key.sample,
        "requirement": key.requirement,
        "turn": key.turn,
        "test_set": verdict.test_set,
        "status": verdict.status.value,
        "integrity": verdict.integrity.value,
        "tier": verdict.tier.value,
        "passed": verdict.passed,
        "tests_passed": verdict.tests_passed,
        "tests_total": verdict.tests_total,
        "duration_ms": verdict.duration_ms,
        "control_ms": verdict.control_ms,
        "peak_memory_kib": verdict.peak_memory_kib,
        "flags": list(verdict.flags),
        **({} if verdict.integrity is Integrity.CLEAN else {"evidence": doubts}),
    }


def verdict(found: Mapping[str, Any]) -> Verdict:
    """The verdict of a report line. Raises KeyError, TypeError, ValueError."""
    return Verdict(
        key=Key(found["task_id"], found["sample"], found["requirement"], found["turn"]),
        status=Status(found["status"]),
        test_set=found.get("test_set", ""),
        integrity=Integrity(found["integrity"]),
        tier=Tier(found["tier"]),
        tests_passed=found["tests_passed"],
        tests_total=found["tests_total"],
        duration_ms=found["duration_ms"],
        control_ms=found["control_ms"],
        peak_memory_kib=found["peak_memory_kib"],
        flags=tuple(found["flags"]),
        evidence=evidence_text(*(Evidence(**entry) for entry in found.get("evidence", []))),
    )


class ReportFile:
    """The lines of a batch are written and flushed to disk together."""

    def __init__(self, path: Path, run: Mapping[str, Any]) -> None:
        self.verdicts: dict[Unit, Verdict] = {}
        self._path = path
        self._beside = path.with_name(path.name + ".run.json")
        self._check_run(run)
        keep = self._read()
        self._file: IO[str] = path.open("a", encoding="ascii")
        # Drops a line that the last run did not finish.
        self._file.truncate(keep)
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

    def _check_run(self, run: Mapping[str, Any]) -> None:
        if not self._path.exists() or not self._path.stat().st_size:
            return
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
        other = [name for name in run if before.get(name) != run[name]]
        if other:
            changed = ", ".join(other)
            raise UploadError(
                f"{self._path} belongs to another run ({changed} differ); name another report."
            )

    def _read(self) -> int:
        """Loads the complete lines; returns their size in bytes."""
        size = 0
        if not self._path.exists():
            return size
        with self._path.open("rb") as file:
            for number, text in enumerate(file, 1):
                if not text.endswith(b"\n"):
                    break
                try:
                    found = verdict(json.loads(text))
                    self.verdicts[found.unit] = found
                except (ValueError, KeyError, TypeError):
                    problem = Problem(
                        f"{self._path} contains a line that is not a verdict.", number
                    )
                    raise UploadError([problem]) from None
                size += len(text)
        return size
