"""The numbers of a dynamic conversation's turns, and the report that is published of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.metrics.dynamic import Numbers, by_pair, by_turn, numbers, published

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


def at(value: float) -> Numbers:
    return Numbers(value, value / 2, 1 - value, value * 2)


def test_turns_are_averaged_in_pairs_and_pairs_over_conversations() -> None:
    long, short = [at(1.0), at(0.0), at(1.0)], [at(1.0), at(1.0)]
    first, second = by_pair([long, short])
    assert (first.first, first.last, first.n) == (1, 2, 2)
    assert first.means.ia == 3 / 4
    assert (second.first, second.last, second.n) == (3, 4, 1)
    assert second.means == at(1.0)  # an odd last turn stands alone
    assert published([long, short]) == at(7 / 8)


def test_each_pair_weighs_the_same_however_few_conversations_reach_it() -> None:
    conversations = [[at(0.0), at(0.0)]] * 9 + [[at(0.0), at(0.0), at(1.0), at(1.0)]]
    report = published(conversations)
    assert report is not None and report.ia == 1 / 2


def test_each_turn_has_its_mean_over_the_conversations_that_reach_it() -> None:
    found = by_turn([[at(1.0), at(0.5)], [at(0.0)]])
    assert [(p.first, p.last, p.n, p.means.ia) for p in found] == [(1, 1, 2, 0.5), (2, 2, 1, 0.5)]


def test_no_conversations_have_no_report() -> None:
    assert published([]) is None
    assert by_pair([]) == []


VALUES = st.floats(0, 1)
TURNS = st.lists(st.builds(Numbers, VALUES, VALUES, VALUES, VALUES), min_size=1, max_size=9)


@given(st.lists(TURNS, min_size=1, max_size=5))
def test_the_report_equals_one_added_up_pair_by_pair(conversations: list[list[Numbers]]) -> None:
    pairs: dict[int, list[float]] = {}
    for turns in conversations:
        for start in range(0, len(turns), 2):
            if start + 1 < len(turns):
                value = (turns[start].ife + turns[start + 1].ife) / 2
            else:
                value = turns[start].ife
            pairs.setdefault(start, []).append(value)
    means = [sum(values) / len(values) for values in pairs.values()]
    report = published(conversations)
    assert report is not None
    assert report.ife == pytest.approx(sum(means) / len(means))
