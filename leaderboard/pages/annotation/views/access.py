"""Who reaches the pages of rating, and what they get: guard and fetch in one line."""

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
    """What a form is bound to: the posted fields, none of them included."""
    return request.POST if request.method == "POST" else None


def own_part(request: HttpRequest, pk: int) -> Rater:
    """The person's own part in a campaign. For others there is no such campaign."""
    rows = Rater.objects.select_related("campaign__revision__benchmark")
    return get_object_or_404(rows, campaign=pk, user=signed_in(request))


def own_assignment(request: HttpRequest, pk: int) -> Assignment:
    """An item that was given to the person. Http404 for anybody else's."""
    found = assignment_of(request.user, pk)
    if found is None:
        raise Http404
    return found


def for_organisers(view: _View) -> _View:
    """Staff alone: for others there is no such page, and strangers sign in first."""

    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not signed_in(request).is_staff:
            raise Http404
        return view(request, *args, **kwargs)

    return guarded


def organised(pk: int) -> Campaign:
    """A campaign, in views that organisers alone reach."""
    return get_object_or_404(Campaign.objects.select_related("revision__benchmark"), pk=pk)


def changeable(request: HttpRequest, pk: int) -> Campaign:
    """A campaign that the organiser may change."""
    if not signed_in(request).has_perm(CHANGE):
        raise PermissionDenied(_("Your account may look at campaigns, not change them."))
    return organised(pk)


def rates_in(user: User, campaign: Campaign) -> bool:
    """Whether the organiser is one of the campaign's raters, and so must not see others' marks."""
    parts = Rater.objects.filter(campaign=campaign, user=user)
    return parts.exclude(state=RaterState.DISMISSED).exists()


def unblinded(request: HttpRequest, pk: int) -> Campaign:
    """A campaign whose marks the organiser may see: none in which the person rates."""
    campaign = organised(pk)
    if rates_in(signed_in(request), campaign):
        raise PermissionDenied(
            _("You rate in this campaign yourself, so that others' marks stay hidden from you.")
        )
    return campaign


def known_item(request: HttpRequest, pk: int, item: int) -> Item:
    """An item whose marks the organiser may see."""
    rows = Item.objects.known_to(signed_in(request)).filter(campaign=pk)
    return get_object_or_404(
        rows.select_related("task", "campaign__revision__benchmark", "generation"), pk=item
    )
