"""Builds matrices from verdicts on static conversations, and task results from the matrices.

Source: docs/specification/conversations.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.engine import instructions
from evaluation.engine.family import Metric
from evaluation.engine.instructions import EXTENSION, MULTI_TURN, alone, slots, unsound
from evaluation.engine.metrics.conversations import Cell, Matrix, TurnMetrics, turn_metrics
from evaluation.engine.records import Slot, Task, TaskId, TaskResult, Verdict
from evaluation.engine.texts import gettext_noop as _

IA = Metric("IA", by_turn=True, words=_("instruction accuracy (IA)"))
CA = Metric("CA", by_turn=True, words=_("conversation accuracy (CA)"))
# Includes turn 0; over turns 1 and up it equals Multi-Turn pass@1.
STRICT_CA = Metric("strict CA", variant=True, words=_("strict conversation accuracy (strict CA)"))
IFR = Metric(
    "IFR",
    better="lower",
    conditional=True,
    by_turn=True,
    words=_("instruction forgetting (IFR)"),
)
SCRIPT_IFR = Metric(
    "script IFR",
    better="lower",
    variant=True,
    words=_("instruction forgetting by the authors' script (script IFR)"),
)
METRICS = (IA, CA, STRICT_CA, IFR, SCRIPT_IFR)


@dataclass(frozen=True, slots=True)
class Conversation:
    """One sample of a task's turns. Row and column i of the matrix belong to `slots[i]`."""

    task_id: TaskId
    sample: int
    slots: Sequence[Slot]
    matrix: Matrix


def conversations(tasks: Sequence[Task], verdicts: Sequence[Verdict]) -> list[Conversation]:
    """A task without generations gets the other tasks' maximum number of samples, all wrong."""
    by_task: dict[TaskId, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        by_task[verdict.key.task_id].append(verdict)
    samples = {id: sorted({v.key.sample for v in own}) for id, own in by_task.items()}
    most = max(map(len, samples.values()), default=1)
    return [
        _conversation(task, sample, [v for v in by_task[task.id] if v.key.sample == sample])
        for task in tasks
        for sample in samples.get(task.id, range(most))
    ]


def _conversation(task: Task, sample: int, verdicts: Iterable[Verdict]) -> Conversation:
    places = slots(task, MULTI_TURN)
    names = [slot.requirement for slot in places]
    found: dict[str | None, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        found[verdict.key.requirement].append(verdict)
    matrix = Matrix(
        rows=[_row(slot, names, found.get(slot.requirement, ())) for slot in places],
        accumulated=[_accumulated(slot, found.get(slot.requirement, ())) for slot in places],
        apart=frozenset(i for i, name in enumerate(names) if name == EXTENSION),
        unsound=frozenset(i for i, name in enumerate(names) if name in unsound(task)),
    )
    return Conversation(task.id, sample, places, matrix)


def _row(
    slot: Slot, names: Sequence[str | None], verdicts: Sequence[Verdict]
) -> Sequence[Cell] | None:
    if not verdicts:
        return [False] * len(names) if slot.required else None
    cells = {name: _cell(verdict) for verdict in verdicts for name in alone(verdict)}
    return [cells.get(name) for name in names]


def _accumulated(slot: Slot, verdicts: Sequence[Verdict]) -> Cell:
    if not verdicts:
        return False if slot.required else None
    return next((_cell(verdict) for verdict in verdicts if not verdict.test_set), None)


def _cell(verdict: Verdict) -> Cell:
    return None if verdict.open else verdict.passed


def results(tasks: Sequence[Task], setting: str, verdicts: Sequence[Verdict]) -> list[TaskResult]:
    """Returns pass per instruction and, for conversations, the metrics of each turn."""
    found = instructions.results(tasks, setting, verdicts)
    if setting != MULTI_TURN:
        return found
    talks: dict[TaskId, list[Conversation]] = defaultdict(list)
    for talk in conversations(tasks, verdicts):
        talks[talk.task_id].append(talk)
    for own in talks.values():
        found += _of_task(own)
    return found


def _of_task(talks: Sequence[Conversation]) -> Iterator[TaskResult]:
    """A turn's value is the mean over the samples that have it."""
    turns: dict[int, list[TurnMetrics]] = defaultdict(list)
    for talk in talks:
        for turn in turn_metrics(talk.matrix):
            turns[turn.turn].append(turn)
    places, apart = talks[0].slots, talks[0].matrix.apart
    for number in sorted(turns):
        for metric, values in _values(turns[number], apart=number in apart).items():
            found = _result(talks[0].task_id, metric, places[number], values)
            forgettable = sum(turn.forgettable for turn in turns[number])
            yield replace(found, c=forgettable) if metric.conditional else found


def _values(
    turns: Sequence[TurnMetrics], *, apart: bool
) -> Mapping[Metric, Sequence[float | None]]:
    found: dict[Metric, Sequence[float | None]] = {IA: [one.ia for one in turns]}
    if not apart:
        found[CA] = [one.ca for one in turns]
        found[STRICT_CA] = [one.strict_ca for one in turns]
    if not apart and turns[0].turn:
        found[IFR] = [one.ifr for one in turns]
        found[SCRIPT_IFR] = [one.script_ifr for one in turns]
    return found


def _result(
    task_id: TaskId, metric: Metric, slot: Slot, values: Sequence[float | None]
) -> TaskResult:
    settled = [value for value in values if value is not None]
    return TaskResult(
        task_id,
        metric.name,
        n=len(values),
        c=0,
        open=len(values) - len(settled),
        category=slot.requirement,
        turn=slot.turn,
        value=sum(settled) / len(values),
        samples=tuple(values),
    )
