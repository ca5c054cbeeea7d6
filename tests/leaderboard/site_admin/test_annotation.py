"""Tests of ratings in the admin: entered, corrected, imported, and on record."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils.http import urlencode
from pytest_django.fixtures import DjangoAssertNumQueries

from leaderboard.annotation import campaigns
from leaderboard.annotation.models import Assignment, MarkChange, Rater, Rating
from tests.support.cast import clerk
from tests.support.panel import FAIR, POOR, Panel, rate, rate_all, take

pytestmark = pytest.mark.any_database

ADMIN = "/admin/annotation/assignment/"
MARKS = {
    "mark-correctness": "1",
    "mark-code-quality": "2",
    "mark-maintainability": "3",
    "reason": "on paper",
}
HEAD = "rater,item,correctness,code quality,maintainability"


@pytest.fixture
def ann(panel: Panel) -> Rater:
    return panel.rater("ann")


def marks() -> dict[str, int]:
    return dict(Rating.objects.values_list("criterion", "value"))


def enter(client: Client, panel: Panel, by: Rater, **more: Any) -> Any:
    data = {**MARKS, "item": panel.item().pk, "rater": by.pk, **more}
    return client.post(f"{ADMIN}add/?campaign={panel.campaign.pk}", data)


# --- Entering -----------------------------------------------------------------------------


def test_the_campaign_is_chosen_first(panel: Panel, ann: Rater, staff: Client) -> None:
    page = staff.get(f"{ADMIN}add/").text
    assert f'href="?campaign={panel.campaign.pk}"' in page
    page = staff.get(f"{ADMIN}add/?campaign={panel.campaign.pk}").text
    assert "1: ann" in page and page.count('type="radio"') == 12
    assert staff.get(f"{ADMIN}add/?campaign=999").status_code == 404


def test_marks_given_elsewhere_are_entered_on_record(
    panel: Panel, ann: Rater, staff: Client
) -> None:
    assert enter(staff, panel, ann, **{"comment-correctness": "nearly"}).status_code == 302
    assert marks() == POOR
    change = MarkChange.objects.get(criterion="correctness")
    assert (change.how, change.user, change.reason, change.new_comment) == (
        "staff",
        panel.cast.dora,
        "on paper",
        "nearly",
    )
    assert "on paper" in LogEntry.objects.get().change_message
    assert "already rated this generation" in enter(staff, panel, ann).text


def test_a_generation_is_found_by_task_and_entrant_and_the_next_one_follows(
    panel: Panel, ann: Rater, staff: Client
) -> None:
    rate(ann, panel.campaign.items.get(task=panel.task(1), generation__submission=panel.fenland))
    query = {"campaign": panel.campaign.pk, "task": panel.task().pk, "rater": ann.pk}
    address = f"{ADMIN}add/?{urlencode(query | {'submission': panel.fenland.pk})}"
    page = staff.get(address).text
    assert panel.task().public["raw_nl"] in page
    assert "String b(List&lt;String&gt; many)" in page
    assert reverse("admin:annotation_assignment_import") in page
    item = panel.campaign.items.get(task=panel.task(), generation__submission=panel.fenland)
    assert f'type="hidden" name="item" value="{item.pk}"' in page
    data = {**MARKS, "item": item.pk, "rater": ann.pk, "next": ""}
    answer = staff.post(address, data)
    assert Assignment.objects.get(item=item).state == "done"
    page = staff.get(answer["Location"]).text
    assert panel.task(2).public["raw_nl"] in page
    assert f'<option value="{ann.pk}" selected>' in page
    last = panel.campaign.items.filter(generation__submission=panel.fenland).latest("task__number")
    answer = staff.post(address, data | {"item": last.pk})
    assert "no further generation" in staff.get(answer["Location"]).text


def test_staff_who_rate_find_only_what_they_have_rated(panel: Panel, staff: Client) -> None:
    query = {"campaign": panel.campaign.pk, "task": panel.task().pk}
    address = f"{ADMIN}add/?{urlencode(query | {'submission': panel.fenland.pk})}"
    own = campaigns.add_rater(campaign=panel.campaign, user=panel.cast.dora)
    page = staff.get(address).text
    assert "String b" not in page and "Sedge" not in page
    rate(own, panel.campaign.items.get(task=panel.task(), generation__submission=panel.fenland))
    assert "String b" in staff.get(address).text


def test_what_is_off_its_scale_or_of_nobody_is_refused_and_stands(
    panel: Panel, ann: Rater, staff: Client
) -> None:
    for field, value, words in (
        ("mark-correctness", "5", "Select a valid choice"),
        ("mark-correctness", "", "takes marks from 1 to 4"),
        ("reason", " ", "stays on record"),
        ("item", "999", "no such generation"),
        ("rater", "999", "Select a valid choice"),
    ):
        answer = enter(staff, panel, ann, **{field: value})
        assert (answer.status_code, words in answer.text) == (200, True), (field, value)
        assert 'value="3"' in answer.text and not Rating.objects.exists()


def test_nobody_s_own_team_s_code_is_entered(panel: Panel, staff: Client) -> None:
    alice = campaigns.add_rater(campaign=panel.campaign, user=panel.cast.alice)
    assert "own team" in enter(staff, panel, alice).text
    assert not Assignment.objects.exists()


# --- Correcting ---------------------------------------------------------------------------


def test_marks_are_corrected_with_a_reason_and_every_change_is_on_record(
    panel: Panel, ann: Rater, staff: Client
) -> None:
    rate(ann, panel.item(), FAIR)
    row = Assignment.objects.get()
    page = staff.get(f"{ADMIN}{row.pk}/change/").text
    assert page.count(" checked>") == 3
    campaigns.close_campaign(campaign=panel.campaign)
    assert staff.post(f"{ADMIN}{row.pk}/change/", {**MARKS, "reason": ""}).status_code == 200
    assert marks() == FAIR
    answer = staff.post(f"{ADMIN}{row.pk}/change/", {**MARKS, "reason": "misread"})
    assert answer["Location"] == f"{ADMIN}{row.pk}/change/"
    assert marks() == POOR
    changed = MarkChange.objects.filter(how="staff").values_list("criterion", "old", "new")
    assert set(changed) == {("correctness", 3, 1), ("maintainability", 4, 3)}
    assert "misread" in staff.get(f"{ADMIN}{row.pk}/change/").text


def test_what_was_settled_is_corrected_on_its_scales_alone(panel: Panel, staff: Client) -> None:
    rate(panel.rater("ann"), panel.item(), FAIR)
    rate(panel.rater("ben"), panel.item(), POOR)
    row = take(panel.rater("dan", adjudicates=True))
    page = staff.get(f"{ADMIN}{row.pk}/change/").text
    assert page.count('type="radio"') == 4
    data = {"mark-correctness": "2", "reason": "by phone"}
    assert staff.post(f"{ADMIN}{row.pk}/change/", data).status_code == 302
    assert row.outcomes.get().value == 2


# --- Who may ------------------------------------------------------------------------------


def test_staff_who_may_only_look_change_nothing(panel: Panel, ann: Rater) -> None:
    rate(ann, panel.item(), FAIR)
    client = clerk("view_assignment", "view_rating")
    address = f"{ADMIN}{Assignment.objects.get().pk}/change/"
    page = client.get(address)
    assert page.status_code == 200 and 'type="submit" class="default"' not in page.text
    assert client.post(address, MARKS).status_code == 403
    assert enter(client, panel, ann).status_code == 403
    assert client.get(f"{ADMIN}import/").status_code == 403
    assert marks() == FAIR


def test_staff_who_rate_see_no_marks_of_others_here_either(panel: Panel, staff: Client) -> None:
    rate_all(panel.rater("ann"))
    row = Assignment.objects.all()[0]
    pages = [reverse(f"admin:annotation_{name}_changelist") for name in ("rating", "markchange")]
    assert all("correctness" in staff.get(page).text for page in pages)
    campaigns.add_rater(campaign=panel.campaign, user=panel.cast.dora)
    for page in (*pages, ADMIN):
        assert "<tbody>" not in staff.get(page).text, page
    assert staff.get(f"{ADMIN}{row.pk}/change/").status_code == 302  # there is no such row
    assert staff.post(f"{ADMIN}{row.pk}/change/", MARKS).status_code == 302
    assert set(marks().items()) == set(FAIR.items())


def test_lists_take_a_constant_number_of_queries(
    panel: Panel, ann: Rater, staff: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for n in range(3):
        rate(ann, panel.item(number=n))
        for name, queries in (("assignment", 5), ("rating", 7), ("markchange", 5)):
            address = reverse(f"admin:annotation_{name}_changelist")
            staff.get(address)
            with django_assert_num_queries(queries):
                staff.get(address)


# --- Importing ----------------------------------------------------------------------------


def send(client: Client, panel: Panel, *lines: str, **more: Any) -> Any:
    file = SimpleUploadedFile("marks.csv", "\n".join((HEAD, *lines)).encode())
    data = {"campaign": panel.campaign.pk, "file": file, "reason": "from the lab", **more}
    return client.post(f"{ADMIN}import/", data)


def test_a_file_is_imported_on_record(panel: Panel, ann: Rater, staff: Client) -> None:
    answer = send(staff, panel, f"ann,{panel.item().pk},3,2,4")
    assert answer["Location"] == ADMIN
    assert "1 lines read: 3 marks are new, 0 were changed." in staff.get(ADMIN).text
    assert marks() == FAIR
    assert set(MarkChange.objects.values_list("how", "reason")) == {("file", "from the lab")}


def test_marks_that_stand_are_changed_only_where_that_is_asked_for(
    panel: Panel, ann: Rater, staff: Client
) -> None:
    rate(ann, panel.item(), FAIR)
    line = f"ann,{panel.item().pk},1,2,3"
    assert "already has the mark 3" in send(staff, panel, line).text
    assert marks() == FAIR
    assert send(staff, panel, line, replace="on").status_code == 302
    assert "1 lines read: 0 marks are new, 2 were changed." in staff.get(ADMIN).text
    assert marks() == POOR
