"""Turns verdicts into task results per slot: n samples, c of them correct."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.engine.records import Slot, Task, TaskId, TaskResult, Verdict

PASS = "pass"  # noqa: S105  # a metric, no password


@dataclass(frozen=True, slots=True)
class ResultSlot:
    task_id: TaskId
    slot: Slot
    category: str | None = None
    overall: bool = True


def tally(places: Sequence[ResultSlot], verdicts: Sequence[Verdict]) -> list[TaskResult]:
    """Returns one result for each required slot and each filled optional one, from verdicts on the
    tests that setting and slot imply. A required slot without generations counts n wrong samples, n
    being the maximum over filled slots (1 if none is filled)."""
    filled, most = by_slot(verdicts)
    results = []
    for place in places:
        samples = filled[place.task_id, place.slot.requirement]
        if samples or place.slot.required:
            n = len(samples) or most
            outcomes = by_sample(samples, lambda verdict: float(verdict.passed)) or (0.0,) * n
            results.append(
                TaskResult(
                    task_id=place.task_id,
                    metric=PASS,
                    n=n,
                    c=sum(verdict.passed for verdict in samples),
                    open=sum(verdict.open for verdict in samples),
                    category=place.category,
                    turn=place.slot.turn,
                    overall=place.overall,
                    samples=outcomes,
                )
            )
    return results


def by_slot(
    verdicts: Iterable[Verdict],
) -> tuple[Mapping[tuple[TaskId, str | None], list[Verdict]], int]:
    """The verdicts on the tests that setting and slot imply by task and requirement, none for
    others; and the maximum of their numbers over filled slots (1 if none is filled)."""
    filled: dict[tuple[TaskId, str | None], list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        if not verdict.test_set:
            filled[verdict.key.task_id, verdict.key.requirement].append(verdict)
    return filled, max(map(len, filled.values()), default=1)


def passes(tasks: Sequence[Task], _setting: str, verdicts: Sequence[Verdict]) -> list[TaskResult]:
    """One result for each task of one slot. Without generations it is wrong in every sample."""
    return tally([ResultSlot(task.id, Slot(), task.category) for task in tasks], verdicts)


def by_sample(
    verdicts: Iterable[Verdict], value_of: Callable[[Verdict], float]
) -> tuple[float | None, ...]:
    """Each verdict's value in the order of samples; None if it is open."""
    ordered = sorted(verdicts, key=lambda verdict: verdict.key.sample)
    return tuple(None if verdict.open else value_of(verdict) for verdict in ordered)
