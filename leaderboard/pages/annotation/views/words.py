"""Turns the engine's short names into sentences, and builds the organisers' breadcrumbs."""

from __future__ import annotations

from typing import Any

from django.template.defaultfilters import yesno
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.formats import localize
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from evaluation.engine.metrics.panel import Scope
from leaderboard.annotation.models import Campaign, Trial
from leaderboard.pages.shared.crumbs import Crumb
from leaderboard.pages.shared.score_words import moment

SCOPES: dict[str, Promise] = {
    Scope.PANEL: _("for this panel of raters"),
    Scope.POPULATION: _("for raters like these"),
}


def scope_words(scope: str) -> str:
    return str(SCOPES.get(scope, scope))


def term_name(name: str) -> str:
    """The label of a column in TERMS, as its form shows it."""
    column: Any = Campaign._meta.get_field(name)
    found = str(column.verbose_name)
    return found[:1].upper() + found[1:]


def term_words(name: str, value: Any) -> str:
    """A term's value in words. `value` comes from the column or from a recorded change."""
    if name == "trial":
        return str(Trial(value).label)
    if name == "closes":
        closes = parse_datetime(value) if isinstance(value, str) else value
        return moment(closes) if closes else gettext("when you close it")
    return str(yesno(value) if isinstance(value, bool) else localize(value))


def campaign_crumbs(campaign: Campaign | None = None) -> list[Crumb]:
    found = [Crumb(gettext("Rating campaigns"), reverse("campaigns"))]
    if campaign is not None:
        found.append(Crumb(campaign.title, reverse("campaign", args=[campaign.pk])))
    return found
