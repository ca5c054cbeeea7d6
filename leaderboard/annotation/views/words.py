"""Short names of the engine's as sentences, and the way to organisers' pages."""

from __future__ import annotations

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from evaluation.engine.metrics.panel import Scope
from leaderboard.annotation.models import Campaign

SCOPES: dict[str, Promise] = {
    Scope.PANEL: _("for this panel of raters"),
    Scope.POPULATION: _("for raters like these"),
}


def scope_words(scope: str) -> str:
    return str(SCOPES.get(scope, scope))


def campaign_crumbs(campaign: Campaign | None = None) -> list[dict[str, str]]:
    """The way to a page below the list, or below a campaign's, as parts/breadcrumbs.html has it."""
    found = [{"text": gettext("Rating campaigns"), "url": reverse("campaigns")}]
    if campaign is not None:
        found.append({"text": campaign.title, "url": reverse("campaign", args=[campaign.pk])})
    return found
