"""A task is left out only by a person's decision, and every result then follows it."""

from pathlib import Path

import pytest
from django.db.models import QuerySet

from evaluation import jobs
from evaluation.models import Evaluation, EvaluationState
from evaluation.state import scheduling
from evaluation.work.exclusions import Change, effects, leave_out, take_in_again
from leaderboard.annotation.results import make_results
from leaderboard.benchmarks.models import Benchmark, Task
from leaderboard.scores import scoring
from leaderboard.scores.models import Board, TaskResult
from tests.support.cast import Cast
from tests.support.in_projects import in_projects, keep
from tests.support.rated import rated_board, rated_panel

pytestmark = pytest.mark.any_database

__all__ = ["in_projects"]

REASON = "Its reference solution fails."


def tasks(cast: Cast, *numbers: int) -> QuerySet[Task]:
    return Task.objects.filter(revision=cast.rucodeeval.current, number__in=numbers)


@pytest.fixture
def evaluation(cast: Cast) -> Evaluation:
    """A submission that solves every second task, with one sample each."""
    submission = cast.judged_submission(cast.entrant(), ("passed", "failed"), samples=1)
    return submission.evaluations.get()


def overall(evaluation: Evaluation) -> tuple[float | None, int]:
    score = evaluation.scores.get(metric="pass@1", slice="overall")
    return score.value, score.tasks


def test_a_task_that_is_left_out_takes_no_part_in_results_until_it_is_taken_in_again(
    cast: Cast, evaluation: Evaluation
) -> None:
    wanted = Board.objects.get().wanted
    assert overall(evaluation) == (0.5, 12)
    made = leave_out(tasks=tasks(cast, 0, 2), reason=REASON, user=cast.dora)
    evaluation.refresh_from_db()
    assert evaluation.state == EvaluationState.JUDGING
    cast.score(evaluation)
    assert overall(evaluation) == (0.4, 10)
    assert Board.objects.get().wanted == wanted + 1
    left = {exclusion.task_id for exclusion in made}
    assert not TaskResult.objects.filter(evaluation=evaluation, task__in=left).exists()
    assert evaluation.verdicts.count() == 12
    assert take_in_again(exclusions=made[:1]) == 1
    cast.score(evaluation)
    assert overall(evaluation) == (pytest.approx(5 / 11), 11)


def test_the_effects_are_those_that_leaving_out_has(cast: Cast, evaluation: Evaluation) -> None:
    other = cast.judged_submission(cast.entrant("Heron"), ("failed", "passed", "failed"), samples=1)
    left = tasks(cast, 0, 2, 6)
    ((board, rows),) = effects(left)
    assert board == Board.objects.get()
    assert rows[0] == Change("Larch Coder 32B", 1, 2, pytest.approx(-16.67))
    assert rows[1] == Change("Heron", 2, 1, pytest.approx(11.11))
    leave_out(tasks=left, reason=REASON, user=cast.dora)
    for row, value in ((evaluation, 3 / 9), (other.evaluations.get(), 4 / 9)):
        row.refresh_from_db()
        cast.score(row)
        assert overall(row) == (pytest.approx(value), 9)


def test_on_a_rated_board_the_effects_are_marks(cast: Cast, tmp_path: Path) -> None:
    panel = rated_panel(cast, tmp_path)
    rated_board(panel)
    evaluation = panel.northwood.evaluations.get(current=True)
    mark = evaluation.scores.filter(metric="correctness", slice="overall")
    before = mark.get().value
    left = Task.objects.filter(revision=panel.revision, number__in=(0, 5))
    ((_board, rows),) = effects(left)
    assert rows is not None
    leave_out(tasks=left, reason=REASON, user=cast.dora)
    make_results(campaign=panel.campaign)
    jobs.score(evaluation.pk)
    assert rows[0] == Change("Larch", 1, 1, round(3 * (mark.get().value - before), 2), top=4)
    assert rows[0].points != 0


def test_only_results_of_the_revision_are_scored_again(cast: Cast, evaluation: Evaluation) -> None:
    other = cast.judged_submission(cast.entrant("Other"), benchmark=cast.codeif)
    leave_out(tasks=tasks(cast, 0), reason=REASON, user=cast.dora)
    assert other.evaluations.get().state == EvaluationState.DONE


def test_scores_that_were_computed_before_the_decision_are_not_written(
    cast: Cast, evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert scheduling.score_again(evaluation=evaluation)
    claimed = scheduling.claim_scoring(pk=evaluation.pk, owner="worker")
    assert claimed is not None
    read = scoring.judged

    def decided_meanwhile(*arguments: object) -> object:
        leave_out(tasks=tasks(cast, 0), reason=REASON, user=cast.dora)
        return read(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(scoring, "judged", decided_meanwhile)
    assert not scoring.score_evaluation(evaluation=claimed)
    assert overall(evaluation) == (0.5, 12)
    monkeypatch.undo()
    assert scoring.score_evaluation(evaluation=claimed)
    assert overall(evaluation) == (pytest.approx(5 / 11), 11)


def test_references_of_a_task_that_is_left_out_do_not_count(
    cast: Cast, in_projects: Benchmark
) -> None:
    benchmark = in_projects
    assert benchmark.current is not None
    keep(benchmark.current, oracle="It fails.")
    evaluation = cast.judged_submission(cast.entrant(), benchmark=benchmark).evaluations.get()
    oracle = evaluation.scores.filter(metric="pass_oracle@1", slice="overall")
    assert oracle.get().value == pytest.approx(11 / 12)
    unsound = Task.objects.filter(revision=benchmark.current, number=0)
    leave_out(tasks=unsound, reason=REASON, user=cast.dora)
    cast.score(evaluation)
    assert (oracle.get().value, oracle.get().tasks) == (1.0, 11)
