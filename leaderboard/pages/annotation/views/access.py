"""Access checks of the rating pages. Each function checks and fetches in one call."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from leaderboard.accounts.models import User
from leaderboard.annotation.models import Assignment, Campaign, Item, Rater, RaterState
from leaderboard.pages.annotation.queries import assignment_of
from leaderboard.pages.shared.access import signed_in

CHANGE = "annotation.change_campaign"
_View = Callable[..., HttpResponseBase]


def posted(request: HttpRequest) -> QueryDict | None:
    """The data to bind a form to: an empty POST also binds it."""
    return request.POST if request.method == "POST" else None


def own_part(request: HttpRequest, pk: int) -> Rater:
    """The person's rater in a campaign. Raises Http404 for other people."""
    rows = Rater.objects.select_related("campaign__revision__benchmark")
    return get_object_or_404(rows, campaign=pk, user=signed_in(request))


def own_assignment(request: HttpRequest, pk: int) -> Assignment:
    found = assignment_of(request.user, pk)
    if found is None:
        raise Http404
    return found


def for_organisers(view: _View) -> _View:
    """Admits staff only. Others get a 404; anonymous users are sent to the sign-in page."""

    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not signed_in(request).is_staff:
            raise Http404
        return view(request, *args, **kwargs)

    return guarded


def organised(pk: int) -> Campaign:
    return get_object_or_404(Campaign.objects.select_related("revision__benchmark"), pk=pk)


def changeable(request: HttpRequest, pk: int) -> Campaign:
    """Raises PermissionDenied."""
    if not signed_in(request).has_perm(CHANGE):
        raise PermissionDenied(_("Your account can view campaigns but not change them."))
    return organised(pk)


def rates_in(user: User, campaign: Campaign) -> bool:
    """True if the organiser is an active rater of the campaign and must not see others' marks."""
    parts = Rater.objects.filter(campaign=campaign, user=user)
    return parts.exclude(state=RaterState.DISMISSED).exists()


def unblinded(request: HttpRequest, pk: int) -> Campaign:
    """Raises PermissionDenied if the organiser rates in the campaign."""
    campaign = organised(pk)
    if rates_in(signed_in(request), campaign):
        raise PermissionDenied(
            _("You are a rater in this campaign, so other raters' marks are hidden from you.")
        )
    return campaign


def known_item(request: HttpRequest, pk: int, item: int) -> Item:
    """An item whose marks the organiser may see. Raises Http404 for others."""
    rows = Item.objects.known_to(signed_in(request)).filter(campaign=pk)
    return get_object_or_404(
        rows.select_related("task", "campaign__revision__benchmark", "generation"), pk=item
    )
