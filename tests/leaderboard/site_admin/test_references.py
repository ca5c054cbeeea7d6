"""Tests that staff find unsound tasks, exclude them with a reason that stays, see the effects, and
undo it."""

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from evaluation.models import Evaluation, EvaluationState, ReferenceVerdict
from evaluation.work.exclusions import effects
from leaderboard.benchmarks.models import Benchmark, Task, TaskExclusion
from tests.leaderboard.pages.submissions.visits import visitor
from tests.leaderboard.site_admin.test_admin import act, page_of, queries_of
from tests.support.cast import Cast, clerk
from tests.support.in_projects import in_projects, keep

pytestmark = pytest.mark.any_database

__all__ = ["in_projects"]

UNSOUND = "The reference solution passes 1 of 2 tests."
LIST = "/admin/evaluation/referenceverdict/"


@pytest.fixture
def unsound(in_projects: Benchmark) -> ReferenceVerdict:
    assert in_projects.current is not None
    keep(in_projects.current, oracle=UNSOUND)
    return ReferenceVerdict.objects.exclude(unsound="").get()


def chosen(*rows: ReferenceVerdict, **more: str) -> dict[str, object]:
    return {"action": "leave_tasks_out", "_selected_action": [row.pk for row in rows], **more}


def test_unsound_tasks_are_listed_with_their_reason(
    staff: Client, unsound: ReferenceVerdict
) -> None:
    page = staff.get(f"{LIST}?tasks=unsound").content.decode()
    assert page.count('name="_selected_action"') == 1
    assert UNSOUND in page
    assert "1 of 2" in page


def test_lists_take_a_constant_number_of_queries(
    staff: Client, cast: Cast, in_projects: Benchmark
) -> None:
    lists = [LIST, page_of(TaskExclusion, "changelist")]
    assert in_projects.current is not None
    keep(in_projects.current)
    tasks = list(Task.objects.order_by("number"))
    TaskExclusion.objects.create(task=tasks[0], reason="a", decided_by=cast.dora)
    few = {address: queries_of(staff, address) for address in lists}
    for task in tasks[1:]:
        TaskExclusion.objects.create(task=task, reason="a", decided_by=cast.dora)
    keep(in_projects.current, "sha256:two")
    assert {address: queries_of(staff, address) for address in lists} == few


def test_leaving_out_asks_for_a_reason_first(staff: Client, unsound: ReferenceVerdict) -> None:
    page = staff.post(LIST, chosen(unsound)).content.decode()
    assert "Reason" in page
    assert f'value="{unsound.pk}"' in page
    assert not TaskExclusion.objects.exists()
    page = staff.post(LIST, chosen(unsound, reason="  ")).content.decode()
    assert "This field is required." in page
    assert not TaskExclusion.objects.exists()


def test_a_task_is_left_out_with_its_reason_on_record(
    staff: Client, cast: Cast, unsound: ReferenceVerdict, in_projects: Benchmark
) -> None:
    cast.judged_submission(cast.entrant(), benchmark=in_projects)
    given = chosen(unsound, reason="Its solution fails.")
    page = staff.post(LIST, given, follow=True).content.decode()
    assert "1 task is left out; the results are being computed again." in page
    decision = TaskExclusion.objects.get()
    assert (decision.task, decision.reason, decision.decided_by) == (
        unsound.task,
        "Its solution fails.",
        cast.dora,
    )
    assert LogEntry.objects.get().change_message == "Its solution fails."
    assert Evaluation.objects.get().state in EvaluationState.moving()
    assert "already left out" in act(staff, ReferenceVerdict, "leave_tasks_out", unsound)
    open_ones = staff.get(f"{LIST}?tasks=open").content.decode()
    assert 'name="_selected_action"' not in open_ones


def test_deleting_the_decision_takes_the_task_in_again(
    staff: Client, cast: Cast, unsound: ReferenceVerdict, in_projects: Benchmark
) -> None:
    submission = cast.judged_submission(cast.entrant(), benchmark=in_projects)
    decision = TaskExclusion.objects.create(task=unsound.task, reason="a", decided_by=cast.dora)
    address = page_of(TaskExclusion, "delete", decision.pk)
    assert b"Are you sure" in staff.get(address).content
    staff.post(address, {"post": "yes"})
    assert not TaskExclusion.objects.exists()
    assert submission.evaluations.get().state in EvaluationState.moving()
    for task in Task.objects.all()[:2]:
        TaskExclusion.objects.create(task=task, reason="a", decided_by=cast.dora)
    act(staff, TaskExclusion, "delete_selected", *TaskExclusion.objects.all(), post="yes")
    assert not TaskExclusion.objects.exists()


def test_who_may_not_decide_leaves_nothing_out(unsound: ReferenceVerdict) -> None:
    client = clerk("view_referenceverdict", "change_referenceverdict")
    client.post(LIST, chosen(unsound, reason="I want it."))
    assert not TaskExclusion.objects.exists()


def test_what_a_reference_printed_is_for_who_may_change_it(
    staff: Client, unsound: ReferenceVerdict
) -> None:
    address = reverse("admin:evaluation_referenceverdict_change", args=[unsound.pk])
    page = staff.get(address).text
    assert "veiled_test" in page
    assert 'veiled output <span class="codepoint" data-code="U+D800">' in page
    assert "js/copy" in page  # copies marked text as it is
    assert "veiled" not in clerk("view_referenceverdict").get(address).text


# --- From the task's own page --------------------------------------------------------------


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
    client = clerk("add_taskexclusion")
    assert client.get(address).status_code == 200
    client.post(address, {"reason": "wrong"})
    assert client.post(address, {"count_again": "1"}).status_code == 403
    assert TaskExclusion.objects.count() == 1
    for person in (cast.alice, None):
        assert visitor(person).post(address, {"reason": "x"}).status_code in (302, 404)
