"""Lines of the log: one for each record, with the id of the request that led to it. A text of a
stranger never begins a line. docs/operators/logs.md shows what lines look like."""

from __future__ import annotations

import json
import logging
import re
import secrets
import time
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.signals import user_login_failed
from django.core.signals import request_finished
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from leaderboard.limits import client_address

log = logging.getLogger(__name__)

_WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{8,64}")
# Arguments of addresses that let whoever knows them in.
_SECRETS = ("key", "token")
# Loggers whose messages are several lines, none of a stranger.
_OF_LINES = ("evaluation.supervision.", "rq.")
_HEAD = ("time", "level", "logger", "request", "message")
_request_id: ContextVar[str] = ContextVar("request_id", default="")


def request_id() -> str:
    """The id of the request, or in a job of the one that led to the job; "" if there is none."""
    return _request_id.get() or Lines.of_job


class Lines(logging.Formatter):
    """Text, with tracebacks as indented lines, or one JSON object a line."""

    # The request that led to the job of this process; its threads have it too.
    of_job = ""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        message, more = record.getMessage(), list[str]()
        if record.name.startswith(_OF_LINES):
            message, *more = message.splitlines() or [""]
        # A stranger causes refusals at will, and their place says nothing.
        if record.exc_info and not record.name.startswith("django.security."):
            more += self.formatException(record.exc_info).splitlines()
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        head = (moment, record.levelname, record.name, request_id() or "-", message)
        fields = vars(record).get("fields", {})
        if self._as_json:
            whole = dict(zip(_HEAD, head, strict=True)) | fields | ({"more": more} if more else {})
            return json.dumps(whole, default=str)
        line = " ".join((*head, *(f"{name}={value}" for name, value in fields.items())))
        return "\n    ".join(map(_printable, (line, *more)))


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


class Requests:
    """Gives each request an id, which the answer repeats in X-Request-ID, and logs the answer. The
    id is that of a proxy, if well-formed."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        proposed = str(request.META.get("HTTP_X_REQUEST_ID", ""))
        _request_id.set(proposed if _WELL_FORMED.fullmatch(proposed) else secrets.token_hex(8))
        began = time.monotonic()
        response = self._get_response(request)
        response["X-Request-ID"] = request_id()
        path, match = request.path, request.resolver_match
        for name in _SECRETS:
            if secret := match and match.kwargs.get(name):
                path = path.replace(str(secret), "***")
        fields = {
            "method": request.method,
            "status": response.status_code,
            "ms": round((time.monotonic() - began) * 1000),
            # Without a query: pages that ask who the person is have loaded the row.
            "person": getattr(getattr(request, "_cached_user", None), "pk", None) or "-",
            "address": client_address(request),
            "path": path,
        }
        level = logging.WARNING if response.status_code == 429 else logging.INFO
        log.log(level, "Answered", extra={"fields": fields})
        return response


@receiver(request_finished)
def forget_request(**_signal: Any) -> None:
    """Comes after the answer was sent, during which gunicorn may log."""
    _request_id.set("")


@receiver(user_login_failed)
def log_failed_sign_in(
    credentials: dict[str, Any], request: HttpRequest | None = None, **_signal: Any
) -> None:
    """The same account has the same hash; the name itself may be a password in the wrong field."""
    name = str(credentials.get("username") or credentials.get("email") or "")
    account = salted_hmac(__name__, name.casefold().encode("utf-8", "replace")).hexdigest()[:12]
    address = client_address(request) if request else "-"
    log.warning("Failed sign-in", extra={"fields": {"account": account, "address": address}})
