"""Pages for faults on our side, which need no database: it may be what is missing; and for forms
that are refused."""

from __future__ import annotations

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import loader
from django.utils.translation import get_language_from_request, override

from leaderboard.logs import request_id

RETRY_SECONDS = 30


def server_error(request: HttpRequest) -> HttpResponse:
    """Status 503 if the database does not answer, else 500. In the language of the request, since
    the fault may come before the middleware that sets it."""
    away = isinstance(sys.exc_info()[1], OperationalError | InterfaceError)
    status = 503 if away else 500
    with override(get_language_from_request(request)):
        page = loader.get_template(f"{status}.html").render({"request_id": request_id()})
        response = HttpResponse(page, status=status)
    if away:
        response["Retry-After"] = str(RETRY_SECONDS)
    return response


def form_refused(request: HttpRequest, reason: str = "") -> HttpResponse:
    """For a refused CSRF token or origin. Staff see the reason, which the log has."""
    context = {"reason": reason if request.user.is_staff else "", "request_id": request_id()}
    return render(request, "403_csrf.html", context, status=403)
