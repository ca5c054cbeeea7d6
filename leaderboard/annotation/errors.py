"""Reasons why a step is refused. The message is for the user who tried it."""

from collections.abc import Sequence

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.records import Problem

LISTED = 100


class NotNow(Exception):
    """The current state of the campaign, or of the person's part in it, forbids the step."""


class TakenOut(NotNow):
    """The item was removed from the campaign, together with its drafts."""


class RatingsRefused(BenchmarkError):
    """A file of ratings is rejected. `more` counts the problems after the first `LISTED`."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(problems[:LISTED], more=max(0, len(problems) - LISTED))
