"""Tests of the review desk: what waits there, and what a decision does."""

from collections.abc import Callable

import pytest
from django.contrib.admin.models import LogEntry
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from evaluation.engine.records import Integrity
from evaluation.models import Evaluation, EvaluationState, Review, Verdict
from evaluation.work import review
from leaderboard.boards.queries import reviewed_passes
from leaderboard.scores.models import Board, Score, Standing
from tests.leaderboard.site_admin.test_admin import queries_of
from tests.support.cast import Cast, clerk

pytestmark = pytest.mark.any_database

DESK = "/admin/evaluation/verdict/desk/"
LIST = "/admin/evaluation/review/"


@pytest.fixture
def shared(cast: Cast) -> list[Verdict]:
    """The passes of a published leader that shared a process with its tests."""
    cast.judged_submission(cast.entrant(), ("passed", "failed"), tier="shared", samples=1)
    return list(review.passes_to_review())


@pytest.fixture
def decide(staff: Client) -> Callable[..., HttpResponse]:
    def posted(verdict: Verdict, decision: str, reason: str = "") -> HttpResponse:
        data = {"verdict": verdict.pk, "decision": decision, "reason": reason}
        return staff.post(DESK, data, follow=True)

    return posted


def test_shared_passes_of_leaders_wait_and_no_others(cast: Cast, shared: list[Verdict]) -> None:
    leader = Standing.objects.get().evaluation
    assert shared == list(leader.verdicts.filter(status="passed").order_by("pk"))
    cast.judged_submission(cast.entrant("Outside"), samples=1)
    cast.judged_submission(cast.entrant("Private"), tier="shared", samples=1, publish=False)
    suspect = {"tier": "shared", "integrity": "suspect"}
    cast.judged_submission(cast.entrant("Suspect"), samples=1, **suspect)
    assert list(review.passes_to_review()) == shared


def test_one_of_a_hundred_passes_of_other_places_waits(
    shared: list[Verdict], monkeypatch: pytest.MonkeyPatch
) -> None:
    Standing.objects.update(place=4)
    residues = []
    for last in range(256):
        monkeypatch.setattr(review, "salted_hmac", lambda *_, last=last, **__: _Digest(last))
        residues.append(review.passes_to_review().count())
    assert sum(residues[: review.SAMPLE]) == len(shared)
    assert residues[: 256 - review.SAMPLE] == residues[review.SAMPLE :]


class _Digest:
    def __init__(self, first: int) -> None:
        self._first = first

    def digest(self) -> bytes:
        return bytes([self._first])


def test_the_desk_shows_hints_then_code_beside_the_reference(
    staff: Client, shared: list[Verdict]
) -> None:
    generation = shared[0].generation
    generation.text = "    return sys._getframe(1)"
    generation.save()
    page = staff.get(DESK).text
    order = ["line 1: _getframe", "return sys._getframe(1)", "The reference solution"]
    places = [page.index(words) for words in order]
    assert places == sorted(places)


def test_a_pass_that_is_decided_on_again_has_the_time_of_the_last_decision(
    shared: list[Verdict], cast: Cast
) -> None:
    first = Review.objects.create(verdict=shared[0], fine=True, by=cast.dora)
    rows = Verdict.objects.filter(pk=shared[0].pk)
    rows.update(integrity=Integrity.SUSPECT)
    review.decide_on_suspects(verdicts=rows, fine=False, reason="It returns 1.", by=cast.dora)
    assert Review.objects.get().at > first.at


def test_a_fine_pass_counts_on_and_waits_no_more(
    decide: Callable[..., HttpResponse], shared: list[Verdict]
) -> None:
    assert "Fine: it counts." in decide(shared[0], "fine").text
    shared[0].refresh_from_db()
    assert (shared[0].integrity, shared[0].review.fine) == (Integrity.CLEAN, True)
    assert list(review.passes_to_review()) == shared[1:]
    assert reviewed_passes(Board.objects.get()) == 1
    assert "reviewed or changed meanwhile" in decide(shared[0], "wrong", "late").text


def test_no_solution_leaves_the_board_and_can_be_taken_back(
    cast: Cast, staff: Client, decide: Callable[..., HttpResponse], shared: list[Verdict]
) -> None:
    assert "Say why it is not a solution." in decide(shared[0], "wrong").text
    assert not Review.objects.exists()
    assert "it no longer counts" in decide(shared[0], "wrong", "It returns what equals all.").text
    shared[0].refresh_from_db()
    assert shared[0].integrity == Integrity.CONFIRMED
    assert not Standing.objects.exists()
    assert Evaluation.objects.get().state in EvaluationState.moving()
    evaluation = shared[0].evaluation
    before = Score.objects.get(evaluation=evaluation, metric="pass@1", slice="overall").value
    cast.score(evaluation)
    cast.publish(evaluation.submission)
    after = Score.objects.get(evaluation=evaluation, metric="pass@1", slice="overall").value
    assert before > after
    assert reviewed_passes(Board.objects.get()) == 0
    data = {"action": "take_back", "_selected_action": [shared[0].pk]}
    assert "The decisions are undone." in staff.post(LIST, data, follow=True).text
    shared[0].refresh_from_db()
    assert (shared[0].integrity, Review.objects.count()) == (Integrity.CLEAN, 0)
    assert LogEntry.objects.get().get_change_message() == "Review undone"


def test_only_clean_shared_passes_can_be_decided(
    cast: Cast, decide: Callable[..., HttpResponse]
) -> None:
    suspect = cast.judged_submission(cast.entrant("Suspect"), tier="shared", integrity="suspect")
    outside = cast.judged_submission(cast.entrant("Outside"))
    for submission in (suspect, outside):
        verdict = Verdict.objects.filter(
            evaluation__submission=submission, status="passed"
        ).earliest("pk")
        assert "reviewed or changed meanwhile" in decide(verdict, "wrong", "Envy.").text
    assert not Review.objects.exists()


def test_a_suspect_pass_that_was_cleared_does_not_wait_again_and_was_looked_at(
    cast: Cast, shared: list[Verdict]
) -> None:
    review.settle(verdicts=shared[:1], to=Integrity.CLEARED)
    assert list(review.passes_to_review()) == shared[1:]
    cast.score(shared[0].evaluation)
    cast.publish(shared[0].evaluation.submission)
    assert reviewed_passes(Board.objects.get()) == 1


def test_a_pass_can_be_left_for_later(
    staff: Client, shared: list[Verdict], decide: Callable[..., HttpResponse]
) -> None:
    first, second, last = shared[0], shared[1], shared[-1]
    assert staff.get(DESK).context["verdict"] == first
    later = f"{DESK}?after={first.pk}"
    assert staff.get(later).context["verdict"] == second
    data = {"verdict": second.pk, "decision": "fine"}
    assert staff.post(later, data, follow=True).context["verdict"] == shared[2]
    for end in (last.pk, 10**30, "all"):
        assert staff.get(f"{DESK}?after={end}").context["verdict"] == first


def test_staff_who_may_only_look_decide_nothing(cast: Cast, shared: list[Verdict]) -> None:
    client = clerk("view_verdict", "view_review")
    data = {"verdict": shared[0].pk, "decision": "wrong", "reason": "Envy."}
    assert client.get(DESK).status_code == client.post(DESK, data).status_code == 403
    assert not Review.objects.exists()
    review.decide(verdict=shared[0], fine=False, reason="It returns 1.", by=cast.dora)
    client.post(LIST, {"action": "take_back", "_selected_action": [shared[0].pk]})
    assert Review.objects.exists()


def test_the_desk_takes_the_same_queries_for_one_and_for_three_boards_rows(
    staff: Client, cast: Cast, shared: list[Verdict]
) -> None:
    staff.get(DESK)  # the first look is recorded
    few = queries_of(staff, DESK)
    for name in ("Second", "Third"):
        cast.judged_submission(cast.entrant(name), tier="shared", samples=1)
    assert queries_of(staff, DESK) == few
    assert f"{reverse('admin:evaluation_verdict_desk')}" in staff.get("/admin/overview/").text


def test_unseen_characters_of_a_reason_are_marked(
    shared: list[Verdict], decide: Callable[..., HttpResponse], staff: Client
) -> None:
    decide(shared[0], "wrong", "a\u202eb")
    row = Review.objects.get()
    for page in (
        reverse("admin:evaluation_review_changelist"),
        reverse("admin:evaluation_review_change", args=[row.pk]),
    ):
        text = staff.get(page).text
        assert "U+202E" in text and "a\u202eb" not in text, page
