"""`verify`: computes the scores of a site's receipt from its file of verdicts. The client's command
`assay verify` checks the signature."""

import argparse
import base64
import hashlib
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from math import isclose
from typing import Any, TypeAlias

from evaluation.engine import records
from evaluation.engine.errors import UploadError
from evaluation.engine.family import Clusters, Family
from evaluation.engine.metrics import METRICS_VERSION
from evaluation.engine.metrics.summary import SLICES, scores
from evaluation.engine.metrics.tally import ResultSlot, tally
from evaluation.engine.records import Key, Problem, Slot, Task, TaskResult, Verdict
from evaluation.engine.registry import family, result_metric

Line: TypeAlias = dict[str, Any]
_SLICE = ("metric", "slice", "slice_value")
_NUMBERS = ("value", "low", "high", "least", "most", "n", "tasks")


def verify(arguments: argparse.Namespace) -> int:
    """Raises UploadError, which names what differs, and BenchmarkError for an unknown family."""
    try:
        envelope = json.loads(arguments.receipt.read_bytes())
        predicate = json.loads(base64.b64decode(envelope["payload"]))["predicate"]
        digest, signed = predicate["verdicts"]["sha256"], _by_slice(predicate["scores"])
        name, version = predicate["submission"], predicate["metrics_version"]
        judged_by, setting = family(predicate["family"]), predicate["setting"]
        content = arguments.verdicts.read_bytes()
    except OSError as error:
        raise UploadError(f"{error.filename} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise UploadError(f"{arguments.receipt} is no receipt of a site like this.") from error
    if hashlib.sha256(content).hexdigest() != digest:
        raise UploadError(f"{arguments.verdicts} is not the receipt's file: its SHA-256 differs.")
    lines = list[Line]()
    for number, text in enumerate(content.splitlines(), 1):
        try:
            lines.append({**json.loads(text)})
        except (ValueError, TypeError) as error:
            raise UploadError([Problem("This is no JSON object.", number)]) from error
    withheld: set[str] = set()
    if not judged_by.is_rated:
        of_tests = {metric.name for metric in judged_by.metrics_in(setting) if metric.of_tests}
        withheld = of_tests.difference(line.get("metric") for line in lines)
        try:
            lines = recomputed(judged_by, setting, lines)
        except TypeError as error:
            sentence = f"{arguments.verdicts} has a value of a wrong kind ({error})."
            raise UploadError(sentence) from error
    before = {key: row for key, row in signed.items() if result_metric(key[0]) not in withheld}
    after = _by_slice(lines)
    keys = sorted({*before, *after})
    if differing := [key for key in keys if not _same(before.get(key), after.get(key))]:
        print(
            f"Metrics: version {METRICS_VERSION}; the receipt: version {version}.", file=sys.stderr
        )
        sentences = (
            f"{' '.join(key)}: {', '.join(_NUMBERS)} are {before.get(key)} in the receipt and "
            f"{after.get(key)} by the file."
            for key in differing
        )
        raise UploadError([*map(Problem, sentences)])
    how = "equal the published marks" if judged_by.is_rated else "follow from the verdicts"
    print(f"{len(before)} scores of {name} {how}.")
    print("This does not check the signature; the client's `assay verify` does.")
    if withheld:
        metrics = ", ".join(sorted(withheld))
        print(f"Not computed, because results by task would tell of hidden tests: {metrics}.")
    return 0


def _by_slice(rows: Iterable[Line]) -> dict[tuple[str, ...], list[float | None]]:
    return {
        tuple(str(row[name]) for name in _SLICE): [row[name] for name in _NUMBERS] for row in rows
    }


def _same(first: list[float | None] | None, second: list[float | None] | None) -> bool:
    """Sums in another order differ in the last digits."""
    return bool(first and second) and all(
        a is b if a is None or b is None else isclose(a, b)
        for a, b in zip(first or (), second or (), strict=True)
    )


def recomputed(judged_by: Family, setting: str, lines: Iterable[Line]) -> list[Line]:
    """Raises UploadError for a line whose value does not follow from its verdict."""
    tasks, verdicts, results = list[Task](), list[Verdict](), list[TaskResult]()
    places: dict[ResultSlot, None] = {}
    for number, line in enumerate(lines, 1):
        try:
            if "metric" in line:
                results.append(TaskResult(**line))
            elif "status" not in line:
                public = {"cluster": line.pop("cluster")}
                tasks.append(Task(line.pop("task_id"), public, {}, **line))
            else:
                key = Key(*(line[name] for name in Key._fields))
                value: int | None = 0
                if line["status"] != "missing":
                    status, integrity = line["status"], records.Integrity(line["integrity"])
                    verdict = Verdict(key, records.Status(status), line["test_set"], integrity)
                    verdicts.append(verdict)
                    value = None if verdict.open else int(verdict.passed)
                if line.get("value", value) != value:
                    raise UploadError([Problem("Its value is not that of its verdict.", number)])
                if "value" in line:
                    slot = Slot(key.requirement, key.turn)
                    places[ResultSlot(key.task_id, slot, line["category"], line["overall"])] = None
        except (KeyError, TypeError, ValueError) as error:
            raise UploadError([Problem("This is no line of a site's file.", number)]) from error
    results += tally(list(places), verdicts)
    clusters, metrics = judged_by.clusters, judged_by.metrics_in(setting)
    if clusters:
        clusters = Clusters(clusters.noun, lambda task: str(task.public["cluster"]))
    computed = scores(results, tasks, judged_by.ks, SLICES, metrics, clusters)
    ends = ((score, score.bounds or (None, None)) for score in computed)
    return [{**asdict(score), "least": least, "most": most} for score, (least, most) in ends]
