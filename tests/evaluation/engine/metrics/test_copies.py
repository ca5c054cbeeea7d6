"""Tests of finding copies among submissions that share many answers even without copying."""

import pytest

from evaluation.engine.metrics.copies import Hashes, Overlap, alike, is_common, overlap
from tests.support.linear import at_most

TASKS = 100


def hashes(*values: object) -> Hashes:
    return frozenset(hash((*values, number)) for number in range(20))


def answers(values: list[str]) -> dict[int, set[Hashes]]:
    return {task: {hashes(task, value)} for task, value in enumerate(values) if value}


def changed(values: list[str], every: int) -> list[str]:
    return [f"own {v}" if task % every == 0 else v for task, v in enumerate(values)]


RARE = [f"rare {task}" for task in range(TASKS)]


def found(mine: list[str], theirs: list[str], plain: list[str] | None = None) -> Overlap:
    common = set().union(*answers(plain or []).values())
    return overlap(answers(mine), answers(theirs), common)


def test_from_80_percent_on_a_copy_is_held_and_below_it_is_noted() -> None:
    fifth, quarter = found(changed(RARE, 5), RARE), found(changed(RARE, 4), RARE)
    assert (fifth.share, fifth.held) == (0.8, True)
    assert (quarter.share, quarter.noted, quarter.held) == (0.75, True, False)
    assert not found(changed(RARE, 2)[:99], RARE).noted


def test_answers_are_alike_from_60_percent_of_what_they_run() -> None:
    assert alike(frozenset(range(50)), frozenset(range(12, 62)))
    assert not alike(frozenset(range(50)), frozenset(range(13, 63)))


def test_an_answer_within_a_longer_one_is_alike_if_it_is_long_enough() -> None:
    assert alike(frozenset(range(20)), frozenset(range(5, 60)))
    assert alike(frozenset(range(5, 60)), frozenset(range(20)))
    assert not alike(frozenset(range(20)), frozenset(range(6, 60)))
    assert alike(frozenset(range(5)), frozenset(range(1, 60)))
    assert not alike(frozenset(range(4)), frozenset(range(60)))
    # Of long answers only the 64 smallest hashes are there: the first one has all below 256.
    long, padded = frozenset(range(0, 256, 4)), frozenset(range(0, 128, 2))
    assert alike(long, padded)
    assert not alike(long, frozenset(range(2, 194, 3)))


def test_long_answers_count_more_than_short_ones_up_to_a_limit() -> None:
    long = {task: {frozenset(range(64))} for task in range(8)}
    for length, share in (4, 8 / 9), (16, 2 / 3), (40, 0.5):
        mine = {task + 8: {frozenset(range(length))} for task in range(8)}
        theirs = {task: {frozenset(range(100, 164))} for task in mine}
        assert overlap(long | mine, long | theirs, ()).share == pytest.approx(share)


def test_empty_answers_hide_no_copy() -> None:
    some = [value if task % 3 else "" for task, value in enumerate(RARE)]
    assert found(some, RARE) == Overlap(66, 1.0, 66, 1.0)


def test_equal_answers_that_many_give_hold_nothing() -> None:
    plain = [f"plain {task}" for task in range(TASKS)]
    mine = plain[:82] + RARE[82:]
    theirs = plain[:82] + changed(RARE, 1)[82:]
    one = found(mine, theirs, plain)
    assert (one.share, one.rare_tasks, one.noted, one.held) == (0.82, 18, True, False)
    assert found(mine, mine, plain).held
    fewer = found(plain[:79] + RARE[79:], plain[:79] + changed(RARE, 1)[79:], plain)
    assert (fewer.share, fewer.noted) == (0.79, False)


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
    ten = {task: {hashes(task, sample) for sample in range(10)} for task in range(TASKS)}
    one = {task: {hashes(task, 3)} for task in range(TASKS)}
    padded = {task: ten[task] | {hashes(task, extra) for extra in "abc"} for task in ten}
    assert overlap(one, ten, ()).held
    assert overlap(padded, ten, ()).held


def test_many_samples_are_compared_soon() -> None:
    """Solutions of a task begin with the same words."""

    def team(name: str) -> dict[int, set[Hashes]]:
        head = frozenset(range(25))
        return {t: {head | hashes(name, t, sample) for sample in range(200)} for t in range(40)}

    mine, theirs = team("mine"), team("theirs")
    with at_most(2):
        assert not overlap(mine, theirs, ()).noted
        assert overlap({task: {*[*theirs[task]][:40]} for task in theirs}, theirs, ()).held


@pytest.mark.parametrize(("teams", "others", "common"), [
    (0, 0, False), (0, 5, False), (1, 1, True), (1, 10, True), (1, 11, False), (2, 11, True),
])  # fmt: skip
def test_one_in_ten_other_teams_makes_an_answer_common(
    teams: int, others: int, common: bool
) -> None:
    assert is_common(teams, others) is common
