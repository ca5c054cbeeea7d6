"""Signs of memorisation: hand-made boards, and small simulations of honest and planted entrants."""

import numpy as np
import pytest

from bench.planted import KINDS, planting
from evaluation.engine.metrics.memorisation import FEWEST_ENTRANTS, ages, overlaps

TASKS = 40


def everyone_right(entrants: int) -> np.ndarray:
    return np.ones((entrants, TASKS), dtype=np.bool_)


def one_in_eight(entrants: int) -> np.ndarray:
    """Every entrant gives the reference in five tasks, neighbours in different ones."""
    return np.array(
        [[float((task + row) % 8 == 0) for task in range(TASKS)] for row in range(entrants)]
    )


@pytest.mark.parametrize("kind", KINDS)
def test_honest_boards_are_rarely_flagged_and_planted_entrants_are_found(kind: str) -> None:
    found = planting(kind, 20, 164, 40)
    assert found.holds
    assert found.covered > 0.9
    assert found.found[0] > 0.75


def test_a_copy_of_all_references_is_flagged_with_its_excess() -> None:
    equal = one_in_eight(12)
    equal[3] = 1
    signs = overlaps(equal, everyone_right(12), range(TASKS))
    assert [sign is not None and sign.flagged for sign in signs] == [row == 3 for row in range(12)]
    copy = signs[3]
    assert copy is not None and copy.tasks == TASKS
    # By the others' answers, 5 of 40 are expected; the copy itself raises the tasks' base rates a
    # little.
    assert copy.excess == pytest.approx(1 - 5 / 40, abs=0.03)
    assert copy.low < copy.excess < copy.high


def test_only_right_answers_count() -> None:
    """An answer that equals the reference but fails is no sign of memorisation."""
    equal, right = one_in_eight(12), everyone_right(12)
    equal[3, 20:], right[3, 20:] = 1, False
    with_wrong = overlaps(equal, right, range(TASKS))[3]
    equal[3, 20:] = 0
    assert with_wrong == overlaps(equal, right, range(TASKS))[3]
    assert with_wrong is not None and with_wrong.tasks == 20


def test_there_is_no_sign_with_too_little_to_compare() -> None:
    few = FEWEST_ENTRANTS - 1
    assert overlaps(one_in_eight(few), everyone_right(few), range(TASKS)) == [None] * few
    solves_little = everyone_right(12)
    solves_little[0, 19:] = False
    signs = overlaps(one_in_eight(12), solves_little, range(TASKS))
    assert signs[0] is None and signs[1] is not None
    # All tasks in five repositories.
    same = [task % 5 for task in range(TASKS)]
    assert overlaps(one_in_eight(12), everyone_right(12), same) == [None] * 12


def test_a_common_solution_is_no_sign() -> None:
    """All give the reference where it is the only plain way to write the function."""
    equal = np.tile((np.arange(TASKS) % 2).astype(np.float64), (12, 1))
    signs = overlaps(equal, everyone_right(12), range(TASKS))
    assert not any(sign is None or sign.flagged for sign in signs)
    assert [sign.excess for sign in signs if sign] == pytest.approx([0] * 12, abs=0.01)


def test_older_tasks_that_are_easier_for_all_are_no_sign() -> None:
    random = np.random.default_rng(5)
    older = np.arange(80) < 40
    strength = np.linspace(-2, 2, 12)[:, None]
    chance = 1 / (1 + np.exp(-(strength + np.where(older, 1.0, -1.0))))
    values = (random.random((12, 80)) < chance).astype(np.float64)
    signs = ages(values, [older] * 12, range(80))
    assert not any(sign is None or sign.flagged for sign in signs)
    values[5] = older
    knows = ages(values, [older if row == 5 else None for row in range(12)], range(80))
    assert [sign is None for sign in knows] == [row != 5 for row in range(12)]
    assert knows[5] is not None and knows[5].flagged and knows[5].excess > 0.2
