"""Teams, their members, and the names of teams and entrants. The last owner of a team stays."""

import unicodedata
from typing import Any

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from evaluation.engine.characters import FILLERS
from leaderboard.accounts.models import Entrant, Invitation, Membership, Team, User, teams_of
from leaderboard.skeletons import skeleton

# Names that look like the site's own, or like the reference rows of boards.
RESERVED = frozenset(
    {"admin", "administrator", "anonymous", "api", "assay", "everyone", "moderator", "new"}
    | {"nobody", "official", "root", "staff", "the staff", "support", "system"}
    | {"human", "humans", "human baseline", "oracle", "people", "reference"}
)
NAME_LOCKED = _("The site's staff chose this name. Write to them to change it.")
_SLUG_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
_SLUG_LENGTH = 80


class LastOwner(ValidationError):
    """The step would leave the team without an owner. The message says so."""

    def __init__(self) -> None:
        super().__init__(_("A team needs an owner. Make another member an owner first."))


def is_owner(user: User, team: Team) -> bool:
    return team.memberships.filter(user=user, role=Membership.Role.OWNER).exists()


def person_named(typed: str) -> User | None:
    """By username or confirmed e-mail, ignoring case. None if several match."""
    criteria = (
        {"emailaddress__email": typed.lower(), "emailaddress__verified": True}
        if "@" in typed
        else {"username__iexact": typed}
    )
    users = list(User.objects.filter(**criteria)[:2])
    return users[0] if len(users) == 1 else None


@transaction.atomic
def create_team(*, name: str, owner: User) -> Team:
    team = Team.objects.create(name=name, slug=free_slug(Team, name))
    Membership.objects.create(team=team, user=owner, role=Membership.Role.OWNER)
    return team


@transaction.atomic
def invite(*, team: Team, typed: str, role: str) -> tuple[Invitation, list[str]]:
    """Sends the invitation, again if it was sent before. Returns also the address for its mail, if
    there is one. Does the same whether or not there is an account or a membership."""
    by_address = "@" in typed
    changes = {
        "user": None if by_address else person_named(typed),
        "address": typed.lower() if by_address else "",
        "role": role,
        "created": timezone.now(),
    }
    row, _new = Invitation.objects.update_or_create(team=team, typed=typed, defaults=changes)
    confirmed = EmailAddress.objects.filter(user__invitations=row, verified=True)
    addresses = confirmed.order_by("-primary").values_list("email", flat=True)[:1]
    return row, [typed] if by_address else list(addresses)


@transaction.atomic
def accept(*, invitation: Invitation, user: User) -> bool:
    """Makes the person a member. Returns False if the invitation was taken back or has ended."""
    # Waits for `delete_account`, which may leave the team without members.
    lock_teams(Team.objects.filter(pk=invitation.team_id))
    if not Invitation.objects.addressed_to(user).filter(pk=invitation.pk).delete()[0]:
        return False
    invitation.team.invitations.for_person(user).delete()
    role = {"role": invitation.role}
    Membership.objects.get_or_create(team_id=invitation.team_id, user=user, defaults=role)
    return True


def forget_invitations() -> None:
    """Deletes invitations that have ended."""
    Invitation.objects.exclude(pk__in=Invitation.objects.pending().values("pk")).delete()


def forget_invitations_of(user: User) -> None:
    """Also those that were typed before there was the account."""
    Invitation.objects.for_person(user).delete()
    Invitation.objects.filter(address="", typed__iexact=user.username).delete()


def lock_teams(rows: models.QuerySet[Team]) -> None:
    """Locks the teams until the transaction ends, so that two owners cannot leave at once."""
    list(rows.select_for_update(of=("self",)).order_by("pk").values("pk"))


def teams_with_others(user: User) -> models.QuerySet[Any]:
    """The person's teams, with whether others are in it (`others`), and own it (`owners`)."""
    others = Membership.objects.filter(team=OuterRef("pk")).exclude(user=user)
    owners = others.filter(role=Membership.Role.OWNER)
    return teams_of(user).annotate(others=Exists(others), owners=Exists(owners))


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
    membership.team.invitations.for_person(membership.user).delete()
    membership.delete()


def _keep_an_owner(leaving: Membership) -> None:
    lock_teams(Team.objects.filter(pk=leaving.team_id))
    owners = Membership.objects.filter(team=leaving.team_id, role=Membership.Role.OWNER)
    if not owners.exclude(pk=leaving.pk).exists():
        raise LastOwner


def free_entrant_name(name: str, entrant: Entrant) -> str:
    """Raises ValidationError if another entrant of the team has it, if staff locked the name, or
    if the entrant is published and the name looks like another team's."""
    name = tidy_name(name)
    check_lock(name, entrant)
    others = Entrant.objects.filter(team=entrant.team_id).exclude(pk=entrant.pk)
    if others.filter(name__iexact=name).exists():
        raise ValidationError(_("Your team already has an entrant with this name."))
    if Entrant.objects.filter(pk=entrant.pk, submissions__visibility="published").exists():
        like = Entrant.objects.published_like(skeleton(name), entrant.team_id)
        if like.exclude(name__iexact=name).exists():
            raise ValidationError(
                _("Another team's published entrant has a name that looks alike.")
            )
    return name


def check_lock(name: str, row: Team | Entrant) -> None:
    """Raises ValidationError if the name would change and staff locked it."""
    if row.name_locked and type(row)._default_manager.exclude(name=name).filter(pk=row.pk).exists():
        raise ValidationError(NAME_LOCKED)


def create_entrant(*, entrant: Entrant) -> None:
    """Raises ValidationError, by field."""
    entrant.organisation = " ".join(entrant.organisation.split())
    entrant.slug = "new"  # until its name is checked
    errors: dict[str, Any] = {}
    try:
        entrant.full_clean(exclude={"slug"})
        entrant.name = free_entrant_name(entrant.name, entrant)
    except ValidationError as error:
        errors = error.message_dict if hasattr(error, "error_dict") else {"name": error.messages}
    if errors:
        raise ValidationError(errors)
    entrant.slug = free_slug(Entrant, entrant.name)
    entrant.save()


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
    if not name.isprintable() or not FILLERS.isdisjoint(map(ord, name)):
        raise ValidationError(_("The name contains invisible characters."), "unseen")
    if name.casefold() in RESERVED:
        raise ValidationError(_("This name is reserved for the site. Choose another."), "kept")
    return name
