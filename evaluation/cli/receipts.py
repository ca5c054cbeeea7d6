"""`verify`: computes the scores of a site's receipt from its file of verdicts. The client's command
`assay verify` checks the signature."""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import math
import sys
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from evaluation.engine.errors import UploadError
from evaluation.engine.family import Clusters, Family
from evaluation.engine.metrics import METRICS_VERSION
from evaluation.engine.metrics.summary import SLICES, scores
from evaluation.engine.metrics.tally import ResultSlot, tally
from evaluation.engine.records import (
    Integrity,
    Key,
    Problem,
    Slot,
    Status,
    Task,
    TaskResult,
    Tier,
    Verdict,
)
from evaluation.engine.registry import family, result_metric

Line: TypeAlias = dict[str, Any]
MISSING = "missing"
_COMPARED = ("value", "low", "high", "least", "most", "n", "tasks")


def verify(arguments: argparse.Namespace) -> int:
    """Raises UploadError, which names what differs, and BenchmarkError for an unknown family."""
    try:
        envelope = json.loads(arguments.receipt.read_bytes())
        predicate = json.loads(base64.b64decode(envelope["payload"]))["predicate"]
        digest, signed = predicate["verdicts"]["sha256"], predicate["scores"]
        judged_by, setting = family(predicate["family"]), predicate["setting"]
        content = arguments.verdicts.read_bytes()
    except OSError as error:
        raise UploadError(f"{error.filename} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise UploadError(f"{arguments.receipt} is no receipt of a site like this.") from error
    if hashlib.sha256(content).hexdigest() != digest:
        raise UploadError(
            f"{arguments.verdicts} is not the file of verdicts that the receipt names: its SHA-256 "
            "differs."
        )
    if predicate["metrics_version"] != METRICS_VERSION:
        versions = f"{predicate['metrics_version']}; this is version {METRICS_VERSION}"
        print(f"The scores were computed by version {versions}.", file=sys.stderr)
    lines = [json.loads(line) for line in content.splitlines()]
    withheld: set[str] = set()
    if judged_by.is_rated:
        computed = lines
    else:
        metrics = {line["metric"] for line in lines if "metric" in line}
        of_tests = {m.name for m in judged_by.metrics_in(setting) if m.of_tests}
        withheld = of_tests - metrics
        computed = recomputed(judged_by, setting, lines)
    checked = [score for score in signed if result_metric(score["metric"]) not in withheld]
    if problems := differences(checked, computed):
        raise UploadError(problems)
    how = "equal the published marks" if judged_by.is_rated else "follow from the verdicts"
    print(f"{len(checked)} scores of {predicate['submission']} {how}.")
    if withheld:
        names = ", ".join(sorted(withheld))
        print(f"Not computed, because results by task would tell of hidden tests: {names}.")
    return 0


def recomputed(judged_by: Family, setting: str, lines: Iterable[Line]) -> list[Line]:
    """Raises UploadError for a line whose value does not follow from its verdict."""
    tasks, verdicts, results = list[Task](), list[Verdict](), list[TaskResult]()
    places: dict[ResultSlot, None] = {}
    for number, line in enumerate(lines, 1):
        if "metric" in line:
            results.append(TaskResult(**line))
        elif "status" not in line:
            cluster = line.pop("cluster")
            identity = {"id": line.pop("task_id"), "public": {"cluster": cluster}, "hidden": {}}
            tasks.append(Task(**identity, **line))
        else:
            key = Key(line["task_id"], line["sample"], line["requirement"], line["turn"])
            value: int | None = 0
            if line["status"] != MISSING:
                facts = {"integrity": Integrity(line["integrity"]), "tier": Tier(line["tier"])}
                verdict = Verdict(key, Status(line["status"]), line["test_set"], **facts)
                verdicts.append(verdict)
                value = None if verdict.open else int(verdict.passed)
            if "value" in line:
                if line["value"] != value:
                    raise UploadError([Problem("Its value is not that of its verdict.", number)])
                slot = Slot(key.requirement, key.turn)
                place = ResultSlot(key.task_id, slot, line["category"], line["overall"])
                places[place] = None
    results += tally(list(places), verdicts)
    clusters = None
    if judged_by.clusters:
        clusters = Clusters(judged_by.clusters.noun, lambda task: task.public["cluster"])
    metrics = judged_by.metrics_in(setting)
    rows = []
    for score in scores(results, tasks, judged_by.ks, SLICES, metrics, clusters):
        least, most = score.bounds or (None, None)
        fields = ("metric", "slice", "slice_value", "value", "low", "high", "n", "tasks")
        row = {name: getattr(score, name) for name in fields}
        rows.append({**row, "least": least, "most": most})
    return rows


def differences(signed: Iterable[Line], computed: Iterable[Line]) -> list[Problem]:
    def by_name(rows: Iterable[Line]) -> Mapping[tuple[str, ...], Line]:
        return {(row["metric"], row["slice"], str(row["slice_value"])): row for row in rows}

    before, after = by_name(signed), by_name(computed)
    problems = []
    for name in sorted({*before, *after}):
        words = ", ".join(filter(None, name))
        if name not in before or name not in after:
            where = "the receipt" if name in before else "the file"
            problems.append(Problem(f"{words}: only {where} has this score."))
            continue
        for field in _COMPARED:
            one, other = before[name][field], after[name][field]
            numbers = None not in (one, other)
            if not math.isclose(one, other, rel_tol=1e-9) if numbers else one is not other:
                values = f"{one} in the receipt and {other} by the file"
                problems.append(Problem(f"{words}: the {field} is {values}."))
    return problems
