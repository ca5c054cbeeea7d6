"""Reasons why a step is refused. The message is for the user who tried it."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.engine.records import Problem


class NotNow(Exception):
    """The current state of the campaign, or of the person's part in it, forbids the step."""


class TakenOut(NotNow):
    """The item was removed from the campaign, together with its drafts."""


class RatingsRefused(Exception):
    """A file of ratings is rejected. `more` counts the problems that are not listed."""

    def __init__(self, problems: Sequence[Problem], *, more: int = 0) -> None:
        self.problems, self.more = tuple(problems), more
        super().__init__("; ".join(map(str, self.problems[:3])))
