"""A campaign's raters, for organisers: pace, agreement, drift; adding, admitting, dismissing."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from leaderboard.annotation.campaigns import add_rater, move_rater
from leaderboard.annotation.drift import STRETCH, drift
from leaderboard.annotation.models import Campaign, CampaignState, Rater, RaterState
from leaderboard.annotation.rating import distances
from leaderboard.pages.annotation.entry import scale_name
from leaderboard.pages.annotation.forms import RaterForm, ReasonForm
from leaderboard.pages.annotation.queries import items_per_hour, pace_by_day, rater_lines, skips
from leaderboard.pages.annotation.views.access import (
    campaign_page,
    changeable,
    for_organisers,
    organised,
    rates_in,
    refusals_on,
)
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.panel_words import lack_words


@for_organisers
@require_safe
def campaign_raters(request: HttpRequest, pk: int) -> HttpResponse:
    return _list(request, organised(pk), RaterForm())


def _list(request: HttpRequest, campaign: Campaign, form: RaterForm) -> HttpResponse:
    names = [criterion.name for criterion in campaign.criteria]
    blind = rates_in(request, campaign)
    lines = []
    for rater in rater_lines(campaign):
        agreements = {} if blind else {row.criterion: row for row in rater.agreements.all()}
        rows = [agreements.get(name) for name in names]
        cells = [{"row": row, "lack": lack_words(row.lack) if row else ""} for row in rows]
        lines.append((rater, items_per_hour(rater.timed, rater.seconds), cells))
    return campaign_page(
        request,
        "campaign_raters",
        campaign,
        form=form,
        scales=list(map(scale_name, names)),
        lines=lines,
        blind=blind,
        staffable=campaign.state in CampaignState.staffable(),
    )


@for_organisers
@require_POST
def rater_add(request: HttpRequest, pk: int) -> HttpResponse:
    """Adds a person with an account. For a current rater only `adjudicates` changes."""
    campaign = changeable(request, pk)
    form = RaterForm(request.POST)
    if form.is_valid():
        person, settles = form.cleaned_data["person"], form.cleaned_data["adjudicates"]
        with refusals_on(form):
            rater = add_rater(campaign=campaign, user=person, adjudicates=settles)
            words = {"name": person.username, "number": rater.number}
            messages.success(request, _("%(name)s is rater %(number)d.") % words)
            return redirect("campaign-raters", pk)
    return _list(request, campaign, form)


@for_organisers
@require_safe
def campaign_rater(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    return _page(request, _rater(organised(pk), number), ReasonForm())


def _rater(campaign: Campaign, number: int) -> Rater:
    return get_object_or_404(campaign.raters.select_related("user", "campaign"), number=number)


def _page(request: HttpRequest, rater: Rater, form: ReasonForm) -> HttpResponse:
    campaign = rater.campaign
    names = {criterion.name: scale_name(criterion.name) for criterion in campaign.criteria}
    context: dict[str, Any] = {"blind": rates_in(request, campaign)}
    if not context["blind"]:
        agreements = {row.criterion: row for row in rater.agreements.all()}
        apart = {distance["criterion"]: distance for distance in distances(rater)}
        context |= {
            "agreements": [
                {"scale": shown, "row": row, "lack": lack_words(row.lack)}
                for name, shown in names.items()
                if (row := agreements.get(name))
            ],
            "apart": [
                {"scale": shown, "row": far, "far": far["apart"] > campaign.most_apart}
                for name, shown in names.items()
                if (far := apart.get(name))
            ],
            "drift": [
                (part, [(part.bias.get(name), part.distance.get(name)) for name in names])
                for part in drift(rater)
            ],
        }
    return campaign_page(
        request,
        "campaign_rater",
        campaign,
        form=form,
        rater=rater,
        scales=list(names.values()),
        days=pace_by_day(campaign).filter(rater=rater),
        skips=skips(campaign).filter(rater=rater).select_related("item__task"),
        stretch=STRETCH,
        staffable=campaign.state in CampaignState.staffable(),
        may_admit=rater.state != RaterState.RATING,
        may_dismiss=rater.state != RaterState.DISMISSED,
        **context,
    )


@for_organisers
@require_POST
def rater_decide(request: HttpRequest, pk: int, number: int, state: RaterState) -> HttpResponse:
    rater = _rater(changeable(request, pk), number)
    if rater.user_id == signed_in(request).pk:
        raise PermissionDenied(
            _("You cannot decide about yourself as a rater. Ask another organiser.")
        )
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return _page(request, rater, form)
    if move_rater(rater=rater, state=state, reason=form.cleaned_data["reason"]):
        sentence = (
            _("Rater %(number)d rates; the marks count.")
            if state == RaterState.RATING
            else _("Rater %(number)d is dismissed; the marks no longer count but stay on record.")
        )
        messages.success(request, sentence % {"number": number})
    return redirect("campaign-rater", pk, number)
