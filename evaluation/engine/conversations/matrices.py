"""Builds matrices from verdicts on static conversations, and task results from the matrices.

Source: docs/specification/conversations.md."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

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
    "IFR", better="lower", conditional=True, by_turn=True, words=_("instruction forgetting (IFR)")
)
SCRIPT_IFR = Metric(
    "script IFR",
    better="lower",
    variant=True,
    words=_("instruction forgetting by the authors' script (script IFR)"),
)
METRICS = (IA, CA, STRICT_CA, IFR, SCRIPT_IFR)
# The fields of `TurnMetrics` with their values.
_FIELDS = {IA: "ia", CA: "ca", STRICT_CA: "strict_ca", IFR: "ifr", SCRIPT_IFR: "script_ifr"}


@dataclass(frozen=True, slots=True)
class Conversation:
    """One sample of a task's turns. Row and column i of the matrix belong to `slots[i]`."""

    task_id: TaskId
    sample: int
    slots: Sequence[Slot]
    matrix: Matrix


def conversations(tasks: Sequence[Task], verdicts: Sequence[Verdict]) -> list[Conversation]:
    """A task without generations gets the other tasks' maximum number of samples, all wrong."""
    by_task: dict[TaskId, dict[int, list[Verdict]]] = defaultdict(lambda: defaultdict(list))
    for verdict in verdicts:
        by_task[verdict.key.task_id][verdict.key.sample].append(verdict)
    most, talks = max(map(len, by_task.values()), default=1), []
    for task in tasks:
        places = slots(task, MULTI_TURN)
        names = [slot.requirement for slot in places]
        apart = frozenset(i for i, name in enumerate(names) if name == EXTENSION)
        idle = frozenset(i for i, name in enumerate(names) if name in unsound(task))
        for sample in sorted(by_task.get(task.id, range(most))):
            by_name: dict[str | None, list[Verdict]] = defaultdict(list)
            for verdict in by_task[task.id][sample] if task.id in by_task else ():
                by_name[verdict.key.requirement].append(verdict)
            rows: list[Sequence[Cell] | None] = []
            accumulated: list[Cell] = []
            for slot in places:
                judged = by_name[slot.requirement]
                if judged:
                    cells = {name: _cell(verdict) for verdict in judged for name in alone(verdict)}
                    rows.append([cells.get(name) for name in names])
                    accumulated.append(next((_cell(v) for v in judged if not v.test_set), None))
                else:
                    rows.append([False] * len(names) if slot.required else None)
                    accumulated.append(False if slot.required else None)
            matrix = Matrix(rows, accumulated, apart=apart, unsound=idle)
            talks.append(Conversation(task.id, sample, places, matrix))
    return talks


def _cell(verdict: Verdict) -> Cell:
    return None if verdict.open else verdict.passed


def results(tasks: Sequence[Task], setting: str, verdicts: Sequence[Verdict]) -> list[TaskResult]:
    """Returns pass per instruction and, for conversations, the metrics of each turn. A turn's value
    is the mean over the samples that have it."""
    contributions = instructions.results(tasks, setting, verdicts)
    if setting != MULTI_TURN:
        return contributions
    by_turn: dict[tuple[TaskId, int], list[TurnMetrics]] = defaultdict(list)
    talks: dict[TaskId, Conversation] = {}
    for talk in conversations(tasks, verdicts):
        talks[talk.task_id] = talk
        for turn in turn_metrics(talk.matrix):
            by_turn[talk.task_id, turn.turn].append(turn)
    for task, talk in talks.items():
        for number, slot in enumerate(talk.slots):
            turns, apart = by_turn[task, number], number in talk.matrix.apart
            defined = (IA,) if apart else METRICS if number else (IA, CA, STRICT_CA)
            for metric in defined if turns else ():
                values = [getattr(turn, _FIELDS[metric]) for turn in turns]
                settled = [value for value in values if value is not None]
                result = TaskResult(
                    task,
                    metric.name,
                    n=len(values),
                    c=sum(turn.forgettable for turn in turns) if metric.conditional else 0,
                    open=len(values) - len(settled),
                    category=slot.requirement,
                    turn=slot.turn,
                    value=sum(settled) / len(values),
                    samples=tuple(values),
                )
                contributions.append(result)
    return contributions
