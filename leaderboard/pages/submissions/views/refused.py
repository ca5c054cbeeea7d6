"""Why an evaluation was refused, for its team and for staff."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.models import Evaluation, EvaluationState
from leaderboard.benchmarks.models import Task


@dataclass(frozen=True, slots=True)
class Departing:
    """A task whose transcript departs from the rules, and at which point."""

    task: Task
    sentence: str


def refused_context(evaluation: Evaluation | None, *, told: bool) -> dict[str, object]:
    """The context for a refused evaluation; empty otherwise. The reasons only if `told`."""
    if evaluation is None or evaluation.state != EvaluationState.REFUSED:
        return {}
    found = evaluation.departures if told else []
    tasks = Task.objects.in_bulk([task for task, _ in found])
    return {
        "refused": True,
        "departing": [
            Departing(tasks[task], evaluation.shown(sentence)) for task, sentence in found
        ],
        "more_departing": evaluation.more_departures if told else 0,
    }
