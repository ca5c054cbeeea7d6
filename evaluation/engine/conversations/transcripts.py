"""How families accept transcripts of dynamic conversations.

Errors that no verdict can repair are reported before anything runs. Source:
docs/specification/conversations.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import partial
from itertools import repeat

from evaluation.engine.conversations import dialogue, matrices, replay
from evaluation.engine.conversations.dialogue import Name, Row, Talk
from evaluation.engine.conversations.replay import Departure, Reading
from evaluation.engine.conversations.wording import OURS, DynamicTexts, wording_of
from evaluation.engine.family import Held, Metric, Transcripts, Turn
from evaluation.engine.instructions import BASE_SET, DYNAMIC, test_set_of
from evaluation.engine.records import (
    Integrity,
    Json,
    Key,
    Status,
    Task,
    TaskId,
    TaskResult,
    Verdict,
)
from evaluation.engine.texts import gettext_noop as _

# In the order of the fields of `dialogue.Numbers`.
METRICS = (
    replace(matrices.IA, paired=True),
    replace(matrices.CA, paired=True),
    replace(matrices.IFR, paired=True),
    Metric("IFE", paired=True, words=_("instruction following efficiency (IFE)")),
)

# By turn, counted from 1, and by the name of the test set.
_Verdicts = Mapping[tuple[int, str], Verdict]


def transcripts(longest_error: int | None = None, prompts: Json = None) -> Transcripts:
    """`longest_error` is the maximum length of an error in feedback, in characters. Raises
    BenchmarkError if `prompts` is not the value of a prompts file."""
    wordings = tuple(dict.fromkeys((wording_of(prompts).dynamic, OURS.dynamic)))
    taken = _Taken(wordings, longest_error)
    return Transcripts(
        setting=DYNAMIC,
        metric="IFE",
        metrics=METRICS,
        turns=replay.turns_of,
        misfit=partial(_misfit, taken),
        held=partial(_held, taken),
        worded=partial(transcripts, longest_error),
    )


@dataclass(frozen=True, slots=True)
class _Taken:
    wordings: Sequence[DynamicTexts]
    longest_error: int | None

    def readings(self, task: Task) -> list[Reading]:
        texts = replay.texts_of(task)
        return [Reading(texts, wording, self.longest_error) for wording in self.wordings]


def _misfit(taken: _Taken, task: Task, turns: Sequence[Turn]) -> str:
    found = replay.unreadable(dialogue.instructions_of(task), turns, taken.readings(task))
    return "" if found is None else str(found)


def _held(
    taken: _Taken,
    tasks: Sequence[Task],
    asked: Mapping[Key, str],
    verdicts: Sequence[Verdict],
) -> Held:
    messages: dict[TaskId, dict[int, str]] = defaultdict(dict)
    for key, message in asked.items():
        messages[key.task_id][key.turn or 0] = message
    known: dict[TaskId, dict[tuple[int, str], Verdict]] = defaultdict(dict)
    for verdict in verdicts:
        # A verdict without a test set is about the prompt's own tests.
        place = verdict.key.turn or 0, verdict.test_set or BASE_SET
        known[verdict.key.task_id][place] = verdict
    departures: dict[TaskId, str] = {}
    results: list[TaskResult] = []
    for task in tasks:
        said = [Turn(messages[task.id][turn], "") for turn in sorted(messages[task.id])]
        judged = _Judged(task, known[task.id])
        way = _way(judged, said, taken.readings(task))
        if isinstance(way, Departure):
            departures[task.id] = way.message
        else:
            results += _results(judged, way, missing=not said)
    return Held(departures, results)


def _way(
    judged: _Judged, said: Sequence[Turn], readings: Sequence[Reading]
) -> Sequence[Talk] | Departure:
    """A missing transcript counts as wrong: a conversation in which no tests ever pass."""
    names = judged.names
    if not said:
        return dialogue.course(names, repeat(dict.fromkeys((None, *names), False)))[0]
    rows = [judged.certain(turn) for turn in range(1, len(said) + 1)]
    return replay.replayed(names, said, rows, readings)


@dataclass(frozen=True)
class _Judged:
    task: Task
    verdicts: _Verdicts

    @property
    def names(self) -> tuple[str, ...]:
        return dialogue.instructions_of(self.task)

    def certain(self, turn: int) -> Row:
        """Leaves out results that were not judged and suspect passes: the run that produced the
        transcript may have counted these as passed or failed."""
        return {
            name: verdict.passed
            for name, verdict in self._row(turn)
            if verdict is not None
            and verdict.status is not Status.NOT_RUN
            and (verdict.status is not Status.PASSED or verdict.integrity is Integrity.CLEAN)
        }

    def counted(self, turn: int) -> Row:
        return {name: verdict is not None and verdict.passed for name, verdict in self._row(turn)}

    def open(self, talk: Talk) -> bool:
        decisive = {talk.current, *talk.sent, *talk.marked}
        return any(
            verdict is None or verdict.open
            for name, verdict in self._row(talk.turn)
            if name in decisive
        )

    def _row(self, turn: int) -> Iterator[tuple[Name, Verdict | None]]:
        for name in (None, *self.names):
            yield name, self.verdicts.get((turn, test_set_of(name)))


def _results(judged: _Judged, way: Sequence[Talk], *, missing: bool) -> Iterator[TaskResult]:
    """An open turn has the value 0. A missing transcript has the values of a wrong one."""
    for talk in way:
        found = dialogue.numbers(talk, judged.counted(talk.turn))
        left = 0 if missing else int(judged.open(talk))
        for metric, number in zip(METRICS, astuple(found), strict=True):
            value = 0.0 if left else number
            defined = int(metric.conditional and bool(talk.marked))
            yield TaskResult(
                judged.task.id, metric.name, 1, defined, left, turn=talk.turn, value=value
            )
