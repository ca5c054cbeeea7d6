"""Tests that django-rq's dashboard, which can delete and run jobs, is only for staff."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django_rq.urls import urlpatterns as queue_patterns

from tests.support.cast import Cast

pytestmark = pytest.mark.any_database


def queue_addresses() -> list[str]:
    """Every address of django-rq's dashboard, below both of its paths."""
    dummies = {"int": "0", "str": "x", "path": "x"}
    found = []
    for pattern in queue_patterns:
        text = str(pattern.pattern)
        text = re.sub(r"<(\w+):\w+>", lambda match: dummies[match[1]], text)
        text = text.replace("(?P<token>[\\w]+)?", "token").strip("^$").replace("/?", "/")
        found += [f"/admin/queue/{text}", f"/admin/django_rq/dashboard/{text}"]
    return found


def test_the_walk_over_the_queues_pages_is_a_walk() -> None:
    assert len(queue_addresses()) >= 40
    assert "/admin/queue/queues/0/x/delete/" in queue_addresses()


@pytest.mark.parametrize("person", [None, "alice"])
@pytest.mark.parametrize("address", queue_addresses())
def test_the_queues_pages_are_for_staff(
    client: Client, cast: Cast, person: str | None, address: str
) -> None:
    if person:
        client.force_login(getattr(cast, person))
    for response in (client.get(address), client.post(address)):
        if "stats.json" in address:
            assert response.status_code == 401  # programs ask for it
        else:
            assert (response.status_code, response.url) == (302, f"/admin/login/?next={address}")
