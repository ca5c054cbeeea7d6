"""Tests that the intervals of panels have their nominal coverage, in 1,000 trials of each panel and
scale."""

from __future__ import annotations

import pytest

from evaluation.engine.metrics.panel import Scope
from tests.evaluation.engine.metrics.test_panel import (
    SCALES,
    covered_for_all,
    covered_for_the_panel,
)

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(600)]

TRIALS = 1_000


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
