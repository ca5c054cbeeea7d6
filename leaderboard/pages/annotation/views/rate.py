"""A rater's campaigns: the list, a campaign's page, and the way to the next item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from leaderboard.annotation.assigning import has_next, take_next
from leaderboard.annotation.models import (
    Assignment,
    CampaignState,
    Rater,
    RaterState,
)
from leaderboard.pages.annotation.entry import Mark, marks_of, scale_name
from leaderboard.pages.annotation.queries import parts_of, rated_before, rater_progress
from leaderboard.pages.annotation.views.access import own_part
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.crumbs import Crumb
from leaderboard.pages.shared.public import task_title

PER_PAGE = 20


@dataclass(frozen=True, slots=True)
class Meanings:
    name: str
    marks: list[Mark]


@dataclass(frozen=True, slots=True)
class EarlierRating:
    assignment: Assignment
    title: str
    marks: list[tuple[str, int]]


@login_required
@require_safe
def rate(request: HttpRequest) -> HttpResponse:
    """The person's campaigns; open ones, in which the person still rates, come first."""
    user = signed_in(request)
    parts = sorted(parts_of(user), key=lambda one: not is_at_work(one))
    lines = [
        {
            "rater": one,
            "campaign": one.campaign,
            "at_work": is_at_work(one),
            "goes_on": _goes_on(one),
        }
        for one in parts
    ]
    return render(request, "annotation/rate.html", {"lines": lines})


@login_required
@require_safe
def rate_campaign(request: HttpRequest, pk: int) -> HttpResponse:
    rater = own_part(request, pk)
    progress = rater_progress(rater)
    rows = rated_before(rater).select_related("item__task")
    page = Paginator(rows.prefetch_related("ratings", "outcomes"), PER_PAGE).get_page(
        request.GET.get("page")
    )
    context = {
        "rater": rater,
        "campaign": rater.campaign,
        "crumbs": rater_crumbs(rater)[:1],
        "at_work": is_at_work(rater),
        "progress": progress,
        "has_items": has_next(rater),
        "rubric": [
            Meanings(scale_name(one.name), marks_of(one)) for one in rater.campaign.criteria
        ],
        "page": page,
        "lines": [_line(row) for row in page],
    }
    return render(request, "annotation/rate_campaign.html", context)


@login_required
@require_POST
def rate_next(request: HttpRequest, pk: int) -> HttpResponse:
    """A repeated request gets the same item."""
    return go_on(request, own_part(request, pk))


def go_on(request: HttpRequest, rater: Rater) -> HttpResponse:
    found = take_next(rater=rater, owner="page")
    if found is not None:
        return redirect("rate-item", found.pk)
    messages.info(request, _("You have nothing more to rate now. Thank you."))
    return redirect("rate-campaign", rater.campaign_id)


def is_at_work(rater: Rater) -> bool:
    open_now = rater.campaign.state == CampaignState.OPEN
    return open_now and rater.state in RaterState.at_work()


def _goes_on(rater: Any) -> bool:
    """Whether there is an item for a rater of `parts_of`. Raters on trial and adjudicators cost
    further queries: `has_left` covers neither known items nor items to settle."""
    if not is_at_work(rater):
        return False
    if rater.has_begun or rater.has_left:
        return True
    may = rater.adjudicates or rater.state == RaterState.TRYING
    return may and has_next(rater)


def rater_crumbs(rater: Rater) -> list[Crumb]:
    return [
        Crumb(_("Rate"), reverse("rate")),
        Crumb(rater.campaign.title, reverse("rate-campaign", args=[rater.campaign_id])),
    ]


def _line(row: Assignment) -> EarlierRating:
    settles = row.kind == Assignment.Kind.THIRD
    given = row.outcomes.all() if settles else row.ratings.all()
    marks = [(scale_name(one.criterion), one.value) for one in given]
    return EarlierRating(row, task_title(row.item.task) or row.item.task.external_id, marks)
