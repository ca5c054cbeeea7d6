"""Access rules for actions, and the redirect to the sign-in page."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, Protocol

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from evaluation.engine.errors import UploadError
from leaderboard.accounts.models import User
from leaderboard.messages import in_readers_language

P = ParamSpec("P")


class _View(Protocol):
    def __call__(self, request: HttpRequest, *, pk: int) -> HttpResponseBase: ...


def action_on(page: str) -> Callable[[_View], Callable[..., HttpResponseBase]]:
    """Restricts a view to POST from a signed-in user; others return to `page` after signing in. An
    UploadError is shown there."""

    def decorate(view: _View) -> Callable[..., HttpResponseBase]:
        @require_POST
        @wraps(view)
        def guarded(request: HttpRequest, pk: int) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return redirect_to_login(reverse(page, args=[pk]))
            try:
                return view(request, pk=pk)
            except UploadError as error:
                messages.warning(request, in_readers_language(error.problems[0].sentence))
                return redirect(page, pk)

        return guarded

    return decorate


def signed_in(request: HttpRequest) -> User:
    """The user, in views that require a sign-in."""
    assert isinstance(request.user, User)
    return request.user


def tell(request: HttpRequest, done: bool, success: str, failure: str) -> None:
    """Says whether an action had an effect."""
    (messages.success if done else messages.warning)(request, success if done else failure)


def is_polling(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"


def wanted_page(request: HttpRequest) -> str:
    """The parameter `next` if it is the path of a page of this site, otherwise ""."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    return wanted if is_page_here(request, wanted) else ""


def is_page_here(request: HttpRequest, url: str) -> bool:
    """Whether the address begins with a slash and leads to this site."""
    return url.startswith("/") and url_has_allowed_host_and_scheme(url, {request.get_host()})


def confirmed_only(view: Callable[P, HttpResponseBase]) -> Callable[P, HttpResponseBase]:
    """Sends a person without a confirmed e-mail to the page that sends the link again."""

    @wraps(view)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        request = args[0]
        assert isinstance(request, HttpRequest)
        if signed_in(request).confirmed:
            return view(*args, **kwargs)
        messages.warning(
            request,
            _("Confirm your e-mail first: open the link that we sent, or have it sent again here."),
        )
        return redirect("account_email")

    return guarded
