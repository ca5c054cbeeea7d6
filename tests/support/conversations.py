"""Conversations without containers: generations for every turn, and the verdicts that a test
sets."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from django.utils import timezone

from evaluation.engine.instructions import BASE_SET, DYNAMIC, EXTENSION, MULTI_TURN
from evaluation.models import Evaluation, EvaluationState, Verdict
from evaluation.state.units import sets_of
from evaluation.work import actions
from leaderboard.accounts.models import Entrant
from leaderboard.benchmarks.models import Benchmark
from leaderboard.submissions.models import Generation, Submission
from tests.support.cast import Cast

# The status of a turn's code, by turn, set of tests and task number. The set is an instruction's
# name, "base" for the prompt, or "" for everything that the turn implies.
Fares: TypeAlias = Callable[[int, str, int], str]
# The first task's turns in the sample of codeif_function.
FIRST = ("base", "Exception Handling", "Annotation Coverage", "Code Complexity", "Code Standard")
CODE = "def collatz_steps(n):\n    return {turn}  # turn {turn}\n"


def multi_turn(
    cast: Cast,
    entrant: Entrant,
    fares: Fares,
    *,
    base: bool = True,
    publish: bool = True,
    benchmark: Benchmark | None = None,
    text: str = CODE,
) -> Submission:
    """A result on the sample of codeif_function, scored, and on its board if published."""
    submission = cast.submission(
        entrant, benchmark=benchmark or cast.codeif, setting=MULTI_TURN, samples=1
    )
    rows = [*submission.generations.all()]
    for row in rows:
        row.text = text.format(turn=row.turn)
    Generation.objects.bulk_update(rows, ["text"])
    if base:
        _add(submission, {task: [0] for task in _tasks(submission)}, text)
    evaluation = actions.open_evaluation(submission=submission)
    judge(evaluation, fares)
    cast.score(evaluation)
    if publish:
        cast.publish(submission)
    return submission


def dynamic(cast: Cast, entrant: Entrant, fares: Fares, turns: Sequence[int]) -> Submission:
    """A result of the first task alone, with these turns; judged, not scored."""
    submission = cast.submission(entrant, benchmark=cast.codeif, setting="base", samples=0)
    submission.setting = DYNAMIC
    submission.save()
    _add(submission, {_tasks(submission)[0]: turns}, CODE)
    evaluation = actions.open_evaluation(submission=submission)
    judge(evaluation, fares)
    Evaluation.objects.filter(pk=evaluation.pk).update(
        state=EvaluationState.DONE, finished=timezone.now()
    )
    return submission


def judge(evaluation: Evaluation, fares: Fares) -> None:
    """Stores a verdict for each generation and set of tests; none if the status is ""."""
    sets = sets_of(evaluation.submission)
    rows = evaluation.submission.generations.select_related("task").order_by("pk")
    statuses = (
        (row, test_set, fares(row.turn, _of(row, test_set), row.task.number))
        for row in rows
        for test_set in sets(row)
    )
    Verdict.objects.bulk_create(
        Verdict(
            evaluation=evaluation, generation=row, test_set=test_set, status=status, duration_ms=20
        )
        for row, test_set, status in statuses
        if status
    )
    evaluation.chunks.update(state="done", judged=100, finished=timezone.now())


def _of(row: Generation, test_set: str) -> str:
    """The set of tests; the instruction's name if the implied tests are those of one instruction
    alone."""
    if test_set or row.requirement not in ("", EXTENSION):
        return test_set
    return row.requirement or BASE_SET


def _tasks(submission: Submission) -> list[int]:
    return list(submission.revision.tasks.order_by("number").values_list("pk", flat=True))


def _add(submission: Submission, turns: dict[int, Sequence[int]], text: str) -> None:
    Generation.objects.bulk_create(
        Generation(
            submission=submission, task_id=task, sample=0, turn=turn, text=text.format(turn=turn)
        )
        for task, found in turns.items()
        for turn in found
    )
    submission.generations_count = submission.generations.count()
    submission.save()


def passing(rows: Sequence[str], names: Sequence[str] = FIRST) -> Fares:
    """Statuses from a word for each turn, from 0 on, with a letter for each of `names`: p passes, f
    fails, n was not run, - has no verdict. All implied tests pass if all letters up to the turn's
    are p."""
    statuses = {"p": "passed", "f": "failed", "n": "not_run", "-": ""}

    def fares(turn: int, name: str, _task: int) -> str:
        row = rows[turn] if turn < len(rows) else "p" * len(names)
        if not name:
            whole = row[: turn + 1]
            return "passed" if set(whole) <= {"p"} else "failed"
        return statuses[row[names.index(name)]] if name in names else "passed"

    return fares
