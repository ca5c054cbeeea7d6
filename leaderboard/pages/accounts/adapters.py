"""Our rules inside django-allauth: names, sign-up, redirects, and encrypted second factors."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import InvalidToken
from django.conf import settings
from django.contrib.auth.password_validation import MinimumLengthValidator
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.accounts.models import User
from leaderboard.accounts.teams import tidy_name
from leaderboard.limits import client_host
from leaderboard.pages.shared.access import is_page_here, signed_in
from leaderboard.sealing import box

_PURPOSE = "assay: second factors"


class MinimumLength(MinimumLengthValidator):
    """Refuses with its help text: Django's own error has no Chinese translation."""

    get_error_message = MinimumLengthValidator.get_help_text


class AccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        if settings.OPEN_SIGN_UP:
            return True
        page = render(request, "accounts/sign_up_closed.html", status=403)
        raise ImmediateHttpResponse(page)

    def clean_username(self, username: str, shallow: bool = False) -> str:
        name = tidy_name(username)
        if "@" in name:
            raise ValidationError(
                _("A username cannot contain @, so that it is not read as an e-mail.")
            )
        cleaned: str = super().clean_username(name, shallow)
        return cleaned

    def is_safe_url(self, url: str) -> bool:
        return is_page_here(context.request, url)

    def get_signup_redirect_url(self, request: HttpRequest) -> str:
        team = signed_in(request).teams.first()
        return reverse("entrant-new", args=[team.slug]) if team else reverse("account")

    def get_client_ip(self, request: HttpRequest) -> str:
        """Shown to the person in the list of sessions and in notices."""
        return client_host(request) or "0.0.0.0"  # noqa: S104 - a Unix socket has none

    def send_notification_mail(self, prefix: str, user: User, *args: Any, **kwargs: Any) -> None:
        if user.confirmed:  # Otherwise anyone could send them to any mailbox.
            super().send_notification_mail(prefix, user, *args, **kwargs)


class SecondFactorAdapter(DefaultMFAAdapter):
    """Encrypts the secrets of authenticator apps and recovery codes."""

    def encrypt(self, text: str) -> str:
        return box(_PURPOSE).encrypt(text.encode()).decode("ascii")

    def decrypt(self, encrypted_text: str) -> str:
        try:
            return box(_PURPOSE).decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            error = ValidationError(_(
                "The site cannot read this second factor, because its secrets have changed. Use "
                "another one, or ask the site's staff to delete it."
            ))  # fmt: skip
            error.silent_variable_failure = True  # type: ignore[attr-defined]  # for templates
            raise error from None
