"""Adds headers to every response, refuses large bodies of strangers, guards the queue's pages, and
answers for services that are away."""

import hashlib
import re
from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Any

import django_rq
from django.conf import settings
from django.contrib import messages
from django.contrib.messages.storage.cookie import CookieStorage
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.deprecation import MiddlewareMixin
from redis.exceptions import RedisError
from requests import RequestException

# Plotly sets style attributes; style elements and scripts come only from this site's files.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "style-src-attr 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

# The pages with forms that lead to a provider of accounts. Chromium checks redirects, too.
PROVIDER_PAGES = {"sign-in", "sign-up", "socialaccount_connections"} | {
    "github_login", "openid_connect_login"
}  # fmt: skip
# Python refuses to read a number of thousands of digits.
MOST_STRANGERS_BYTES, MOST_DIGITS = 2**20, 20
API_UPLOADS = "/api/v1/uploads"
_INLINE_SCRIPTS = re.compile(
    rb'<script type="text/javascript">.*?</script>| onclick="[^"]*"', re.DOTALL
)


class ContentSecurityPolicy(MiddlewareMixin):
    """Allows only this site's own files as scripts and styles, and only this site as a target;
    where people sign in, the providers of accounts too."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        policy = queue_policy() if is_queue(request) else POLICY
        match = request.resolver_match
        if match and match.url_name in PROVIDER_PAGES:
            targets = " ".join(("form-action 'self'", *settings.PROVIDER_ORIGINS))
            policy = policy.replace("form-action 'self'", targets)
        response.headers.setdefault("Content-Security-Policy", policy)
        if is_queue(request) and "Content-Length" in response.headers:
            # The lists' script starts a plugin that Django's admin has no more; clicks on rows
            # do what a link in them does.
            response.content = _INLINE_SCRIPTS.sub(b"", response.content)
            response.headers["Content-Length"] = str(len(response.content))
        return response


class LargeBodies(MiddlewareMixin):
    """Refuses a body over 1 MiB, or of unknown length, of a client who is not signed in, and any to
    the API except a file with a valid token. It stays unread: Django would store it on the disk
    before it looks at the form's token. Gunicorn then reads at most 64 KiB more and closes the
    connection."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        length = request.META.get("CONTENT_LENGTH") or "0"
        is_large = (
            "HTTP_TRANSFER_ENCODING" in request.META
            or not length.isdecimal()
            or len(length) > MOST_DIGITS
            or int(length) > MOST_STRANGERS_BYTES
        )
        may_be = not request.path.startswith("/api/") or request.path == API_UPLOADS
        if is_large and not (may_be and request.user.is_authenticated):
            return render(request, "413.html", status=413)
        return None


def is_personal(request: HttpRequest) -> bool:
    """Whether the client may have a session or messages, so that pages differ for it."""
    names = {settings.SESSION_COOKIE_NAME, CookieStorage.cookie_name}
    return bool(names & request.COOKIES.keys())


class NoStore(MiddlewareMixin):
    """Keeps answers that depend on the client out of every cache, unless their view decides."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if response.cookies or is_personal(request):
            response.headers.setdefault("Cache-Control", "no-store")
        return response


def is_queue(request: HttpRequest) -> bool:
    """Whether the page is one of django-rq's dashboard."""
    return request.path_info.startswith(("/admin/queue/", "/admin/django_rq/"))


@cache
def queue_policy() -> str:
    """Allows the style elements that django-rq's templates contain, by their digests."""
    folder = Path(django_rq.__file__).parent / "templates/django_rq"
    texts = [path.read_text("utf-8") for path in sorted(folder.glob("*.html"))]
    digests = {
        b64encode(hashlib.sha256(style.encode()).digest()).decode()
        for text in texts
        for style in re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    }
    sources = " ".join(f"'sha256-{digest}'" for digest in sorted(digests))
    return POLICY.replace("style-src 'self'", f"style-src 'self' {sources}")


class QueuePermission(MiddlewareMixin):
    """Asks staff for a permission before they see or change django-rq's dashboard."""

    def process_view(self, request: HttpRequest, *_view: Any) -> None:
        right = f"evaluation.{'view' if request.method in ('GET', 'HEAD') else 'change'}_chunk"
        if is_queue(request) and request.user.is_staff and not request.user.has_perm(right):
            raise PermissionDenied


class Faults(MiddlewareMixin):
    """Shows a page instead of an error if the dashboard's queue or a provider of accounts does not
    answer, or a second factor cannot be read."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, RedisError):
            return render(request, "admin/queue_away.html", status=503)
        name = (request.resolver_match and request.resolver_match.url_name) or ""
        if isinstance(exception, RequestException) and name in PROVIDER_PAGES:
            return redirect("socialaccount_login_error")
        # The secret that encrypted the person's second factor is in no setting any more.
        if isinstance(exception, ValidationError) and name.startswith("mfa_"):
            messages.error(request, exception.messages[0])
            return redirect("mfa_index")
        return None
