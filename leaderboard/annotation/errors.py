"""Reasons why a step is refused. The message is for the user who tried it."""

from evaluation.engine.records import Problem

LISTED = 100


class NotNow(Exception):
    """The current state of the campaign, or of the person's part in it, forbids the step."""


class TakenOut(NotNow):
    """The item was removed from the campaign, together with its drafts."""


class RatingsRefused(Exception):
    """A file of ratings is rejected. `more` counts the problems after the first `LISTED`."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.more = 0

    def add(self, sentence: str, line: int | None = None) -> None:
        if len(self.problems) < LISTED:
            self.problems.append(Problem(sentence, line))
        else:
            self.more += 1

    def __str__(self) -> str:
        return "; ".join(map(str, self.problems[:3]))
