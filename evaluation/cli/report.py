"""The report of a run: one JSON line per verdict, and a second file that describes the run.

An interrupted run resumes from the report, so only final verdicts are written. The second file
(`OUT.jsonl.run.json`) holds the run's inputs: another file, setting or limit is another run."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.engine import lines, records
from evaluation.engine.errors import UploadError
from evaluation.engine.lines import GrowingFile

# Fields of a verdict that are numbers, under the same names.
_MEASURED = ("tests_passed", "tests_total", "duration_ms", "control_ms", "peak_memory_kib")


def record(verdict: records.Verdict) -> dict[str, Any]:
    fields = {
        **verdict.key._asdict(),
        "test_set": verdict.test_set,
        "status": verdict.status.value,
        "integrity": verdict.integrity.value,
        "tier": verdict.tier.value,
        "passed": verdict.passed,
        **{name: getattr(verdict, name) for name in _MEASURED},
        "flags": list(verdict.flags),
    }
    if verdict.dependencies is not None:
        fields["dependencies"] = verdict.dependencies
    if verdict.integrity is not records.Integrity.CLEAN:
        fields["evidence"] = [entry._asdict() for entry in records.evidence_in(verdict.evidence)]
    if verdict.status is records.Status.COMPILE_ERROR and verdict.evidence:
        fields["compile_error"] = verdict.evidence
    return fields


def verdict(line: Mapping[str, Any]) -> records.Verdict:
    """The verdict of a report line. Raises KeyError, TypeError, ValueError."""
    return records.Verdict(
        key=records.Key(line["task_id"], line["sample"], line["requirement"], line["turn"]),
        status=records.Status(line["status"]),
        test_set=line.get("test_set", ""),
        integrity=records.Integrity(line["integrity"]),
        tier=records.Tier(line["tier"]),
        **{name: line[name] for name in _MEASURED},
        flags=tuple(line["flags"]),
        evidence=line.get("compile_error")
        or records.evidence_text(
            *(records.Evidence(**entry) for entry in line.get("evidence", []))
        ),
        dependencies=line.get("dependencies"),
    )


class ReportFile(GrowingFile):
    """The lines of a batch are written and flushed to disk together."""

    def __init__(self, path: Path, run: Mapping[str, Any]) -> None:
        """Raises UploadError if the file is another run's report, or no report."""
        self.verdicts: dict[records.Unit, records.Verdict] = {}
        beside = path.with_name(path.name + ".run.json")
        if path.exists() and path.stat().st_size:
            if not beside.exists():
                raise UploadError(
                    f"{path} exists and is not a report to resume from; name another file."
                )
            try:
                before = dict(json.loads(beside.read_text("utf-8")))
            except (ValueError, TypeError):
                raise UploadError(
                    f"{path} cannot be resumed from: {beside} is damaged; name another."
                ) from None
            changed = ", ".join(name for name in run if before.get(name) != run[name])
            if changed:
                raise UploadError(
                    f"{path} belongs to another run ({changed} differ); name another report."
                )

        def take(number: int, line: bytes) -> None:
            try:
                stored = verdict(json.loads(line))
                self.verdicts[stored.unit] = stored
            except (ValueError, KeyError, TypeError):
                reason = f"{path} contains a line that is not a verdict."
                raise UploadError([records.Problem(reason, number)]) from None

        super().__init__(path)
        self.load(take)
        lines.write_whole(beside, [json.dumps(run, indent=2, ensure_ascii=False) + "\n"])

    def add(self, verdicts: Sequence[records.Verdict]) -> None:
        self.write(lines.line(record(verdict)) for verdict in verdicts)
        self.verdicts.update((verdict.unit, verdict) for verdict in verdicts)
