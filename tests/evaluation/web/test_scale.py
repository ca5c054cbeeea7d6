"""An installation that `seed_scale` fills has the results that the ordinary code computes."""

from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Count, Q

from evaluation.models import Evaluation, EvaluationState, Verdict
from evaluation.state.scheduling import claim_scoring, score_again
from leaderboard.scores.boards import make_board, want_board
from leaderboard.scores.models import Board, Score, Standing
from leaderboard.scores.scoring import score_evaluation
from leaderboard.submissions.models import Submission
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database

TINY = {"submissions": 4, "verdicts": 240, "benchmarks": 2}


def board_rows() -> Iterator[tuple[object, ...]]:
    for row in Standing.objects.select_related("submission__entrant").order_by("board", "place"):
        scores = Score.objects.filter(evaluation=row.evaluation).order_by("metric", "slice")
        numbers = list(scores.values_list("metric", "slice", "slice_value", "value", "low", "high"))
        yield row.submission.entrant.name, row.place, row.rank_low, row.rank_high, sorted(numbers)


def test_a_seeded_installation_has_the_results_of_its_verdicts_and_keeps_other_data(
    cast: Cast,
) -> None:
    cast.submission(cast.entrant())
    with pytest.raises(CommandError, match="benchmarks: 1, entrants: 1, submissions: 1"):
        call_command("seed_scale", **TINY)
    assert Submission.objects.count() == 1
    call_command("seed_scale", yes=True, **TINY)
    assert Submission.objects.count() == 1 + TINY["submissions"]
    with pytest.raises(CommandError, match="seeded already"):
        call_command("seed_scale", yes=True, **TINY)
    assert Verdict.objects.of_generations().count() == TINY["verdicts"]
    assert set(Evaluation.objects.values_list("state", flat=True)) == {EvaluationState.DONE}
    seeded = list(board_rows())
    assert len(seeded) == TINY["submissions"]
    passed = Count("pk", filter=Q(status="passed"))
    for row in Verdict.objects.values("evaluation").annotate(passed=passed, n=Count("pk")):
        score = Score.objects.get(evaluation=row["evaluation"], metric="pass@1", slice="overall")
        assert score.value == pytest.approx(row["passed"] / row["n"])
    for evaluation in Evaluation.objects.all():
        score_again(evaluation=evaluation)
        claimed = claim_scoring(pk=evaluation.pk, owner="a test")
        assert claimed is not None
        score_evaluation(evaluation=claimed)
    for board in Board.objects.all():
        first = Submission.objects.filter(standings__board=board)[0]
        assert make_board(board=want_board(submission=first))
    assert list(board_rows()) == seeded


@pytest.mark.parametrize("wrong", [{"submissions": 1}, {"benchmarks": 0}, {"verdicts": 3}])
@pytest.mark.django_db
def test_sizes_without_a_result_for_each_benchmark_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(CommandError, match="larger number"):
        call_command("seed_scale", **TINY | wrong)
    assert not Board.objects.exists()
