"""Pages for faults on our side. They need no database: it may be what is missing."""

from __future__ import annotations

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.utils.translation import get_language_from_request, override

from leaderboard.healthy import disk_is_full

RETRY_SECONDS = 30


def server_error(request: HttpRequest) -> HttpResponse:
    """Status 507 if the disk is full, 503 if the database does not answer, else 500. In the
    language of the request, since the fault may come before the middleware that sets it."""
    error = sys.exc_info()[1]
    full = disk_is_full(error)
    away = not full and isinstance(error, OperationalError | InterfaceError)
    status = 507 if full else 503 if away else 500
    with override(get_language_from_request(request)):
        response = HttpResponse(loader.get_template(f"{status}.html").render(), status=status)
    if away:
        response["Retry-After"] = str(RETRY_SECONDS)
    return response
