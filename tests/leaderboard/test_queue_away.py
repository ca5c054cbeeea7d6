"""Tests of the pages while Valkey is unreachable."""

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from tests.support.cast import PASSWORD, Cast

pytestmark = pytest.mark.any_database

NOWHERE = "unix:///nowhere/valkey.sock"


@pytest.fixture
def without_queue(settings: Settings) -> None:
    redis = "django.core.cache.backends.redis.RedisCache"
    settings.CACHES = {**settings.CACHES, "shared": {"BACKEND": redis, "LOCATION": NOWHERE}}


def test_signing_in_works_without_the_shared_counts(
    without_queue: None, cast: Cast, client: Client
) -> None:
    name = cast.alice.username
    answer = client.post("/sign-in/", {"login": name, "password": PASSWORD})
    assert answer.status_code == 302


def test_the_queue_pages_say_that_the_queue_is_away(cast: Cast, client: Client) -> None:
    client.force_login(cast.dora)
    answer = client.get("/admin/queue/")
    assert answer.status_code == 503
    assert "Nothing is lost" in answer.content.decode()
