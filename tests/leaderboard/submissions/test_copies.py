"""Tests that a submission with another team's answers waits for the staff's decision."""

import json
from collections.abc import Callable, Iterable

import pytest
from auditlog.models import LogEntry
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from evaluation.work import actions
from leaderboard.accounts.models import Entrant, Team
from leaderboard.benchmarks.records import task_records
from leaderboard.scores.boards import make_board, stale_boards
from leaderboard.scores.models import Standing
from leaderboard.submissions.copies import compare, tasks_alike
from leaderboard.submissions.intake import remove_leftovers
from leaderboard.submissions.models import (
    AnswerDigest,
    Copy,
    CopyState,
    Generation,
    Submission,
    Visibility,
)
from leaderboard.submissions.publishing import NotPublishable, hold_words
from tests.leaderboard.pages.submissions.visits import checked, stored
from tests.support.cast import Cast, clerk

pytestmark = pytest.mark.any_database

CHANGELIST = reverse("admin:submissions_copy_changelist")


def body(mark: str, task: int, *, comment: str = "") -> str:
    lines = f"total = {task}{comment}", f"for one in {mark}.items:", f"    {mark}(one, total)"
    return "".join(f"    {line}\n" for line in (*lines, f"return {mark}.first(total, {task})"))


def sent(
    cast: Cast, entrant: Entrant, mark: str, *, own: int = 0, comment: str = "", judged: bool = True
) -> Submission:
    """A submission with `mark`'s answers on all tasks except the first `own`, compared as an upload
    is."""
    make = cast.judged_submission if judged else cast.submission
    submission = make(entrant, samples=1, **({"publish": False} if judged else {}))
    for number, row in enumerate(submission.generations.order_by("task__number")):
        row.text = body(entrant.slug if number < own else mark, number, comment=comment)
        row.save()
    compare(submission=submission)
    return submission


@pytest.fixture
def theirs(cast: Cast) -> Submission:
    return sent(cast, cast.entrant("Theirs", cast.fenland), "first")


def decide(cast: Cast, state: CopyState) -> None:
    copies = Copy.objects.all()
    actions.decide_on_copies(copies=copies, state=state, reason="We asked.", user=cast.dora)


def test_a_copy_is_not_published_before_a_decision(cast: Cast, theirs: Submission) -> None:
    copied = sent(cast, cast.entrant("Copied"), "first", comment="  # mine")
    copy = Copy.objects.get()
    assert (copy.submission, copy.other, copy.share, copy.held) == (copied, theirs, 1.0, True)
    assert len(tasks_alike(copy)) == 12
    with pytest.raises(NotPublishable, match="another team"):
        actions.publish_submission(submission=copied)
    actions.publish_submission(submission=theirs)
    decide(cast, CopyState.ALLOWED)
    actions.publish_submission(submission=copied)
    assert Submission.objects.get(pk=copied.pk).visibility == Visibility.PUBLISHED
    copy.refresh_from_db()
    assert (copy.reason, copy.decided_by) == ("We asked.", cast.dora)
    assert copy.decided_at is not None


def test_a_refusal_takes_a_published_copy_off_its_board(cast: Cast, theirs: Submission) -> None:
    copied = sent(cast, cast.entrant("Copied"), "first", own=3)
    assert not Copy.objects.get().held
    actions.publish_submission(submission=copied)
    assert make_board(board=stale_boards().get())
    decide(cast, CopyState.REFUSED)
    assert make_board(board=stale_boards().get())
    assert not Standing.objects.filter(submission=copied).exists()
    with pytest.raises(NotPublishable, match="decided"):
        actions.publish_submission(submission=copied)


def test_the_same_team_may_send_its_answers_again(cast: Cast) -> None:
    for name in ("One", "Two"):
        sent(cast, cast.entrant(name), "first")
    assert not Copy.objects.exists()
    # Also after another team copied them.
    copied = sent(cast, cast.entrant("Copied", cast.fenland), "first")
    sent(cast, cast.entrant("Three"), "first")
    assert Copy.objects.get().submission == copied


def test_answers_of_their_own_are_no_copy(cast: Cast, theirs: Submission) -> None:
    sent(cast, cast.entrant("Own"), "second")
    sent(cast, cast.entrant("Few"), "first", own=7)
    assert not Copy.objects.exists()


def test_the_same_trivial_answer_to_all_tasks_is_only_noted(cast: Cast) -> None:
    for text in ("    return None\n", "", "# nothing\n"):
        for team in (cast.northwood, cast.fenland):
            entrant = cast.entrant(f"{team} {len(text)}", team)
            compare(submission=cast.submission(entrant, text=text))
    copy = Copy.objects.get()
    assert (copy.share, copy.rare_tasks, copy.held) == (1.0, 0, False)
    assert set(AnswerDigest.objects.values_list("short", flat=True)) == {True}


def sent_short(cast: Cast, name: str, team: Team, of: str, *, differs: int = 0) -> Submission:
    """A submission whose answers are below the length from which one answer is evidence."""
    submission = cast.submission(cast.entrant(name, team), samples=1)
    for number, row in enumerate(submission.generations.order_by("task__number")):
        own = name if number < differs else of
        row.text = f"    return {own.lower()}[{number}]\n"
        row.save()
    compare(submission=submission)
    return submission


def test_all_answers_of_another_team_are_held_however_short(cast: Cast) -> None:
    theirs = sent_short(cast, "Theirs", cast.fenland, "keys")
    copied = sent_short(cast, "Copied", cast.northwood, "keys")
    copy = Copy.objects.get()
    assert (copy.submission, copy.other, copy.held) == (copied, theirs, True)
    assert (copy.tasks, copy.share, copy.rare_tasks) == (12, 1.0, 0)
    # Clients show it too.
    assert "Tell them on the result's page" in hold_words(copied)
    copy.delete()
    copied.generations_count = 9  # too few to be held
    compare(submission=copied)
    assert not Copy.objects.get().held


def test_short_answers_that_differ_in_one_are_noted_and_in_four_are_no_copy(cast: Cast) -> None:
    theirs = sent_short(cast, "Theirs", cast.fenland, "keys")
    mine = sent_short(cast, "Mine", cast.northwood, "keys", differs=1)
    sent_short(cast, "Four", cast.northwood, "keys", differs=4)
    sent_short(cast, "Other", cast.northwood, "names")
    copy = Copy.objects.get()
    assert (copy.submission, copy.other, copy.held) == (mine, theirs, False)
    assert copy.share == pytest.approx(11 / 12)
    assert not hold_words(mine)


HELPER = "\n\ndef unused(value):\n    return [value for one in range(9) if one or value]\n"


@pytest.mark.parametrize("change", [
    lambda text, _task: text.replace("total", "acc").replace("one", "item"),
    lambda text, task: text if task else f"    return own({task})\n",
    lambda text, _task: f"    n = 0\n    n += 1\n    if n < 0:\n        return 1\n{text}",
    lambda text, _: text.replace("return", "return rest(total)\n\ndef rest(total):\n    return"),
])  # fmt: skip
def test_a_planted_copy_is_held(
    cast: Cast, theirs: Submission, change: Callable[[str, int], str]
) -> None:
    submission = cast.submission(cast.entrant("Planted"), samples=1)
    for number, row in enumerate(submission.generations.order_by("task__number")):
        row.text = change(body("first", number), number)
        row.save()
    compare(submission=submission)
    copy = Copy.objects.get()
    assert (copy.submission, copy.other, copy.held) == (submission, theirs, True)


def test_a_deleted_original_leaves_the_decision_open_and_is_shown_to_staff(
    cast: Cast, client: Client, theirs: Submission
) -> None:
    copied = sent(cast, cast.entrant("Copied"), "first")
    Submission.objects.filter(pk=theirs.pk).update(storing=0)
    remove_leftovers()
    assert Copy.objects.get().other is None
    assert hold_words(copied)
    client.force_login(cast.dora)
    address = reverse("admin:submissions_copy_change", args=[Copy.objects.get().pk])
    assert "deleted" in client.get(address).text


def test_what_equals_a_submission_that_never_came_about_is_no_copy(cast: Cast) -> None:
    theirs = sent(cast, cast.entrant("Theirs", cast.fenland), "first", judged=False)
    sent(cast, cast.entrant("Copied"), "first", judged=False)
    assert Copy.objects.exists()
    Submission.objects.filter(pk=theirs.pk).update(storing=1)
    remove_leftovers()
    assert not Copy.objects.exists()


def test_the_later_one_is_the_copy_whichever_is_compared_last(cast: Cast) -> None:
    first = sent(cast, cast.entrant("First"), "first")
    AnswerDigest.objects.all().delete()
    second = sent(cast, cast.entrant("Second", cast.fenland), "first")
    assert not Copy.objects.exists()
    compare(submission=first)
    compare(submission=first)
    copy = Copy.objects.get()
    assert (copy.other, copy.submission) == (first, second)


def test_what_independent_teams_answer_too_is_no_evidence(cast: Cast, theirs: Submission) -> None:
    """A third team's published answers count as independent; a copy's do not, allowed or not."""
    for name in ("Third", "Fourth"):
        team = Team.objects.create(name=name, slug=name.lower())
        submission = sent(cast, cast.entrant(name, team), "first")
        assert Copy.objects.filter(submission=submission, held=True).exists(), name
        decide(cast, CopyState.ALLOWED)
        actions.publish_submission(submission=submission)
    Copy.objects.all().delete()
    sent(cast, cast.entrant("Fifth"), "first")
    assert Copy.objects.exists()
    assert not Copy.objects.filter(held=True)


def test_an_answer_among_many_of_independent_teams_is_no_evidence(
    cast: Cast, theirs: Submission
) -> None:
    third = Team.objects.create(name="Third", slug="third")
    submission = cast.judged_submission(cast.entrant("Third", third), samples=60, publish=False)
    rows = [*submission.generations.select_related("task")]
    for row in rows:
        row.text = body(f"own{row.sample}" if row.sample else "first", row.task.number)
    Generation.objects.bulk_update(rows, ["text"])
    compare(submission=submission)
    decide(cast, CopyState.ALLOWED)
    actions.publish_submission(submission=submission)
    Copy.objects.all().delete()
    sent(cast, cast.entrant("Fifth"), "first")
    assert not Copy.objects.get(other=theirs).held


def uploaded(cast: Cast, completions: Iterable[str]) -> Submission:
    assert cast.rucodeeval.current is not None
    lines = [
        {"task_id": task.id_in_dataset, "completion": completion}
        for task, completion in zip(
            cast.rucodeeval.current.tasks.order_by("number"), completions, strict=True
        )
    ]
    content = "".join(json.dumps(line) + "\n" for line in lines).encode()
    return stored(checked(cast.entrant("Uploaded"), cast.alice, cast.rucodeeval, content))


def test_an_upload_is_compared_before_anybody_sees_it(cast: Cast, theirs: Submission) -> None:
    submission = uploaded(cast, (body("first", number) for number in range(12)))
    copy = Copy.objects.get()
    assert (copy.submission, copy.other, copy.held) == (submission, theirs, True)


def test_an_upload_of_imports_alone_is_stored(cast: Cast) -> None:
    submission = uploaded(cast, ["import os", "x: int", "from typing import List"] * 4)
    assert submission.answer_digests.count() == 12


def test_no_word_of_a_prompt_makes_an_unused_function_count(cast: Cast) -> None:
    stored = []
    for team, words in (cast.fenland, ()), (cast.northwood, ("Write", "function", "find", "of")):
        entrant = cast.entrant(f"Of {team}", team)
        submission = cast.submission(entrant, benchmark=cast.codeif, samples=1)
        records = task_records(submission.revision)
        for row in submission.generations.all():
            head, *_lines = records[row.task_id].hidden["code"].splitlines()
            junk = (HELPER.replace("unused", word) for word in words)
            row.text = "".join((*junk, f"{head}\n", body("first", row.task_id)))
            row.save()
        compare(submission=submission)
        rows = AnswerDigest.objects.filter(submission=submission)
        stored.append({(row.task_id, bytes(row.hashes)) for row in rows})
    assert stored[0] == stored[1]


def test_the_secret_decides_which_hashes_are_the_smallest(
    cast: Cast, theirs: Submission, settings: Settings
) -> None:
    before = {*AnswerDigest.objects.values_list("least", flat=True)}
    AnswerDigest.objects.all().delete()
    settings.SECRET_KEY = "another"
    compare(submission=theirs)
    assert before.isdisjoint(AnswerDigest.objects.values_list("least", flat=True))


def test_its_team_reads_why_it_waits_and_answers_there(
    cast: Cast, client: Client, theirs: Submission
) -> None:
    copied = sent(cast, cast.entrant("Copied"), "first")
    url, answer = copied.get_absolute_url(), reverse("submission-answer", args=[copied.pk])
    client.force_login(cast.alice)
    text = client.get(url).text
    assert "cannot be published yet" in text
    assert "not possible now, see below" in text
    assert '<a href="#answer">' in text
    assert reverse("submission-publish", args=[copied.pk]) not in text
    assert "Theirs" not in text
    assert "Fenland" not in text
    client.post(reverse("submission-publish", args=[copied.pk]))
    assert Submission.objects.get(pk=copied.pk).visibility == Visibility.PRIVATE
    client.post(answer, {"answer": "We fine-tuned <b>first</b>."})
    copy = Copy.objects.get()
    assert (copy.answer, copy.answered is not None) == ("We fine-tuned <b>first</b>.", True)
    decide(cast, CopyState.REFUSED)
    text = client.get(url).text
    assert "We asked." in text
    assert "We fine-tuned &lt;b&gt;" in text
    assert not Copy.objects.waiting()
    client.post(answer, {"answer": "Look again."})
    assert Copy.objects.waiting()


def test_staff_see_both_side_by_side_and_decide_with_a_reason(
    cast: Cast, client: Client, theirs: Submission
) -> None:
    copied = sent(cast, cast.entrant("Copied"), "first")
    client.force_login(cast.dora)
    page = client.get(CHANGELIST).text
    for one in (copied, theirs):
        assert f'<a href="{one.get_absolute_url()}">{one}</a>, {one.entrant.team}, ' in page
    copy = Copy.objects.get()
    address = reverse("admin:submissions_copy_change", args=[copy.pk])
    Copy.objects.update(answer="Our\u202e own.")
    detail = client.get(address).text
    assert 'Our<span class="codepoint" data-code="U+202E">' in detail
    for one in (copied, theirs):
        assert reverse("submission-task", args=[one.pk, 11]) in detail
    assert detail.count("first.first(total, ") == 16
    assert "The same result on 12 of 12" in detail
    assert LogEntry.objects.get_for_object(theirs).filter(action=LogEntry.Action.ACCESS).exists()
    asked = client.post(address, {"refuse": "1"})
    assert "This field is required" in asked.text
    client.post(address, {"reason": "No button was pressed."})
    assert Copy.objects.get().state == CopyState.OPEN
    client.post(address, {"refuse": "1", "reason": "Their own answers came first."})
    copy.refresh_from_db()
    assert (copy.state, copy.decided_by) == (CopyState.REFUSED, cast.dora)
    assert copy.reason == "Their own answers came first."
    client.post(address, {"allow": "1", "reason": "They explained it."})
    copy.refresh_from_db()
    assert (copy.state, copy.reason) == (CopyState.ALLOWED, "They explained it.")
    client.force_login(copied.entrant.team.memberships.all()[0].user)
    assert "They explained it." in client.get(copied.get_absolute_url()).text


@pytest.mark.parametrize(("rights", "status", "code"), [
    ((), 403, False),
    (("view_copy", "view_submission"), 200, False),
    (("view_copy", "view_generation", "view_submission"),
     200, True),
])  # fmt: skip
def test_code_is_shown_only_to_staff_who_may_read_it(
    cast: Cast, theirs: Submission, rights: tuple[str, ...], status: int, code: bool
) -> None:
    sent(cast, cast.entrant("Copied"), "first")
    client = clerk(*rights)
    address = reverse("admin:submissions_copy_change", args=[Copy.objects.get().pk])
    answer = client.get(address)
    assert (answer.status_code, "first.first(total" in answer.text) == (status, code)
    if status == 200:
        assert 'name="allow"' not in answer.text
        assert client.post(address, {"allow": "1", "reason": "no"}).status_code == 403
