"""Lines of the log: one for each record, with the id of the request that led to it. A text of a
stranger never begins a line. docs/operators/logs.md shows what lines look like."""

import json
import logging
import re
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import cache
from typing import Any

from django.conf import settings
from django.contrib.auth.signals import user_login_failed
from django.core.signals import request_finished
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.urls import Resolver404, get_resolver, resolve
from django.utils.crypto import salted_hmac

from leaderboard.limits import client_address

log = logging.getLogger(__name__)

_WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{8,64}")
# Arguments of addresses that are shown, besides numbers. The others may let in who knows them.
_SHOWN = {"app_label", "code", "id", "job_id", "name", "object_id", "setting", "slug", "uidb36"}
# Loggers that know nothing of requests, and among them those whose messages are several lines.
_OURS = ("evaluation.", "leaderboard.", "rq.")
_OF_LINES = ("evaluation.supervision.", "rq.")
_PATH_IN_TEXT = re.compile(r"""(?<![^\s'"(])(\w+://[^/\s'"]+)?(/[^\s'"?]*)[^\s'"]*""")
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
        if not record.name.startswith(_OURS):
            args = record.args if isinstance(record.args, tuple) else ()
            shown = tuple(map(_without_secrets, args))
            message = str(record.msg) % shown if args else str(_without_secrets(message))
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
        return "\n    ".join(
            "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
            for text in (line, *more)
        )


@cache
def _first_parts() -> set[str]:
    patterns, parts = [*get_resolver().url_patterns], {settings.STATIC_URL.strip("/")}
    for pattern in patterns:
        if route := str(pattern.pattern):
            parts.add(route.split("/")[0])
        else:
            patterns += getattr(pattern, "url_patterns", ())
    return parts


def shown_path(path: str) -> str:
    """The path with *** for arguments that may be secret. Of a path that leads nowhere only the
    first part, if the site has it."""
    for candidate in (path, f"{path}/"):  # Django redirects to the second
        with suppress(Resolver404):
            arguments = resolve(candidate).captured_kwargs  # type: ignore[attr-defined]  # old stubs
            for name, value in arguments.items():
                if isinstance(value, str) and value and name not in _SHOWN:
                    path = path.replace(value.rstrip("/"), "***")
            return path
    first = path[1:].split("/")[0]
    return f"/{first}/***" if first in _first_parts() else "/***"


def _without_secrets(text: object) -> object:
    if not isinstance(text, str):
        return text
    if text.startswith("/"):
        return shown_path(text.partition("?")[0])
    return _PATH_IN_TEXT.sub(lambda match: (match[1] or "") + shown_path(match[2]), text)


class Requests:
    """Gives each request an id, or takes a proxy's if well-formed, and logs the answer with it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        proposed = str(request.META.get("HTTP_X_REQUEST_ID", ""))
        _request_id.set(proposed if _WELL_FORMED.fullmatch(proposed) else secrets.token_hex(8))
        began = time.monotonic()
        response = self._get_response(request)
        response["X-Request-ID"] = request_id()
        fields = {
            "method": request.method,
            "status": response.status_code,
            "ms": round((time.monotonic() - began) * 1000),
            # Without a query: pages that ask who the person is have loaded the row.
            "person": getattr(getattr(request, "_cached_user", None), "pk", None) or "-",
            "address": client_address(request),
            "path": shown_path(request.path),
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
