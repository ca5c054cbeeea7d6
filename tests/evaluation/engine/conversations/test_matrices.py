"""Tests of conversations as matrices: their cells from verdicts, their metrics and their scores."""

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine import instructions
from evaluation.engine.conversations.matrices import METRICS, conversations, results
from evaluation.engine.instructions import EXTENSION, MULTI_TURN, slots
from evaluation.engine.metrics.conversations import TurnMetrics, turn_metrics
from evaluation.engine.metrics.summary import scores
from evaluation.engine.records import Integrity, Key, Status, Task, TaskResult, Verdict

EDGE, STYLE = "Edge Case Handling", "Code Standard"
TURNS = (EDGE, EXTENSION, STYLE)


def task(id: str = "t", unsound: tuple[str, ...] = ()) -> Task:
    public: dict[str, Any] = {"requirements": dict.fromkeys(TURNS, "Do it."), "turns": TURNS}
    if unsound:
        public["unsound"] = dict.fromkeys(unsound, "There is no test.")
    return Task(id, public, {})


def verdicts(
    passed: Iterable[tuple[str | None, str]],
    *,
    of: Sequence[str | None] = (None, *TURNS),
    subject: Task | None = None,
    sample: int = 0,
) -> list[Verdict]:
    """All verdicts on a conversation's turns; the named ones pass."""
    subject = subject or task()
    turns = {slot.requirement: slot.turn for slot in slots(subject, MULTI_TURN)}
    keys = [Key(subject.id, sample, name, turns[name]) for name in of]
    right = set(passed)
    return [
        Verdict(key, Status.PASSED if (key.requirement, name) in right else Status.FAILED, name)
        for key in keys
        for name in instructions.test_sets(subject, key, MULTI_TURN)
    ]


# Base and Edge Case Handling are followed, and forgotten in the last turn.
FORGETFUL = [
    (None, ""), (EDGE, ""), (EDGE, "base"), (EDGE, EDGE), (EXTENSION, ""), (STYLE, STYLE),
]  # fmt: skip


def values(found: Iterable[TaskResult], metric: str) -> dict[int | None, float | None]:
    return {r.turn: r.value for r in found if r.metric == metric}


def test_a_row_is_what_a_turns_code_passes_of_each_instruction_by_itself() -> None:
    (talk,) = conversations([task()], verdicts(FORGETFUL))
    assert talk.matrix.rows == [
        [True, False, None, False],
        [True, True, None, False],
        [None, None, True, None],
        [False, False, None, True],
    ]
    assert talk.matrix.accumulated == [True, True, True, False]
    assert talk.matrix.apart == {2}


def test_each_turn_has_its_metrics() -> None:
    found = results([task()], MULTI_TURN, verdicts(FORGETFUL))
    assert values(found, "IA") == {0: 1, 1: 1, 2: 1, 3: 1}
    assert values(found, "CA") == {0: 1, 1: 1, 3: pytest.approx(1 / 3)}
    assert values(found, "strict CA") == {0: 1, 1: 1, 3: 0}
    assert values(found, "IFR") == {1: 0, 3: 1}
    assert values(found, "script IFR") == {1: 0, 3: 1}


def test_without_a_base_completion_a_conversation_begins_at_turn_1() -> None:
    found = verdicts(FORGETFUL, of=TURNS)
    (talk,) = conversations([task()], found)
    assert talk.matrix.rows[0] is None
    assert values(results([task()], MULTI_TURN, found), "IA").keys() == {1, 2, 3}


def test_turns_that_were_not_handed_in_are_wrong() -> None:
    found = results([task()], MULTI_TURN, verdicts([(None, "")], of=(None,)))
    assert values(found, "IA") == {0: 1, 1: 0, 3: 0}
    assert values(found, "IFR") == {1: 1, 3: 1}


def test_a_task_of_which_nothing_was_handed_in_is_wrong_in_each_sample() -> None:
    both = verdicts(FORGETFUL) + verdicts(FORGETFUL, sample=1)
    found = results([task(), task("other")], MULTI_TURN, both)
    others = [r for r in found if r.task_id == "other" and r.metric == "strict CA"]
    assert [(r.turn, r.n, r.value) for r in others] == [(1, 2, 0.0), (3, 2, 0.0)]


def test_of_several_samples_a_turn_has_the_mean() -> None:
    found = verdicts(FORGETFUL) + verdicts([], sample=1)
    assert values(results([task()], MULTI_TURN, found), "IA") == {0: 0.5, 1: 0.5, 2: 0.5, 3: 0.5}


def test_what_is_not_settled_leaves_open_what_hangs_on_it() -> None:
    found = [
        Verdict(v.key, v.status, v.test_set, Integrity.SUSPECT)
        if (v.key.requirement, v.test_set) == (EDGE, EDGE)
        else v
        for v in verdicts(FORGETFUL)
    ]
    told = results([task()], MULTI_TURN, found)
    waiting = {(r.metric, r.turn) for r in told if r.open}
    assert waiting == {("IA", 1), ("CA", 1), ("IFR", 3)}
    computed = {s.metric: s for s in scores(told, [task()], (1,), (), METRICS) if s.slice}
    assert computed["IA"].bounds == (0.75, 1.0)
    assert (computed["script IFR"].value, computed["IFR"].value) == (0.5, None)
    assert computed["IFR"].bounds == (0.0, 0.5)


def test_nothing_can_be_judged_by_an_unsound_instruction() -> None:
    subject = task(unsound=(EDGE,))
    found = results([subject], MULTI_TURN, verdicts(FORGETFUL, subject=subject))
    assert values(found, "CA") == {0: 1, 3: 0.5}
    assert all(r.category != EDGE for r in found)


def test_other_settings_are_no_conversations() -> None:
    own = [Verdict(Key("t", 0, None, 0), Status.PASSED)]
    assert {r.metric for r in results([task()], "two_round", own)} == {"pass"}


_CELLS = [(v.key.requirement, v.test_set) for v in verdicts([])]


@given(st.lists(st.sets(st.sampled_from(_CELLS)), min_size=1, max_size=4), st.booleans())
def test_scores_are_the_averages_over_turns(passed: list[set[Any]], with_base: bool) -> None:
    tasks = [task(str(number)) for number in range(len(passed))]
    of = (None, *TURNS) if with_base else TURNS
    found = [
        verdict
        for subject, right in zip(tasks, passed, strict=True)
        for verdict in verdicts(right, of=of, subject=subject)
    ]
    told = scores(results(tasks, MULTI_TURN, found), tasks, (1,), (), METRICS)
    by_name = {score.metric: score.value for score in told}
    every = [t for talk in conversations(tasks, found) for t in turn_metrics(talk.matrix)]

    def mean(of: Callable[[TurnMetrics], float | None], first: int = 0) -> Any:
        values = [value for turn in every if turn.turn >= first and (value := of(turn)) is not None]
        return pytest.approx(fmean(values) if values else None)

    assert by_name == {
        "IA": mean(lambda turn: turn.ia),
        "CA": mean(lambda turn: turn.ca),
        "strict CA": mean(lambda turn: turn.strict_ca),
        "pass@1": mean(lambda turn: turn.strict_ca, first=1),
        "IFR": mean(lambda turn: turn.ifr),
        "script IFR": mean(lambda turn: turn.script_ifr),
    }
