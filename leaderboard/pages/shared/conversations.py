"""Conversations for display: read from stored verdicts with one query for any number of them, their
turns by the engine's rules, and the instructions kept and forgotten. No wording."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from itertools import pairwise, takewhile, zip_longest
from typing import NamedTuple, TypeAlias

from django.db.models import FilteredRelation, Q

from evaluation.engine import instructions, records
from evaluation.engine.conversations import dialogue
from evaluation.engine.conversations.dialogue import Talk
from evaluation.engine.instructions import DYNAMIC, EXTENSION, MULTI_TURN
from evaluation.engine.metrics.conversations import Matrix, turn_metrics
from evaluation.engine.records import Integrity, Status, Verdict
from evaluation.models import Evaluation
from leaderboard.benchmarks.models import Task
from leaderboard.benchmarks.public import public_record
from leaderboard.submissions.models import Generation, Submission, generation_key

# The name of an instruction; None is Base, the prompt.
Name: TypeAlias = str | None

# Reasons why a turn does not accumulate or has no metrics.
APART, UNSOUND, AFTER_END = "apart", "unsound", "after_end"


def settled(verdict: Verdict | None) -> bool | None:
    """Whether the verdict is a pass; None if it is open or there is none."""
    return None if verdict is None or verdict.open else verdict.passed


@dataclass(frozen=True, slots=True)
class Code:
    pk: int
    verdicts: tuple[Verdict, ...] = ()

    def on(self, name: Name) -> Verdict | None:
        return next((row for row in self.verdicts if name in instructions.alone(row)), None)

    @property
    def implied(self) -> Verdict | None:
        """The verdict on the tests that setting and turn imply."""
        return next((row for row in self.verdicts if not row.test_set), None)


@dataclass(frozen=True, slots=True)
class TurnCell:
    """The result of a turn's code on one instruction's own tests. `absent`: the submission has no
    code for it, a failure. Unless it `counts`, no metric of the turn uses it."""

    name: Name
    counts: bool
    verdict: Verdict | None = None
    absent: bool = False

    @property
    def passed(self) -> bool | None:
        """None while the verdict is open."""
        return False if self.absent else settled(self.verdict)

    @property
    def kind(self) -> str:
        """The display class: passed, failed, open, absent, or out (does not count)."""
        if self.absent or not self.counts:
            return "absent" if self.counts else "out"
        return {True: "passed", False: "failed", None: "open"}[self.passed]


@dataclass(frozen=True, slots=True)
class Figures:
    """The metrics of a turn; None if undefined or not settled."""

    ia: float | None = None
    ca: float | None = None
    ifr: float | None = None
    strict_ca: float | None = None
    script_ifr: float | None = None
    ife: float | None = None


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """`names` are the instructions of its message, () if not known yet. `forgotten`: instructions
    that earlier code followed."""

    number: int
    names: tuple[Name, ...]
    cells: tuple[TurnCell, ...]
    generation: int | None = None
    figures: Figures = Figures()
    forgotten: tuple[Name, ...] = ()
    together: Verdict | None = None
    note: str = ""
    retry: bool = False

    @property
    def accumulates(self) -> bool:
        return self.note not in (APART, AFTER_END)

    @property
    def counted(self) -> tuple[TurnCell, ...]:
        return tuple(cell for cell in self.cells if cell.counts)


@dataclass(frozen=True, slots=True)
class JudgedConversation:
    """`sample` counts from 0. `names` are the columns of the matrix."""

    number: int
    task_id: str
    title: str
    sample: int
    names: tuple[Name, ...]
    turns: tuple[JudgedTurn, ...]

    @property
    def first(self) -> int:
        return self.turns[0].number

    @property
    def forgotten(self) -> int:
        return sum(len(turn.forgotten) for turn in self.turns)

    @property
    def settled(self) -> bool:
        """Whether every verdict that metrics use is final."""
        cells = (cell.passed for turn in self.turns for cell in turn.counted)
        whole = (turn.together for turn in self.turns)
        return None not in cells and not any(verdict and verdict.open for verdict in whole)

    @property
    def figures(self) -> Figures:
        if not self.settled:
            return Figures()
        means: dict[str, float | None] = {}
        for metric in (column.name for column in fields(Figures)):
            values = [getattr(turn.figures, metric) for turn in self.turns]
            defined = [value for value in values if value is not None]
            means[metric] = sum(defined) / len(defined) if defined else None
        return Figures(**means)


# --- Static -------------------------------------------------------------------------------


def static_turns(task: records.Task, codes: Mapping[int, Code]) -> tuple[JudgedTurn, ...]:
    """The turns of a Multi-Turn conversation that have a generation or lack a required one, each
    with a cell for Base, which is turn 0."""
    slots, unsound = instructions.slots(task, MULTI_TURN), instructions.unsound(task)
    # Every turn of a conversation has a number.
    names = {slot.turn: slot.requirement for slot in slots if slot.turn is not None}
    required = {slot.turn for slot in slots if slot.required}
    there = [number for number in names if number in required or number in codes]
    notes = {name: UNSOUND if name in unsound else "" for name in names.values()}
    notes |= {EXTENSION: APART}
    rows: dict[int, list[TurnCell]] = {}
    for turn in there:
        code, rows[turn] = codes.get(turn), []
        for number, name in names.items():
            counts = not notes[name] and number <= turn
            # A turn that stands apart is judged by its own tests alone.
            if APART in (notes[name], notes[names[turn]]):
                counts = number == turn and name not in unsound
            verdict = code.on(name) if code else None
            rows[turn].append(TurnCell(name, counts, verdict, absent=code is None))
    accumulated = {n: settled(codes[n].implied) if n in codes else False for n in there}
    matrix = Matrix(
        rows=[[cell.passed for cell in rows[n]] if n in rows else None for n in names],
        accumulated=[accumulated.get(n) for n in names],
        apart=frozenset(n for n, name in names.items() if name == EXTENSION),
        unsound=frozenset(n for n, name in names.items() if name in unsound),
    )
    figures = {
        row.turn: Figures(row.ia, row.ca, row.ifr, row.strict_ca, row.script_ifr)
        for row in turn_metrics(matrix)
    }
    turns: list[JudgedTurn] = []
    followed: set[Name] = set()
    shown = {None, *(names[n] for n in there)}
    for number in there:
        name, code = names[number], codes.get(number)
        note, cells = notes[name], tuple(cell for cell in rows[number] if cell.name in shown)
        # A turn that stands apart neither forgets nor is forgotten.
        counted = [cell for cell in cells if cell.counts and note != APART]
        forgotten = (c.name for c in counted if c.name in followed and c.passed is False)
        turns.append(
            JudgedTurn(
                number,
                (name,),
                cells,
                code.pk if code else None,
                figures.get(number, Figures()),
                tuple(forgotten),
                together=code.implied if code and not note else None,
                note=note,
            )
        )
        followed |= {cell.name for cell in counted if cell.passed}
    return tuple(turns)


# --- Dynamic ------------------------------------------------------------------------------


def dynamic_turns(task: records.Task, codes: Mapping[int, Code]) -> tuple[JudgedTurn, ...]:
    """The turns of a dynamic conversation, from 1; turns after its end are marked AFTER_END."""
    about = instructions.accumulating(task)
    names: tuple[Name, ...] = (None, *about)
    ordered = sorted(codes.items())
    # By instruction, whether the code passes; empty if any verdict is open.
    rows: list[dict[Name, bool]] = []
    for _number, code in ordered:
        passes = {name: settled(code.on(name)) for name in names}
        closed = {name: passed for name, passed in passes.items() if passed is not None}
        rows.append(closed if len(closed) == len(passes) else {})
    talks, after = dialogue.course(about, takewhile(bool, rows))
    demanded = [*talks, after] if isinstance(after, Talk) else talks
    note = "" if isinstance(after, Talk) else AFTER_END
    turns: list[JudgedTurn] = []
    for talk, row, (number, code) in zip_longest(demanded[: len(rows)], rows, ordered):
        if talk is None:
            cells = tuple(TurnCell(name, False, code.on(name)) for name in names)
            turns.append(JudgedTurn(number, (), cells, code.pk, note=note))
            continue
        # The turn as the rules demand it. Instructions sent up to this turn count.
        metrics = dialogue.numbers(talk, row) if row else None
        turn = JudgedTurn(
            talk.turn,
            (talk.current,),
            tuple(TurnCell(name, name in talk.sent, code.on(name)) for name in names),
            code.pk,
            Figures(metrics.ia, metrics.ca, metrics.ifr, ife=metrics.ife) if metrics else Figures(),
            tuple(name for name in names if name in talk.marked and row and not row[name]),
            retry=talk.retry,
        )
        turns.append(turn)
    return tuple(turns)


# --- Reading ------------------------------------------------------------------------------

_TURNS: Mapping[str, Callable[[records.Task, Mapping[int, Code]], tuple[JudgedTurn, ...]]] = {
    MULTI_TURN: static_turns,
    DYNAMIC: dynamic_turns,
}


def has_conversations(setting: str) -> bool:
    return setting in _TURNS


def counts_from_one(setting: str) -> bool:
    """Whether turns are counted from 1; otherwise turn 0 is Base."""
    return setting == DYNAMIC


def conversations_of(
    submission: Submission,
    evaluation: Evaluation | None,
    tasks: Iterable[Task],
    *,
    sample: int | None = None,
) -> list[JudgedConversation]:
    """By task and sample; only of `sample` if it is given."""
    by_key = {task.pk: task for task in tasks}
    conversations = []
    codes = _codes(submission, evaluation, by_key, sample)
    for key, number in sorted(codes, key=lambda place: (by_key[place[0]].number, place[1])):
        task = by_key[key]
        turns = _TURNS[submission.setting](public_record(task), codes[key, number])
        if turns:
            names = tuple(cell.name for cell in turns[0].cells)
            of_task = (task.number, task.external_id, task.title)
            conversations.append(JudgedConversation(*of_task, number, names, turns))
    return conversations


def _codes(
    submission: Submission,
    evaluation: Evaluation | None,
    tasks: Mapping[int, Task],
    sample: int | None,
) -> dict[tuple[int, int], dict[int, Code]]:
    generations = Generation.objects.filter(submission=submission, task__in=[*tasks])
    if sample is not None:
        generations = generations.filter(sample=sample)
    condition = Q(verdicts__evaluation=evaluation)
    slot = ("task", "sample", "turn", "requirement", "pk")
    judged = ("status", "integrity", "test_set", "duration_ms")
    joined = generations.annotate(judged=FilteredRelation("verdicts", condition=condition))
    rows = joined.order_by("pk").values_list(*slot, *(f"judged__{column}" for column in judged))
    verdicts: dict[tuple[int, int, int, int], list[Verdict]] = defaultdict(list)
    for task, number, turn, requirement, pk, status, integrity, test_set, duration_ms in rows:
        turn_verdicts = verdicts[task, number, turn, pk]
        if status is not None:
            key = generation_key(tasks[task].id_in_dataset, number, requirement, turn)
            facts = Status(status), test_set, Integrity(integrity)
            turn_verdicts.append(Verdict(key, *facts, duration_ms=duration_ms))
    codes: dict[tuple[int, int], dict[int, Code]] = defaultdict(dict)
    for (task, number, turn, pk), turn_verdicts in verdicts.items():
        codes[task, number][turn] = Code(pk, tuple(turn_verdicts))
    return codes


# --- Kept and forgotten ---------------------------------------------------------------------


class Retention(NamedTuple):
    still: int
    followed: int

    @property
    def share(self) -> float | None:
        return self.still / self.followed if self.followed else None


@dataclass(frozen=True, slots=True)
class InstructionRow:
    """The row of an instruction (None is Base), or of all instructions if `every`."""

    name: Name
    steps: tuple[Retention, ...]
    every: bool = False


@dataclass(frozen=True, slots=True)
class Forgetting:
    """`turns` has the number of each step's later turn; each line has a cell per step."""

    turns: tuple[int, ...]
    lines: tuple[InstructionRow, ...]

    @property
    def every(self) -> Retention:
        steps = self.lines[0].steps
        return Retention(sum(step.still for step in steps), sum(step.followed for step in steps))


def forgetting(conversations: Iterable[JudgedConversation]) -> Forgetting | None:
    """Sums over the conversations; None without two consecutive turns. An instruction counts from
    the turn that asks for it; open verdicts are left out."""
    followed: Counter[tuple[int, Name]] = Counter()
    retained: Counter[tuple[int, Name]] = Counter()
    for conversation in conversations:
        for before, after in pairwise(turn for turn in conversation.turns if turn.accumulates):
            now = {cell.name: cell.passed for cell in after.counted}
            for cell in before.counted:
                still = now.get(cell.name)
                if cell.passed and still is not None:
                    followed[after.number, cell.name] += 1
                    retained[after.number, cell.name] += still
    turns = tuple(sorted({turn for turn, _name in followed}))
    if not turns:
        return None
    names = sorted({name for _turn, name in followed}, key=lambda name: name or "")
    lines = [
        InstructionRow(
            name, tuple(Retention(retained[turn, name], followed[turn, name]) for turn in turns)
        )
        for name in names
    ]
    columns = zip(*(line.steps for line in lines), strict=True)
    every = tuple(Retention(*map(sum, zip(*column, strict=True))) for column in columns)
    return Forgetting(turns, (InstructionRow(None, every, every=True), *lines))
