"""What pages draw of conversations comes from the stored verdicts."""

from __future__ import annotations

import pytest

from evaluation.engine.conversations.matrices import Flow
from evaluation.models import Evaluation
from leaderboard.scores.conversations import conversations_of, forgetting, has_conversations
from leaderboard.scores.models import Score, TaskResult
from tests.support.cast import Cast
from tests.support.site import cast, quick

__all__ = ["cast", "quick"]


@pytest.fixture(autouse=True)
def as_a_test(quick: None) -> None:
    """Every one of them is quick."""


@pytest.fixture
def talked(cast: Cast) -> Evaluation:
    """With Base completions; every third turn passes nothing."""
    cast.submission(cast.entrant(), benchmark=cast.codeif, setting="base", samples=1)
    sent = cast.judged_submission(
        cast.northwood.entrants.get(), benchmark=cast.codeif, setting="multi_turn", samples=1
    )
    return sent.evaluations.get()


def test_a_conversation_is_a_row_for_each_turn(talked: Evaluation) -> None:
    task = talked.submission.revision.tasks.order_by("number").first()
    assert task is not None
    (talk,) = conversations_of(talked, task)
    assert talk.with_base
    assert len(talk.matrix.rows) == len(talk.slots)
    stored = TaskResult.objects.filter(evaluation=talked, task=task, metric="IA")
    own = {turn: talk.matrix.cell(turn, turn) for turn in talk.matrix.turns()}
    assert {row.turn: bool(row.value) for row in stored} == own


def test_each_metric_is_stored_overall_and_by_turn(talked: Evaluation) -> None:
    scores = Score.objects.filter(evaluation=talked)
    names = {"IA", "CA", "strict CA", "IFR", "script IFR"}
    assert names <= set(scores.filter(slice="overall").values_list("metric", flat=True))
    by_turn = scores.filter(metric="CA", slice="turn").order_by("pk")
    assert [row.slice_value for row in by_turn][:3] == ["0", "1", "2"]
    assert all(row.low is not None and row.low <= row.value <= row.high for row in by_turn[:3])
    lower = scores.filter(lower_is_better=True).values_list("metric", flat=True)
    assert set(lower) == {"IFR", "script IFR"}


def test_forgetting_is_told_turn_by_turn(talked: Evaluation) -> None:
    found = forgetting(talked)
    assert [flow.turn for flow in found] == list(range(1, len(found) + 1))
    assert isinstance(found[0], Flow)
    tasks = talked.submission.revision.tasks.count()
    assert sum((found[0].kept, found[0].lost, found[0].won, found[0].missed)) == tasks


def test_other_settings_and_earlier_versions_have_no_conversations(
    cast: Cast, talked: Evaluation
) -> None:
    assert has_conversations(talked)
    talked.verdicts.exclude(test_set="").delete()
    assert not has_conversations(talked)
    base = cast.judged_submission(cast.entrant("Other"), benchmark=cast.codeif, samples=1)
    assert not has_conversations(base.evaluations.get())
