"""Columns that return exactly the value that was stored, on every database.

PostgreSQL's text rejects NUL, its jsonb reorders keys and does not distinguish 1 and 1.0, and no
encoding accepts the lone surrogates that JSON files may hold."""

import json
from typing import TYPE_CHECKING, Any

from django.core.checks import CheckMessage
from django.db import models

# Stored if a slot has no turn: NULLs are not equal to each other in a unique constraint.
NO_TURN = -1


def stored_turn(turn: int | None) -> int:
    return NO_TURN if turn is None else turn


def turn_of(stored: int) -> int | None:
    return None if stored == NO_TURN else stored


if TYPE_CHECKING:
    # Generic only for the type checker.
    _Binary = models.BinaryField[str, str]
    _Text = models.TextField[Any, Any]
else:
    _Binary, _Text = models.BinaryField, models.TextField


class ExactTextField(_Binary):
    """Any Python string, including NUL and lone surrogates."""

    def _check_str_default_value(self) -> list[CheckMessage]:
        return []  # the value is a string, which is stored as bytes

    def get_prep_value(self, value: Any) -> bytes | None:
        encoded = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        return encoded if encoded is None else bytes(encoded)

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> str | None:
        return None if value is None else bytes(value).decode("utf-8", "surrogatepass")

    def to_python(self, value: Any) -> str | None:
        return value if value is None or isinstance(value, str) else bytes(value).decode()


class ExactJSONField(_Text):
    """Any JSON value, keys in order, as ASCII text. Not for queries into the value."""

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else json.dumps(value, separators=(",", ":"))

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        return None if value is None else json.loads(value)

    def to_python(self, value: Any) -> Any:
        return value
