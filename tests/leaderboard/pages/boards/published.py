"""Boards with many rows, made quickly: all results are published before the board is ordered
once."""

from datetime import timedelta

from django.test import Client
from django.utils import timezone

from leaderboard.benchmarks.models import Benchmark, Task
from leaderboard.scores.boards import make_board, want_board
from leaderboard.submissions.models import Submission, Visibility
from tests.support.cast import Cast
from tests.support.snapshots import made_once

PATTERNS = (
    ("passed", "passed", "failed"),
    ("failed", "passed", "timeout"),
    ("passed",),
    ("failed", "failed", "runtime_error"),
)


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def two_levels(cast: Cast) -> None:
    """The first six tasks of the sample are easy, the others hard."""
    Task.objects.filter(revision=cast.rucodeeval.current).update(level="hard")
    Task.objects.filter(number__lt=6).update(level="easy")


def results(cast: Cast, count: int, benchmark: Benchmark | None = None) -> list[Submission]:
    """Published results of `count` entrants, the last one published last."""
    if benchmark:
        return _made(cast, count, benchmark)
    return made_once(cast, f"{count} results", lambda: _made(cast, count, None))


def _made(cast: Cast, count: int, benchmark: Benchmark | None) -> list[Submission]:
    made = [
        cast.judged_submission(
            cast.entrant(f"Model {number:02}", parameters=number + 0.5),
            PATTERNS[number % len(PATTERNS)],
            benchmark=benchmark,
            publish=False,
        )
        for number in range(count)
    ]
    for number, submission in enumerate(made):
        submission.visibility = Visibility.PUBLISHED
        submission.published = timezone.now() - timedelta(minutes=count - number)
        submission.save()
    make_board(board=want_board(submission=made[0]))
    return made
