"""Formats scores and counts as text and tables."""

from collections import Counter
from collections.abc import Sequence

from evaluation.engine.records import Integrity, Score, Tier, Verdict
from evaluation.engine.uploads import UploadReport


def scores(rows: Sequence[Score]) -> str:
    """A row per score: metric, value, 95 % interval, number of tasks. If several metrics have
    values by turn, separate tables follow with their slices."""
    by_turn = list(dict.fromkeys(score.metric for score in rows if score.slice == "turn"))
    plain = [name for name in by_turn if "@" not in name]
    metrics = [*(name for name in by_turn if name == "pass@1" and plain), *plain]
    table = [("metric", "value", "95 % interval", "of")]
    for score in rows:
        overall = score.slice == "overall"
        # An undefined metric is shown once, overall, and not again for each slice.
        if not overall and (score.metric in metrics or (score.value is None and not score.bounds)):
            continue
        turn = "turn " if score.slice == "turn" else ""
        name = score.metric if overall else f"  {score.metric}, {turn}{score.slice_value}"
        if overall and score.better != "higher":
            name += " (lower is better)"
        if score.bounds is not None:
            low, high = score.bounds
            interval = f"between {low:.5f} and {high:.5f} until all verdicts are final"
        elif score.low is None or score.high is None:
            interval = score.note or "-"
        else:
            interval = f"{score.low:.4f} - {score.high:.4f}"
        part = "" if score.n == score.tasks else f"{score.n:,} instructions of "
        table.append((name, _value(score), interval, f"{part}{score.tasks:,} tasks"))
    slices = dict.fromkeys(score.slice for score in rows if score.metric in metrics)
    others = [_slice_table(rows, name, metrics) for name in slices if name != "overall"]
    return "\n\n".join([_columns(table), *others])


def _slice_table(scores: Sequence[Score], name: str, metrics: Sequence[str]) -> str:
    cells = {(s.slice_value, s.metric): s for s in scores if s.slice == name}
    values = list(dict.fromkeys(value for value, metric in cells if metric in metrics))
    if name == "turn":
        values.sort(key=int)
    table = [(name.replace("_", " "), *metrics, "of")]
    for value in values:
        row = [cells.get((value, metric)) for metric in metrics]
        most = max(score.n for score in row if score is not None)
        shown = []
        for score in row:
            if score is not None and score.bounds:
                shown.append(f"{score.bounds[0]:.3f}..{score.bounds[1]:.3f}")
            else:
                shown.append("" if score is None else _value(score))
        table.append((value, *shown, f"{most:,}"))
    return _columns(table)


def _value(score: Score) -> str:
    return "-" if score.value is None else f"{score.value:.5f}"


def _columns(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def counts(verdicts: Sequence[Verdict]) -> str:
    """Verdicts by status (`passed 1,177, failed 402`) and the numbers of shared passes and of
    suspect ones."""
    further = [verdict for verdict in verdicts if verdict.test_set]
    plain = [verdict for verdict in verdicts if not verdict.test_set]
    groups = [(plain, "generations")] if plain or not further else []
    groups += [(further, "runs with further sets of tests")] if further else []
    lines = []
    for group, what in groups:
        by_status = Counter(verdict.status.value for verdict in group)
        parts = [f"{name.replace('_', ' ')} {count:,}" for name, count in by_status.most_common()]
        if shared := sum(verdict.passed and verdict.tier is Tier.SHARED for verdict in group):
            parts.append(f"{shared:,} of the passed were decided within the program's reach")
        if suspects := sum(verdict.integrity is Integrity.SUSPECT for verdict in group):
            parts.append(f"{suspects:,} of the passed are suspect and do not count")
        lines.append(f"{len(group):,} {what}: {', '.join(parts)}")
    return "\n".join(lines)


def upload(report: UploadReport) -> str:
    lines = [str(problem) for problem in report.problems]
    if report.more:
        lines.append(f"and {report.more:,} more problems.")
    lines += [f"Warning: {sentence}" for sentence in report.confirmations]
    lines += [f"Note: {warning}" for warning in report.warnings]
    return "\n".join(lines)
