"""Finds the Python functions that a project's tests enter, in one watched run of the tests. Misses
those that run only in another process."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files

from evaluation.engine.records import Execution, Json, Outcome
from evaluation.making.choosing import Candidate

# Factor of processor time: watching slows the tests.
LONGER = 4.0
_PLUGIN, _WANTED = "assay_reached.py", "assay_reached.json"
_BEFORE = (
    'export PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}"\n'
    'export PYTEST_PLUGINS="assay_reached${PYTEST_PLUGINS:+,$PYTEST_PLUGINS}"\n'
)


def watched(dry_run: Execution, candidates: Sequence[Candidate]) -> Execution:
    wanted = [[each.path, sorted({each.cut.top, each.cut.line})] for each in candidates]
    plugin = (files("evaluation.making") / _PLUGIN).read_text("utf-8")
    given = dry_run.payload["files"]
    assert isinstance(given, dict)
    brought: dict[str, Json] = {**given, _PLUGIN: plugin, _WANTED: json.dumps(wanted)}
    payload = {
        **dry_run.payload,
        "files": brought,
        "command": f"{_BEFORE}{dry_run.payload['command']}",
    }
    longer = replace(dry_run.limits, cpu_seconds=dry_run.limits.cpu_seconds * LONGER)
    return replace(dry_run, payload=payload, limits=longer)


def entered(outcome: Outcome, candidates: Sequence[Candidate]) -> list[Candidate] | None:
    """Returns None if the watched run did not finish."""
    report = outcome.report or {}
    tests = report.get("tests")
    if not report.get("complete") or not isinstance(tests, dict):
        return None
    told = [tests.get(f"{_PLUGIN}::{number}") for number in range(len(candidates))]
    if not all(isinstance(each, list) and each for each in told):
        return None
    return [
        candidate
        for candidate, each in zip(candidates, told, strict=True)
        if isinstance(each, list) and each[0] == "passed"
    ]
