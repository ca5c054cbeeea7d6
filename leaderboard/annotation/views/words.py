"""Short names of the engine's as sentences, and the way to organisers' pages."""

from __future__ import annotations

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from evaluation.engine.metrics.agreement import Lack
from evaluation.engine.metrics.panel import Hold, Scope
from leaderboard.annotation.models import Campaign
from leaderboard.annotation.panels import OPEN

LACKS: dict[str, Promise] = {
    Lack.RATERS: _("too few raters"),
    Lack.SHARED: _("too few items that several people rated"),
    Lack.VARIATION: _("all marks are the same"),
}
HOLDS: dict[str, Promise] = {
    Hold.RATINGS: _("too few marks"),
    Hold.UNKNOWN_AGREEMENT: _("how far raters agree is not known yet"),
    Hold.AGREEMENT: _("raters agree too little"),
    OPEN: _("not everything is rated yet"),
}
SCOPES: dict[str, Promise] = {
    Scope.PANEL: _("for this panel of raters"),
    Scope.POPULATION: _("for raters like these"),
}


def lack_words(lack: str) -> str:
    return str(LACKS.get(lack, lack))


def hold_words(holds: list[str]) -> str:
    """Why a mean is provisional; "" where it is published."""
    return ", ".join(str(HOLDS.get(one, one)) for one in holds)


def scope_words(scope: str) -> str:
    return str(SCOPES.get(scope, scope))


def campaign_crumbs(campaign: Campaign | None = None) -> list[dict[str, str]]:
    """The way to a page below the list, or below a campaign's, as parts/breadcrumbs.html has it."""
    found = [{"text": gettext("Rating campaigns"), "url": reverse("campaigns")}]
    if campaign is not None:
        found.append({"text": campaign.title, "url": reverse("campaign", args=[campaign.pk])})
    return found
