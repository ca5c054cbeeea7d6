"""Teams, their members, and the names of teams and entrants. The last owner of a team stays."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.utils.crypto import get_random_string
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import Entrant, Membership, Team, User, teams_of

if TYPE_CHECKING:
    from leaderboard.accounts.models import Person

# Names that look like the site's own, or like the reference rows of boards.
RESERVED = frozenset(
    {"admin", "administrator", "anonymous", "api", "assay", "everyone", "moderator", "new"}
    | {"nobody", "official", "root", "staff", "the staff", "support", "system"}
    | {"human", "humans", "human baseline", "oracle", "people", "reference"}
)
_SLUG_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
_SLUG_LENGTH = 80


class LastOwner(Exception):
    """The step would leave the team without an owner. The text says so."""

    def __init__(self) -> None:
        super().__init__(_("A team needs an owner. Make another member an owner first."))


def visible_teams(user: Person) -> models.QuerySet[Team]:
    """The person's own teams; staff may see all. Other users must not learn who is in a team."""
    return teams_of(user, "accounts.view_membership")


def is_owner(user: User, team: Team) -> bool:
    return team.memberships.filter(user=user, role=Membership.Role.OWNER).exists()


def found_person(typed: str) -> User | None:
    """By username, or by e-mail if it contains an @; ignores case. None if several match."""
    field = "email__iexact" if "@" in typed else "username__iexact"
    users = list(User.objects.filter(**{field: typed})[:2])
    return users[0] if len(users) == 1 else None


@transaction.atomic
def create_team(*, name: str, owner: User) -> Team:
    team = Team.objects.create(name=name, slug=free_slug(Team, name))
    Membership.objects.create(team=team, user=owner, role=Membership.Role.OWNER)
    return team


@transaction.atomic
def set_role(*, membership: Membership, role: Membership.Role) -> None:
    """Raises LastOwner."""
    if role != Membership.Role.OWNER:
        _keep_an_owner(membership)
    membership.role = role
    membership.save(update_fields=["role"])


@transaction.atomic
def remove_member(*, membership: Membership) -> None:
    """Raises LastOwner. The person's submissions stay with the team."""
    _keep_an_owner(membership)
    membership.delete()


def _keep_an_owner(leaving: Membership) -> None:
    # Locks the team's row, so that two owners cannot leave at once.
    Team.objects.select_for_update().get(pk=leaving.team_id)
    owners = Membership.objects.filter(team=leaving.team_id, role=Membership.Role.OWNER)
    if not owners.exclude(pk=leaving.pk).exists():
        raise LastOwner


def free_slug(model: type[Team] | type[Entrant], name: str) -> str:
    """An unused slug. Adds random characters if the name's own slug is short, reserved or taken."""
    slug = slugify(name)[:_SLUG_LENGTH].strip("-_")
    letters = filter(str.isalpha, unicodedata.normalize("NFKD", name))
    if len(slug) < 2 or slug in RESERVED or not all(map(str.isascii, letters)):
        slug = _with_random(slug or model._meta.model_name or "")
    base = slug
    while model._default_manager.filter(slug=slug).exists():
        slug = _with_random(base)
    return slug


def _with_random(slug: str) -> str:
    return f"{slug}-{get_random_string(5, _SLUG_LETTERS)}"


def tidy_name(name: str) -> str:
    """Collapses blanks, composes letters. Raises ValidationError for reserved or invisible text."""
    name = unicodedata.normalize("NFC", " ".join(name.split()))
    if not name.isprintable():
        raise ValidationError(_("The name contains invisible characters."), "unseen")
    if name.casefold() in RESERVED:
        raise ValidationError(_("This name is reserved for the site. Choose another."), "kept")
    return name
