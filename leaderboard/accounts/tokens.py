"""Tokens of the API: made, shown once, and recognised by their SHA-256."""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from leaderboard.accounts.models import Membership, Token, User

PREFIX = "assay_"
DAYS, MOST_DAYS = 90, 365
# Within this time, another use from the same address is not written down.
AGAIN = timedelta(minutes=1)


class TokenRefused(Exception):
    """The text says why, without repeating the token."""


def make_token(
    *, membership: Membership, name: str, scopes: Sequence[str], days: int
) -> tuple[Token, str]:
    """Returns also its text, which nobody can read later."""
    text = PREFIX + secrets.token_urlsafe(32)
    token = Token.objects.create(
        user_id=membership.user_id,
        membership=membership,
        name=name,
        scopes=" ".join(scopes),
        sha256=_sha256(text),
        expires=timezone.now() + timedelta(days=days),
    )
    return token, text


def recognised(header: str, address: str) -> Token:
    """The token of an Authorization header. Notes its use from the address. Raises
    TokenRefused."""
    scheme, _blank, text = header.partition(" ")
    text = text.strip()
    if scheme.lower() != "bearer" or not text.startswith(PREFIX):
        raise TokenRefused(f"Send a token of this site: Authorization: Bearer {PREFIX}...")
    rows = Token.objects.select_related("membership__team", "user")
    # Staff may give a membership to another person; a token stays with the first.
    mine = rows.filter(sha256=_sha256(text), membership__user=F("user"), user__is_active=True)
    token = mine.first()
    if token is None:
        raise TokenRefused(
            "There is no such token. It may be revoked, or have ended with a new password or the"
            " membership. Make another one on your account page."
        )
    if token.is_over:
        raise TokenRefused(
            f"The token ended on {token.expires:%Y-%m-%d}. Make another one on your account page."
        )
    now, last_address = timezone.now(), token.used_from or ""
    if token.used is None or token.used < now - AGAIN or last_address != address:
        Token.objects.filter(pk=token.pk).update(used=now, used_from=address or None)
    return token


def bearer(token: Token) -> User:
    """The token's person with the rights of a member of its team, never those of staff. Not to be
    saved."""
    user = token.user
    user.is_staff = user.is_superuser = False
    user.only_team = token.membership.team_id
    return user


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
