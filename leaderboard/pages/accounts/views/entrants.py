"""Creates and edits a team's entrants."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from evaluation.work.actions import order_boards
from leaderboard.accounts.models import Entrant, Team
from leaderboard.accounts.teams import free_slug
from leaderboard.pages.accounts.forms import EntrantForm
from leaderboard.pages.accounts.views.access import own_entrant, own_team, wanted_page
from leaderboard.pages.shared.crumbs import account_crumbs
from leaderboard.scores.models import Board, Standing


@login_required
def entrant_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Any member may add an entrant. Redirects to `next` or to the team's page."""
    return _edited(request, Entrant(team=own_team(request, slug)))


@login_required
def entrant_edit(request: HttpRequest, slug: str) -> HttpResponse:
    return _edited(request, own_entrant(request, slug))


def _edited(request: HttpRequest, entrant: Entrant) -> HttpResponse:
    team: Team = entrant.team
    is_new = entrant.pk is None
    form = EntrantForm(request.POST or None, instance=entrant)
    if request.method == "POST" and form.is_valid():
        entrant.slug = entrant.slug or free_slug(Entrant, entrant.name)
        form.save()
        if "cutoff" in form.changed_data:
            standings = Standing.objects.filter(submission__entrant=entrant)
            order_boards(boards=Board.objects.filter(pk__in=standings.values("board")))
        messages.success(request, _("%(name)s is saved.") % {"name": entrant.name})
        return redirect(wanted_page(request) or team)
    name = "" if is_new else Entrant.objects.values_list("name", flat=True).get(pk=entrant.pk)
    context = {
        "form": form,
        "team": team,
        "crumbs": account_crumbs(team),
        "is_new": is_new,
        "name": name,
    }
    return render(request, "accounts/entrant_form.html", context)
