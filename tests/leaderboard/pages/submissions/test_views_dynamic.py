"""Tests of the pages of accepted transcripts: turn by turn, by the messages that were sent."""

from __future__ import annotations

import pytest
from django.urls import reverse

from evaluation.engine.conversations.dialogue import course, numbers
from evaluation.engine.instructions import accumulating
from evaluation.models import Evaluation
from leaderboard.benchmarks.models import Benchmark
from leaderboard.benchmarks.public import public_record
from leaderboard.pages.shared.conversations.reading import conversations_of
from tests.leaderboard.pages.submissions.transcripts import benchmark, honest_talks, scored
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import Cast
from tests.support.transcripts import TASKS

pytestmark = pytest.mark.any_database

__all__ = ["benchmark"]


def taken(cast: Cast, benchmark: Benchmark, name: str) -> Evaluation:
    evaluation = scored(benchmark, cast.alice, cast.entrant(name), honest_talks())
    cast.publish(evaluation.submission)
    return evaluation


def test_turns_are_those_of_the_transcript_and_their_numbers_those_of_the_rules(
    cast: Cast, benchmark: Benchmark
) -> None:
    evaluation = taken(cast, benchmark, "Larch")
    tasks = evaluation.submission.revision.tasks.all()
    found = conversations_of(evaluation.submission, evaluation, tasks)
    assert [len(one.turns) for one in found] == [len(honest_talks()[task]) for task in TASKS]
    for one, task in zip(found, tasks, strict=True):
        rows = [{cell.name: bool(cell.passed) for cell in turn.cells} for turn in one.turns]
        talks, _end = course(accumulating(public_record(task)), rows)
        for turn, talk, row in zip(one.turns, talks, rows, strict=True):
            wanted = numbers(talk, row)
            figures = turn.figures
            assert (figures.ia, figures.ca, figures.ifr, figures.ife) == (
                wanted.ia, wanted.ca, wanted.ifr, wanted.ife,
            )  # fmt: skip
            assert turn.asked == (talk.current,)


def test_a_board_of_transcripts_is_drawn_by_turn(cast: Cast, benchmark: Benchmark) -> None:
    for name in ("Larch", "Marl"):
        taken(cast, benchmark, name)
    text = visitor().get(f"/benchmarks/{benchmark.slug}/?setting=dynamic").text
    for name in ("turns-ia", "turns-ca", "turns-ifr"):
        assert f'id="chart-{name}"' in text
    assert text.count("turns are counted from 1") == 3


def test_the_page_of_a_result_leads_to_its_conversations(cast: Cast, benchmark: Benchmark) -> None:
    found = taken(cast, benchmark, "Larch").submission
    address = reverse("submission-conversation", args=[found.pk, 0, 1])
    text = visitor().get(found.get_absolute_url()).text
    assert (address in text, 'id="kept"' in text) == (True, True)
    assert "Turns are counted from 1." in visitor().get(address).text
    asked = honest_talks()[TASKS[0]][0].asked
    assert asked[:40] in visitor(cast.bob).get(address).text.replace("&#x27;", "'")
