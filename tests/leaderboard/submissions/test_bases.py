"""Tests that conversations begin with the entrant's Base completions, from the same file or from
another submission."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import transaction

from evaluation.state.units import open_units
from evaluation.work.actions import open_evaluation
from leaderboard.submissions import parts
from leaderboard.submissions.bases import beginning_words, take_base
from leaderboard.submissions.models import Generation, Submission
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database


def sent(cast: Cast, setting: str, text: str = "pass", **more: int) -> Submission:
    more.setdefault("samples", 1)
    entrant = cast.northwood.entrants.first() or cast.entrant()
    return cast.submission(entrant, benchmark=cast.codeif, setting=setting, text=text, **more)


def first_turns(submission: Submission) -> set[str]:
    return set(submission.generations.filter(turn=0).values_list("text", flat=True))


def test_the_entrants_own_base_completions_are_turn_0_and_judged_with_the_rest(cast: Cast) -> None:
    base, talk = sent(cast, "base", "return 1"), sent(cast, "multi_turn")
    evaluation = open_evaluation(submission=talk)
    talk.refresh_from_db()
    assert (talk.base, first_turns(talk)) == (base, {"return 1"})
    assert talk.generations.filter(turn=0).count() == base.generations_count
    units = [unit for chunk in evaluation.chunks.all() for unit in open_units(chunk)]
    assert {unit.generation.turn for unit in units} >= {0, 1}
    assert talk.generations_count == talk.generations.exclude(turn=0).count()


def own_base(talk: Submission, *, every: bool = False) -> None:
    """Adds Base lines of the file itself, for one conversation or for all."""
    talks = sorted(set(talk.generations.values_list("task", "sample")))
    Generation.objects.bulk_create(
        Generation(submission=talk, task_id=task, sample=sample, turn=0, text="own")
        for task, sample in (talks if every else talks[:1])
    )
    Submission.objects.filter(pk=talk.pk).update(generations_count=talk.generations.count())
    talk.refresh_from_db()


def test_the_base_lines_of_the_file_come_first(cast: Cast) -> None:
    sent(cast, "base", "return 1")
    talk = sent(cast, "multi_turn")
    own_base(talk, every=True)
    open_evaluation(submission=talk)
    assert first_turns(talk) == {"own"}
    assert talk.base is None
    assert "of the same file." in beginning_words(talk)


def test_each_conversation_without_one_in_the_file_gets_the_entrant_s(cast: Cast) -> None:
    base, talk = sent(cast, "base", "return 1"), sent(cast, "multi_turn")
    own_base(talk)
    told = "same file. Conversations without one begin at turn 1."
    assert beginning_words(talk).endswith(told)
    open_evaluation(submission=talk)
    talk.refresh_from_db()
    turns = sorted(talk.generations.filter(turn=0).values_list("text", flat=True))
    assert turns == ["own"] + ["return 1"] * (base.generations_count - 1)
    assert talk.base == base
    assert "same file. Where the file has none, turn 0 is the entrant's" in beginning_words(talk)
    open_evaluation(submission=talk)
    assert talk.generations.filter(turn=0).count() == base.generations_count


def test_where_turn_0_is_from_is_told_when_that_submission_is_gone(cast: Cast) -> None:
    base, talk = sent(cast, "base", "return 1"), sent(cast, "multi_turn")
    open_evaluation(submission=talk)
    base.delete()
    talk.refresh_from_db()
    assert beginning_words(talk).startswith("Turn 0 is the entrant's Base completions, which")


def test_a_published_one_comes_before_a_newer_one_that_is_not(cast: Cast) -> None:
    published = sent(cast, "base", "old")
    Submission.objects.filter(pk=published.pk).update(visibility="published")
    sent(cast, "base", "new")
    talk = sent(cast, "multi_turn")
    open_evaluation(submission=talk)
    assert first_turns(talk) == {"old"}


def test_anothers_and_unfinished_base_completions_are_none_of_ones_own(cast: Cast) -> None:
    other = cast.entrant("Sedge", cast.fenland)
    cast.submission(other, benchmark=cast.codeif, setting="base", samples=1)
    unfinished = sent(cast, "base", "half")
    Submission.objects.filter(pk=unfinished.pk).update(storing=1)
    talk = sent(cast, "multi_turn")
    open_evaluation(submission=talk)
    assert first_turns(talk) == set()


def test_no_conversation_comes_to_be_by_its_base_completion_alone(cast: Cast) -> None:
    sent(cast, "base", samples=3)
    talk = sent(cast, "multi_turn")
    open_evaluation(submission=talk)
    assert set(talk.generations.values_list("sample", flat=True)) == {0}


def test_what_came_later_is_taken_when_it_is_judged_again(cast: Cast) -> None:
    talk = sent(cast, "multi_turn")
    open_evaluation(submission=talk)
    assert "begin at turn 1" in beginning_words(talk)
    sent(cast, "base", "late")
    open_evaluation(submission=talk)
    assert first_turns(talk) == {"late"}
    sent(cast, "base", "later")
    open_evaluation(submission=talk)
    assert first_turns(talk) == {"late"}


def test_a_submission_gets_its_base_while_it_is_stored(cast: Cast) -> None:
    base, talk = sent(cast, "base", "return 1"), sent(cast, "multi_turn")
    Submission.objects.filter(pk=talk.pk).update(storing=1)
    evaluation = open_evaluation(submission=talk)
    Submission.with_unfinished.filter(pk=talk.pk).update(storing=None)
    sizes = sum(evaluation.chunks.values_list("size", flat=True))
    assert sizes == talk.generations.count() == talk.generations_count + base.generations_count


def test_what_was_taken_half_way_is_completed_from_the_same_base(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "PART_ROWS", 1)
    base, talk = sent(cast, "base", "first"), sent(cast, "multi_turn")

    class Ended(Exception):
        """The second part's transaction cannot be opened any more."""

    @contextmanager
    def write() -> Iterator[None]:
        if talk.generations.filter(turn=0).exists():
            raise Ended
        with transaction.atomic():
            yield

    with pytest.raises(Ended):
        take_base(submission=talk, write=write)
    assert talk.generations.filter(turn=0).count() == 1
    sent(cast, "base", "second")
    open_evaluation(submission=Submission.objects.get(pk=talk.pk))
    assert first_turns(talk) == {"first"}
    assert talk.generations.filter(turn=0).count() == base.generations_count


def test_where_there_are_no_conversations_nothing_is_taken(cast: Cast) -> None:
    sent(cast, "base", "return 1")
    other = sent(cast, "two_round")
    before = other.generations.count()
    open_evaluation(submission=other)
    assert other.generations.count() == before
