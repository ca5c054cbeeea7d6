"""Tokens of the cast."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from leaderboard.accounts.models import Membership, Scope, User
from leaderboard.accounts.tokens import make_token

Bearer = Callable[..., Client]


def token_of(user: User, team: str, scopes: list[str] | None = None, days: int = 90) -> str:
    membership = Membership.objects.get(user=user, team__slug=team)
    names = Scope.values if scopes is None else scopes
    _token, text = make_token(membership=membership, name="job", scopes=names, days=days)
    return text


def client_with(text: str, **options: Any) -> Client:
    return Client(headers={"Authorization": f"Bearer {text}"}, **options)


@pytest.fixture
def bearer() -> Bearer:
    """Makes a client with a new token."""
    return lambda *of, **more: client_with(token_of(*of, **more))
