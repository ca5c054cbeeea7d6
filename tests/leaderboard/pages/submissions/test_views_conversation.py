"""Tests of the page of one conversation, and of the conversations on a submission's page."""

import re

import pytest
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from evaluation.models import Evaluation, Verdict
from leaderboard.benchmarks.models import Task, TaskExclusion
from leaderboard.submissions.models import Generation, Submission
from tests.leaderboard.pages.submissions.visits import ESCAPED, SCRIPT, visitor
from tests.support.cast import Cast
from tests.support.conversations import dynamic, multi_turn, passing
from tests.support.snapshots import made_once

pytestmark = pytest.mark.any_database

# The first task's conversation: turn 1 breaks Base, turn 3 forgets the first instruction.
WORKED = ("pffff", "fpfff", "ppppf", "pfppf", "pfppp")
# The last three record that staff look at it.
QUERIES = 13 + 3


@pytest.fixture
def published(cast: Cast) -> Submission:
    def made() -> Submission:
        return multi_turn(cast, cast.entrant(), passing(WORKED))

    return made_once(cast, "a conversation", made)


def address(submission: Submission, number: int = 0, sample: int = 1) -> str:
    return reverse("submission-conversation", args=[submission.pk, number, sample])


def page(cast: Cast, submission: Submission, person: str | None, number: int = 0) -> str:
    client = visitor(getattr(cast, person) if person else None)
    return client.get(address(submission, number)).text


def turn(text: str, number: int) -> str:
    """The page's text about one turn."""
    return text.partition(f'id="turn-{number}"')[2].partition("</section>")[0]


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


# Who reads the texts of Northwood.
READERS = {None: False, "charlie": False, "alice": True, "bob": True, "dora": True}


def test_everyone_sees_verdicts_and_the_team_its_code(cast: Cast, published: Submission) -> None:
    for person, own in READERS.items():
        text = page(cast, published, person)
        assert "IA 100 % CA 50 % IFR 100 %" in words(turn(text, 1)), person
        assert "Forgotten: Base" in words(turn(text, 1)), person
        assert ("# turn 1" in text, "Only the team sees what was" in text) == (own, not own), person


def test_a_turn_says_what_it_asks_for(cast: Cast, published: Submission) -> None:
    text = page(cast, published, None)
    task = Task.objects.get(revision=published.revision_id, number=0)
    asked = task.public["requirements"]["Annotation Coverage"]
    assert task.public["prompt"].partition("'")[0] in words(turn(text, 0))
    assert asked.partition("'")[0] in words(turn(text, 2))
    assert "Turn 2, Annotation Coverage" in words(turn(text, 2))


def test_a_turn_is_compared_with_the_turn_before(cast: Cast, published: Submission) -> None:
    text = page(cast, published, "bob")
    assert "code-changes" not in turn(text, 0)
    assert '<span class="added">' in turn(text, 1)
    assert "code-changes" not in page(cast, published, None)


def test_the_nearest_failures_are_a_key_away(cast: Cast, published: Submission) -> None:
    own = Verdict.objects.filter(evaluation__submission=published, test_set="")
    own.update(status="passed", integrity="clean")
    own.filter(generation__task__number__in=(1, 4), generation__turn=0).update(status="failed")
    text = page(cast, published, "bob", number=2)
    for key, number in (("ArrowLeft", 1), ("ArrowRight", 4)):
        assert f'data-key="{key}" href="{address(published, number)}"' in text


def test_without_base_it_starts_at_turn_1_and_says_so(cast: Cast) -> None:
    found = multi_turn(cast, cast.entrant(), passing(WORKED), base=False)
    text = page(cast, found, None)
    assert "turns start at 1" in text
    assert 'id="turn-0"' not in text
    assert "Turn 0 is Base." in page(
        cast, multi_turn(cast, cast.entrant("B"), passing(WORKED)), None
    )


def test_what_a_transcript_asked_is_told_to_its_team(cast: Cast) -> None:
    """Others are not told, because feedback may quote what a test printed."""
    found = dynamic(cast, cast.entrant(), passing(("", "pffff", "pffff", "ppfff")), [1, 2, 3])
    Generation.objects.filter(turn=3).update(asked=f"It failed: {SCRIPT}")
    Submission.objects.update(visibility="published")
    for person, own in READERS.items():
        text = turn(page(cast, found, person), 3)
        assert (f"It failed: {ESCAPED}" in text, SCRIPT in text) == (own, False), person
        assert ("The function should raise" in words(text)) == (not own), person


def test_an_extension_says_that_it_stands_apart(cast: Cast, published: Submission) -> None:
    row = Generation.objects.create(
        submission=published,
        task=Task.objects.get(revision=published.revision_id, number=0),
        sample=0,
        requirement="Functionality Extension",
        turn=5,
        text="x",
    )
    evaluation = published.evaluations.get()
    Verdict.objects.create(evaluation=evaluation, generation=row, status="passed")
    text = turn(page(cast, published, None), 5)
    assert "counts in no other metric" in text
    assert "CA" not in words(text)


def test_a_turn_that_is_missed_counts_as_wrong(cast: Cast, published: Submission) -> None:
    Generation.objects.filter(turn=2, task__number=0).delete()
    text = turn(page(cast, published, None), 2)
    assert "it counts as wrong" in text
    assert "IA 0 %" in words(text)


def test_while_it_is_judged_it_can_be_read(cast: Cast) -> None:
    found = cast.submission(cast.entrant(), benchmark=cast.codeif, setting="multi_turn", samples=1)
    text = page(cast, found, "bob")
    assert "not judged yet" in text
    assert "IA – CA – IFR –" in words(turn(text, 2))


def test_conversations_stand_in_the_order_of_tasks_and_samples(cast: Cast) -> None:
    found = cast.submission(cast.entrant(), benchmark=cast.codeif, setting="multi_turn", samples=2)
    client = visitor(cast.bob)
    places = {(0, 1): (None, (0, 2)), (0, 2): ((0, 1), (1, 1)), (11, 2): ((11, 1), None)}
    for place, (before, after) in places.items():
        text = client.get(address(found, *place)).text
        for words_, other in (("prev", before), ("next", after)):
            link = f'rel="{words_}" href="{address(found, *other)}"' if other else ""
            assert link in text if other else f'rel="{words_}"' not in text


def test_what_does_not_exist_is_not_found(cast: Cast, published: Submission) -> None:
    for place in ((0, 0), (0, 2), (99, 1)):
        assert visitor(cast.dora).get(address(published, *place)).status_code == 404, place


def test_other_settings_have_no_conversations(cast: Cast) -> None:
    found = cast.judged_submission(cast.entrant(), benchmark=cast.codeif)
    client = visitor(cast.bob)
    assert client.get(address(found)).status_code == 404
    for name, args in (("submission", [found.pk]), ("submission-task", [found.pk, 0])):
        assert "/conversations/" not in client.get(reverse(name, args=args)).text


@pytest.mark.parametrize("turns", [2, 5])
def test_the_number_of_queries_does_not_grow(
    cast: Cast, published: Submission, turns: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    Generation.objects.filter(turn__gte=turns).delete()
    client = visitor(cast.dora)
    with django_assert_num_queries(QUERIES):
        client.get(address(published))


# --- On other pages -----------------------------------------------------------------------


def overview(cast: Cast, submission: Submission, person: str | None = None) -> str:
    client = visitor(getattr(cast, person) if person else None)
    return client.get(submission.get_absolute_url()).text


def test_a_result_shows_the_conversation_that_forgets_most_and_what_is_kept_to_everyone(
    cast: Cast, published: Submission
) -> None:
    for person in (None, "bob"):
        text = overview(cast, published, person)
        assert "The conversation about task 1 forgets most" in text
        assert address(published) in text
        assert "# turn 1" not in text
    table = words(text.partition('id="kept"')[2].partition("</section>")[0])
    assert re.search(r"Base \d+/12", table), "all twelve tasks begin with Base"
    assert "instructions are kept at the next turn" in table


def test_a_task_that_is_left_out_is_in_no_sum(cast: Cast, published: Submission) -> None:
    task = Task.objects.get(revision=published.revision_id, number=0)
    TaskExclusion.objects.create(task=task, reason="It is broken.", decided_by=cast.dora)
    text = overview(cast, published)
    assert "about task 1<" not in text
    assert "/12" not in text.partition('id="kept"')[2].partition("</section>")[0]


def test_every_task_leads_to_its_conversation(cast: Cast, published: Submission) -> None:
    board = reverse("task", args=[cast.codeif.slug, 3]) + "?setting=multi_turn"
    pages = (
        overview(cast, published),
        visitor().get(reverse("submission-task", args=[published.pk, 3])).text,
        visitor().get(board).text,
    )
    assert [address(published, 3) in text for text in pages] == [True] * 3


def test_while_it_is_judged_no_conversation_stands_on_its_page(cast: Cast) -> None:
    found = multi_turn(cast, cast.entrant(), passing(WORKED))
    Evaluation.objects.update(state="judging", finished=None)
    assert 'id="conversations"' not in overview(cast, found)


def test_what_was_computed_is_kept_until_it_is_scored_anew(
    cast: Cast, published: Submission, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    first = overview(cast, published)
    Verdict.objects.update(status="failed")
    assert 'id="kept"' in overview(cast, published)
    evaluation = published.evaluations.get()
    Evaluation.objects.update(finished=evaluation.created)
    assert 'id="kept"' in first
    assert 'id="kept"' not in overview(cast, published)
