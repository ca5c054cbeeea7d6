"""Webhooks: which events are stored, and their way to a receiver that answers, refuses or hangs."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Coroutine, Iterator
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import transaction
from django.utils import timezone
from pytest_django.fixtures import Settings
from standardwebhooks import Webhook as Verifier

from evaluation.engine.records import Integrity
from evaluation.models import Evaluation, Review, Verdict
from evaluation.work import actions, review
from evaluation.work.leaving import delete_account
from leaderboard.accounts.models import Membership
from leaderboard.accounts.teams import create_team
from leaderboard.mail import webhooks
from leaderboard.mail.models import Delivery, Event, Webhook
from leaderboard.mail.webhooks import (
    LOG_DAYS,
    OFF_DAYS,
    add_deliveries,
    deliver_waiting,
    forget_deliveries,
    make_webhook,
)
from leaderboard.submissions.models import Copy, CopyState, Submission
from tests.evaluation.web.conftest import at_once
from tests.leaderboard.mail.test_outbox import HOUR, end, notifier
from tests.support.cast import Cast
from tests.support.commands import ROOT, wait_for
from tests.support.receiver import Receiver, receiver


@pytest.fixture
def server(settings: Settings) -> Iterator[Receiver]:
    with receiver() as state:
        settings.ENDPOINTS = [state.origin]
        yield state


@pytest.fixture
def webhook(server: Receiver, cast: Cast) -> Webhook:
    """Northwood's."""
    return make_webhook(team=cast.northwood, url=f"{server.origin}/hook/")[0]


def events() -> list[str]:
    return list(Delivery.objects.order_by("pk").values_list("event", flat=True))


def send(webhook: Webhook, event: Event = Event.TEST) -> None:
    add_deliveries([webhook], event, {"team": "northwood"})


def make_due() -> None:
    Delivery.objects.update(due=timezone.now() - HOUR, lease_until=None)


# --- Events -------------------------------------------------------------------------------------


def test_publishing_superseding_and_withdrawing_are_told(cast: Cast, webhook: Webhook) -> None:
    larch = cast.entrant("Larch")
    first, second = (cast.judged_submission(larch, samples=1, publish=False) for _ in range(2))
    Delivery.objects.all().delete()
    for submission in (first, second, second):
        actions.publish_submission(submission=submission)
    actions.withdraw_submission(submission=first)
    assert events() == [
        "result.published", "result.published", "result.superseded", "result.withdrawn"
    ]  # fmt: skip


def test_an_end_is_told_once_and_with_its_place(
    cast: Cast, server: Receiver, webhook: Webhook
) -> None:
    submission = cast.judged_submission(cast.entrant("Larch"), samples=1)
    evaluation = submission.evaluations.get()
    actions.rescore(evaluation=evaluation)
    cast.score(evaluation)
    assert deliver_waiting() == 1
    assert deliver_waiting() == 0
    [event] = server.events
    assert event["timestamp"].endswith("Z")
    assert (event["type"], event["data"]) == (
        "evaluation.ended",
        {
            "submission": submission.public_id, "benchmark": "rucodeeval", "revision": "sample",
            "setting": "base", "entrant": "larch", "state": "done",
        },
    )  # fmt: skip


def test_a_result_that_is_judged_again_supersedes_itself(cast: Cast, webhook: Webhook) -> None:
    submission = cast.judged_submission(cast.entrant(), samples=1)
    again = actions.judge_again(submission=submission)
    Delivery.objects.all().delete()
    cast.judge(again)
    cast.score(again)
    assert sorted(events()) == ["evaluation.ended", "result.superseded"]


def test_cancelling_is_told(cast: Cast, webhook: Webhook) -> None:
    evaluation = actions.open_evaluation(submission=cast.submission(cast.entrant()))
    assert actions.cancel_evaluation(evaluation=evaluation)
    assert '"state": "cancelled"' in Delivery.objects.get().body


def test_a_decision_on_passes_is_told_unless_it_confirms_them(cast: Cast, webhook: Webhook) -> None:
    """Who learns that a pass was looked at could compute which others will be."""
    cast.judged_submission(cast.entrant(), samples=1, tier="shared")
    fine, wrong = Verdict.objects.filter(status="passed")[:2]
    Delivery.objects.all().delete()
    review.decide(verdict=fine, fine=True, reason="", by=cast.dora)
    assert events() == []
    review.decide(verdict=wrong, fine=False, reason="It is none.", by=cast.dora)
    rows = Verdict.objects.filter(pk=fine.pk)
    rows.update(integrity=Integrity.SUSPECT.value)
    review.decide_on_suspects(verdicts=rows, fine=True, reason="It is one.", by=cast.dora)
    # A decision that is taken back is none.
    review.take_back(review=Review.objects.get(verdict=fine))
    decisions = [row.body.partition('"of": ')[2] for row in Delivery.objects.order_by("pk")]
    assert decisions == [f'"passes", "decision": "{d}"}}}}' for d in ("refused", "accepted")]


@pytest.mark.parametrize(
    ("held", "state", "told"),
    [(True, "allowed", 1), (True, "refused", 1), (False, "refused", 1), (False, "allowed", 0)],
)
def test_a_decision_on_copies_is_told_to_who_waits_for_it(
    cast: Cast, webhook: Webhook, held: bool, state: str, told: int
) -> None:
    theirs = cast.submission(cast.entrant("Theirs", cast.fenland), samples=1)
    copied = cast.submission(cast.entrant("Copied"), samples=1)
    numbers = {"tasks": 12, "share": 1.0, "rare_tasks": 12, "rare_share": 1.0}
    Copy.objects.create(submission=copied, other=theirs, held=held, **numbers)
    actions.decide_on_copies(
        copies=Copy.objects.all(), state=CopyState(state), reason="We asked.", user=cast.dora
    )
    bodies = list(Delivery.objects.values_list("body", flat=True))
    assert len(bodies) == told
    assert "theirs" not in "".join(bodies) and "asked" not in "".join(bodies)


def test_a_step_that_fails_is_not_told(cast: Cast, webhook: Webhook) -> None:
    submission = cast.judged_submission(cast.entrant(), samples=1, publish=False)
    Delivery.objects.all().delete()
    with suppress(ZeroDivisionError), transaction.atomic():
        actions.publish_submission(submission=submission)
        _ = 1 / 0
    assert events() == []


def test_another_team_is_told_nothing(cast: Cast, server: Receiver) -> None:
    make_webhook(team=cast.fenland, url=f"{server.origin}/")
    submission = cast.judged_submission(cast.entrant(), samples=1, publish=False)
    actions.publish_submission(submission=submission)
    assert events() == []


# --- Delivery -----------------------------------------------------------------------------------


def test_what_arrives_is_verified_by_the_specifications_own_library(
    cast: Cast, server: Receiver
) -> None:
    webhook, secret = make_webhook(team=cast.northwood, url=f"{server.origin}/hook/")
    send(webhook)
    assert deliver_waiting() == 1
    [(headers, body)] = server.received
    event = Verifier(secret).verify(body, headers)
    assert (event["type"], event["data"]) == ("test", {"team": "northwood"})
    assert headers["User-Agent"] == "Assay"


def test_the_receiver_of_the_guide_prints_the_event(cast: Cast, settings: Settings) -> None:
    page = (ROOT / "docs/users/automation.md").read_text("utf-8")
    [program] = [
        block
        for block in re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        if "WEBHOOK_SECRET" in block
    ]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings.ENDPOINTS = [f"http://127.0.0.1:{port}"]
    webhook, secret = make_webhook(team=cast.northwood, url=f"http://127.0.0.1:{port}/")
    command = [sys.executable, "-c", program.replace("8080", str(port))]
    environment = {**os.environ, "WEBHOOK_SECRET": secret}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            send(webhook)
            wait_for(lambda: make_due() or deliver_waiting() == 1)
            assert process.stdout
            assert process.stdout.readline() == "test {'team': 'northwood'}\n"
        finally:
            process.kill()


def test_a_failed_event_is_sent_again_after_growing_waits(
    cast: Cast, server: Receiver, webhook: Webhook
) -> None:
    send(webhook)
    server.status = 500
    waits = []
    for _ in range(3):
        make_due()
        assert deliver_waiting() == 0
        waits.append((Delivery.objects.get().due - timezone.now()).total_seconds())
    assert [round(wait, -1) for wait in waits] == [30, 60, 120]
    assert Delivery.objects.get().cause == "HTTP 500"
    assert deliver_waiting() == 0 and len(server.received) == 3, "it is not due"
    server.status = 204
    make_due()
    assert deliver_waiting() == 1
    assert len(set(server.ids)) == 1, "the receiver can tell copies"
    webhook.refresh_from_db()
    assert (Delivery.objects.get().cause, webhook.failing_since) == ("", None)


def test_an_event_is_given_up_after_a_day(server: Receiver, webhook: Webhook) -> None:
    send(webhook)
    Delivery.objects.update(created=timezone.now() - timedelta(days=1, minutes=1))
    server.status = 500
    deliver_waiting()
    make_due()
    assert deliver_waiting() == 0 and len(server.received) == 1
    assert Delivery.objects.get().given_up


def test_while_a_receiver_fails_its_other_events_wait(server: Receiver, webhook: Webhook) -> None:
    for _ in range(3):
        send(webhook)
    server.status = 500
    deliver_waiting()
    deliver_waiting()
    assert len(server.received) == 1


def test_an_event_that_is_refused_holds_up_no_other(server: Receiver, webhook: Webhook) -> None:
    send(webhook)
    server.status = 400
    deliver_waiting()
    send(webhook)
    Delivery.objects.filter(failures=1).update(due=timezone.now() - HOUR)
    server.status = 204
    deliver_waiting()
    assert [row.sent is None for row in Delivery.objects.order_by("pk")] == [True, False]


def test_a_webhook_may_be_deleted_during_the_call(
    server: Receiver, webhook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(calls: Coroutine[Any, Any, Any]) -> Any:
        answers = asyncio.Runner().run(calls)
        webhook.delete()
        return answers

    send(webhook)
    monkeypatch.setattr(asyncio, "run", run)
    server.status = 500
    assert deliver_waiting() == 0
    assert not Delivery.objects.exists()


def test_a_receiver_that_hangs_holds_up_no_other(
    cast: Cast, server: Receiver, webhook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "SECONDS", 0.5)
    server.seconds = 60
    with receiver() as other:
        theirs, _secret = make_webhook(team=cast.fenland, url=f"{server.origin}/")
        Webhook.objects.filter(pk=theirs.pk).update(url=f"{other.origin}/")
        send(webhook)
        send(theirs)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("django.conf.settings.ENDPOINTS", [server.origin, other.origin])
            start = time.monotonic()
            assert deliver_waiting() == 1
    assert time.monotonic() - start < 5
    assert "TimeoutError" in webhook.deliveries.get().cause


def test_redirects_are_not_followed(server: Receiver, webhook: Webhook) -> None:
    send(webhook)
    server.status = 307
    assert deliver_waiting() == 0
    assert len(server.received) == 1


def test_an_answer_without_end_or_packed_is_not_read(server: Receiver, webhook: Webhook) -> None:
    send(webhook)
    server.status = 200
    start = time.monotonic()
    assert deliver_waiting() == 1
    assert time.monotonic() - start < 5


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.7", "169.254.169.254"])
def test_a_name_of_a_private_address_is_not_called(
    cast: Cast, server: Receiver, settings: Settings, monkeypatch: Any, address: str
) -> None:
    port = int(server.origin.rpartition(":")[2])
    settings.ENDPOINTS = [f":{port}"]
    webhook, _secret = make_webhook(team=cast.northwood, url=f"https://hook.example.org:{port}/")
    send(webhook)
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_more: found)
    assert deliver_waiting() == 0
    cause = Delivery.objects.get().cause
    assert "not public" in cause and address not in cause


def test_an_origin_that_the_operator_no_longer_lists_is_not_called(
    server: Receiver, webhook: Webhook, settings: Settings
) -> None:
    send(webhook)
    settings.ENDPOINTS = []
    assert deliver_waiting() == 0
    assert server.received == []


def test_after_a_week_of_failures_a_webhook_is_off_until_a_test_arrives(
    cast: Cast, server: Receiver, webhook: Webhook
) -> None:
    send(webhook, Event.PUBLISHED)
    server.status = 500
    deliver_waiting()
    assert mail.outbox == []
    Webhook.objects.update(failing_since=timezone.now() - timedelta(days=OFF_DAYS, minutes=1))
    make_due()
    deliver_waiting()
    [message] = mail.outbox
    assert (message.to, message.subject) == (
        [cast.alice.email], "Assay: a webhook of Northwood is off"
    )  # fmt: skip
    assert "HTTP 500" in message.body and "hook/" not in message.body
    assert Delivery.objects.get().given_up
    server.status = 204
    make_due()
    assert deliver_waiting() == 0
    cast.judged_submission(cast.entrant(), samples=1)
    send(webhook)
    assert deliver_waiting() == 1
    webhook.refresh_from_db()
    assert (webhook.off, events()) == (None, ["result.published", "test"])


def test_a_killed_notifier_loses_no_event(
    shared_database: None, cast: Cast, server: Receiver, webhook: Webhook
) -> None:
    send(webhook)
    server.seconds = 60
    pid = notifier()
    wait_for(lambda: bool(server.received))
    assert end(pid, signal.SIGKILL) == -signal.SIGKILL
    server.seconds = 0
    assert deliver_waiting() == 0, "its lease has not ended"
    make_due()
    pid = notifier()
    wait_for(lambda: Delivery.objects.filter(sent=None).count() == 0)
    assert end(pid, signal.SIGTERM) == 0
    assert len(server.ids) == 2 and len(set(server.ids)) == 1


def test_two_notifiers_send_an_event_once(
    shared_database: None, cast: Cast, server: Receiver, webhook: Webhook
) -> None:
    send(webhook)
    assert sorted(at_once(deliver_waiting, deliver_waiting, deliver_waiting)) == [0, 0, 1]
    assert len(server.received) == 1


def test_the_log_ends_after_a_month(webhook: Webhook) -> None:
    for days in (0, LOG_DAYS + 1):
        send(webhook)
        newest = Delivery.objects.filter(pk=Delivery.objects.order_by("pk").last().pk)  # type: ignore[union-attr]
        newest.update(created=timezone.now() - timedelta(days=days))
    forget_deliveries()
    assert Delivery.objects.count() == 1


# --- Mail after a long evaluation ---------------------------------------------------------------


def judge(cast: Cast, minutes: float, submission: Submission | None = None) -> list[str]:
    """The recipients of mail after an evaluation of this length; alice has submitted."""
    submission = submission or cast.submission(cast.entrant("Larch"), samples=1)
    evaluation = actions.open_evaluation(submission=submission)
    created = timezone.now() - timedelta(minutes=minutes)
    Evaluation.objects.filter(pk=evaluation.pk).update(created=created)
    cast.judge(evaluation)
    cast.score(evaluation)
    return [address for message in mail.outbox for address in message.to]


@pytest.mark.parametrize(("wants", "minutes", "told"), [(True, 6, 1), (True, 4, 0), (False, 6, 0)])
def test_who_wants_it_gets_mail_at_the_end_of_a_long_evaluation(
    cast: Cast, wants: bool, minutes: float, told: int
) -> None:
    cast.alice.mail_when_judged = wants
    cast.alice.save()
    assert judge(cast, minutes) == [cast.alice.email] * told


def test_who_has_left_the_team_gets_none(cast: Cast) -> None:
    cast.alice.mail_when_judged = True
    cast.alice.save()
    submission = cast.submission(cast.entrant("Larch"), samples=1)
    Membership.objects.filter(user=cast.alice).delete()
    assert judge(cast, 6, submission) == []


def test_an_address_that_is_not_confirmed_gets_none(cast: Cast) -> None:
    cast.alice.mail_when_judged = True
    cast.alice.save()
    cast.alice.emailaddress_set.update(verified=False)
    assert judge(cast, 6) == []


def test_a_team_without_members_sends_nothing(cast: Cast, server: Receiver) -> None:
    team = create_team(name="Moorland", owner=cast.bob)
    make_webhook(team=team, url=f"{server.origin}/")
    cast.judged_submission(cast.entrant("Elm", team), samples=1)
    delete_account(user=cast.bob, successors={})
    assert not Webhook.objects.exists()
