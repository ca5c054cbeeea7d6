"""What the site stores about a person, as JSON. Rows of others, and teams' names and results that
the person no longer sees, are not included."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.core.serializers.json import DjangoJSONEncoder

from leaderboard.accounts.models import Invitation, User

_PLACE = ("entrant_id", "revision__benchmark__slug", "revision__label", "setting")
# Assignments, as in the addresses of pages: numbers of items would tell known items from others.
_MARK = ("assignment_id", "criterion", "value", "top", "comment", "created", "changed")
# Name: model, the lookup of the person, columns. Without secrets and hashes of secrets.
SECTIONS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "account": ("accounts.User", "pk", (
        "username", "email", "first_name", "last_name", "date_joined", "last_login", "is_active",
        "is_staff", "is_superuser")),
    "addresses": ("account.EmailAddress", "user", ("email", "verified", "primary")),
    "providers": ("socialaccount.SocialAccount", "user", (
        "provider", "uid", "extra_data", "date_joined", "last_login")),
    "second_factors": ("mfa.Authenticator", "user", ("type", "created_at", "last_used_at")),
    "sessions": ("usersessions.UserSession", "user", (
        "ip", "user_agent", "created_at", "last_seen_at")),
    "memberships": ("accounts.Membership", "user", ("team__name", "team__slug", "role")),
    "uploads": ("submissions.Upload", "user", (
        "pk", *_PLACE, "name", "size", "sha256", "created")),
    "submissions": ("submissions.Submission", "user", (
        "pk", *_PLACE, "generations_count", "created")),
    "declarations": ("submissions.Declaration", "user", (
        "pk", *_PLACE, "samples", "model", "created")),
    "licences": ("submissions.Consent", "user", (
        "submission_id", "shown__task__external_id", "licence", "created")),
    "runs": ("generation.Run", "user", ("pk", *_PLACE, "endpoint", "model", "created")),
    "rater": ("annotation.Rater", "user", ("campaign__title", "state", "created")),
    "ratings": ("annotation.Rating", "assignment__rater__user", _MARK),
    "outcomes": ("annotation.Outcome", "assignment__rater__user", _MARK),
    "drafts": ("annotation.Draft", "assignment__rater__user", (
        "assignment_id", "marks", "comments", "changed")),
    "assignments": ("annotation.Assignment", "rater__user", (
        "pk", "state", "reason", "seconds", "finished")),
}  # fmt: skip


def export(user: User) -> Iterator[str]:
    """The document, row by row."""
    sections: dict[str, Any] = {
        name: apps.get_model(model)._default_manager.filter(**{lookup: user.pk}).values(*columns)
        for name, (model, lookup, columns) in SECTIONS.items()
        if model.split(".")[0] in apps.app_configs
    }
    columns = ("typed", "team__name", "team__slug", "role", "created")
    sections["invitations"] = Invitation.objects.addressed_to(user).values(*columns)
    yield "{"
    for number, (name, rows) in enumerate(sections.items()):
        yield f'{"," if number else ""}\n"{name}": ['
        for place, row in enumerate(rows.order_by("pk").iterator()):
            yield f"{',' if place else ''}\n{json.dumps(row, cls=DjangoJSONEncoder)}"
        yield "]"
    yield "\n}\n"
