"""Keeps a form that was posted after its session expired, until the user signs in again.

The browser's new anonymous session stores it, and sign-in takes that over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

_NAME = "rating"
# Fits a form with three comments of maximum length. Anonymous users may post it too.
MOST_CHARACTERS = 20_000
MOST_ITEMS = 3
_LEFT_OUT = ("csrfmiddlewaretoken", "version")


def keep(request: HttpRequest, assignment: int) -> bool:
    """Replaces an earlier form for the item. Returns False if the form is too long."""
    form = {
        name: value
        for name, value in request.POST.items()
        if isinstance(value, str) and name not in _LEFT_OUT
    }
    if sum(len(name) + len(value) for name, value in form.items()) > MOST_CHARACTERS:
        return False
    others = {key: one for key, one in _kept(request).items() if key != str(assignment)}
    latest = dict(list(others.items())[1 - MOST_ITEMS :])
    request.session[_NAME] = {**latest, str(assignment): form}
    return True


def kept(request: HttpRequest, assignment: int) -> Mapping[str, str] | None:
    return _kept(request).get(str(assignment))


def forget(request: HttpRequest, assignment: int) -> None:
    """Call this once the form is saved, at least as a draft."""
    left = _kept(request)
    if left.pop(str(assignment), None) is not None:
        request.session[_NAME] = left


def _kept(request: HttpRequest) -> dict[str, Any]:
    found = request.session.get(_NAME)
    return dict(found) if isinstance(found, dict) else {}
