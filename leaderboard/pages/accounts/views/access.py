"""Access checks of the account pages. Each function checks and fetches in one call."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from leaderboard.accounts.models import Entrant, Team
from leaderboard.accounts.teams import is_owner, visible_teams
from leaderboard.pages.shared.access import signed_in


def wanted_page(request: HttpRequest) -> str:
    """The parameter `next` if it is a page of this site, otherwise ""."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    is_ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if is_ours else ""


def visible_team(request: HttpRequest, slug: str) -> Team:
    """A team whose page the person may see. Raises Http404 for others."""
    return get_object_or_404(visible_teams(signed_in(request)), slug=slug)


def own_team(request: HttpRequest, slug: str) -> Team:
    """A team of which the person is a member. Staff change other teams in the admin."""
    return get_object_or_404(Team, slug=slug, memberships__user=signed_in(request))


def owned_team(request: HttpRequest, slug: str) -> Team:
    """A team that the person owns. Raises PermissionDenied for its other members."""
    team = own_team(request, slug)
    if not is_owner(signed_in(request), team):
        raise PermissionDenied(_("Only owners of the team may do this."))
    return team


def own_entrant(request: HttpRequest, slug: str) -> Entrant:
    """An entrant of one of the person's teams. Raises Http404 for others."""
    rows = Entrant.objects.editable_by(signed_in(request)).select_related("team")
    return get_object_or_404(rows, slug=slug)
