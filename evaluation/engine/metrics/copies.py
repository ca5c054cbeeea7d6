"""How many answers two submissions have in common, and whether that is more than chance.

Compares answers by their sketches. This finds copies with other names, comments or order of
definitions, and copies with some changed lines. Right answers to easy tasks are often alike.
Therefore long answers count more than short ones, and answers that are short, or that independent
teams give as well, do not suffice as evidence: the others must be alike too. The exception is a
submission all of whose answers are equal. Staff hear of any submission nearly all of whose answers
are alike, but publishing does not wait.

tests/acceptance/test_copies.py measures the limits: of checkpoints of one model, half of the
answers are alike; of copies with changes in every twentieth statement, nine tenths."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from heapq import nsmallest
from statistics import fmean
from typing import TypeAlias

from evaluation.engine.sketches import MOST_HASHES

# The hashes of a sketch. Those of different tasks differ.
Hashes: TypeAlias = frozenset[int]
# By task, the different answers; empty answers are left out.
Answers: TypeAlias = Mapping[int, Collection[Hashes]]

# The share of runs of words that answers which are alike have in common; and the share of the runs
# of one that are within the other, if it has enough.
ALIKE, WITHIN, FEWEST_RUNS = 0.6, 0.75, 5
# A task's weight is the number of hashes of the shorter answer, at most this.
MOST_WEIGHT = MOST_HASHES // 2
# Minimum shares of tasks with such answers: to notify staff, and to hold the publication.
NOTED, HELD = 0.5, 0.8
# Fewest tasks with a rare answer, and fewest with any answer.
FEWEST_RARE = 5
# Fewest generations of a submission that is held because all of its answers are equal.
FEWEST_IDENTICAL = 10
# Answers to a task, of the submission with fewer different ones, that are compared.
MOST_COMPARED = 10
# An answer of fewer words and signs is short.
SHORT = 12
# An answer is common if this share of the other teams gives it.
COMMON = 0.1


@dataclass(frozen=True, slots=True)
class Overlap:
    """`share` of the `tasks` that both answered are alike, and `rare_share` of those `rare_tasks`
    among them on which the answers are neither short nor common. Shares are 0..1, by weight.
    `identical`: all answers are equal, which staff must examine even if the answers are short."""

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


def alike(one: Hashes, other: Hashes) -> bool:
    """Whether they have most runs in common, or one has nearly all runs of the other, which are
    then hidden among more code."""
    shared = len(one & other)
    # A quick upper bound of both shares below.
    if shared < ALIKE * max(len(one), len(other)) and shared < WITHIN * FEWEST_RUNS:
        return False
    fewer, more = sorted((len(one), len(other)))
    if more == MOST_HASHES:
        # Up to this limit sketches have all hashes of their answers.
        limit = min(max(part) for part in (one, other) if len(part) == MOST_HASHES)
        fewer, more = sorted(sum(value <= limit for value in part) for part in (one, other))
    within = fewer >= FEWEST_RUNS and shared >= WITHIN * fewer
    return within or shared >= ALIKE * (fewer + more - shared)


def alike_share(mine: Collection[Hashes], theirs: Collection[Hashes]) -> float:
    """The share of the answers in the shorter list that have their like in the other. Of long lists
    it is estimated: which answers have the smallest hashes does not depend on who gives them."""
    fewer, more = sorted((mine, theirs), key=len)
    some = nsmallest(MOST_COMPARED, fewer, key=min)
    return fmean(any(alike(hashes, other) for other in more) for hashes in some) if some else 0.0


def overlap(mine: Answers, theirs: Answers, plain: Collection[Hashes]) -> Overlap:
    """`plain` are the short and the common answers."""
    counts = []
    for left_out in (frozenset[Hashes](), plain):
        shares, weights = list[float](), list[int]()
        for task in mine.keys() & theirs.keys():
            answers = [answer for answer in mine[task] if answer not in left_out]
            if answers:
                shares.append(alike_share(answers, theirs[task]))
                longest = (len(max(side, key=len)) for side in (answers, theirs[task]))
                weights.append(min(MOST_WEIGHT, *longest))
        counts.append((len(shares), fmean(shares, weights) if shares else 0.0))
    return Overlap(*counts[0], *counts[1])


def is_common(teams: int, others: int) -> bool:
    """Whether an answer is common that `teams` of the `others` give. `others` counts the teams that
    are independent of both submissions."""
    return teams >= max(1.0, COMMON * others)
