"""Large boards are ranked in bounded time and memory."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pytest

from evaluation.engine.metrics.paired import Showing
from evaluation.engine.metrics.ranking import rank

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(900)]

TASKS, SAMPLES = 164, 10


@pytest.mark.parametrize(("entrants", "seconds"), [(200, 15), (1000, 180)])
def test_a_large_board_is_ranked_in_time(entrants: int, seconds: int) -> None:
    random = np.random.default_rng(11)
    ability = np.linspace(2, -2, entrants)[:, None]
    logits = ability + random.normal(0, 1.5, TASKS) + random.normal(0, 0.5, (entrants, TASKS))
    values = random.binomial(SAMPLES, 1 / (1 + np.exp(-logits))) / SAMPLES
    board = [
        Showing(entrant, {task: [value] for task, value in enumerate(row)})
        for entrant, row in enumerate(values.tolist())
    ]
    tracemalloc.start()
    began = time.monotonic()
    ranking = rank(board)
    spent, (_now, peak) = time.monotonic() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(ranking.rows) == entrants
    assert spent <= seconds
    assert peak <= 500 * 2**20
