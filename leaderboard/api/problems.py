"""Errors as problem documents (RFC 9457), in English: programs read them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, get_type_hints

from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI, Schema
from ninja.errors import HttpError, ValidationError

from leaderboard.boards.selection import NotSelected


class Problem(Schema):
    """`title` names the status, `detail` says what was wrong and what to do; `errors` names the
    parameters that are wrong."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    errors: list[str] = []


class UnknownParameters(HttpError):
    """The framework would ignore them, so that a misspelled filter would return every row."""

    def __init__(self, unknown: set[str], allowed: set[str]) -> None:
        names = ", ".join(sorted(unknown))
        known = ", ".join(sorted(allowed)) or "none"
        super().__init__(422, f"Unknown parameters: {names}. This address knows: {known}.")


def only_known_parameters(view: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator for operations. Raises UnknownParameters."""
    hints = [hint for hint in get_type_hints(view).values() if isinstance(hint, type)]
    schemas = [hint for hint in hints if issubclass(hint, Schema)]
    allowed = {name for schema in schemas for name in schema.model_fields}

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **values: Any) -> Any:
        if unknown := request.GET.keys() - allowed:
            raise UnknownParameters(unknown, allowed)
        return view(request, *args, **values)

    return checked


def answer_with_problems(api: NinjaAPI) -> None:
    def problem(request: HttpRequest, status: int, detail: str, *errors: str) -> HttpResponse:
        document = Problem(
            title=HTTPStatus(status).phrase, status=status, detail=detail, errors=[*errors]
        )
        response = api.create_response(request, document.model_dump(), status=status)
        response["Content-Type"] = "application/problem+json"
        return response

    @api.exception_handler(Http404)
    def not_found(request: HttpRequest, error: Http404) -> HttpResponse:
        return problem(request, 404, str(error) or "There is nothing at this address.")

    @api.exception_handler(NotSelected)
    def not_selected(request: HttpRequest, error: NotSelected) -> HttpResponse:
        return problem(request, 404, f"There is no such {error}.")

    @api.exception_handler(HttpError)
    def refused(request: HttpRequest, error: HttpError) -> HttpResponse:
        return problem(request, error.status_code, str(error))

    @api.exception_handler(ValidationError)
    def invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
        errors = [f"{'.'.join(map(str, e['loc'][1:]))}: {e['msg']}" for e in error.errors]
        return problem(request, 422, "Some parameters are not valid.", *errors)
