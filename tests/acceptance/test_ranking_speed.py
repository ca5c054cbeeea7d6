"""Large boards are ranked in bounded time and memory."""

from __future__ import annotations

import resource
import time

import numpy as np
import pytest

from evaluation.engine.metrics.paired import Showing
from evaluation.engine.metrics.ranking import rank

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(900)]

TASKS, SAMPLES, MOST_BYTES = 164, 10, 500 * 2**20


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
    before, began = _peak(), time.process_time()
    ranking = rank(board)
    # Of the processor, because other programs may keep the machine busy.
    assert time.process_time() - began <= seconds
    assert _peak() - before <= MOST_BYTES
    assert len(ranking.rows) == entrants


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
