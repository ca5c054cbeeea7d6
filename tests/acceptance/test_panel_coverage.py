"""Tests that the intervals of panels have their nominal coverage, in 1,000 trials of each panel and
scale."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from evaluation.engine.metrics.agreement import Item
from evaluation.engine.metrics.panel import Scope, panel_mean
from tests.evaluation.engine.metrics.test_panel import covers, items_of

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(600)]

TRIALS = 1_000
TASKS, MARKS = 160, 3
# For each scale: the top mark, and the mean of the values that are rounded to marks.
SCALES = {"correctness": (4, 2.8), "quality": (3, 2.2), "maintainability": (5, 3.4)}
OF_TASKS, OF_RATERS, OF_MARKS = 0.8, 0.3, 0.6
DRAWS = 1_000_000


class Simulation:
    """Panels that mark tasks on one scale: round and clip of mean + task + rater + noise."""

    def __init__(self, scale: str, raters: int, seed: int) -> None:
        self.top, self.mean = SCALES[scale]
        self.raters = raters
        self.random = np.random.default_rng(seed)
        # A million draws of task and noise, from which the true mean of any rater is computed.
        self.draws = np.sort(self.random.normal(0, OF_TASKS, DRAWS) + self._normal(OF_MARKS, DRAWS))

    def _normal(self, deviation: float, *size: int) -> NDArray[np.float64]:
        return self.random.normal(0, deviation, size)

    def _marks(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        marks: NDArray[np.float64] = np.clip(np.rint(values), 1, self.top)
        return marks

    def truth_for(self, raters: NDArray[np.float64]) -> float:
        """The mean over the draws of tasks, each rater of the panel as often as any other.

        A mark is 1 and one more for each of 1.5, 2.5, ... that its value exceeds, so counting
        the draws beyond each does what rounding, clipping and averaging them would.
        """
        halves = np.arange(1, self.top) + 0.5 - self.mean
        beyond = DRAWS - np.searchsorted(self.draws, halves[:, None] - raters)
        return float(1 + (beyond / DRAWS).sum(axis=0).mean())

    def truth_for_all(self) -> float:
        """The mean over a million draws of tasks and raters."""
        values = self.mean + self.draws + self._normal(OF_RATERS, DRAWS)
        return float(self._marks(values).mean())

    def trials(self, number: int) -> Iterator[tuple[list[Item], NDArray[np.float64]]]:
        """Items marked by a new panel each time, and the deviation of each of its raters."""
        for _ in range(number):
            raters = self._normal(OF_RATERS, self.raters)
            everybody = np.tile(np.arange(self.raters), (TASKS, 1))
            who = self.random.permuted(everybody, axis=1)[:, :MARKS]
            noise = self._normal(OF_MARKS, TASKS, MARKS)
            values = self.mean + self._normal(OF_TASKS, TASKS, 1) + raters[who] + noise
            yield items_of(who, self._marks(values)), raters


def covered_for_the_panel(scale: str, raters: int, trials: int, seed: int) -> int:
    simulation = Simulation(scale, raters, seed)
    return sum(
        covers(panel_mean(items, simulation.top), Scope.PANEL, simulation.truth_for(panel))
        for items, panel in simulation.trials(trials)
    )


def covered_for_all(scale: str, raters: int, trials: int, seed: int, scope: Scope) -> int:
    simulation = Simulation(scale, raters, seed)
    truth = simulation.truth_for_all()
    return sum(
        covers(panel_mean(items, simulation.top), scope, truth)
        for items, _ in simulation.trials(trials)
    )


@pytest.mark.parametrize("scale", SCALES)
def test_a_panel_of_three_is_covered_as_this_panel(
    scale: str, capsys: pytest.CaptureFixture[str]
) -> None:
    share = covered_for_the_panel(scale, 3, TRIALS, seed=1) / TRIALS
    _print(capsys, f"{scale}, 3 raters, this panel: {share:.1%} of {TRIALS} trials")
    assert 0.93 <= share <= 0.97


@pytest.mark.parametrize("scale", SCALES)
def test_a_panel_of_twenty_five_covers_raters_and_tasks(
    scale: str, capsys: pytest.CaptureFixture[str]
) -> None:
    share = covered_for_all(scale, 25, TRIALS, seed=1, scope=Scope.POPULATION) / TRIALS
    _print(capsys, f"{scale}, 25 raters, tasks and raters: {share:.1%} of {TRIALS} trials")
    assert 0.93 <= share <= 0.97


def _print(capsys: pytest.CaptureFixture[str], line: str) -> None:
    with capsys.disabled():
        print(f"\n{line}", flush=True)
