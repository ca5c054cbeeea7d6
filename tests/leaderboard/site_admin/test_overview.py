"""Tests of the operators' overview: what it names, where its links lead, and its number of
queries."""

import re
import shutil
from datetime import timedelta
from html import unescape
from types import SimpleNamespace

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.sandbox import texts
from evaluation.models import (
    Chunk,
    ChunkState,
    Evaluation,
    EvaluationState,
    RecheckedTask,
    ReferenceVerdict,
    Verdict,
    Worker,
)
from evaluation.state import scheduling
from evaluation.state.references import keep_failure
from evaluation.work.actions import open_evaluation
from leaderboard.accounts.models import Team
from leaderboard.mail.models import OutgoingMail
from leaderboard.mail.outbox import waiting
from leaderboard.site_admin import overview
from leaderboard.submissions.models import Copy, CopyState, UploadState
from tests.evaluation.web.test_reconciling import upload_in
from tests.evaluation.web.test_scheduling import claim
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database

OVERVIEW = reverse("admin-overview")


def points(client: Client) -> dict[str, str]:
    """By sentence, the address of its action."""
    attention = client.get(OVERVIEW).text.partition("Needs attention")[2].partition("</div>")[0]
    return dict(re.findall(r'<li>([^<]+?) <a href="([^"]+)">', unescape(attention)))


def works(name: str, *, silent: bool = False) -> None:
    seen = timezone.now() - timedelta(hours=silent)
    Worker.objects.create(name=name, host="north", queues=["python"], started=seen, seen=seen)


def test_without_trouble_nothing_needs_attention(staff: Client, cast: Cast) -> None:
    cast.judged_submission(cast.entrant())
    assert points(staff) == {}
    assert "Nothing needs attention." in staff.get(OVERVIEW).text


def test_waiting_chunks_without_a_living_worker_are_named(staff: Client, cast: Cast) -> None:
    open_evaluation(submission=cast.submission(cast.entrant()))
    works("old", silent=True)
    waiting = Chunk.objects.count()
    assert list(points(staff)) == [
        f"Waiting in the queue Python functions: {waiting}. No living worker serves this queue.",
        "1 worker is silent. The process or the host has ended: old.",
    ]
    assert "silent" in staff.get(OVERVIEW).text
    Worker.objects.all().delete()
    works("new")
    assert points(staff) == {}


def test_what_needs_a_decision_is_counted_and_its_link_leads_there(
    staff: Client, cast: Cast
) -> None:
    cast.judged_submission(cast.entrant("Ash"), ("passed",), integrity="suspect", samples=1)
    Chunk.objects.update(state=ChunkState.LOST)
    Evaluation.objects.update(state=EvaluationState.SCORING, cause="the disk was full")
    cast.judged_submission(cast.entrant("Elm"), ("failed",), samples=1)
    finished = timezone.now() - timedelta(hours=1)
    Evaluation.objects.filter(state=EvaluationState.DONE).update(finished=finished)
    assert cast.rucodeeval.current is not None
    for task in cast.rucodeeval.current.tasks.all()[:2]:
        RecheckedTask.objects.create(
            task=task, engine_version=ENGINE_VERSION, judged=8, differing=task.number
        )
    ReferenceVerdict.objects.create(
        task=task, name="dry_run", image_digest="sha256:1", engine_version="1", status="failed",
        tests_passed=0, tests_total=1, duration_ms=1, cpu_seconds=1, unsound="It fails.",
    )  # fmt: skip
    Copy.objects.create(
        submission=cast.submission(cast.entrant("Sedge")), state=CopyState.OPEN, held=True,
        tasks=12, share=1.0, rare_tasks=12, rare_share=1.0,
    )  # fmt: skip
    Copy.objects.create(
        submission=cast.submission(cast.entrant("Reed")), state=CopyState.ALLOWED, held=True,
        tasks=12, share=1.0, rare_tasks=12, rare_share=1.0,
    )  # fmt: skip
    upload = upload_in(UploadState.RECEIVED, cast)
    upload.created = timezone.now() - timedelta(hours=3)
    upload.tries, upload.cause = 1, "The disk is full."
    upload.save()
    found = points(staff)
    suspects = Verdict.objects.filter(integrity="suspect").count()
    beginnings = (
        "1 chunk is lost. Its worker stopped answering.",
        "1 evaluation could not be scored. the disk was full",
        f"{suspects} passes are under review. Passes that may be faked do not count until",
        "1 published result has no receipt.",
        "1 unsound task is not left out. Tasks that cannot be judged correctly count until you",
        "Verdicts on 1 task differ when they are given again. Tests that",
        "1 submission may be a copy of another team's. Those that are held are not published",
        "1 upload failed on our side and is tried again. The disk is full.",
    )
    for beginning in beginnings:
        (line,) = (line for line in found if line.startswith(beginning))
        page = staff.get(found[line])
        assert page.status_code == 200, line
        if beginning.startswith("1 submission"):
            assert "Sedge" in page.text and "Reed" not in page.text
        if beginning.startswith("Verdicts"):
            assert re.findall(r'field-differing">(\d+)', page.text) == ["1", "0"]
    assert "<td>3\xa0hours</td>" in staff.get(OVERVIEW).text


def test_chunks_that_do_not_move_are_named_with_the_reason(staff: Client, cast: Cast) -> None:
    works("north-1")
    evaluation = open_evaluation(submission=cast.submission(cast.entrant()))
    long_ago = timezone.now() - timedelta(hours=2)
    chunk = claim(evaluation)
    Chunk.objects.filter(pk=chunk.pk).update(claimed=long_ago, lease_until=long_ago)
    assert list(points(staff)) == [
        "1 chunk runs and has no verdict yet. It waits for a slot, for a project's build or for "
        "Docker, or its programs hang.",
        "1 chunk has lost its worker and is not taken back. The reconciler does not run, or does "
        "not reach the database.",
    ]
    scheduling.take_back_run_out()
    assert list(points(staff)) == ["1 chunk waits after a failure. Its worker stopped answering."]
    Chunk.objects.filter(pk=chunk.pk).update(cause="The disk is full.")
    (found,) = points(staff)
    assert found == "1 chunk waits after a failure. The disk is full."
    limited = cast.charlie
    limited.is_staff = True
    limited.save()
    staff.force_login(limited)
    page = staff.get(OVERVIEW).text
    assert "1 chunk waits after a failure." in page and "The disk is full." not in page
    assert "Running chunks" not in page


def test_mail_that_is_not_sent_is_named_and_can_be_sent_again(staff: Client, cast: Cast) -> None:
    long_ago = timezone.now() - timedelta(hours=2)
    OutgoingMail.objects.create()
    OutgoingMail.objects.create(due=long_ago)
    row = OutgoingMail.objects.create(content=b"To: x\n\nsecret-link", given_up=long_ago)
    [(words, url)] = points(staff).items()
    assert words.startswith("2 messages were not sent.")
    pages = [url, reverse("admin:mail_outgoingmail_change", args=[row.pk])]
    assert ["secret-link" in staff.get(page).text for page in pages] == [False, False]
    staff.post(url, {"action": "send_again", "_selected_action": row.pk})
    assert waiting(OutgoingMail.objects.all()).filter(pk=row.pk).exists()


def test_running_chunks_say_what_they_wait_for_and_who_holds_the_slots(
    staff: Client, cast: Cast
) -> None:
    works("north-1")
    evaluation = open_evaluation(submission=cast.submission(cast.entrant()))
    chunk, waits = claim(evaluation), texts.WAITS_FOR_SLOT(used=3, slots=3)
    shares = [f"submission {evaluation.submission_id}", "command 12"]
    assert scheduling.renew_lease(chunk=chunk, waits_for=waits, shares=shares)
    page = " ".join(staff.get(OVERVIEW).text.split())
    link = f'<a href="/submissions/{evaluation.submission_id}/">'
    assert f"{link}{evaluation.submission_id}</a>, Larch Coder 32B, ruCodeEval" in page
    assert f"Slots are held by: {link}{shares[0]}</a>, command 12" in page
    Chunk.objects.filter(pk=chunk.pk).update(claimed=timezone.now() - timedelta(hours=2))
    assert list(points(staff)) == [f"1 chunk runs and has no verdict yet. {waits}"]
    assert "nothing: it holds a slot" not in staff.get(OVERVIEW).text
    Chunk.objects.filter(pk=chunk.pk).update(wait=None, judged=1)
    assert "nothing: it holds a slot" in staff.get(OVERVIEW).text


def test_little_room_and_new_teams_have_a_reason_and_an_action(
    staff: Client, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    Team.objects.filter(pk=cast.northwood.pk).update(created=timezone.now())
    usage = SimpleNamespace(total=100 * 2**30, free=2**30)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    ((line, url),) = points(staff).items()
    assert line.startswith("Only 1.0") and "Superseded evaluations" in line
    assert "evaluation/evaluation/" in url and staff.get(url).status_code == 200
    site = staff.get(OVERVIEW).text.partition("<h2>Site</h2>")[2]
    assert "Northwood" in site and "Anybody can make a team." in site
    (address,) = re.findall(r'href="([^"]+/team/\?[^"]+)"', site)
    assert staff.get(address).status_code == 200


def test_a_project_that_could_not_be_built_counts_until_a_later_build(
    staff: Client, cast: Cast
) -> None:
    tasks = cast.rucodeeval.current.tasks.all()
    tasks.update(project="boltons")
    keep_failure(tasks=[task.pk for task in tasks], cause="pip found no such release")
    assert list(points(staff))[0] == "1 project could not be built. pip found no such release"
    for url in points(staff).values():
        assert staff.get(url).status_code == 200
    for task in tasks:
        ReferenceVerdict.objects.create(
            task=task, name="dry_run", image_digest="sha256:1", engine_version="1",
            status="passed", tests_passed=1, tests_total=1, duration_ms=1, cpu_seconds=1,
        )  # fmt: skip
    assert not any("built" in line for line in points(staff))


def test_hosts_have_their_speed_and_queues_their_words(staff: Client, cast: Cast) -> None:
    works("north-1")
    cast.judged_submission(cast.entrant())
    Chunk.objects.update(host="north", runs=10, worked=timedelta(seconds=5))
    page = staff.get(OVERVIEW).text
    number = Chunk.objects.count() * 10
    assert '<th scope="row">north</th><td>1</td>' in page
    assert f"<td>{number}</td><td>0.50</td>" in page
    assert "uploads" in page and "scores and boards" in page
    lists = staff.get(reverse("admin:evaluation_worker_changelist")).text
    assert "Python functions" in lists and "[" not in re.findall(r'field-serves">([^<]*)', lists)[0]


def test_slots_of_a_host_are_shown_with_their_holders(staff: Client, cast: Cast) -> None:
    works("north-1")
    submission = cast.submission(cast.entrant())
    shares = [f"submission {submission.pk}", "command 12"]
    Worker.objects.update(slots={"count": 5, "used": 3, "shares": shares})
    page = staff.get(OVERVIEW).text
    link = f'<a href="/submissions/{submission.pk}/">{shares[0]}</a>'
    assert f"<td>3 of 5: {link}, command 12</td>" in page
    Worker.objects.update(seen=timezone.now() - timedelta(hours=1))
    assert "3 of 5" not in staff.get(OVERVIEW).text


def test_running_chunks_beyond_the_list_are_counted(staff: Client, cast: Cast) -> None:
    evaluation = open_evaluation(submission=cast.submission(cast.entrant()))
    chunk = claim(evaluation)
    number = Chunk.objects.order_by("-number")[0].number
    for each in range(overview.MOST_ROWS + 1):
        chunk.pk, chunk.number = None, number + each + 1
        chunk.save()
    more = re.findall(r'<a href="([^"]+)">and 2 more</a>', staff.get(OVERVIEW).text)
    assert [staff.get(url).status_code for url in more] == [200]


def test_its_queries_do_not_grow(
    staff: Client, cast: Cast, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(3):
        cast.judged_submission(cast.entrant(f"Larch {number}"), samples=1)
        works(f"w{number}")
        with django_assert_max_num_queries(29):
            staff.get(OVERVIEW)
