"""How often simulated boards show signs of memorisation, with entrants that memorised and without.

Abilities, difficulties, and how likely an answer equals its reference are normal on the logistic
scale, so that tasks and entrants differ as much as they do on real boards.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bench.simulated import Random
from evaluation.engine.metrics.intervals import Floats
from evaluation.engine.metrics.memorisation import LEVEL, Masks, Sign, ages, overlaps

# The repository of each task, in ascending order.
Places: TypeAlias = NDArray[np.intp]
REFERENCE, OLDER = "equal to the reference", "older tasks"
KINDS = (REFERENCE, OLDER, f"{REFERENCE}, in repositories", f"{OLDER}, in repositories")
ENTRANTS, TASKS = (12, 20, 50), (100, 164)
# Tasks per repository, and the standard deviation of a repository's effect on its tasks, for all
# entrants and for each one.
_OF_REPOSITORY, _OF_REPOSITORIES = 4, 0.5
# Without planted entrants, the share of flags is close to 5 % on _CLOSE; there _MORE times as many
# boards are simulated.
_MORE, _CLOSE = 5, (OLDER, 50)
# The share of the planted entrants, and the shares of the tasks that they know by heart.
PLANTED, KNOWN = 0.2, (1.0, 0.5)
# Minimum share of copies that are found; number of Monte Carlo errors by which flags may exceed
# their level.
FOUND, ERRORS = 0.98, 2.0
# Minimum share of honest entrants' intervals that contain 0.
COVERED = 0.93
_ABILITY, _DIFFICULTY, _REFERENCE, _STYLE = 1.0, 1.5, -2.5, 0.5


@dataclass(frozen=True, slots=True)
class Planting:
    """`false`: the share of boards without planted entrants on which any entrant is flagged;
    `covered`: the share of these boards' intervals that contain 0; `found`: by share of known
    tasks, the share of planted entrants that are flagged."""

    kind: str
    entrants: int
    tasks: int
    boards: int
    false: float
    covered: float
    found: tuple[float, ...]

    @property
    def error(self) -> float:
        return sqrt(max(self.false, LEVEL) * (1 - LEVEL) / self.boards)

    @property
    def holds(self) -> bool:
        """Includes that entrants that copy all references are found."""
        copies = self.kind != REFERENCE or self.found[0] >= FOUND
        few = self.false <= LEVEL + ERRORS * self.error
        return few and copies and self.covered >= COVERED


def plantings(boards: int) -> Iterator[Planting]:
    for kind in KINDS:
        for entrants in ENTRANTS:
            for tasks in TASKS:
                more = _MORE if (kind, entrants) == _CLOSE else 1
                yield planting(kind, entrants, tasks, boards, more * boards)


def planting(
    kind: str, entrants: int, tasks: int, boards: int, of_honest: int | None = None
) -> Planting:
    """Simulates `of_honest` boards without planted entrants, by default as many as with them."""
    of_honest = of_honest or boards
    random = np.random.default_rng([zlib.crc32(kind.encode()), entrants, tasks])
    repositories = np.arange(tasks)
    if kind not in (REFERENCE, OLDER):
        repositories //= _OF_REPOSITORY
    simulate = partial(_equal if kind.startswith(REFERENCE) else _older, random, repositories)
    honest = [simulate(entrants, 0, 0.0) for _ in range(of_honest)]
    shown = [sign for board in honest for sign in board if sign]
    planted = round(PLANTED * entrants)
    found = [
        np.mean(
            [
                sign is not None and sign.flagged
                for _ in range(boards)
                for sign in simulate(entrants, planted, share)[:planted]
            ]
        )
        for share in KNOWN
    ]
    return Planting(
        kind,
        entrants,
        tasks,
        of_honest,
        float(np.mean([any(sign and sign.flagged for sign in board) for board in honest])),
        float(np.mean([sign.low <= 0 <= sign.high for sign in shown])),
        tuple(map(float, found)),
    )


def _equal(
    random: Random, repositories: Places, entrants: int, planted: int, share: float
) -> list[Sign | None]:
    right, known = _results(random, repositories, entrants, planted, share)
    styles = random.normal(0, _STYLE, (entrants, 1)) + _alike(random, repositories, entrants)
    equal = _drawn(random, styles + random.normal(_REFERENCE, _DIFFICULTY, len(repositories)))
    equal |= known
    right |= known
    return overlaps((equal & right).astype(np.float64), right, repositories.tolist())


def _older(
    random: Random, repositories: Places, entrants: int, planted: int, share: float
) -> list[Sign | None]:
    """The signs on a board on which half of the repositories are older, for all entrants."""
    right, known = _results(random, repositories, entrants, planted, share)
    older = repositories <= repositories[-1] // 2
    values = (right | known & older).astype(np.float64)
    return ages(values, [older] * entrants, repositories.tolist())


def _results(
    random: Random, repositories: Places, entrants: int, planted: int, share: float
) -> tuple[Masks, Masks]:
    """Which tasks each entrant solves, and which ones the first `planted` know by heart."""
    abilities = random.normal(0, _ABILITY, (entrants, 1)) + _alike(random, repositories, entrants)
    right = _drawn(random, abilities + random.normal(0, _DIFFICULTY, len(repositories)))
    known = random.random((entrants, len(repositories))) < share
    known[planted:] = False
    return right, known


def _alike(random: Random, repositories: Places, entrants: int) -> Floats:
    """The effects of each repository on its tasks, for all entrants and for each one; zero if each
    task has its own repository."""
    number = repositories[-1] + 1
    if number == len(repositories):
        return np.zeros((1, number))
    own = random.normal(0, _OF_REPOSITORIES, (entrants, number))
    found: Floats = (own + random.normal(0, _OF_REPOSITORIES, number))[:, repositories]
    return found


def _drawn(random: Random, logits: Floats) -> Masks:
    found: Masks = random.random(logits.shape) < 1 / (1 + np.exp(-logits))
    return found


HEAD = (
    *("sign", "entrants", "tasks", "boards", "false", "error of false", "covered"),
    *("found: all", "found: half"),
)


def row(one: Planting) -> Sequence[str]:
    false = [f"{share * 100:.1f}" for share in (one.false, one.error)]
    shares = (f"{share * 100:.0f}" for share in (one.covered, *one.found))
    return [one.kind, str(one.entrants), str(one.tasks), str(one.boards), *false, *shares]
