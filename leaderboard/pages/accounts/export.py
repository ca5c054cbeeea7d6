"""What the site stores about a person, as JSON: rows of the person alone, without names and results
of teams that the person no longer sees, secrets, and hashes of secrets."""

import json
from collections.abc import Iterator

from django.apps import apps
from django.core.serializers.json import DjangoJSONEncoder

from leaderboard.accounts.models import Invitation, User

_PLACE = "pk entrant_id revision__benchmark__slug revision__label setting created"
# Assignments, as in the addresses of pages: numbers of items would tell known items from others.
_MARK = "assignment_id criterion value top comment created changed"
# The name of a section, its model, the lookup of the person, columns.
SECTIONS = (
    ("account", "accounts.User", "pk", "username email first_name last_name date_joined last_login "
     "is_active is_staff is_superuser mail_when_judged"),
    ("addresses", "account.EmailAddress", "user", "email verified primary"),
    ("providers", "socialaccount.SocialAccount", "user", "provider uid extra_data date_joined"),
    ("second_factors", "mfa.Authenticator", "user", "type created_at last_used_at"),
    ("sessions", "usersessions.UserSession", "user", "ip user_agent created_at last_seen_at"),
    ("tokens", "accounts.Token", "user", "name scopes created expires used used_from"),
    ("memberships", "accounts.Membership", "user", "team__name team__slug role"),
    ("uploads", "submissions.Upload", "user", f"{_PLACE} name size sha256"),
    ("submissions", "submissions.Submission", "user", f"{_PLACE} generations_count"),
    ("declarations", "submissions.Declaration", "user", f"{_PLACE} samples model"),
    ("licences", "submissions.Consent", "user", "submission_id licence created"),
    ("runs", "generation.Run", "user", f"{_PLACE} endpoint model"),
    ("campaigns", "annotation.Rater", "user", "campaign__title state created"),
    ("assignments", "annotation.Assignment", "rater__user", "pk state reason seconds finished"),
    ("ratings", "annotation.Rating", "assignment__rater__user", _MARK),
    ("outcomes", "annotation.Outcome", "assignment__rater__user", _MARK),
    ("drafts", "annotation.Draft", "assignment__rater__user", "pk marks comments changed"),
)  # fmt: skip


def export(user: User) -> Iterator[str]:
    """The document, row by row."""
    invitations = Invitation.objects.addressed_to(user)
    sections = [("invitations", invitations, "typed team__name team__slug role created")]
    for name, model, lookup, columns in SECTIONS:
        if model.split(".")[0] in apps.app_configs:  # not all of allauth is installed
            rows = apps.get_model(model)._default_manager.filter(**{lookup: user.pk})
            sections.append((name, rows, columns))
    for number, (name, rows, columns) in enumerate(sections):
        yield f'{"," if number else "{"}\n"{name}": ['
        for place, row in enumerate(rows.order_by("pk").values(*columns.split()).iterator()):
            yield f"{',' if place else ''}\n{json.dumps(row, cls=DjangoJSONEncoder)}"
        yield "]"
    yield "\n}\n"
