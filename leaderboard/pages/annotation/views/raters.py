"""A campaign's raters, for organisers: pace, agreement, drift; adding, admitting, dismissing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from leaderboard.annotation.campaigns import add_rater, admit_rater, dismiss_rater
from leaderboard.annotation.drift import STRETCH, drift
from leaderboard.annotation.errors import NotNow
from leaderboard.annotation.models import Campaign, CampaignState, Rater, RaterState
from leaderboard.annotation.qualification import distances
from leaderboard.pages.annotation.entry import scale_name
from leaderboard.pages.annotation.forms import RaterForm, ReasonForm
from leaderboard.pages.annotation.overview import RaterLine, rater_lines
from leaderboard.pages.annotation.queries import pace_by_day, skips
from leaderboard.pages.annotation.views.access import (
    changeable,
    for_organisers,
    organised,
    rates_in,
)
from leaderboard.pages.annotation.views.words import campaign_crumbs
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.panel_words import lack_words


@for_organisers
@require_safe
def campaign_raters(request: HttpRequest, pk: int) -> HttpResponse:
    return _list(request, organised(pk), RaterForm())


def _list(
    request: HttpRequest, found: Campaign, form: RaterForm, status: int = 200
) -> HttpResponse:
    blind = rates_in(signed_in(request), found)
    context = {
        "campaign": found,
        "crumbs": campaign_crumbs(found),
        "scales": [scale_name(one.name) for one in found.criteria],
        "lines": [(line, _shown(found, line, blind)) for line in rater_lines(found)],
        "blind": blind,
        "form": form,
        "staffable": found.state in CampaignState.staffable(),
    }
    return render(request, "annotation/campaign_raters.html", context, status=status)


def _shown(found: Campaign, line: RaterLine, blind: bool) -> list[dict[str, Any]]:
    """Empty for an organiser who rates in the campaign."""
    rows = [None if blind else line.agreements.get(one.name) for one in found.criteria]
    return [{"row": row, "lack": lack_words(row.lack) if row else ""} for row in rows]


@for_organisers
@require_POST
def rater_add(request: HttpRequest, pk: int) -> HttpResponse:
    """Adds a person with an account. For a current rater only `adjudicates` changes."""
    found = changeable(request, pk)
    form = RaterForm(request.POST)
    if not form.is_valid():
        return _list(request, found, form, 422)
    person, settles = form.cleaned_data["person"], form.cleaned_data["adjudicates"]
    try:
        rater = add_rater(campaign=found, user=person, adjudicates=settles)
    except NotNow as error:
        form.add_error(None, str(error))
        return _list(request, found, form, 422)
    words = {"name": person.username, "number": rater.number}
    messages.success(request, _("%(name)s is rater %(number)d.") % words)
    return redirect("campaign-raters", pk)


@for_organisers
@require_safe
def campaign_rater(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    found = organised(pk)
    return _page(request, _rater(found, number))


def _rater(found: Campaign, number: int) -> Rater:
    return get_object_or_404(found.raters.select_related("user", "campaign"), number=number)


def _page(request: HttpRequest, rater: Rater, form: ReasonForm | None = None) -> HttpResponse:
    found = rater.campaign
    blind = rates_in(signed_in(request), found)
    names = [(one.name, scale_name(one.name)) for one in found.criteria]
    context = {
        "campaign": found,
        "rater": rater,
        "crumbs": campaign_crumbs(found),
        "scales": [shown for _name, shown in names],
        "days": pace_by_day(found).filter(rater=rater),
        "skips": skips(found).filter(rater=rater).select_related("item__task"),
        "blind": blind,
        "stretch": STRETCH,
        "form": form or ReasonForm(),
        "staffable": found.state in CampaignState.staffable(),
        "may_admit": rater.state != RaterState.RATING,
        "may_dismiss": rater.state != RaterState.DISMISSED,
        **({} if blind else _agreement(rater, names)),
    }
    return render(request, "annotation/campaign_rater.html", context, status=422 if form else 200)


def _agreement(rater: Rater, names: list[tuple[str, str]]) -> dict[str, Any]:
    own = {one.criterion: one for one in rater.agreements.all()}
    apart = {one.criterion: one for one in distances(rater)}
    return {
        "agreements": [
            {"scale": shown, "row": row, "lack": lack_words(row.lack)}
            for name, shown in names
            if (row := own.get(name))
        ],
        "apart": [
            {"scale": shown, "row": far, "far": far.apart > rater.campaign.most_apart}
            for name, shown in names
            if (far := apart.get(name))
        ],
        "drift": [
            (one, [(one.bias.get(name), one.distance.get(name)) for name, _shown in names])
            for one in drift(rater)
        ],
    }


@for_organisers
@require_POST
def rater_admit(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    done = _("Rater %(number)d rates; the marks count.")
    return _decided(request, pk, number, admit_rater, done)


@for_organisers
@require_POST
def rater_dismiss(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    done = _("Rater %(number)d is dismissed; the marks no longer count but stay on record.")
    return _decided(request, pk, number, dismiss_rater, done)


def _decided(
    request: HttpRequest, pk: int, number: int, decide: Callable[..., bool], done: str
) -> HttpResponse:
    rater = _rater(changeable(request, pk), number)
    if rater.user_id == signed_in(request).pk:
        raise PermissionDenied(
            _("You cannot decide about yourself as a rater. Ask another organiser.")
        )
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return _page(request, rater, form)
    if decide(rater=rater, reason=form.cleaned_data["reason"]):
        messages.success(request, done % {"number": number})
    return redirect("campaign-rater", pk, number)
