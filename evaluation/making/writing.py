"""Writes tasks in the format of RealCode and RealCodeJava."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.engine.lines import write_whole
from evaluation.making.choosing import Candidate
from evaluation.making.languages import Language


@dataclass(frozen=True, slots=True)
class Origin:
    repository: str
    commit: str
    image: str
    build_command: str
    test_command: str


def record(
    origin: Origin, language: Language, candidate: Candidate, number: int, passed: Sequence[str]
) -> dict[str, Any]:
    cut = candidate.cut
    stub = {"stub": cut.stub} if cut.stub else {}
    return {
        "instruction": language.instruction,
        "inputs": {"left_context": cut.left},
        "outputs": cut.body,
        "meta": {
            "id": number,
            "repo": origin.repository,
            "base_commit": origin.commit,
            "gt": cut.body,
            **stub,
            "right_context": cut.right,
            "left_context": cut.left,
            "image_name": origin.image,
            "build_command": origin.build_command,
            "test_command": origin.test_command,
            language.path: candidate.path,
            "PASS_TO_PASS": list(passed),
            "FAIL_TO_PASS": [],
            # The benchmarks' data calls methods "function" too.
            "intent": f"{cut.name}[function]",
            "intent_type": "function",
        },
    }


def write_tasks(path: Path, tasks: Iterable[object]) -> None:
    """Writes all tasks or none, even if the process is killed."""
    write_whole(path, (json.dumps(task, ensure_ascii=False) + "\n" for task in tasks))
