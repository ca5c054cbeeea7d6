"""How many answers two submissions have in common, and whether that is more than chance.

Right answers to easy tasks are often equal. Therefore the answers that are short, or that
independent teams give as well, do not suffice as evidence: the others must be equal too. The
exception is a submission all of whose answers are equal. Staff hear of any submission nearly all
of whose answers are equal, but publishing does not wait.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

# By task, the digests of the answers' normal forms; empty answers have none.
Answers: TypeAlias = Mapping[int, Set[bytes]]

# Minimum shares of equal tasks: to notify staff, and to hold the publication.
NOTED, HELD = 0.5, 0.9
# Fewest tasks with a rare answer, and fewest with any answer.
FEWEST_RARE = 5
# Fewest generations of a submission that is held because all of its answers are equal.
FEWEST_IDENTICAL = 10
# An answer of fewer words and signs is short.
SHORT = 12
# An answer is common if this share of the other teams gives it.
COMMON = 0.1


@dataclass(frozen=True, slots=True)
class Overlap:
    """`share` of the `tasks` that both answered are equal, and `rare_share` of those `rare_tasks`
    among them on which the answers are neither short nor common. Shares are 0..1. `identical`: all
    answers are equal, which staff must examine even if the answers are short."""

    tasks: int
    share: float
    rare_tasks: int
    rare_share: float
    identical: bool = False

    @property
    def noted(self) -> bool:
        return self._is_evidence or (self.share >= HELD and self.tasks >= FEWEST_RARE)

    @property
    def held(self) -> bool:
        return self._is_evidence and self.share >= HELD

    @property
    def _is_evidence(self) -> bool:
        rare = self.rare_tasks >= FEWEST_RARE and min(self.share, self.rare_share) >= NOTED
        return rare or self.identical


def overlap(mine: Answers, theirs: Answers, plain: Collection[bytes]) -> Overlap:
    """`plain` are the short and the common answers. If a task has several answers, its share is the
    part of the shorter list that is also in the other list."""
    counts = []
    for left_out in (frozenset[bytes](), frozenset(plain)):
        shares = [
            len(answers & others) / min(len(answers), len(others))
            for task in mine.keys() & theirs.keys()
            if (others := theirs[task]) and (answers := mine[task] - left_out)
        ]
        counts.append((len(shares), fmean(shares) if shares else 0.0))
    return Overlap(*counts[0], *counts[1])


def is_common(teams: int, others: int) -> bool:
    """Whether an answer is common that `teams` of the `others` give. `others` counts the teams that
    are independent of both submissions."""
    return teams >= max(1.0, COMMON * others)
