"""Asking for addresses as somebody, each as if nothing had been asked before."""

from __future__ import annotations

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
    """A browser signed in as that role; a fault of a page is a 500 to it."""
    client = Client(raise_request_exception=False, **options)
    user = site.user(role)
    if user is not None:
        client.force_login(user)
    return client


@contextmanager
def undone() -> Iterator[None]:
    """Whatever is written meanwhile is taken back."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def word(answer: Any) -> str:
    """The answer as the table has it."""
    if answer.status_code in (301, 302):
        signs_in = answer["Location"].split("?")[0] in (reverse("sign-in"), reverse("admin:login"))
        return "in" if signs_in else "go"
    # A live part that is the last one has a status of its own, for the script that asks.
    return "200" if answer.status_code == STOP_POLLING else str(answer.status_code)


def body(answer: HttpResponseBase) -> str:
    """All of the answer that a reader could read: status line aside."""
    content = b"".join(answer) if answer.streaming else answer.content  # type: ignore[attr-defined]
    heads = "\n".join(f"{name}: {value}" for name, value in answer.items())
    cookies = getattr(answer, "cookies", None)
    return f"{heads}\n{cookies}\n{content.decode(errors='replace')}"


def routes() -> set[str]:
    """Every pattern that the project answers to."""
    return set(_routes(get_resolver()))


def _routes(resolver: URLResolver, before: str = "") -> Iterator[str]:
    for one in resolver.url_patterns:
        if isinstance(one, URLResolver):
            yield from _routes(one, before + str(one.pattern))
        else:
            # As the resolver joins them when it names what it has found.
            yield before + str(one.pattern).removeprefix("^")


def route_of(url: str) -> str:
    return resolve(url.split("?")[0]).route
