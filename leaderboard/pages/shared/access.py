"""Access rules for actions, and the redirect to the sign-in page."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Protocol

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from evaluation.engine.errors import UploadError
from leaderboard.accounts.models import User
from leaderboard.messages import in_readers_language


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


def is_polling(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"


def wanted_page(request: HttpRequest) -> str:
    """The parameter `next` if it is a page of this site, otherwise ""."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    is_ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if is_ours else ""
