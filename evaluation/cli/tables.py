"""Formats scores and counts as text and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from evaluation.engine.records import Integrity, Score, Tier, Verdict
from evaluation.engine.uploads import UploadReport


def scores(found: Sequence[Score]) -> str:
    """A row per score: metric, value, 95 % interval, number of tasks. If several metrics have
    values by turn, separate tables follow with their slices."""
    together = _by_turn(found)
    rows = [("metric", "value", "95 % interval", "of")]
    # An undefined metric is shown once, overall, and not again for each slice.
    shown = [
        s
        for s in found
        if s.slice == "overall" or (s.metric not in together and (s.value is not None or s.bounds))
    ]
    rows += [(_name(score), _value(score), _interval(score), _of(score)) for score in shown]
    parts = [_columns(rows)]
    for name in dict.fromkeys(s.slice for s in found if s.metric in together):
        if name != "overall":
            parts.append(_breakdown([s for s in found if s.slice == name], name, together))
    return "\n\n".join(parts)


def _by_turn(found: Sequence[Score]) -> list[str]:
    names = list(dict.fromkeys(s.metric for s in found if s.slice == "turn"))
    first = [name for name in names if name == "pass@1"]
    apart = [name for name in names if "@" not in name]
    return [*first, *apart] if apart else []


def _breakdown(found: Sequence[Score], name: str, metrics: Sequence[str]) -> str:
    values = list(dict.fromkeys(s.slice_value for s in found if s.metric in metrics))
    if name == "turn":
        values.sort(key=int)
    told = {(s.slice_value, s.metric): s for s in found}
    rows = [(name.replace("_", " "), *metrics, "of")]
    for value in values:
        cells = [told.get((value, metric)) for metric in metrics]
        most = max(cell.n for cell in cells if cell is not None)
        shown = ("" if cell is None else _shortly(cell) for cell in cells)
        rows.append((value, *shown, f"{most:,}"))
    return _columns(rows)


def _shortly(score: Score) -> str:
    if score.bounds is not None:
        return f"{score.bounds[0]:.3f}..{score.bounds[1]:.3f}"
    return _value(score)


def _columns(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def _name(score: Score) -> str:
    if score.slice == "overall":
        return score.metric if score.better == "higher" else f"{score.metric} (lower is better)"
    of_turn = "turn " if score.slice == "turn" else ""
    return f"  {score.metric}, {of_turn}{score.slice_value}"


def _value(score: Score) -> str:
    return "-" if score.value is None else f"{score.value:.5f}"


def _interval(score: Score) -> str:
    if score.bounds is not None:
        low, high = score.bounds
        return f"between {low:.5f} and {high:.5f} until all verdicts are final"
    if score.low is None or score.high is None:
        return score.note or "-"
    return f"{score.low:.4f} - {score.high:.4f}"


def _of(score: Score) -> str:
    if score.n == score.tasks:
        return f"{score.tasks:,} tasks"
    return f"{score.n:,} instructions of {score.tasks:,} tasks"


def counts(verdicts: Iterable[Verdict]) -> str:
    """Verdicts by status (`passed 1,177, failed 402`) and the number of suspect ones."""
    verdicts = list(verdicts)
    own = [verdict for verdict in verdicts if not verdict.test_set]
    apart = [verdict for verdict in verdicts if verdict.test_set]
    told = [_counts(own, "generations")] if own or not apart else []
    if apart:
        told.append(_counts(apart, "runs with further sets of tests"))
    return "\n".join(told)


def _counts(verdicts: Sequence[Verdict], what: str) -> str:
    by_status = Counter(verdict.status.value for verdict in verdicts)
    suspects = sum(verdict.integrity is Integrity.SUSPECT for verdict in verdicts)
    parts = [f"{name.replace('_', ' ')} {count:,}" for name, count in by_status.most_common()]
    shared = sum(verdict.passed and verdict.tier is Tier.SHARED for verdict in verdicts)
    if shared:
        parts.append(f"{shared:,} of the passed ran in a process that the program shares")
    if suspects:
        parts.append(f"{suspects:,} of the passed are suspect and do not count")
    return f"{len(verdicts):,} {what}: {', '.join(parts)}"


def upload(report: UploadReport) -> str:
    lines = [str(problem) for problem in report.problems]
    if report.more:
        lines.append(f"and {report.more:,} more problems.")
    lines += [f"Note: {warning}" for warning in report.warnings]
    return "\n".join(lines)


def as_json(found: Sequence[Score]) -> list[dict[str, Any]]:
    return [asdict(score) for score in found]
