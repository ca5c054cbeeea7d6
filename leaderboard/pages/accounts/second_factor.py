"""Staff use their rights only in a session that a second factor has opened."""

from collections.abc import Callable
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.authentication import get_authentication_records
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import MiddlewareNotUsed
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.deprecation import MiddlewareMixin
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from leaderboard.accounts.models import User

_FACTORS = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]
_SET_UP_HERE = "second-factor-set-up"
_ALWAYS = {"sign-out", "language"}
_PROOF = {"mfa_reauthenticate", "mfa_reauthenticate_webauthn"}


class StaffSecondFactor(MiddlewareMixin):
    """Sends staff to set up a second factor, or to prove it, before any other page.

    All other pages, since many show more to staff. allauth's pages change the person's own
    account only, and one of them sets the factor up.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not settings.STAFF_SECOND_FACTOR:
            raise MiddlewareNotUsed
        super().__init__(get_response)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], *_args: Any
    ) -> HttpResponse | None:
        user, match = request.user, request.resolver_match
        name = match.url_name if match else ""
        # Views directly in `leaderboard` answer machines: nginx asks whether somebody is signed in.
        is_page = view.__module__.rpartition(".")[0] != "leaderboard"
        if not user.is_staff or name in _ALWAYS or not is_page:
            return None
        if not is_mfa_enabled(user, _FACTORS):
            if view.__module__.startswith("allauth."):
                return None
            messages.warning(request, _("Staff need a second factor. Set one up to go on."))
            return redirect("mfa_index")
        methods = {record["method"] for record in get_authentication_records(request, user)}
        if "mfa" in methods or request.session.get(_SET_UP_HERE) == user.pk or name in _PROOF:
            return None
        # The factor was set up in another session, which may be another person's.
        ways = get_adapter().get_reauthentication_methods(user)
        proof = next(way["url"] for way in ways if way["id"].startswith("mfa"))
        return redirect(f"{proof}?{urlencode({'next': request.get_full_path()})}")


@receiver(authenticator_added)
def note_set_up(request: HttpRequest, user: User, **_kwargs: Any) -> None:
    request.session[_SET_UP_HERE] = user.pk
