"""People, their teams, and the entrants that they submit for."""

from datetime import date, timedelta
from typing import Any, ClassVar, Self, TypeAlias

from allauth.account.models import EmailAddress
from django.contrib.auth.models import AbstractUser, AnonymousUser, UserManager
from django.core.exceptions import ValidationError
from django.core.validators import (
    MaxLengthValidator,
    MaxValueValidator,
    MinValueValidator,
    URLValidator,
)
from django.db import models, transaction
from django.db.models import Case, Exists, OuterRef, Q, Value, When
from django.db.models.functions import Concat, Now
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.skeletons import skeleton

Person: TypeAlias = "User | AnonymousUser"
INVITATION_DAYS = 30
# Between the name of an entrant and its team.
SEPARATOR = " · "


class Users(UserManager["User"]):
    use_in_migrations = False

    def create_superuser(self, *args: Any, **fields: Any) -> "User":
        """Called by `manage.py createsuperuser`: whoever runs it could confirm any address."""
        with transaction.atomic():
            user: User = super().create_superuser(*args, **fields)
            if user.email:
                confirm_address(user)
        return user


class User(AbstractUser):
    # In a request with a token: the key of its team. The person's other teams do not count then.
    only_team: int | None = None

    # Several accounts may claim an address, but only one can confirm it (allauth's EmailAddress):
    # otherwise an account that never confirms it would keep its owner out.
    email = models.EmailField(_("email address"))
    # Of the person's long evaluations.
    mail_when_judged = models.BooleanField(default=False)
    # Whether the person ever was a rater in a campaign. Every page's menu asks this.
    is_rater = models.BooleanField(default=False, editable=False)

    objects: ClassVar = Users()

    def save(self, *args: Any, **options: Any) -> None:
        """A new password ends the person's tokens. Django's rule tells it from a new hash."""
        changed = getattr(self, "_password", None) is not None
        super().save(*args, **options)
        if changed:
            Token.objects.filter(user=self).delete()

    @property
    def confirmed(self) -> bool:
        """Whether the person has a confirmed e-mail address."""
        return bool(EmailAddress.objects.filter(user=self, verified=True).exists())


def check_address(email: str, user: int | None) -> None:
    """Raises ValidationError if another account has confirmed the address."""
    if EmailAddress.objects.filter(email=email.lower(), verified=True).exclude(user=user).exists():
        sentence = _("Another account has confirmed this e-mail. Use another one.")
        raise ValidationError({"email": sentence})


def confirm_address(user: User) -> None:
    """Raises ValidationError if another account has confirmed the address."""
    check_address(user.email, user.pk)
    EmailAddress.objects.update_or_create(
        user=user, email=user.email.lower(), defaults={"verified": True, "primary": True}
    )


def staff_may(user: Person, *permissions: str) -> bool:
    """Whether the person is staff with all of the permissions, such as "accounts.view_team"."""
    return user.is_staff and user.has_perms(permissions)


class Team(models.Model):
    name = models.CharField(_("name"), max_length=80, unique=True)
    slug = models.SlugField(max_length=100, unique=True)
    # Only staff may change the name.
    name_locked = models.BooleanField(_("name locked"), default=False)
    # Staff's reason for this name; gone with it.
    name_reason = models.TextField(blank=True, editable=False)
    created = models.DateTimeField(auto_now_add=True)
    # What the name looks like; leaderboard/skeletons.py.
    skeleton = models.CharField(max_length=400, db_index=True, editable=False)
    members = models.ManyToManyField(User, through="Membership", related_name="teams")

    class Meta:
        ordering: ClassVar = ["name"]
        verbose_name = _("team")
        verbose_name_plural = _("teams")

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        # A name that its form refused is "" here.
        others = Team.objects.exclude(pk=self.pk) if self.name else Team.objects.none()
        if others.filter(skeleton=skeleton(self.name)[:400]).exists():
            raise ValidationError(_("A team already has this name, or one that looks alike."))

    def save(self, *args: Any, **options: Any) -> None:
        new = skeleton(self.name)[:400]
        if new != self.skeleton:
            self.name_reason = ""
        self.skeleton = new
        super().save(*args, **options)

    @property
    def name_with_slug(self) -> str:
        """For choices between teams: another team may have nearly the same name."""
        return f"{self.name} ({self.slug})"

    def get_absolute_url(self) -> str:
        return reverse("team", args=[self.slug])


def teams_of(user: Person, *permissions: str) -> models.QuerySet[Team]:
    """The teams that the person is a member of; all, for staff with the permissions, if any."""
    if permissions and staff_may(user, *permissions):
        return Team.objects.all()
    if not user.is_authenticated:
        return Team.objects.none()
    teams = Team.objects.filter(memberships__user=user)
    return teams if user.only_team is None else teams.filter(pk=user.only_team)


class Membership(models.Model):
    """A person's part in a team: owners may also invite, remove and rename."""

    class Role(models.TextChoices):
        OWNER = "owner", _("owner")
        MEMBER = "member", _("member")

    team = models.ForeignKey(
        Team, on_delete=models.CASCADE, related_name="memberships", db_index=False
    )
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(_("role"), max_length=10, choices=Role.choices, default=Role.MEMBER)

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["team", "user"], name="one_membership_per_person")
        ]

    def __str__(self) -> str:
        # The audit log keeps it, also when the account is gone.
        return f"#{self.user_id} ({self.team})"


class Scope(models.TextChoices):
    """A right of a token."""

    READ = "read", _("read what the team sees")
    SUBMIT = "submit", _("check, upload, submit and cancel; create entrants")
    PUBLISH = "publish", _("publish and withdraw")


class Token(models.Model):
    """A person's right to use the API for one team. It ends with the membership, and when the
    password changes. The text itself is not stored."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(_("name"), max_length=80)
    # Names of Scope, separated by blanks.
    scopes = models.CharField(_("scopes"), max_length=40)
    sha256 = models.CharField(max_length=64, unique=True)
    created = models.DateTimeField(_("made"), auto_now_add=True)
    expires = models.DateTimeField(_("ends"))
    used = models.DateTimeField(_("last use"), null=True)
    used_from = models.GenericIPAddressField(_("address of the last use"), null=True)

    class Meta:
        ordering: ClassVar = ["-pk"]
        verbose_name = _("token")
        verbose_name_plural = _("tokens")

    def __str__(self) -> str:
        # As Membership: the audit log keeps it.
        return f"#{self.pk} of #{self.user_id}"

    @property
    def scope_names(self) -> list[str]:
        return self.scopes.split()

    @property
    def scope_words(self) -> list[str]:
        return [str(Scope(name).label) for name in self.scope_names]

    @property
    def is_over(self) -> bool:
        return self.expires <= timezone.now()


class TokenAnswer(models.Model):
    """The answer to a request with an Idempotency-Key, kept for a day; leaderboard/api/once.py."""

    membership = models.ForeignKey(
        Membership, on_delete=models.CASCADE, related_name="answers", db_index=False
    )
    # Digests of the key, and of the request.
    key = models.CharField(max_length=64)
    request = models.CharField(max_length=64)
    # Who has the request in work, and since when.
    owner = models.CharField(max_length=32)
    begun = models.DateTimeField()
    # None while the request runs.
    status = models.PositiveSmallIntegerField(null=True)
    body = models.JSONField(null=True)

    class Meta:
        verbose_name = _("answer to a repeated request")
        verbose_name_plural = _("answers to repeated requests")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["membership", "key"], name="one_answer_of_a_key")
        ]


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def pending(self) -> Self:
        return self.filter(created__gt=Now() - timedelta(days=INVITATION_DAYS))

    def for_person(self, user: User) -> Self:
        """Invitations of the account and of every address that it has confirmed."""
        confirmed = EmailAddress.objects.filter(user=user, verified=True).values("email")
        return self.filter(Q(user=user) | Q(address__in=confirmed))

    def addressed_to(self, user: User) -> Self:
        """Pending invitations of the person, except to the person's own teams."""
        return self.pending().for_person(user).exclude(team__in=teams_of(user))


class Invitation(models.Model):
    """An offer of a membership, which changes nothing until it is accepted. It is for the account
    that had the typed username when it was sent, or for whoever has confirmed the typed address,
    which is stored in lower case, as allauth does."""

    team = models.ForeignKey(
        Team, on_delete=models.CASCADE, related_name="invitations", db_index=False
    )
    typed = models.CharField(_("username or e-mail, as typed"), max_length=254)
    user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="invitations")
    address = models.CharField(max_length=254, blank=True, db_index=True)
    role = models.CharField(_("role"), max_length=10, choices=Membership.Role.choices)
    created = models.DateTimeField(_("sent"), auto_now_add=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["typed"]
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["team", "typed"], name="one_invitation_as_typed")
        ]

    def __str__(self) -> str:
        # The audit log keeps it, also when the person is gone: without `typed`.
        return f"#{self.pk} ({self.team})"


def check_past(day: date) -> None:
    """Raises ValidationError for a day in the future."""
    if day > timezone.localdate():
        raise ValidationError(_("This day is in the future."))


def check_separator(text: str) -> None:
    """Raises ValidationError for a text that may look like a name with its team."""
    if skeleton(SEPARATOR) in skeleton(text):
        raise ValidationError(_("A dot between blanks stands only before the name of a team."))


class EntrantQuerySet(models.QuerySet["Entrant"]):
    def visible_to(self, user: Person) -> Self:
        """Entrants with a published result, and those of the person's teams; staff may see all."""
        teams = teams_of(user, "accounts.view_entrant")
        visible = Q(submissions__visibility="published") | Q(team__in=teams)
        return self.filter(pk__in=self.model._default_manager.filter(visible).values("pk"))

    def editable_by(self, user: Person) -> Self:
        return self.filter(team__in=teams_of(user))

    def resembled(self) -> Self:
        """Entrants of whose name another team's published entrant has the skeleton."""
        like = Entrant.objects.published_like(OuterRef("skeleton"), OuterRef("team"))
        return self.filter(Exists(like)).exclude(skeleton="")

    def published_like(self, skeleton: str | OuterRef, team: int | OuterRef) -> Self:
        """Published entrants of other teams whose name has the skeleton; more than once if an
        entrant has several published results."""
        like = self.filter(skeleton=skeleton, submissions__visibility="published")
        return like.exclude(team=team)

    def waiting(self) -> Self:
        """Unpublished entrants whose name looks like a published one, and is another: they are not
        published before staff allow it."""
        like = Entrant.objects.published_like(OuterRef("skeleton"), OuterRef("team"))
        others = like.exclude(name__iexact=OuterRef("name"))
        waiting = self.filter(Exists(others), name_allowed=False).exclude(skeleton="")
        return waiting.exclude(submissions__visibility="published")


_EntrantManager = models.Manager.from_queryset(EntrantQuerySet)


class PresentEntrants(_EntrantManager["Entrant"]):
    """Excludes entrants that their teams deleted and whose rows are still being removed."""

    def get_queryset(self) -> "models.QuerySet[Entrant]":
        return super().get_queryset().filter(deleted=False)


class Entrant(models.Model):
    """A model or system on boards. Other teams do not see it before it has a published result."""

    class Weights(models.TextChoices):
        OPEN = "open", pgettext_lazy("weights of a model", "open")
        CLOSED = "closed", pgettext_lazy("weights of a model", "closed")
        UNKNOWN = "", _("unknown")

    team = models.ForeignKey(
        Team, on_delete=models.CASCADE, related_name="entrants", db_index=False
    )
    name = models.CharField(_("name"), max_length=80, validators=[check_separator])
    slug = models.SlugField(max_length=100, unique=True)
    organisation = models.CharField(
        _("organisation"), max_length=80, blank=True, validators=[check_separator]
    )
    parameters = models.FloatField(
        _("size"),
        null=True,
        blank=True,
        validators=[MinValueValidator(0.001), MaxValueValidator(1e6)],
        help_text=_("Billions of parameters; empty if unknown."),
    )
    weights = models.CharField(_("weights"), max_length=10, choices=Weights.choices, blank=True)
    cutoff = models.DateField(
        _("training data until"),
        null=True,
        blank=True,
        validators=[check_past],
        help_text=_(
            "The last day of the model's training data, if known. Boards compare its results on "
            "older and newer tasks."
        ),
    )
    link = models.URLField(_("link"), blank=True, validators=[URLValidator(["http", "https"])])
    description = models.TextField(
        _("description"), max_length=600, blank=True, validators=[MaxLengthValidator(600)]
    )
    created = models.DateTimeField(auto_now_add=True)
    # As a team's.
    skeleton = models.CharField(max_length=400, db_index=True, editable=False)
    # Whether staff allowed this name, though it looks like another one.
    name_allowed = models.BooleanField(_("name allowed"), default=False, editable=False)
    name_locked = models.BooleanField(_("name locked"), default=False)
    name_reason = models.TextField(blank=True, editable=False)
    # Kept by names.mark_entrants: the team's name, if another team's published entrant has such a
    # name; and whether a member's address is of the organisation.
    told_apart_by = models.CharField(max_length=80, blank=True, editable=False)
    organisation_confirmed = models.BooleanField(default=False, editable=False)
    # The name wherever readers meet it.
    shown_name = models.GeneratedField(
        expression=Case(
            When(told_apart_by="", then="name"),
            default=Concat("name", Value(SEPARATOR), "told_apart_by"),
        ),
        output_field=models.CharField(max_length=170),
        db_persist=True,
    )
    deleted = models.BooleanField(default=False, editable=False)

    objects = PresentEntrants()
    with_deleted = models.Manager["Entrant"]()

    class Meta:
        ordering: ClassVar = ["name"]
        verbose_name = _("entrant")
        verbose_name_plural = _("entrants")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["team", "name"], name="one_entrant_of_a_name_per_team")
        ]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **options: Any) -> None:
        """The marks of a changed entrant have to be earned again."""
        if options.get("update_fields") is None:
            new = skeleton(self.name)[:400]
            self.name_allowed &= new == self.skeleton
            if new != self.skeleton:
                self.name_reason = ""
            self.skeleton, self.organisation_confirmed = new, False
        super().save(*args, **options)

    def __hash__(self) -> int:
        # Django's hash takes ten times as long; the overview looks up thousands of entrants.
        return hash(self.id)

    def get_absolute_url(self) -> str:
        return reverse("entrant", args=[self.slug])


class OrganisationDomain(models.Model):
    """Staff's statement that people with addresses of an e-mail domain are of an organisation."""

    domain = models.CharField(_("e-mail domain"), max_length=200, unique=True)
    organisation = models.CharField(_("organisation"), max_length=80)

    class Meta:
        ordering: ClassVar = ["domain"]
        verbose_name = _("organisation's domain")
        verbose_name_plural = _("organisations' domains")

    def __str__(self) -> str:
        return f"{self.domain}: {self.organisation}"

    def clean(self) -> None:
        self.domain = self.domain.strip().lower().removeprefix("@")
