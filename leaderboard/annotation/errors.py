"""What a step is refused for, in a sentence for who tried it."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.engine.records import Problem


class NotNow(Exception):
    """The campaign, or the person's part in it, does not allow the step as it stands."""


class TakenOut(NotNow):
    """The item is no longer in the campaign, nor what was entered for it."""


class RatingsRefused(Exception):
    """A file of ratings cannot be taken. `more` problems were counted, not listed."""

    def __init__(self, problems: Sequence[Problem], *, more: int = 0) -> None:
        self.problems, self.more = tuple(problems), more
        super().__init__("; ".join(map(str, self.problems[:3])))
