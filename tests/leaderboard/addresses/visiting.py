"""Requests to addresses as one role, each as if nothing had been asked before."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.http import HttpResponseBase
from django.test import Client
from django.urls import URLResolver, get_resolver, resolve, reverse

from tests.leaderboard.addresses.marked import Site

STOP_POLLING = 286


def visitor(site: Site, role: str, **options: Any) -> Client:
    """A browser signed in as that role; it gets a 500 if a page raises an exception."""
    client = Client(raise_request_exception=False, **options)
    user = site.user(role)
    if user is not None:
        client.force_login(user)
    return client


@contextmanager
def undone() -> Iterator[None]:
    """Rolls back everything that is written in the block."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def word(answer: Any) -> str:
    """The word of the table for the answer."""
    if answer.status_code in (301, 302):
        signs_in = answer["Location"].split("?")[0] in (reverse("sign-in"), reverse("admin:login"))
        return "in" if signs_in else "go"
    # The last live part has a separate status, on which the script stops asking.
    return "200" if answer.status_code == STOP_POLLING else str(answer.status_code)


def body(answer: HttpResponseBase) -> str:
    """Everything in the answer that a reader can read, except the status line."""
    content = b"".join(answer) if answer.streaming else answer.content  # type: ignore[attr-defined]
    heads = "\n".join(f"{name}: {value}" for name, value in answer.items())
    cookies = getattr(answer, "cookies", None)
    return f"{heads}\n{cookies}\n{content.decode(errors='replace')}"


def routes() -> set[str]:
    """Every URL pattern of the project."""
    return set(_routes(get_resolver()))


def _routes(resolver: URLResolver, before: str = "") -> Iterator[str]:
    for one in resolver.url_patterns:
        # Joined as the resolver joins them in the route of a match.
        route = before + (str(one.pattern).removeprefix("^") if before else str(one.pattern))
        if isinstance(one, URLResolver):
            yield from _routes(one, route)
        else:
            yield route


def route_of(url: str) -> str:
    return resolve(url.split("?")[0]).route
