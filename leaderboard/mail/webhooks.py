"""Webhooks of teams, as the Standard Webhooks specification describes them."""

from __future__ import annotations

import json
import secrets
from base64 import b64encode
from collections.abc import Iterable, Mapping

from django.conf import settings
from django.utils import timezone

from evaluation.engine.generation.guard import Allowed, allowed_origin
from leaderboard.accounts.models import Team
from leaderboard.mail.models import Delivery, Event, Webhook
from leaderboard.sealing import box

PURPOSE = "assay: secrets of webhooks"
MOST_WEBHOOKS = 5


def allowed() -> Allowed:
    """The operator's list of addresses that are not public."""
    return Allowed.of(settings.ENDPOINTS)


def make_webhook(*, team: Team, url: str) -> tuple[Webhook, str]:
    """Returns also its secret, which nobody can read later. Raises EndpointError."""
    allowed_origin(url, allowed())
    secret = f"whsec_{b64encode(secrets.token_bytes(32)).decode()}"
    sealed = box(PURPOSE).encrypt(secret.encode()).decode()
    return Webhook.objects.create(team=team, url=url, sealed=sealed), secret


def add_deliveries(
    webhooks: Iterable[Webhook], event: Event, data: Mapping[str, str | None]
) -> None:
    """Has the event sent when the caller's transaction is committed."""
    time = f"{timezone.now():%Y-%m-%dT%H:%M:%SZ}"
    body = json.dumps({"type": event, "timestamp": time, "data": data})
    Delivery.objects.bulk_create(
        Delivery(webhook=webhook, event=event, body=body) for webhook in webhooks
    )
