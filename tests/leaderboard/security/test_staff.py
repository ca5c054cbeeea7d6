"""What staff see and do by which permission, and the audit log of it."""

import re
from datetime import timedelta

import pytest
from auditlog.models import LogEntry
from django.contrib.auth.models import Permission
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation.engine.records import Integrity
from evaluation.models import Verdict
from evaluation.work import review
from leaderboard.accounts.models import Membership, User
from leaderboard.submissions.declaring import declare
from leaderboard.submissions.models import (
    Generation,
    Submission,
    Upload,
    UploadState,
    Visibility,
    random_id,
)
from tests.evaluation.web.test_reconciling import upload_in
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import PASSWORD, Cast, clerk
from tests.support.commands import ROOT

pytestmark = pytest.mark.any_database

ACCESS, UPDATE = LogEntry.Action.ACCESS, LogEntry.Action.UPDATE


@pytest.fixture
def private(cast: Cast) -> Submission:
    submission = cast.judged_submission(cast.entrant(), samples=1)
    Submission.objects.filter(pk=submission.pk).update(visibility=Visibility.PRIVATE)
    Generation.objects.filter(submission=submission).update(text="veiled = 1")
    return submission


def entries(row: Model, action: int) -> list[LogEntry]:
    return list(LogEntry.objects.get_for_object(row).filter(action=action).order_by("pk"))


def test_each_step_asks_for_its_permission(private: Submission) -> None:
    page, task = private.get_absolute_url(), reverse("submission-task", args=[private.pk, 0])
    publish = reverse("submission-publish", args=[private.pk])
    assert clerk().get(page).status_code == 404
    client = clerk("view_submission")
    assert client.get(page).status_code == 200
    assert "veiled" not in client.get(task).text
    client = clerk("view_submission", "view_generation")
    assert "veiled" in client.get(task).text
    assert publish not in client.get(page).text
    assert client.post(publish).status_code == 404
    assert clerk("change_submission").post(publish).status_code == 404
    assert clerk("view_submission", "change_submission").post(publish).status_code == 302
    private.refresh_from_db()
    assert private.visibility == Visibility.PUBLISHED


def test_a_permission_without_staff_is_worth_nothing(private: Submission) -> None:
    client = clerk("view_submission", "change_submission")
    User.objects.filter(username="clerk").update(is_staff=False)
    assert client.get(private.get_absolute_url()).status_code == 404


def test_only_staff_who_may_change_uploads_discard_one(cast: Cast) -> None:
    upload = upload_in(UploadState.CHECKED, cast)
    discard = reverse("upload-discard", args=[upload.pk])
    client = clerk("view_upload")
    assert discard not in client.get(upload.get_absolute_url()).text
    assert client.post(discard).status_code == 404
    client.post(reverse("uploads-discard"), {"upload": upload.pk})
    assert Upload.objects.get().state == UploadState.CHECKED
    clerk("view_upload", "change_upload").post(discard)
    assert Upload.objects.get().state == UploadState.DISCARDED
    assert {entry.additional_data["path"] for entry in entries(upload, ACCESS)} == {
        upload.get_absolute_url(),
        discard,
    }


def test_acts_on_several_rows_are_recorded_for_each(cast: Cast) -> None:
    uploads = [upload_in(UploadState.CHECKED, cast)]
    submission = cast.judged_submission(cast.entrant("Elm"))
    uploads += [Upload.objects.get(pk=uploads[0].pk)]
    uploads[1].pk, uploads[1].public_id = None, random_id()
    uploads[1].save()
    assert cast.rucodeeval.current is not None
    declaration = declare(
        user=cast.alice, entrant=submission.entrant, revision=cast.rucodeeval.current,
        setting="base", samples=1, model="elm",
    )  # fmt: skip
    client = clerk("view_upload", "change_upload", "view_submission", "change_submission")
    client.post(reverse("uploads-discard"), {"upload": [row.pk for row in uploads]})
    for row in uploads:
        (act,) = entries(row, ACCESS)
        assert act.additional_data == {"path": reverse("uploads-discard")}
    again = {"action": "judge_submissions_again", "_selected_action": submission.pk}
    client.post(reverse("admin:submissions_submission_changelist"), again)
    assert submission.evaluations.count() == 2
    assert len(entries(submission, ACCESS)) == 1
    client = clerk("view_declaration", "change_declaration", "view_submission")
    withdraw = reverse("declaration-withdraw", args=[declaration.pk])
    assert client.post(withdraw).status_code == 302
    assert len(entries(declaration, ACCESS)) == 1


def test_a_page_looks_once_whether_it_was_recorded(private: Submission) -> None:
    client = clerk("view_submission", "view_generation")
    task = reverse("submission-task", args=[private.pk, 0])
    client.get(task)
    with CaptureQueriesContext(connection) as queries:
        client.get(task)
    assert sum("auditlog" in query["sql"] for query in queries) == 1


def test_looks_of_staff_are_recorded_once_an_hour(private: Submission, cast: Cast) -> None:
    client = clerk("view_submission", "view_generation")
    task = reverse("submission-task", args=[private.pk, 0])
    for page in (private.get_absolute_url(), task, task):
        client.get(page)
    looks = entries(private, ACCESS)
    paths = [private.get_absolute_url(), task]
    assert [entry.additional_data["path"] for entry in looks] == paths
    assert {str(entry.actor) for entry in looks} == {"clerk"}
    assert {entry.remote_addr for entry in looks} == {"127.0.0.1"}
    LogEntry.objects.update(timestamp=looks[0].timestamp - timedelta(hours=2))
    client.get(task)
    assert len(entries(private, ACCESS)) == 3


def test_the_code_of_a_published_result_is_private_too(private: Submission, cast: Cast) -> None:
    cast.publish(private)
    client = clerk("view_submission", "view_generation")
    client.get(private.get_absolute_url())
    assert entries(private, ACCESS) == []
    client.get(reverse("submission-task", args=[private.pk, 0]))
    assert len(entries(private, ACCESS)) == 1


def test_a_look_at_the_own_team_is_not_recorded(private: Submission, cast: Cast) -> None:
    User.objects.filter(pk=cast.bob.pk).update(is_staff=True, is_superuser=True)
    client = Client()
    client.force_login(cast.bob)
    client.get(private.get_absolute_url())
    assert entries(private, ACCESS) == []


@pytest.mark.parametrize("model", ["submission", "generation"])
def test_looks_in_the_admin_are_recorded(private: Submission, model: str) -> None:
    row = private if model == "submission" else private.generations.first()
    assert row is not None
    client = clerk(f"view_{model}", "view_task")
    client.get(reverse(f"admin:submissions_{model}_changelist"))
    assert entries(row, ACCESS) == []
    client.get(reverse(f"admin:submissions_{model}_change", args=[row.pk]))
    assert len(entries(row, ACCESS)) == 1


def test_a_look_at_hidden_tests_is_recorded(private: Submission) -> None:
    task = private.revision.tasks.first()
    assert task is not None
    clerk("view_task", "change_task").get(reverse("admin:benchmarks_task_hidden", args=[task.pk]))
    assert len(entries(task, ACCESS)) == 1


def test_publishing_and_withdrawing_are_recorded_with_old_and_new_value(
    private: Submission,
) -> None:
    client = clerk("view_submission", "change_submission")
    for step in ("publish", "publish", "withdraw"):
        client.post(reverse(f"submission-{step}", args=[private.pk]))
    changes = entries(private, UPDATE)
    values = [entry.changes["visibility"] for entry in changes]
    assert values == [["private", "published"], ["published", "private"]]
    assert {str(entry.actor) for entry in changes} == {"clerk"}


def test_memberships_and_rights_are_recorded(cast: Cast) -> None:
    member = cast.northwood.memberships.get(user=cast.bob)
    client = Client()
    client.force_login(cast.alice)
    args = [cast.northwood.slug, member.pk]
    client.post(reverse("member-role", args=args), {"role": "owner"})
    client.post(reverse("member-remove", args=args))
    kinds = LogEntry.objects.get_for_model(Membership).filter(object_pk=str(member.pk))
    found = [(entry.action, str(entry.actor)) for entry in kinds.order_by("pk")][1:]
    assert found == [(UPDATE, "alice"), (LogEntry.Action.DELETE, "alice")]
    assert kinds.get(action=UPDATE).changes == {"role": ["member", "owner"]}
    cast.bob.is_staff = True
    cast.bob.save()
    assert entries(cast.bob, UPDATE)[-1].changes == {"is_staff": ["False", "True"]}


@pytest.mark.parametrize(
    ("action", "recorded"),
    [("", False), ("no such action", False), ("judge_submissions_again", True)],
)
def test_only_an_action_on_all_rows_is_recorded_and_in_bulk(
    private: Submission, cast: Cast, action: str, recorded: bool
) -> None:
    client = visitor(cast.dora)
    url = reverse("admin:submissions_submission_changelist")
    queries = []
    for batch in ("Fir", "Elm"):
        rows = Submission.objects.count()
        LogEntry.objects.filter(action=ACCESS).delete()
        form = {"action": action, "select_across": "1", "_selected_action": private.pk}
        with CaptureQueriesContext(connection) as captured:
            assert client.post(url, form).status_code in (200, 302)
        accesses = LogEntry.objects.get_for_model(Submission).filter(action=ACCESS)
        assert accesses.filter(actor=cast.dora).count() == rows * recorded
        assert set(accesses.values_list("remote_addr", flat=True)) <= {"127.0.0.1"}
        texts = [str(query["sql"]) for query in captured.captured_queries]
        queries.append(sum("auditlog_logentry" in text for text in texts))
        for number in range(3):
            cast.judged_submission(cast.entrant(f"{batch} {number}"), samples=1)
    assert queries[0] == queries[1]


def test_review_decisions_are_recorded(private: Submission, cast: Cast) -> None:
    verdict = Verdict.objects.filter(status="passed")[0]
    Verdict.objects.filter(pk=verdict.pk).update(integrity="suspect")
    verdict.refresh_from_db()
    review.settle(verdicts=[verdict], to=Integrity.CONFIRMED)
    assert entries(verdict, UPDATE)[0].changes == {"integrity": ["suspect", "confirmed"]}


def test_sign_ins_of_staff_are_recorded(cast: Cast) -> None:
    for person in (cast.alice, cast.dora):
        Client().post(reverse("sign-in"), {"login": person.username, "password": PASSWORD})
    assert entries(cast.alice, ACCESS) == []
    (sign_in,) = entries(cast.dora, ACCESS)
    assert (sign_in.actor, sign_in.additional_data) == (cast.dora, {"event": "sign-in"})


def test_the_log_holds_no_address_of_mail_and_no_password(cast: Cast) -> None:
    cast.northwood.memberships.get(user=cast.bob).delete()
    cast.alice.set_password("another horse battery")
    cast.alice.save()
    log = str(list(LogEntry.objects.values("object_repr", "changes", "additional_data")))
    assert "example.org" not in log and "pbkdf2" not in log and "md5" not in log


def test_the_log_cannot_be_changed_in_the_admin(cast: Cast) -> None:
    entry = LogEntry.objects.create(
        content_type_id=1, object_pk="1", object_repr="x", action=UPDATE
    )
    client = Client()
    client.force_login(cast.dora)
    pages = {
        page: client.post(reverse(f"admin:auditlog_logentry_{page}", args=args)).status_code
        for page, args in (("add", []), ("change", [entry.pk]), ("delete", [entry.pk]))
    }
    assert set(pages.values()) == {403}
    delete = {"action": "delete_selected", "_selected_action": entry.pk, "post": "yes"}
    client.post(reverse("admin:auditlog_logentry_changelist"), delete)
    assert LogEntry.objects.filter(pk=entry.pk).exists()


def test_the_permissions_that_the_guide_names_exist(db: None) -> None:
    guide = (ROOT / "docs/operators/administration.md").read_text()
    named = set(re.findall(r"`(\w+)\.((?:view|add|change)_\w+)`", guide))
    known = set(Permission.objects.values_list("content_type__app_label", "codename"))
    assert len(named) > 15 and named <= known
