"""Tests that staff leave any task out from its own page, see the effects, and undo it."""

from django.test import Client
from django.urls import reverse

from evaluation.work.exclusions import effects
from leaderboard.benchmarks.models import Task, TaskExclusion
from tests.leaderboard.pages.submissions.visits import visitor
from tests.leaderboard.site_admin.test_admin import given_right
from tests.support.cast import Cast


def test_a_task_is_left_out_from_its_own_page_and_counts_again(staff: Client, cast: Cast) -> None:
    cast.judged_submission(cast.entrant("Heron"), ("failed", "passed"), samples=1)
    task = Task.objects.get(revision=cast.rucodeeval.current, number=0)
    public = reverse("task", args=["rucodeeval", 0])
    address = reverse("admin:benchmarks_task_leave_out", args=[task.pk])
    assert address in staff.get(public).text and address not in visitor().get(public).text
    page = staff.get(address).text
    assert "Heron" in page and "<td>4.55</td>" in page
    assert "This field is required" in staff.post(address, {"reason": " "}).text
    page = staff.post(address, {"reason": "Its tests are wrong."}, follow=True).text
    assert "Its tests are wrong." in page and "Count it again" in page
    assert TaskExclusion.objects.get().decided_by == cast.dora
    assert "Its tests are wrong." in staff.get(address).text
    undo = {"count_again": "1"}
    assert "Leave out of results" in staff.post(address, undo, follow=True).text
    assert not TaskExclusion.objects.exists()


def test_an_act_that_is_sent_twice_is_done_once_and_says_so(staff: Client, cast: Cast) -> None:
    task = Task.objects.get(revision=cast.rucodeeval.current, number=0)
    address = reverse("admin:benchmarks_task_leave_out", args=[task.pk])
    for _time in range(2):
        page = staff.post(address, {"reason": "Its tests are wrong."}, follow=True).text
    assert TaskExclusion.objects.exists() and "already left out" in page
    for _time in range(2):
        page = staff.post(address, {"count_again": "1"}, follow=True).text
    assert not TaskExclusion.objects.exists() and "The task counts already." in page


def test_a_row_without_other_tasks_has_no_place_then(staff: Client, cast: Cast) -> None:
    cast.judged_submission(cast.entrant("Heron"), samples=1)
    tasks = Task.objects.filter(revision=cast.rucodeeval.current)
    assert [changes for _board, changes in effects(tasks)] == [None]


def test_leaving_out_and_undoing_need_their_own_rights(cast: Cast) -> None:
    task = Task.objects.get(revision=cast.rucodeeval.current, number=0)
    address = reverse("admin:benchmarks_task_leave_out", args=[task.pk])
    given_right(cast.bob, "add_taskexclusion")
    clerk = visitor(cast.bob)
    assert clerk.get(address).status_code == 200
    clerk.post(address, {"reason": "wrong"})
    assert clerk.post(address, {"count_again": "1"}).status_code == 403
    assert TaskExclusion.objects.count() == 1
    for person in (cast.alice, None):
        assert visitor(person).post(address, {"reason": "x"}).status_code in (302, 404)
