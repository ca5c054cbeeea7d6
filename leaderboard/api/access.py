"""Who asks: a visitor, or the bearer of a token."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from ninja.security.http import HttpAuthBase

from leaderboard.accounts.models import Scope, Token, User
from leaderboard.accounts.tokens import TokenRefused, bearer, recognised
from leaderboard.api.problems import Refused, problem
from leaderboard.limits import client_host


def api_bearer(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: makes the bearer of a token the user of a request to the API. Before the limits,
    which count by user and token, and before large bodies are let in."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if not request.path.startswith("/api/"):
            return get_response(request)
        request.user = AnonymousUser()
        if header := request.headers.get("Authorization"):
            try:
                token = recognised(header, client_host(request))
            except TokenRefused as error:
                response = problem(401, str(error))
                response["WWW-Authenticate"] = "Bearer"
                return response
            request.token, request.user = token, bearer(token)  # type: ignore[attr-defined]
        return get_response(request)

    return middleware


def token_in(request: HttpRequest) -> Token:
    """The token, in operations that need one."""
    token: Token = request.token  # type: ignore[attr-defined]
    return token


def user_in(request: HttpRequest) -> User:
    """The bearer, in operations that need a token."""
    user = request.user
    assert user.is_authenticated
    return user


def require_scope(request: HttpRequest, scope: str) -> Token | None:
    """None without a token. Raises Refused if the token is too narrow."""
    token: Token | None = getattr(request, "token", None)
    if token is not None and scope and scope not in token.scope_names:
        has = ", ".join(token.scope_names)
        raise Refused(403, f"This needs a token with the scope {scope}; this one has {has}.")
    return token


class Needs(HttpAuthBase):
    """For an operation that needs a token, with the scope if it is not ""."""

    openapi_scheme = "bearer"

    def __init__(self, scope: str) -> None:
        super().__init__()
        self.scope = scope

    def __call__(self, request: HttpRequest) -> Token:
        token = require_scope(request, self.scope)
        if token is None:
            raise Refused(401, "This needs a token: Authorization: Bearer assay_...")
        return token


def readable_without(view: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator for operations that everyone may read: a token must be for reading."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **values: Any) -> Any:
        require_scope(request, Scope.READ)
        return view(request, *args, **values)

    return checked
