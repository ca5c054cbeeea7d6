"""Tests of the page on which a rater marks one item: shown, saved, skipped, and never lost."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries

from leaderboard.annotation import campaigns
from leaderboard.annotation.assigning import items_left, take_item
from leaderboard.annotation.models import Assignment, AssignmentState, Draft, MarkChange, Rating
from leaderboard.annotation.rating import save_draft, save_ratings
from leaderboard.pages.annotation.views import workspace
from leaderboard.pages.annotation.views.workspace import MOST_CHARACTERS
from tests.leaderboard.pages.submissions.visits import ESCAPED, SCRIPT, visitor
from tests.support.panel import FAIR, POOR, Panel, rate, take, take_this

pytestmark = pytest.mark.any_database

QUERIES = 10
GOOD = {"mark-correctness": "3", "mark-code-quality": "2", "mark-maintainability": "4"}
CHECKED = re.compile(r'name="mark-([\w-]+)" value="(\d)" checked')


@pytest.fixture
def row(panel: Panel) -> Assignment:
    """ann's first item."""
    return take(panel.rater("ann"))


@pytest.fixture
def ann(panel: Panel, row: Assignment) -> Client:
    return visitor(panel.person("ann"))


def at(row: Assignment, part: str = "") -> str:
    return f"/rate/items/{row.pk}/{part}"


def checked(page: str) -> dict[str, int]:
    return {name: int(mark) for name, mark in CHECKED.findall(page)}


def marks() -> dict[str, int]:
    return dict(Rating.objects.values_list("criterion", "value"))


# --- What is shown ------------------------------------------------------------------------


def test_task_code_scales_and_their_meanings_are_shown(ann: Client, row: Assignment) -> None:
    page = ann.get(at(row)).text
    assert row.item.task.public["raw_nl"] in page
    assert "String" in page or "int" in page
    assert page.count('type="radio"') == 4 + 3 + 5
    assert "Slight omissions of detail, or smells of low severity." in page


def test_the_number_of_queries_does_not_grow(
    ann: Client, row: Assignment, panel: Panel, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(QUERIES):
        ann.get(at(row))
    ann.post(at(row, "save/"), GOOD)
    rate(panel.rater("ben"), panel.item())
    latest = Assignment.objects.filter(rater__user__username="ann").latest("pk")
    with django_assert_num_queries(QUERIES):
        ann.get(at(latest))


def test_nothing_tells_whose_code_it_is_or_what_others_gave(panel: Panel) -> None:
    other = panel.rater("veiled-rater")
    for item in panel.campaign.items.all():
        given = take_this(other, item)
        visitor(panel.person("veiled-rater")).post(
            at(given, "save/"), {**GOOD, "comment-correctness": "veiled-comment"}
        )
    mine = take(panel.rater("ann"))
    page = visitor(panel.person("ann")).get(at(mine)).text
    for secret in ("veiled", "Larch", "Sedge", "Northwood", "Fenland", "submissions/1"):
        assert secret not in page, secret
    assert checked(page) == {}


def test_code_and_comments_are_escaped(panel: Panel) -> None:
    hostile = panel.submission("Heron", panel.cast.fenland, SCRIPT)
    row = take(panel.rater("ann", panel.open(hostile)))
    client = visitor(panel.person("ann"))
    page = client.post(at(row, "save/"), {"comment-correctness": f"</textarea>{SCRIPT}"}).text
    assert SCRIPT not in page and ESCAPED in page


def test_another_rater_s_item_is_not_there(row: Assignment, panel: Panel) -> None:
    panel.rater("ben")
    client = visitor(panel.person("ben"))
    answers = [client.get(at(row)), client.get("/rate/items/99999/")]
    answers += [
        client.post(at(row, part), GOOD) for part in ("save/", "skip/", "draft/", "here/", "leave/")
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert all("There is nothing to rate here" in answer.text for answer in answers)
    assert not Rating.objects.exists() and not Draft.objects.exists()


# --- Saving -------------------------------------------------------------------------------


def test_saving_leads_to_the_next_item_and_a_second_press_changes_nothing(
    ann: Client, row: Assignment
) -> None:
    form = {**GOOD, "comment-correctness": "nearly", "seconds": "31"}
    answer = ann.post(at(row, "save/"), form)
    row.refresh_from_db()
    assert (row.state, row.seconds, marks()) == (AssignmentState.DONE, 31, FAIR)
    assert Rating.objects.get(criterion="correctness").comment == "nearly"
    latest = Assignment.objects.latest("pk")
    assert latest.pk != row.pk and answer["Location"] == at(latest)
    assert ann.post(at(row, "save/"), form)["Location"] == at(latest)
    assert (Rating.objects.count(), MarkChange.objects.count()) == (3, 3)


def test_without_a_script_time_is_counted_from_when_it_was_shown(
    ann: Client, row: Assignment
) -> None:
    Assignment.objects.update(shown=row.shown.replace(year=row.shown.year - 1))  # type: ignore[union-attr]
    ann.post(at(row, "save/"), {**GOOD, "seconds": ""})
    row.refresh_from_db()
    assert row.seconds == 900  # the most that counts at once


def test_what_is_missing_is_named_and_what_was_typed_stands(ann: Client, row: Assignment) -> None:
    typed = {"mark-correctness": "3", "mark-code-quality": "9", "comment-maintainability": "odd"}
    answer = ann.post(at(row, "save/"), {**typed, "seconds": "20"})
    assert (answer.status_code, checked(answer.text)) == (422, {"correctness": 3})
    assert "Maintainability takes marks" in answer.text or "maintainability takes" in answer.text
    assert ">odd</textarea>" in answer.text
    assert not Rating.objects.exists()
    # The server keeps it, so another machine shows it too.
    assert checked(ann.get(at(row)).text) == {"correctness": 3}


def test_the_last_item_leads_to_the_campaign(panel: Panel, ann: Client, row: Assignment) -> None:
    answer: Any = None
    for _ in range(16):
        current = Assignment.objects.filter(state=AssignmentState.RATING).get()
        answer = ann.post(at(current, "save/"), GOOD, follow=True)
    assert answer.redirect_chain[-1][0] == f"/rate/{panel.campaign.pk}/"
    assert "nothing more to rate" in answer.text


def test_a_campaign_that_was_closed_meanwhile_takes_no_marks_and_loses_none(
    ann: Client, row: Assignment, panel: Panel
) -> None:
    campaigns.close_campaign(campaign=panel.campaign)
    answer = ann.post(at(row, "save/"), GOOD)
    assert (answer.status_code, checked(answer.text)) == (
        422,
        {"correctness": 3, "code-quality": 2, "maintainability": 4},
    )
    assert "not open for rating" in answer.text
    campaigns.open_campaign(campaign=panel.campaign)
    assert checked(ann.get(at(row)).text)["maintainability"] == 4


def test_going_back_shows_what_was_saved_and_changes_are_saved(
    ann: Client, row: Assignment
) -> None:
    following = ann.post(at(row, "save/"), GOOD)["Location"]
    assert f'href="{at(row)}" data-back' in ann.get(following).text
    assert checked(ann.get(at(row)).text)["correctness"] == 3
    answer = ann.post(at(row, "save/"), {**GOOD, "mark-correctness": "4"})
    assert (marks()["correctness"], answer["Location"]) == (4, following)


def test_back_leads_further_and_further_back(ann: Client, row: Assignment) -> None:
    second = ann.post(at(row, "save/"), GOOD)["Location"]
    third = ann.post(f"{second}save/", GOOD)["Location"]
    assert f'href="{second}" data-back' in ann.get(third).text
    assert f'href="{at(row)}" data-back' in ann.get(second).text
    assert "data-back" not in ann.get(at(row)).text


def test_the_time_left_is_told_from_the_second_item_on(ann: Client, row: Assignment) -> None:
    assert "min left" not in ann.get(at(row)).text
    second = ann.post(at(row, "save/"), {**GOOD, "seconds": "40"})["Location"]
    left = items_left(row.rater).count()
    assert f"about {round(left * 40 / 60)} min left" in ann.get(second).text


# --- Skipping -----------------------------------------------------------------------------


def test_skipping_takes_a_reason_and_keeps_what_is_marked(ann: Client, row: Assignment) -> None:
    typed = {"mark-correctness": "2", "reason": "not Java"}
    answer = ann.post(at(row, "skip/"), typed)
    row.refresh_from_db()
    assert (row.state, row.reason) == (AssignmentState.SKIPPED, "not Java")
    assert answer.status_code == 302 and answer["Location"] != at(row)
    assert checked(ann.get(at(row)).text) == {"correctness": 2}


def test_without_a_reason_nothing_is_skipped_and_nothing_lost(ann: Client, row: Assignment) -> None:
    answer = ann.post(at(row, "skip/"), {"mark-correctness": "2", "reason": " "})
    assert (answer.status_code, checked(answer.text)) == (422, {"correctness": 2})
    row.refresh_from_db()
    assert row.state == AssignmentState.RATING


# --- Drafts -------------------------------------------------------------------------------


def test_a_draft_is_kept_and_shown_again(ann: Client, row: Assignment) -> None:
    first = ann.post(at(row, "draft/"), {"mark-correctness": "2", "seconds": "4", "version": "0"})
    second = ann.post(
        at(row, "draft/"), {**GOOD, "comment-code-quality": "slow", "version": "1", "seconds": "3"}
    )
    assert (first.json(), second.json()) == ({"version": 1}, {"version": 2})
    page = ann.get(at(row)).text
    assert (len(checked(page)), ">slow</textarea>" in page) == (3, True)
    assert 'name="version" value="2"' in page
    ann.post(at(row, "save/"), {**GOOD, "seconds": "5"})
    row.refresh_from_db()
    assert (row.seconds, Draft.objects.count(), row.finished is None) == (12, 0, False)


def test_a_tab_that_was_left_behind_is_told_so(ann: Client, row: Assignment) -> None:
    ann.post(at(row, "draft/"), {"mark-correctness": "2", "version": "0"})
    answer = ann.post(at(row, "draft/"), {"mark-correctness": "4", "version": "0"})
    assert answer.status_code == 409
    assert checked(ann.get(at(row)).text) == {"correctness": 2}


def test_a_draft_and_an_open_page_show_that_somebody_is_there(ann: Client, row: Assignment) -> None:
    Assignment.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    ann.post(at(row, "draft/"), {"mark-correctness": "2"})
    row.refresh_from_db()
    assert row.lease_until is not None and row.lease_until > timezone.now()
    assert ann.post(at(row, "here/")).json() == {"place": True}
    ann.post(at(row, "save/"), GOOD)
    assert ann.post(at(row, "here/")).json() == {"place": True}


# --- Sessions that expire -----------------------------------------------------------------


def signed_out(client: Client) -> None:
    """Removes the session's cookie, as if the session had expired; the other cookies stay."""
    client.cookies.pop("sessionid")


def sign_in(client: Client, name: str, here: str) -> Any:
    """Signs in by the form, as people do."""
    data = {"login": name, "password": "correct horse battery", "next": here}
    return client.post("/sign-in/", data, follow=True)


def test_what_is_saved_after_the_session_expired_is_there_after_signing_in(
    ann: Client, row: Assignment
) -> None:
    signed_out(ann)
    answer = ann.post(at(row, "save/"), {**GOOD, "comment-correctness": "kept"})
    assert answer["Location"] == f"/sign-in/?next={at(row)}"
    page = sign_in(ann, "ann", at(row)).text
    assert checked(page) == {"correctness": 3, "code-quality": 2, "maintainability": 4}
    assert ">kept</textarea>" in page
    assert not Rating.objects.exists()
    ann.post(at(row, "save/"), GOOD)
    assert marks() == FAIR
    assert "are restored" not in ann.get(at(row)).text


def test_a_draft_after_the_session_expired_is_there_after_signing_in(
    ann: Client, row: Assignment
) -> None:
    ann.post(at(row, "draft/"), {"mark-correctness": "1", "version": "0"})
    signed_out(ann)
    answer = ann.post(at(row, "draft/"), {**GOOD, "version": "1"})
    assert (answer.status_code, answer.json()) == (401, {"kept": True})
    assert checked(sign_in(ann, "ann", at(row)).text)["correctness"] == 3
    # The page's next change continues from the stored draft.
    assert ann.post(at(row, "draft/"), {**GOOD, "version": "1"}).json() == {"version": 2}


def test_skipping_after_the_session_expired_keeps_the_reason(ann: Client, row: Assignment) -> None:
    signed_out(ann)
    ann.post(at(row, "skip/"), {"reason": "not Java", "mark-correctness": "2"})
    assert ">not Java</textarea>" in sign_in(ann, "ann", at(row)).text


def test_who_signs_in_at_another_s_browser_sees_nothing_of_it(
    ann: Client, row: Assignment, panel: Panel
) -> None:
    mine = take(panel.rater("ben"))
    signed_out(ann)
    ann.post(at(row, "save/"), {**GOOD, "comment-correctness": "veiled"})
    assert sign_in(ann, "ben", at(row)).status_code == 404
    page = ann.get(at(mine)).text
    assert (checked(page), "veiled" in page) == ({}, False)


def test_a_stranger_s_flood_is_not_kept(row: Assignment) -> None:
    client = Client()
    answer = client.post(at(row, "draft/"), {"comment-correctness": "x" * MOST_CHARACTERS})
    assert answer.json() == {"kept": False}
    for number in range(9):
        client.post(f"/rate/items/{number}/draft/", GOOD)
    assert len(client.session["rating"]) == 3


def test_few_sessions_of_strangers_keep_forms_and_not_for_long(
    ann: Client, row: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace, "MOST_KEPT", 3)
    signed_out(ann)
    clients = [ann, *(Client() for _ in range(5))]
    kept = [client.post(at(row, "draft/"), GOOD).json()["kept"] for client in clients]
    assert kept == [True] * 3 + [False] * 3
    assert Session.objects.filter(expire_date__lt=timezone.now() + timedelta(hours=13)).count() == 3
    page = clients[-1].post(at(row, "save/"), GOOD, follow=True)
    assert "too long to be kept, or too many wait" in page.text
    # A rater who signs in finds the form, and has an ordinary session again.
    assert checked(sign_in(ann, "ann", at(row)).text)["correctness"] == 3
    assert ann.session.get_expiry_age() > 10 * 24 * 3600


# --- Who is tried out, who settles --------------------------------------------------------


def test_a_known_item_looks_like_any_other(panel: Panel) -> None:
    campaign = panel.with_known_item(panel.northwood, marks=POOR)
    row = take(panel.rater("ann", campaign))
    assert row.item.kind == "known"
    page = visitor(panel.person("ann")).get(at(row)).text
    assert "known" not in page and checked(page) == {}


def test_who_settles_reads_the_marks_and_reasons_and_goes_on_to_the_next(panel: Panel) -> None:
    for number in (0, 1):
        row = take_this(panel.rater("ann"), panel.item(number=number))
        save_ratings(assignment=row, marks=FAIR, comments={"correctness": "<b>handles\u200b all"})
        rate(panel.rater("ben"), panel.item(number=number), POOR)
    row = take(panel.rater("dan", adjudicates=True))
    client = visitor(panel.person("dan"))
    page = client.get(at(row)).text
    assert "1 of 2" in page
    assert (page.count("<fieldset"), checked(page)) == (1, {}), "what is not settled alone"
    assert 'Rater 1: <p class="note">' in page and "Rater 2:" in page
    assert '&lt;b&gt;handles<span class="codepoint" data-code="U+200B">\u200b</span> all' in page
    assert "no reason given" in page
    for name in ("ann", "ben", "Larch"):
        assert f">{name}" not in page
    onward = client.post(at(row, "save/"), {"mark-correctness": "2"})["Location"]
    second = Assignment.objects.get(rater=row.rater, state="rating")
    assert (onward, second.kind) == (at(second), "third")
    assert "2 of 2" in client.get(onward).text
    assert MarkChange.objects.get(assignment=row).informed
    assert row.outcomes.get().value == 2
    alone = take_this(panel.rater("eve"), panel.item(number=2))
    assert "Rater 1" not in visitor(panel.person("eve")).get(at(alone)).text


def test_a_draft_of_one_s_own_is_not_another_s(panel: Panel, row: Assignment) -> None:
    save_draft(assignment=row, version=0, marks=POOR, comments={"correctness": "veiled"})
    other = take_this(panel.rater("ben"), row.item)
    assert "veiled" not in visitor(panel.person("ben")).get(at(other)).text


# --- The page is left -----------------------------------------------------------------------


def is_held(row: Assignment) -> bool:
    return Assignment.objects.filter(pk=row.pk, lease_until__isnull=False).exists()


def test_a_page_that_is_left_gives_the_item_to_the_next_rater_at_once(
    ann: Client, row: Assignment, panel: Panel
) -> None:
    row.item.campaign.per_item = 1
    row.item.campaign.save()
    kind = Assignment.Kind.ALONE
    ben = panel.rater("ben")
    assert take_item(rater=ben, item_pk=row.item_id, kind=kind, owner="b") is None
    assert ann.post(at(row, "leave/")).status_code == 204
    assert not is_held(row)
    assert take_item(rater=ben, item_pk=row.item_id, kind=kind, owner="b") is not None


def test_a_draft_that_arrives_after_the_page_was_left_is_kept_and_takes_no_place(
    ann: Client, row: Assignment
) -> None:
    ann.post(at(row, "leave/"))
    assert ann.post(at(row, "draft/"), {"mark-correctness": "2"}).json() == {"version": 1}
    assert not is_held(row)
    assert ann.post(at(row, "here/")).json() == {"place": True}
    assert is_held(row)


def test_what_was_entered_last_comes_with_it_and_stays(ann: Client, row: Assignment) -> None:
    left = {"mark-correctness": "3", "comment-correctness": "half", "version": "0", "seconds": "4"}
    assert ann.post(at(row, "leave/"), left).status_code == 204
    draft = Draft.objects.get(assignment=row)
    assert (draft.marks, draft.comments["correctness"]) == ({"correctness": 3}, "half")
    assert not is_held(row)
    assert checked(ann.get(at(row)).text) == {"correctness": 3}


def test_leaving_with_nothing_new_changes_no_draft_and_no_marks(
    ann: Client, row: Assignment
) -> None:
    save_draft(assignment=row, version=0, marks={"correctness": 2}, comments={}, seconds=1)
    ann.post(at(row, "leave/"))
    assert Draft.objects.get(assignment=row).marks == {"correctness": 2}
    ann.post(at(row, "save/"), GOOD)
    assert ann.post(at(row, "leave/")).status_code == 204
    row.refresh_from_db()
    assert row.state == AssignmentState.DONE


def test_who_is_signed_out_when_leaving_finds_it_again(panel: Panel, row: Assignment) -> None:
    stranger = visitor()
    assert stranger.post(at(row, "leave/"), {"mark-correctness": "3"}).status_code == 401
    assert is_held(row) and not Draft.objects.exists()
    stranger.force_login(panel.person("ann"))
    assert checked(stranger.get(at(row)).text) == {"correctness": 3}


def test_leaving_needs_the_page_s_own_token(panel: Panel, row: Assignment) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(panel.person("ann"))
    assert client.post(at(row, "leave/")).status_code == 403
    assert is_held(row)


# --- The submission is taken out ------------------------------------------------------------


def test_an_item_that_is_gone_is_a_page_that_says_so(
    ann: Client, row: Assignment, panel: Panel
) -> None:
    Assignment.objects.update(lease_until=None)
    assert row.item.generation is not None
    campaigns.remove_submission(
        campaign=panel.campaign,
        submission=row.item.generation.submission,
        user=panel.cast.dora,
        reason="sent by mistake",
    )
    answers = [ann.get(at(row))]
    answers += [ann.post(at(row, f"{part}/"), GOOD) for part in ("save", "skip", "draft", "leave")]
    assert {answer.status_code for answer in answers} == {404}
    assert all("taken the submission out of the campaign" in answer.text for answer in answers)
