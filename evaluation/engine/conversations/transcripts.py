"""How families accept transcripts of dynamic conversations.

Errors that no verdict can repair are reported before anything runs. Source:
docs/specification/conversations.md."""

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
from evaluation.engine.instructions import BASE_SET, DYNAMIC, accumulating, test_set_of
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


def transcripts(longest_error: int | None = None, prompts: Json = None) -> Transcripts:
    """`longest_error` is the maximum length of an error in feedback, in characters. Raises
    BenchmarkError if `prompts` is not the value of a prompts file."""
    wordings = tuple(dict.fromkeys((wording_of(prompts).dynamic, OURS.dynamic)))
    reader = _Reader(wordings, longest_error)
    return Transcripts(
        setting=DYNAMIC,
        metric="IFE",
        metrics=METRICS,
        turns=replay.turns_of,
        misfit=reader.misfit,
        held=reader.held,
        worded=partial(transcripts, longest_error),
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    wordings: Sequence[DynamicTexts]
    longest_error: int | None

    def readings(self, task: Task) -> list[Reading]:
        texts = replay.texts_of(task)
        return [Reading(texts, wording, self.longest_error) for wording in self.wordings]

    def misfit(self, task: Task, turns: Sequence[Turn]) -> str:
        departure = replay.unreadable(accumulating(task), turns, self.readings(task))
        return "" if departure is None else departure.message

    def held(
        self, tasks: Sequence[Task], asked: Mapping[Key, str], verdicts: Sequence[Verdict]
    ) -> Held:
        messages: dict[TaskId, dict[int, str]] = defaultdict(dict)
        for key, message in asked.items():
            messages[key.task_id][key.turn or 0] = message
        by_task: dict[TaskId, dict[tuple[int, str], Verdict]] = defaultdict(dict)
        for verdict in verdicts:
            # A verdict without a test set is about the prompt's own tests.
            place = verdict.key.turn or 0, verdict.test_set or BASE_SET
            by_task[verdict.key.task_id][place] = verdict
        departures: dict[TaskId, str] = {}
        results: list[TaskResult] = []
        for task in tasks:
            judged, names = _Judged(task, by_task[task.id]), accumulating(task)
            turns = [Turn(messages[task.id][turn], "") for turn in sorted(messages[task.id])]
            if not turns:
                # A missing transcript counts as wrong: no tests ever pass.
                wrong = repeat(dict.fromkeys((None, *names), False))
                results += judged.results(dialogue.course(names, wrong)[0], missing=True)
                continue
            rows = [judged.certain(turn) for turn in range(1, len(turns) + 1)]
            talks = replay.replayed(names, turns, rows, self.readings(task))
            if isinstance(talks, Departure):
                departures[task.id] = talks.message
            else:
                results += judged.results(talks, missing=False)
        return Held(departures, results)


@dataclass(frozen=True)
class _Judged:
    """The verdicts on a task's turns, by turn, counted from 1, and by the name of the test set."""

    task: Task
    verdicts: Mapping[tuple[int, str], Verdict]

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

    def results(self, talks: Sequence[Talk], *, missing: bool) -> Iterator[TaskResult]:
        """An open turn has the value 0. A missing transcript has the values of a wrong one."""
        for talk in talks:
            row = dict(self._row(talk.turn))
            passed = {name: verdict is not None and verdict.passed for name, verdict in row.items()}
            decisive = [row[name] for name in {talk.current, *talk.sent, *talk.marked}]
            is_open = not missing and any(v is None or v.open for v in decisive)
            numbers = astuple(dialogue.numbers(talk, passed))
            for metric, number in zip(METRICS, numbers, strict=True):
                yield TaskResult(
                    self.task.id,
                    metric.name,
                    n=1,
                    c=int(metric.conditional and bool(talk.marked)),
                    open=int(is_open),
                    turn=talk.turn,
                    value=0.0 if is_open else number,
                )

    def _row(self, turn: int) -> Iterator[tuple[Name, Verdict | None]]:
        for name in (None, *accumulating(self.task)):
            yield name, self.verdicts.get((turn, test_set_of(name)))
