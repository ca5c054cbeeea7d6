"""Tests that large boards are ranked in bounded time and memory."""

from __future__ import annotations

import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from evaluation.engine.metrics.paired import Showing
from evaluation.engine.metrics.ranking import rank
from evaluation.engine.metrics.swaps import Swaps

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(900)]

TASKS, SAMPLES, MOST_BYTES = 164, 10, 500 * 2**20


def _board(entrants: int) -> list[Showing]:
    random = np.random.default_rng(11)
    ability = np.linspace(2, -2, entrants)[:, None]
    logits = ability + random.normal(0, 1.5, TASKS) + random.normal(0, 0.5, (entrants, TASKS))
    values = random.binomial(SAMPLES, 1 / (1 + np.exp(-logits))) / SAMPLES
    return [
        Showing(entrant, {task: [value] for task, value in enumerate(row)})
        for entrant, row in enumerate(values.tolist())
    ]


@pytest.mark.parametrize(("entrants", "seconds"), [(200, 15), (1000, 180)])
def test_a_large_board_is_ranked_in_time(entrants: int, seconds: int) -> None:
    # A separate process: this one's peak may come from an earlier test.
    with ProcessPoolExecutor(1, get_context("spawn")) as child:
        used, held, ranked = child.submit(_ranked, entrants).result()
    assert used <= seconds
    assert held <= MOST_BYTES
    assert ranked == entrants


def _ranked(entrants: int) -> tuple[float, int, int]:
    """Seconds of processor time, because other programs may keep the machine busy; additional bytes
    of memory; the number of rows."""
    board = _board(entrants)
    before, began = _peak(), time.process_time()
    ranking = rank(board)
    return time.process_time() - began, _peak() - before, len(ranking.rows)


def test_one_more_entrant_on_a_board_of_500_takes_little() -> None:
    board, swaps = _board(501), Swaps()
    rank(board[:250] + board[251:], swaps=swaps)
    packed, began = swaps.packed(), time.process_time()
    rank(board, swaps=Swaps.unpacked(packed))
    assert time.process_time() - began <= 3


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
