"""What somebody entered whose session had expired, kept until they have signed in again.

It lies in the browser's new session, which signing in takes over: nobody else's reaches it, and
whoever signs in there is shown it only for an item of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

_NAME = "rating"
# Of an item's form: three comments at their longest, and little else. Strangers may send it too.
MOST_CHARACTERS = 20_000
MOST_ITEMS = 3
_LEFT_OUT = ("csrfmiddlewaretoken", "version")


def keep(request: HttpRequest, assignment: int) -> bool:
    """The posted form, in place of what was kept for the item. False where it is too long."""
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
    """Once it is a draft or saved."""
    left = _kept(request)
    if left.pop(str(assignment), None) is not None:
        request.session[_NAME] = left


def _kept(request: HttpRequest) -> dict[str, Any]:
    found = request.session.get(_NAME)
    return dict(found) if isinstance(found, dict) else {}
