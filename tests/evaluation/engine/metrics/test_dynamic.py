"""The numbers of a dynamic conversation's turns."""

from __future__ import annotations

from evaluation.engine.metrics.dynamic import Numbers, numbers

ROW = {None: True, "A": False, "B": True}


def test_the_turns_of_base_have_its_verdict_for_both_accuracies() -> None:
    assert numbers(1, None, [None], [], {None: True}) == Numbers(ia=1, ca=1, ifr=0, ife=1)
    assert numbers(2, None, [None], [], {None: True}) == Numbers(ia=1, ca=1, ifr=0, ife=1 / 2)
    assert numbers(2, None, [None], [], {None: False}) == Numbers(ia=0, ca=0, ifr=0, ife=0)


def test_an_instruction_counts_for_every_time_it_was_picked() -> None:
    found = numbers(5, "B", [None, "B", "A", "B"], [None, "A"], ROW)
    assert found == Numbers(ia=1, ca=3 / 4, ifr=1 / 2, ife=3 / 5)


def test_where_nothing_was_marked_nothing_is_forgotten() -> None:
    assert numbers(3, "A", [None, "A"], [], ROW).ifr == 0
