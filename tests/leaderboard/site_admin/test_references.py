"""Tests that staff find unsound tasks, and exclude them with a reason that stays."""

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from evaluation.models import Evaluation, EvaluationState, ReferenceVerdict
from leaderboard.benchmarks.models import Benchmark, Task, TaskExclusion
from tests.leaderboard.site_admin.test_admin import act, given_right, page_of, queries_of
from tests.support.cast import Cast
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


def test_several_references_of_a_task_leave_it_out_once(
    staff: Client, unsound: ReferenceVerdict
) -> None:
    rows = list(ReferenceVerdict.objects.filter(task=unsound.task))
    staff.post(LIST, chosen(*rows, reason="It is broken."))
    assert TaskExclusion.objects.count() == 1


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


def test_several_decisions_are_undone_with_a_confirmation(
    staff: Client, cast: Cast, unsound: ReferenceVerdict
) -> None:
    for task in Task.objects.all()[:2]:
        TaskExclusion.objects.create(task=task, reason="a", decided_by=cast.dora)
    rows = list(TaskExclusion.objects.all())
    assert "Are you sure" in act(staff, TaskExclusion, "delete_selected", *rows)
    assert TaskExclusion.objects.count() == 2
    given = {"action": "delete_selected", "_selected_action": [r.pk for r in rows], "post": "yes"}
    staff.post(page_of(TaskExclusion, "changelist"), given)
    assert not TaskExclusion.objects.exists()


def test_who_may_not_decide_leaves_nothing_out(
    client: Client, cast: Cast, unsound: ReferenceVerdict
) -> None:
    given_right(cast.bob, "view_referenceverdict", "change_referenceverdict")
    client.force_login(cast.bob)
    client.post(LIST, chosen(unsound, reason="I want it."))
    assert not TaskExclusion.objects.exists()


def test_what_a_reference_printed_is_for_who_may_change_it(
    client: Client, cast: Cast, unsound: ReferenceVerdict
) -> None:
    address = reverse("admin:evaluation_referenceverdict_change", args=[unsound.pk])
    client.force_login(cast.dora)
    page = client.get(address).content.decode()
    assert "veiled_test" in page
    assert 'veiled output <span class="codepoint" data-code="U+D800">' in page
    assert "js/copy" in page  # copies marked text as it is
    given_right(cast.bob, "view_referenceverdict")
    client.force_login(cast.bob)
    assert "veiled" not in client.get(address).content.decode()
