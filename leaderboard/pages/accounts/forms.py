"""Forms of accounts, teams and entrants."""

from typing import Any, ClassVar

from allauth.account.forms import (
    BaseSignupForm,
    LoginForm,
    ResetPasswordForm,
    SignupForm,
    default_token_generator,
)
from allauth.socialaccount.forms import SignupForm as ProviderForm
from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator, validate_email
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import Entrant, Membership, Scope, Team, User
from leaderboard.accounts.teams import (
    NAME_LOCKED,
    check_lock,
    create_team,
    free_entrant_name,
    person_named,
    teams_with_others,
    tidy_name,
)
from leaderboard.accounts.tokens import DAYS, MOST_DAYS
from leaderboard.pages.shared.fields import EndpointField


class TeamField(forms.ModelChoiceField):  # type: ignore[type-arg]  # generic only in the stubs
    def label_from_instance(self, obj: Membership) -> str:
        return obj.team.name_with_slug


class SignInForm(LoginForm):
    """Asks for a username or a confirmed e-mail."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        widget = forms.TextInput({"autocomplete": "username"})
        label = _("Username or e-mail")
        self.fields["login"] = forms.CharField(label=label, max_length=254, widget=widget)

    def user_credentials(self) -> dict[str, str]:
        # By e-mail allauth would try all accounts that claim the address without confirming it.
        login = self.cleaned_data["login"]
        owner = person_named(login) if "@" in login else None
        name = owner.username if owner else login
        return {"username": name, "password": self.cleaned_data["password"]}


class ResetForm(ResetPasswordForm):
    """Does as much for an unknown address as for one that has an account. The link is for whoever
    has confirmed the address, or else for the only account that claims it."""

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"].lower()
        owner = person_named(email)
        claims = Q(email__iexact=email) | Q(emailaddress__email=email)
        claimants = list(User.objects.filter(claims).distinct()[:2])  # as much work for each
        people = [owner] if owner else claimants
        self.users = [
            person
            for person in people
            # Nobody knows which of two owns the mailbox: the link might open a stranger's account.
            # A second address that its person has not confirmed may be mistyped.
            if person.is_active
            and (person == owner or (len(people) == 1 and person.email.lower() == email))
        ]
        return email

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        if not self.users:
            default_token_generator.make_token(User(pk=0))
        email: str = super().save(request, **kwargs)
        return email


class _FirstTeam(BaseSignupForm):
    """The optional first team of a new account."""

    field_order = ("username", "email", "password1", "password2", "team")
    team = forms.CharField(
        label=_("Your team's name"),
        max_length=80,
        required=False,
        help_text=_(
            "Every submission belongs to a team, which may have one member. You can do this later."
        ),
    )

    def clean_team(self) -> str:
        name = self.cleaned_data["team"]
        return free_team_name(name) if name else ""

    def custom_signup(self, request: HttpRequest, user: User) -> None:
        super().custom_signup(request, user)
        if self.cleaned_data["team"]:
            create_team(name=self.cleaned_data["team"], owner=user)

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        try:
            with transaction.atomic():
                saved: tuple[User | None, HttpResponse | None] = super().try_save(request)
                return saved
        except IntegrityError:  # a name was taken since the form was checked
            messages.error(request, _("One of these names has just been taken. Choose another."))
            return None, redirect("sign-up")


class SignUpForm(_FirstTeam, SignupForm):
    """An account with a password."""


class ProviderSignUpForm(_FirstTeam, ProviderForm):
    """For people who come from a provider of accounts."""


def free_team_name(name: str, team: Team | None = None) -> str:
    name = tidy_name(name)
    if team:
        check_lock(name, team)
    Team(pk=team.pk if team else None, name=name).clean()
    return name


class NamedForm(forms.ModelForm):  # type: ignore[type-arg]  # generic only in the stubs
    """A form for a team or an entrant. It says if staff locked the name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.name_locked:
            self.fields["name"].help_text = NAME_LOCKED


class TeamForm(NamedForm):
    class Meta:
        model = Team
        fields = ("name",)
        labels: ClassVar = {"name": _("Team's name")}

    def clean_name(self) -> str:
        return free_team_name(self.cleaned_data["name"], self.instance)


class InvitationForm(forms.Form):
    """Does not say whether there is such an account."""

    person = forms.CharField(label=_("Username or e-mail"), max_length=254)
    role = forms.ChoiceField(
        label=_("Role"),
        choices=Membership.Role.choices,
        initial=Membership.Role.MEMBER,
        help_text=_("Members submit. Owners also invite and remove members and rename the team."),
    )

    def clean_person(self) -> str:
        typed: str = self.cleaned_data["person"]
        if "@" in typed:
            validate_email(typed)
        return typed


class TokenForm(forms.Form):
    name = forms.CharField(
        label=_("Name"), max_length=80, help_text=_("Where you use it, such as a training job.")
    )
    membership = TeamField(label=_("Team"), queryset=Membership.objects.none(), empty_label=None)
    scopes = forms.MultipleChoiceField(
        label=_("It may"),
        choices=Scope.choices,
        initial=[Scope.READ, Scope.SUBMIT],
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.IntegerField(
        label=_("Days until it ends"), min_value=1, max_value=MOST_DAYS, initial=DAYS
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["membership"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = user.memberships.select_related("team").order_by("team__name")


class WebhookForm(forms.Form):
    url = EndpointField(
        label=_("Address"),
        max_length=500,
        help_text=_("An https address that anyone on the internet can reach, without a query."),
    )


class DeletionForm(forms.Form):
    """Asks for successors in teams that would have no owner; for the password or, in an account
    without one, a sign-in within the last minutes (`recent`)."""

    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        widget=forms.PasswordInput({"autocomplete": "current-password"}),
    )
    sure = forms.BooleanField(label=_("Delete my account. I cannot undo this."))

    def __init__(self, *args: Any, user: User, recent: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user, self.recent = user, recent
        self.teams = list(teams_with_others(user))
        self.ownerless = [team for team in self.teams if team.others and not team.owners]
        for team in self.ownerless:
            others = team.memberships.exclude(user=user).select_related("user")
            label = _("New owner of %(team)s") % {"team": team.name_with_slug}
            self.fields[f"team-{team.pk}"] = forms.ModelChoiceField(others, label=label)
        if not user.has_usable_password():
            del self.fields["password"]
        self.order_fields([f"team-{team.pk}" for team in self.ownerless])

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not self.user.check_password(password):
            raise ValidationError(_("This is not your password."))
        return password

    def clean(self) -> None:
        if "password" not in self.fields and not self.recent:
            raise ValidationError(_("Sign out and in again, then delete within five minutes."))

    def successors(self) -> dict[int, int]:
        return {team.pk: self.cleaned_data[f"team-{team.pk}"].pk for team in self.ownerless}


class EntrantForm(NamedForm):
    parameters = forms.FloatField(
        label=_("Size in billions of parameters"), min_value=0.001, max_value=1e6, required=False
    )
    link = forms.URLField(
        label=_("Link"),
        required=False,
        assume_scheme="https",
        validators=[URLValidator(schemes=["http", "https"])],
        help_text=_("A page about it, such as a paper or a model card."),
    )

    class Meta:
        model = Entrant
        fields = ("name", "organisation", "parameters", "weights", "cutoff", "link", "description")
        help_texts: ClassVar = {
            "organisation": _("The organisation or person that made it."),
            "description": _("A few sentences about it, shown on its page."),
        }
        widgets: ClassVar = {
            "cutoff": forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
            "description": forms.Textarea({"rows": 4}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.parameters:
            self.initial["parameters"] = f"{self.instance.parameters:.12g}"  # 32, not 32.0

    def clean_name(self) -> str:
        return free_entrant_name(self.cleaned_data["name"], self.instance)

    def clean_organisation(self) -> str:
        return " ".join(self.cleaned_data["organisation"].split())
