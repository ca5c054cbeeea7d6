"""Pages for faults on our side, which need no database: it may be what is missing; and for forms
that are refused."""

import sys
from contextlib import suppress

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import loader
from django.utils.translation import get_language_from_request, override

from leaderboard.logs import request_id

RETRY_SECONDS = 30
# What the system, SQLite and PostgreSQL say of a full disk.
FULL = ("No space left on device", "Disk quota exceeded", "disk is full")


def server_error(request: HttpRequest) -> HttpResponse:
    """Status 507 if the disk is full, 503 if the database does not answer, else 500. In the
    language of the request, since the fault may come before the middleware that sets it."""
    error = sys.exc_info()[1]
    away = isinstance(error, OperationalError | InterfaceError)
    status = 507 if any(words in str(error) for words in FULL) else 503 if away else 500
    if status == 507:
        # Gives the room of what arrived back at once.
        for handler in request.upload_handlers:
            with suppress(OSError):
                handler.upload_interrupted()
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
