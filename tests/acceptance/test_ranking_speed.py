"""Test that one more entrant on a large board takes little; the board: test_board_speed.py."""

import time

import numpy as np
import pytest

from evaluation.engine.metrics.paired import Showing
from evaluation.engine.metrics.ranking import rank
from evaluation.engine.metrics.swaps import Swaps

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(900)]

TASKS, SAMPLES = 164, 10


def _board(entrants: int) -> list[Showing]:
    random = np.random.default_rng(11)
    ability = np.linspace(2, -2, entrants)[:, None]
    logits = ability + random.normal(0, 1.5, TASKS) + random.normal(0, 0.5, (entrants, TASKS))
    values = random.binomial(SAMPLES, 1 / (1 + np.exp(-logits))) / SAMPLES
    return [
        Showing(entrant, {task: [value] for task, value in enumerate(row)})
        for entrant, row in enumerate(values.tolist())
    ]


def test_one_more_entrant_on_a_board_of_500_takes_little() -> None:
    board, swaps = _board(501), Swaps()
    rank(board[:250] + board[251:], swaps=swaps)
    packed, began = swaps.packed(), time.process_time()
    rank(board, swaps=Swaps.unpacked(packed))
    assert time.process_time() - began <= 3
