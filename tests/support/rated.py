"""A rated benchmark with published results, for tests of the pages of boards and submissions."""

from collections.abc import Sequence
from pathlib import Path

from evaluation import jobs
from evaluation.work import actions
from leaderboard.accounts.models import User
from leaderboard.annotation.models import Campaign, Item
from leaderboard.annotation.results import make_results
from leaderboard.benchmarks.models import Benchmark
from leaderboard.scores.boards import make_board, want_board
from leaderboard.scores.models import Board
from leaderboard.submissions import publishing
from leaderboard.submissions.models import Submission
from tests.support.cast import Cast
from tests.support.panel import Panel, store
from tests.support.snapshots import made_once

GOOD = {"correctness": 4, "code quality": 3, "maintainability": 5}
BAD = {"correctness": 1, "code quality": 1, "maintainability": 2}
RATERS = ("ann", "ben", "cat")


def rated_panel(cast: Cast, folder: Path) -> Panel:
    """A panel with enough tasks for figures of agreement."""
    return Panel(cast, folder, tasks=12)


def settle(
    campaign: Campaign, panel: Panel, raters: Sequence[str] = RATERS, *, mixed: bool = False
) -> None:
    """Stores all marks of the raters, who differ by one now and then: Larch's generations are good,
    the others' bad. `mixed`: every other generation is one mark nearer to the others."""
    good = set(panel.northwood.generations.values_list("pk", flat=True))
    items = campaign.items.filter(kind=Item.Kind.GENERATION).order_by("pk")
    best = [item.generation_id in good for item in items]
    for place, name in enumerate(raters):
        store(
            panel.rater(name, campaign),
            lambda n, place=place: _marks(
                GOOD if best[n] else BAD, best[n], (n + place) % 5 == 0, mixed and n % 2
            ),
        )


def _marks(base: dict[str, int], best: bool, differs: bool, nearer: int) -> dict[str, int]:
    shift = (-1 if best else 1) * max(differs, nearer)
    return {scale: mark + shift for scale, mark in base.items()}


def publish(*submissions: Submission) -> Board:
    """Scores the submissions by their current ratings, publishes them and orders their board;
    unrated ones, too."""
    for submission in submissions:
        evaluation = submission.evaluations.filter(current=True).first()
        evaluation = evaluation or actions.open_evaluation(submission=submission)
        jobs.score(evaluation.pk)
        submission.refresh_from_db()
        publishing.publish(submission=submission)
        want_board(submission=submission)
    board = Board.objects.get(revision=submissions[0].revision)
    make_board(board=board)
    board.refresh_from_db()
    return board


def rated_board(panel: Panel) -> Board:
    """Larch and Sedge on a board, rated by three and published. Made once for all tests with
    as many tasks that have stored no users and benchmarks yet."""

    def make() -> tuple[Panel, Board]:
        settle(panel.campaign, panel)
        make_results(campaign=panel.campaign)
        return panel, publish(panel.northwood, panel.fenland)

    if User.objects.exists() or Benchmark.objects.exists():
        return make()[1]
    made, board = made_once(panel.cast, f"rated board, {panel.tasks} tasks", make)
    vars(panel).update(vars(made) | {"cast": panel.cast, "folder": panel.folder})
    return board
