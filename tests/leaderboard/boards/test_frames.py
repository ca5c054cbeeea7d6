"""Tests of a board's frames: what they hold, what they leave out, and their number of queries."""

import pandas as pd
import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboard.boards import frames
from leaderboard.boards.frames import BoardFrames
from leaderboard.pages.boards import board_charts
from leaderboard.pages.boards.charts import lines
from leaderboard.scores.boards import make_board, want_board
from leaderboard.scores.models import Board, Score, TaskResult
from leaderboard.submissions.models import Submission, Visibility
from tests.support.cast import Cast

PATTERNS = (("passed",), ("passed", "failed"), ("failed", "failed", "passed"), ("failed",))


def board_of(cast: Cast, entrants: int, samples: int = 2, first: int = 0) -> Board:
    """A board with the given number of additional entrants, ordered once."""
    for number in range(first, first + entrants):
        entrant = cast.entrant(f"Entrant {number}", parameters=number + 1.0)
        pattern = PATTERNS[number % len(PATTERNS)]
        last = cast.judged_submission(entrant, pattern, publish=False, samples=samples)
    Submission.objects.update(visibility=Visibility.PUBLISHED, published=timezone.now())
    board = want_board(submission=last)
    make_board(board=board)
    board.refresh_from_db()
    return board


def everything(board: Board) -> list[pd.DataFrame]:
    known = BoardFrames(board)
    return [known.rows, known.scores, known.samples, known.results, known.tasks]


def test_rows_stand_in_board_order_and_the_curve_equals_the_stored_scores(cast: Cast) -> None:
    known = BoardFrames(board_of(cast, 4, samples=10))
    assert list(known.rows["name"]) == ["Entrant 0", "Entrant 1", "Entrant 2", "Entrant 3"]
    assert list(known.rows["place"]) == list(known.rows["parameters"]) == [1, 2, 3, 4]
    curves = lines.curves(known.rows, known.samples)
    stored = Score.objects.filter(slice="overall", metric__startswith="pass@")
    for score in stored:
        drawn = curves.at[score.evaluation_id, int(score.metric.removeprefix("pass@"))]
        assert drawn == pytest.approx(score.value, abs=1e-12)
    assert stored.count() == 12
    # Results that are no counts are left out.
    TaskResult.objects.update(value=0.5)
    known = BoardFrames(known.board)
    assert known.results.empty and known.samples.empty


@pytest.mark.any_database
def test_frames_and_cards_ask_as_many_queries_with_3_rows_as_with_9(
    cast: Cast, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for more, first in ((3, 0), (6, 3)):
        board = board_of(cast, more, first=first)
        with django_assert_num_queries(5):
            assert len(everything(board)[0]) == first + more
        # Queries: seven for frames, two for the benchmark with its family, and two for what may be
        # stored.
        board = Board.objects.get(pk=board.pk)
        with django_assert_num_queries(11):
            board_charts.offered(board, "rucodeeval")
        with django_assert_num_queries(1):
            board_charts.offered(board, "rucodeeval")


def test_results_of_one_task_are_summed_over_its_slots(cast: Cast) -> None:
    entrant = cast.entrant()
    submission = cast.judged_submission(
        entrant, benchmark=cast.codeif, setting="single_round", samples=1
    )
    known = BoardFrames(Board.objects.get(setting="single_round"))
    stored = TaskResult.objects.filter(evaluation__submission=submission, overall=True)
    assert known.results["n"].sum() == sum(result.n for result in stored)
    assert len(known.results) == len(known.tasks) < stored.count()


def test_what_is_missing_is_not_a_number() -> None:
    scores = frames.frame_of("scores", [{"evaluation": 1, "value": None}])
    assert scores[["value", "low", "high"]].isna().all(axis=None)
    rows = frames.frame_of("rows", [{"evaluation": 1, "name": "Marl", "place": None}])
    assert rows[["parameters", "published", "place"]].isna().all(axis=None)
