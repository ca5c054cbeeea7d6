"""Tests of finding copies among submissions that share many answers even without copying."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from evaluation.engine.metrics.copies import Overlap, is_common, overlap

TASKS = 100


def answers(values: list[str]) -> dict[int, set[bytes]]:
    return {task: {f"{task} {value}".encode()} for task, value in enumerate(values) if value}


def changed(values: list[str], every: int) -> list[str]:
    return [f"own {v}" if task % every == 0 else v for task, v in enumerate(values)]


RARE = [f"rare {task}" for task in range(TASKS)]


def found(mine: list[str], theirs: list[str], plain: list[str] | None = None) -> Overlap:
    common = set().union(*answers(plain or []).values())
    return overlap(answers(mine), answers(theirs), common)


def test_from_90_percent_on_a_copy_is_held_and_below_it_is_noted() -> None:
    tenth, ninth = found(changed(RARE, 10), RARE), found(changed(RARE, 9), RARE)
    assert (tenth.share, tenth.held) == (0.9, True)
    assert (ninth.share, ninth.noted, ninth.held) == (0.88, True, False)
    assert not found(changed(RARE, 2)[:99], RARE).noted


def test_empty_answers_hide_no_copy() -> None:
    some = [value if task % 3 else "" for task, value in enumerate(RARE)]
    assert found(some, RARE) == Overlap(66, 1.0, 66, 1.0)


def test_equal_answers_that_many_give_hold_nothing() -> None:
    plain = [f"plain {task}" for task in range(TASKS)]
    mine = plain[:92] + RARE[92:]
    theirs = plain[:92] + changed(RARE, 1)[92:]
    one = found(mine, theirs, plain)
    assert (one.share, one.rare_tasks, one.noted, one.held) == (0.92, 8, True, False)
    assert found(mine, mine, plain).held
    fewer = found(plain[:89] + RARE[89:], plain[:89] + changed(RARE, 1)[89:], plain)
    assert (fewer.share, fewer.noted) == (0.89, False)


def test_few_rare_answers_hold_nothing() -> None:
    plain = [f"plain {task}" for task in range(TASKS)]
    mine = plain[:96] + RARE[96:]
    one = found(mine, mine, plain)
    assert (one.noted, one.held) == (True, False)


def test_few_equal_answers_are_not_noted() -> None:
    plain = [f"plain {task}" for task in range(TASKS)]
    assert not found(plain[:4], plain[:4], plain).noted
    assert found(plain[:5], plain[:5], plain).noted


def test_samples_are_compared_as_sets() -> None:
    ten = {task: {f"{task} {sample}".encode() for sample in range(10)} for task in range(TASKS)}
    one = {task: {f"{task} 3".encode()} for task in range(TASKS)}
    padded = {task: ten[task] | {f"{task} {extra}".encode() for extra in "abc"} for task in ten}
    assert overlap(one, ten, ()).held
    assert overlap(padded, ten, ()).held


@pytest.mark.parametrize(("teams", "others", "common"), [
    (0, 0, False), (0, 5, False), (1, 1, True), (1, 10, True), (1, 11, False), (2, 11, True),
])  # fmt: skip
def test_one_in_ten_other_teams_makes_an_answer_common(
    teams: int, others: int, common: bool
) -> None:
    assert is_common(teams, others) is common


def test_among_thirty_teams_only_the_copies_are_found() -> None:
    """Each task has one likely answer, which each team gives with a probability between 0 and 1
    that depends on the task, as with easy and hard tasks. On 4 boards, every copy is noted and no
    pair of independent teams."""
    random = np.random.default_rng(16)
    for _board in range(4):
        likely = random.beta(0.7, 0.7, size=TASKS)
        teams = [
            [
                "likely" if random.random() < likely[task] else f"{team} {task}"
                for task in range(TASKS)
            ]
            for team in range(30)
        ]
        for one, other in combinations(range(len(teams)), 2):
            others = [t for n, t in enumerate(teams) if n not in (one, other)]
            assert not found(teams[one], teams[other], plain_of(teams[one], others)).noted
        for copied, every, held in ((0, 10_000, True), (1, 20, True), (2, 4, False)):
            copy = changed(teams[copied], every)
            others = [t for n, t in enumerate(teams) if n != copied]
            one = found(copy, teams[copied], plain_of(copy, others))
            assert (one.noted, one.held) == (True, held)


def plain_of(mine: list[str], others: list[list[str]]) -> list[str]:
    return [
        value if is_common(sum(other[task] == value for other in others), len(others)) else ""
        for task, value in enumerate(mine)
    ]
