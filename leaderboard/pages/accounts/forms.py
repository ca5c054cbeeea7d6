"""Forms of accounts, teams and entrants."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth import forms as auth
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator, validate_email
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.attempts import forget_attempts, note_attempt
from leaderboard.accounts.models import Entrant, Membership, Team, User
from leaderboard.accounts.teams import found_person, teams_with_others, tidy_name

if TYPE_CHECKING:
    _SignUp = auth.UserCreationForm[User]
    _TeamForm = forms.ModelForm[Team]
    _EntrantForm = forms.ModelForm[Entrant]
else:
    _SignUp, _TeamForm, _EntrantForm = auth.UserCreationForm, forms.ModelForm, forms.ModelForm


class Slowed(auth.AuthenticationForm):
    """Accepts an e-mail as username. Limits attempts (accounts.attempts)."""

    def clean(self) -> dict[str, Any]:
        person = found_person(self.cleaned_data.get("username", ""))
        if person is not None:
            self.cleaned_data["username"] = person.username
        name = self.cleaned_data.get("username", "")
        if not note_attempt("sign-in", self.request, name):
            raise ValidationError(
                _("Too many wrong passwords. Wait 15 minutes, then try again."), "slow"
            )
        cleaned = super().clean()
        forget_attempts("sign-in", self.request, name)
        return cleaned


class SignInForm(Slowed):
    error_messages = {
        "invalid_login": _("The name or password is wrong. Passwords are case-sensitive."),
        "inactive": _("This account is closed."),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        name = self.fields["username"]
        name.label = _("Username or e-mail")
        name.widget.attrs |= {"maxlength": 254, "autocomplete": "username"}


class AdminSignInForm(Slowed, AdminAuthenticationForm):
    """The admin's sign-in form with the same limit on attempts."""


class SignUpForm(_SignUp):
    """An account and an optional first team."""

    email = forms.EmailField(label=_("E-mail"), widget=forms.EmailInput({"autocomplete": "email"}))
    team = forms.CharField(
        label=_("Your team's name"),
        max_length=80,
        required=False,
        help_text=_(
            "Every submission belongs to a team, which may have one member. You can do this later."
        ),
    )

    class Meta(auth.UserCreationForm.Meta):
        model = User
        fields = ("username", "email")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].help_text = _("Letters, digits and . + - _")
        self.fields["username"].widget.attrs["autocomplete"] = "username"
        self.fields["password2"].label = _("The same password again")
        self.fields["password2"].help_text = ""
        self.order_fields(["username", "email", "password1", "password2", "team"])

    def clean_username(self) -> str:
        name = tidy_name(super().clean_username() or "")
        if "@" in name:
            raise ValidationError(
                _("A username cannot contain @, so that it is not read as an e-mail.")
            )
        return name

    def clean_email(self) -> str:
        return free_email(self.cleaned_data["email"], self.instance)

    def clean_team(self) -> str:
        name = self.cleaned_data["team"]
        return free_team_name(name) if name else ""


def free_email(email: str, user: User) -> str:
    if User.objects.filter(email__iexact=email).exclude(pk=user.pk).exists():
        raise ValidationError(_("An account with this e-mail already exists."))
    return email


def free_team_name(name: str, team: Team | None = None) -> str:
    name = tidy_name(name)
    others = Team.objects.exclude(pk=team.pk) if team else Team.objects.all()
    if others.filter(name__iexact=name).exists():
        raise ValidationError(_("A team with this name already exists."))
    return name


class EmailForm(forms.Form):
    """A new e-mail. Asks for the password, because password resets go to this address."""

    email = forms.EmailField(label=_("E-mail"), widget=forms.EmailInput({"autocomplete": "email"}))
    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        help_text=_("Whoever controls this mailbox can reset your password."),
        widget=forms.PasswordInput({"autocomplete": "current-password"}),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        kwargs.setdefault("initial", {"email": user.email})
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_email(self) -> str:
        return free_email(self.cleaned_data["email"], self.user)

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not self.user.check_password(password):
            raise ValidationError(_("This is not your password."))
        return password


class TeamForm(_TeamForm):
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
        self.teams = list(teams_with_others(user).filter(others=True, owners=False))
        for team in self.teams:
            others = team.memberships.exclude(user=user).select_related("user")
            label = _("New owner of %(team)s") % {"team": team.name_with_slug}
            self.fields[f"team-{team.pk}"] = forms.ModelChoiceField(others, label=label)
        if not user.has_usable_password():
            del self.fields["password"]
        self.order_fields([f"team-{team.pk}" for team in self.teams])

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not self.user.check_password(password):
            raise ValidationError(_("This is not your password."))
        return password

    def clean(self) -> None:
        if "password" not in self.fields and not self.recent:
            raise ValidationError(_("Sign out and in again, then delete within five minutes."))

    def successors(self) -> dict[int, int]:
        return {team.pk: self.cleaned_data[f"team-{team.pk}"].pk for team in self.teams}


class EntrantForm(_EntrantForm):
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
        name = tidy_name(self.cleaned_data["name"])
        others = Entrant.objects.filter(team=self.instance.team_id).exclude(pk=self.instance.pk)
        if others.filter(name__iexact=name).exists():
            raise ValidationError(_("Your team already has an entrant with this name."))
        return name

    def clean_cutoff(self) -> date | None:
        cutoff: date | None = self.cleaned_data["cutoff"]
        if cutoff and cutoff > timezone.localdate():
            raise ValidationError(_("This day is in the future."))
        return cutoff

    def clean_organisation(self) -> str:
        return " ".join(self.cleaned_data["organisation"].split())
