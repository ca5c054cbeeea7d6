"""The notifier's steps for webhooks. An event arrives at least once; copies have the same id."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from base64 import b64decode, b64encode
from datetime import timedelta

from django.core.mail import send_mail
from django.db import transaction
from django.db.models import Min, Q
from django.db.models.functions import Now

from evaluation.engine.generation.connections import post
from leaderboard.accounts.models import Membership, User
from leaderboard.leases import claimed, held, owner
from leaderboard.mail.models import Delivery, Event, Webhook
from leaderboard.mail.outbox import LEASE_SECONDS, addresses_of, put_off, waiting
from leaderboard.mail.webhooks import PURPOSE, allowed
from leaderboard.sealing import box

# Webhooks that are called at the same time, and seconds for each.
WIDTH, SECONDS = 20, 10.0
# Attempts of an event, failures after which a webhook is off, and the log.
MOST_DAYS, OFF_DAYS, LOG_DAYS = 1, 7, 30
OFF_MAIL = """\
For %(days)d days nothing that Assay sent to a webhook of your team %(team)s has arrived. The last error:

%(cause)s

The webhook is off. On the page of your team's webhooks, send a test: when one arrives, the webhook is on again.
"""  # noqa: E501 - lines of a message


class Rejected(Exception):
    """The receiver's answer is not a success."""


def deliver_waiting() -> int:
    """Tries the oldest delivery of each webhook once. Returns how many arrived. Raises
    DatabaseError."""
    on = Q(webhook__off=None) | Q(event=Event.TEST)
    rows = waiting(Delivery.objects.filter(on, sent=None))
    oldest = rows.order_by().values("webhook").annotate(first=Min("pk")).order_by("first")
    keys = list(oldest.values_list("first", flat=True)[:WIDTH])
    mine = [claimed(rows, pk=key, owner=owner(), seconds=LEASE_SECONDS) for key in keys]
    deliveries = [row for row in mine if row is not None]
    webhooks = [row.webhook for row in deliveries]

    async def send_all() -> list[BaseException | None]:
        sent = (_send(*pair) for pair in zip(deliveries, webhooks, strict=True))
        return await asyncio.gather(*sent, return_exceptions=True)

    errors = asyncio.run(send_all()) if deliveries else []
    for row, error in zip(deliveries, errors, strict=True):
        _note(row, error)
    return errors.count(None)


async def _send(row: Delivery, webhook: Webhook) -> None:
    """Raises whatever keeps the event from arriving."""
    secret = box(PURPOSE).decrypt(webhook.sealed.encode()).decode().removeprefix("whsec_")
    timestamp = str(int(time.time()))
    signed = f"{row.message_id}.{timestamp}.{row.body}".encode()
    signature = b64encode(hmac.digest(b64decode(secret), signed, hashlib.sha256)).decode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Assay",
        "webhook-id": row.message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{signature}",
    }
    status = await post(webhook.url, row.body.encode(), headers, allowed=allowed(), seconds=SECONDS)
    if not 200 <= status < 300:
        raise Rejected(f"HTTP {status}")


@transaction.atomic
def _note(row: Delivery, error: BaseException | None) -> None:
    webhooks = Webhook.objects.filter(pk=row.webhook_id)
    if error is None:
        held(Delivery.objects.all(), row).update(sent=Now(), cause="", lease_until=None)
        webhooks.update(failing_since=None, off=None)
        return
    put_off(row, error, days=MOST_DAYS)
    # Its other events wait, too: a receiver that is down is not called for each of them.
    row.refresh_from_db()
    Delivery.objects.filter(webhook=row.webhook_id, due__lt=row.due, sent=None).update(due=row.due)
    webhooks.filter(failing_since=None).update(failing_since=Now())
    since = Now() - timedelta(days=OFF_DAYS)
    if webhooks.filter(off=None, failing_since__lt=since).update(off=Now()):
        team = row.webhook.team
        owners = User.objects.filter(
            memberships__team=team, memberships__role=Membership.Role.OWNER
        )
        text = OFF_MAIL % {"days": OFF_DAYS, "team": team, "cause": row.cause}
        for address in addresses_of(owners):
            send_mail(f"Assay: a webhook of {team} is off", text, None, [address])


def forget_deliveries() -> None:
    Delivery.objects.filter(created__lt=Now() - timedelta(days=LOG_DAYS)).delete()
