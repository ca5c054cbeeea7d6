"""Campaigns for organisers: the list, creation, the page with results, opening and closing."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from leaderboard.annotation.campaigns import close_campaign, open_campaign
from leaderboard.annotation.errors import NotNow
from leaderboard.annotation.models import Campaign, CampaignState, PanelAgreement, PanelScore
from leaderboard.pages.annotation.checklist import checklist
from leaderboard.pages.annotation.entry import scale_name
from leaderboard.pages.annotation.forms import CampaignForm
from leaderboard.pages.annotation.overview import all_campaigns
from leaderboard.pages.annotation.queries import campaign_progress
from leaderboard.pages.annotation.views.access import (
    changeable,
    for_organisers,
    organised,
    posted,
    rates_in,
)
from leaderboard.pages.annotation.views.moved import taken_over, taken_over_words
from leaderboard.pages.annotation.views.words import campaign_crumbs, scope_words
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.panel_words import gate_words, holds_words, lack_words
from leaderboard.pages.submissions.views.steps import STOPPED
from leaderboard.submissions.models import Submission

PER_PAGE = 30


@dataclass(frozen=True, slots=True)
class Agreed:
    """`lack` says why the value or interval is missing, `gate` whether alpha suffices."""

    scale: str
    measure: str
    row: PanelAgreement
    lack: str
    gate: str


@dataclass(frozen=True, slots=True)
class Scored:
    """`holds` says why the mean is provisional, if it is."""

    scale: str
    top: int
    row: PanelScore
    holds: str
    scope: str


@for_organisers
@require_safe
def campaigns(request: HttpRequest) -> HttpResponse:
    page = Paginator(all_campaigns(), PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "annotation/campaigns.html", {"page": page})


@for_organisers
def campaign_new(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    if not user.has_perm("annotation.add_campaign"):
        raise PermissionDenied(_("Your account can view campaigns but not create them."))
    form = CampaignForm(posted(request))
    if request.method == "POST" and form.is_valid():
        made = form.made(user)
        if made is not None:
            return redirect("campaign", made.pk)
    status = 422 if form.errors else 200
    context = {"form": form, "crumbs": campaign_crumbs()}
    return render(request, "annotation/campaign_new.html", context, status=status)


@for_organisers
@require_safe
def campaign(request: HttpRequest, pk: int) -> HttpResponse:
    found = organised(pk)
    steps = checklist(found) if found.state in CampaignState.staffable() else []
    out_of_reach = any(step.state == STOPPED for step in steps)
    context = {
        "campaign": found,
        "crumbs": campaign_crumbs(),
        "progress": campaign_progress(found),
        "people": found.raters.count(),
        "known": found.items.filter(kind="known").count(),
        "adjudicators": found.raters.filter(adjudicates=True).exists(),
        "agreements": _agreements(found),
        "scores": _scores(found),
        "stale": found.made < found.wanted,
        "blind": rates_in(signed_in(request), found),
        "staffable": found.state in CampaignState.staffable(),
        "tested": found.family_slug != found.revision.benchmark.family_slug,
        "steps": steps,
        "out_of_reach": out_of_reach,
        "on_opening": _on_opening(found, out_of_reach),
    }
    return render(request, "annotation/campaign.html", context)


def _on_opening(found: Campaign, out_of_reach: bool) -> str:
    """The campaign's gaps, and the effect of opening it on published results. Reopening has
    none."""
    if found.state != CampaignState.PREPARING:
        return ""
    lacks = _("It cannot publish a mean yet: see the checklist.") if out_of_reach else ""
    items = found.items.filter(generation__isnull=False)
    inside = set(items.values_list("generation__submission", flat=True))
    return f"{lacks} {taken_over_words(len(taken_over(found, inside)))}".strip()


def _agreements(found: Campaign) -> list[Agreed]:
    rows = {(one.criterion, one.measure): one for one in found.agreements.all()}
    return [
        Agreed(scale_name(one.name), str(label), row, lack_words(row.lack), _gate(found, row))
        for one in found.criteria
        for measure, label in PanelAgreement.Measure.choices
        if (row := rows.get((one.name, measure)))
    ]


def _gate(found: Campaign, row: PanelAgreement) -> str:
    alpha = row.measure == PanelAgreement.Measure.ALPHA
    return gate_words(row.low, found.least_agreement) if alpha else ""


def _scores(found: Campaign) -> list[tuple[Submission, list[Scored]]]:
    order = {one.name: place for place, one in enumerate(found.criteria)}
    tops = {one.name: one.top for one in found.criteria}
    rows = found.scores.filter(slice="overall").select_related("submission__entrant")
    by_submission: dict[Submission, list[PanelScore]] = {}
    for row in rows.order_by("submission__entrant__name", "submission"):
        by_submission.setdefault(row.submission, []).append(row)
    return [
        (
            submission,
            [
                Scored(
                    scale_name(one.criterion),
                    tops.get(one.criterion, 0),
                    one,
                    holds_words(one.holds),
                    scope_words(one.scope),
                )
                for one in sorted(own, key=lambda one: order.get(one.criterion, len(order)))
            ],
        )
        for submission, own in by_submission.items()
    ]


@for_organisers
@require_POST
def campaign_open(request: HttpRequest, pk: int) -> HttpResponse:
    found = changeable(request, pk)
    try:
        open_campaign(campaign=found)
    except NotNow as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The campaign is open: its raters are given items."))
    return redirect("campaign", pk)


@for_organisers
@require_POST
def campaign_close(request: HttpRequest, pk: int) -> HttpResponse:
    if close_campaign(campaign=changeable(request, pk)):
        messages.success(request, _("The campaign is closed. Drafts are kept."))
    return redirect("campaign", pk)
