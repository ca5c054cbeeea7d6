"""Limits on requests that cost the site or other people something, and the clients they count.

Counters are in Valkey, which all processes share. Nothing is limited while it does not answer. No
limit counts by the account that a request names alone: a stranger would lock a person out."""

import hashlib
import logging
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from ipaddress import IPv6Address, ip_address
from math import ceil
from threading import BoundedSemaphore, Lock
from time import time
from typing import Any, NamedTuple

from allauth.account.signals import authentication_step_completed
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.cache import caches
from django.db.models import Q
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

QUARTER, HOUR = 15 * 60, 60 * 60


class Per(Enum):
    ADDRESS = "address"
    NAME_AND_ADDRESS = "account and address together"
    ACCOUNT = "account"
    SITE = "site"


class Limit(NamedTuple):
    per: Per
    most: int
    seconds: int


class Rule(NamedTuple):
    """The limits that the POST requests to these routes share, in the order of their checks. The
    routes' views read the account's name or e-mail from `field`. A rule with a limit by account
    counts requests of people who are signed in or, if `signing_in`, have given their password."""

    name: str
    routes: tuple[str, ...]
    limits: tuple[Limit, ...]
    field: str = ""
    signed_out_only: bool = False
    signing_in: bool = False
    checks_password: bool = False


# docs/operators/deployment.md shows these numbers. By route and not by name: another name of the
# same address has the same limits.
_API_WRITES = (
    "api/v1/team/entrants",
    *(f"api/v1/uploads/<public_id>/{word}" for word in ("submit", "discard")),
    *(f"api/v1/submissions/<public_id>/{word}" for word in ("cancel", "publish", "withdraw")),
)
_WEBHOOKS = "teams/<slug:slug>/webhooks"
_ADDRESS, _ACCOUNT = Limit(Per.ADDRESS, 30, HOUR), Limit(Per.ACCOUNT, 60, HOUR)
_SITE = Limit(Per.SITE, 600, HOUR)
RULES = (
    Rule(
        "sign-in", ("sign-in/",),
        (Limit(Per.ADDRESS, 100, QUARTER), Limit(Per.NAME_AND_ADDRESS, 10, QUARTER)),
        field="login", checks_password=True,
    ),
    Rule(
        "sign-up", ("sign-up/", "account/providers/signup/"), (_ADDRESS, _SITE),
        checks_password=True,
    ),
    Rule(
        "password-reset", ("password-reset/",),
        (_ADDRESS, Limit(Per.NAME_AND_ADDRESS, 5, HOUR), _SITE), field="email",
    ),
    Rule(
        "password-again",
        ("account/again/", "account/password/", "account/password/first/", "account/delete/"),
        (Limit(Per.ACCOUNT, 20, QUARTER),), checks_password=True,
    ),
    Rule(
        "second-factor",
        ("account/second-factor/authenticate/", "account/second-factor/reauthenticate/"),
        (Limit(Per.ADDRESS, 20, QUARTER), _ACCOUNT), signing_in=True,
    ),
    Rule(
        "mail", ("account/e-mail/", "account/again/code/", "account/again/code/confirm/"),
        (Limit(Per.ACCOUNT, 20, HOUR), _SITE),
    ),
    Rule("member", ("teams/<slug:slug>/members/",), (_ACCOUNT, _SITE)),
    Rule("offer", ("rate/ask/",), (Limit(Per.ACCOUNT, 3, HOUR), Limit(Per.SITE, 60, HOUR))),
    Rule("token", ("account/tokens/",), (_ACCOUNT,)),
    Rule("team", ("teams/new/", "teams/<slug:slug>/entrants/new/"), (_ACCOUNT,)),
    Rule("webhook", (f"{_WEBHOOKS}/", f"{_WEBHOOKS}/<int:pk>/"), (_ACCOUNT,)),
    Rule("upload", ("submit/",), (_ACCOUNT,)),
    # By account: a person can make 60 tokens an hour.
    Rule("api-upload", ("api/v1/uploads",), (_ACCOUNT,)),
    Rule("api", _API_WRITES, (Limit(Per.ACCOUNT, 600, HOUR),)),
    Rule(
        "rating",
        tuple(f"rate/items/<int:pk>/{word}/" for word in ("save", "skip", "draft", "leave")),
        (Limit(Per.ADDRESS, 60, HOUR), Limit(Per.SITE, 1200, HOUR)),
        signed_out_only=True,  # The session keeps the form until the rater has signed in.
    ),
)  # fmt: skip
# A password takes a quarter of a second of a processor. However many come at once, two of a
# process's four threads serve pages, and one of the others computes.
_PASSWORDS, _TURN = BoundedSemaphore(2), Lock()
BUSY_SECONDS = 5
_BY_ROUTE = {route: rule for rule in RULES for route in rule.routes}


class Limits:
    """Answers 429 to a request over a limit, with the seconds to wait in Retry-After."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response
        self._has_warned = False

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if (
            not settings.TRUSTED_PROXIES
            and not self._has_warned
            and ("HTTP_X_FORWARDED_FOR" in request.META or "HTTP_FORWARDED" in request.META)
        ):
            self._has_warned = True
            logger.warning(
                "A request came through a proxy, but ASSAY_TRUSTED_PROXIES is 0: all clients count"
                " as one address. Set it to the number of proxies in front of the site."
            )
        try:
            return self._get_response(request)
        finally:
            if hasattr(request, "checks_password"):
                _TURN.release()
                _PASSWORDS.release()

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        match = request.resolver_match
        rule = _BY_ROUTE.get(match.route) if match and request.method == "POST" else None
        if rule is None or (rule.signed_out_only and request.user.is_authenticated):
            return None
        # The view sends a stranger away. Counted, strangers would use up the site's limits.
        by_account = any(limit.per is Per.ACCOUNT for limit in rule.limits)
        if by_account and _user_key(rule, request) is None:
            return None
        if rule.checks_password:
            if not _PASSWORDS.acquire(blocking=False):
                return _refusal(request, BUSY_SECONDS, busy=True)
            _TURN.acquire()
            request.checks_password = True  # type: ignore[attr-defined]
        for limit in rule.limits:
            if _count(_key(rule, limit, request), limit) > limit.most:
                logger.warning(
                    "limit reached: %s, %d in %d s by %s, client %s",
                    *(rule.name, limit.most, limit.seconds, limit.per.value),
                    client_address(request),
                )
                return _refusal(request, limit.seconds - int(time()) % limit.seconds)
        return None


def _refusal(request: HttpRequest, seconds: int, *, busy: bool = False) -> HttpResponse:
    context = {"minutes": ceil(seconds / 60), "busy": busy}
    response = render(request, "429.html", context, status=429)
    response["Retry-After"] = str(seconds)
    return response


def client_address(request: HttpRequest) -> str:
    """The IP address from which the request came, as the outermost of ASSAY_TRUSTED_PROXIES saw it.
    A /64 of IPv6, which one customer has, is one address. Empty for a Unix socket."""
    text: str = request.META.get("REMOTE_ADDR", "")
    hops = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    # With fewer hops than proxies the request bypassed one, and a client can have written them.
    if 0 < settings.TRUSTED_PROXIES <= len(hops):
        text = hops[-settings.TRUSTED_PROXIES].strip() or text
    try:
        address = ip_address(text)
    except ValueError:
        return text
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return f"{IPv6Address(int(address) >> 64 << 64)}/64"
    return str(address)


def client_host(request: HttpRequest) -> str:
    """`client_address` as an address: for a network its first one."""
    return client_address(request).partition("/")[0]


@receiver(authentication_step_completed)
def forget_sign_in(request: HttpRequest, method: str, **_signal: Any) -> None:
    """Takes back what a sign-in with the right password has counted, and the wrong ones of its
    account and address. A second factor may follow."""
    rule = _BY_ROUTE["sign-in/"]
    match = request.resolver_match
    if method == "password" and match and match.route in rule.routes:
        of_address, of_account = (_key(rule, limit, request) for limit in rule.limits)
        with suppress(ValueError, RedisError):
            caches["shared"].delete(of_account)
            caches["shared"].decr(of_address)


def _key(rule: Rule, limit: Limit, request: HttpRequest) -> str:
    """The key of this window's counter."""
    client = client_address(request)
    if limit.per is Per.SITE:
        client = ""
    elif limit.per is Per.NAME_AND_ADDRESS:
        client = f"{_account(request.POST.get(rule.field, ''))}\0{client}"
    elif limit.per is Per.ACCOUNT:
        client = f"account {_user_key(rule, request)}"
    # With the number of the window no counter outlasts it, even if it lost its expiry.
    window = int(time()) // limit.seconds
    text = f"{rule.name}\0{limit.per.name}\0{window}\0{client}".encode("utf-8", "replace")
    return f"limit-{hashlib.sha256(text).hexdigest()}"


def _user_key(rule: Rule, request: HttpRequest) -> int | None:
    """The primary key of the account that is signed in, or whose password was given."""
    # Imports models, and the log's formatters import this module before there are any.
    from allauth.account.internal.stagekit import unstash_login

    login = None
    if rule.signing_in and not request.user.is_authenticated:
        login = unstash_login(request, peek=True)
    return login.user.pk if login and login.user else request.user.pk


def _account(typed: str) -> str:
    """The account of a username or confirmed e-mail, or what was typed if there is none."""
    typed = typed.replace("\0", "").strip()  # PostgreSQL refuses NUL.
    owner = Q(emailaddress__email=typed.lower(), emailaddress__verified=True)
    people = get_user_model().objects.filter(owner | Q(username__iexact=typed))
    return str(people.order_by("pk").values_list("pk", flat=True).first() or typed.casefold())


def _count(key: str, limit: Limit) -> int:
    """The number of requests in this window with this one; 0 while the counters are away."""
    try:
        caches["shared"].add(key, 0, limit.seconds)
        return caches["shared"].incr(key)
    except (ValueError, RedisError):  # ValueError: the counter expired between the two calls
        return 0
