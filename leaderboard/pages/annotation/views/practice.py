"""The practice round: a rater marks answers whose marks are then explained. Nothing is stored."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from evaluation.engine.family import Criterion, Practice
from leaderboard.annotation.assigning import has_next
from leaderboard.annotation.rating import checked_marks
from leaderboard.pages.annotation.entry import Entered, marks_of, scale_name, scales
from leaderboard.pages.annotation.views.access import own_part
from leaderboard.pages.annotation.views.rate import is_at_work, rater_crumbs
from leaderboard.pages.shared.code import coloured
from leaderboard.pages.shared.public import fields_in


@dataclass(frozen=True, slots=True)
class Compared:
    """The rater's mark on a scale, and the explained one with its meaning."""

    scale: str
    given: int
    mark: int
    meaning: str
    reason: str


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def rate_practice(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """`number` counts from 1."""
    rater = own_part(request, pk)
    campaign = rater.campaign
    if not 1 <= number <= len(campaign.practice):
        raise Http404
    one, is_last = campaign.practice[number - 1], number == len(campaign.practice)
    entered, wrong, given = Entered(), {}, None
    if request.method == "POST":
        entered = Entered.of(request.POST, campaign.criteria)
        try:
            given = checked_marks(entered.marks, campaign.criteria)
        except ValidationError as error:
            wrong = error.message_dict
    context = {
        "campaign": campaign,
        "crumbs": rater_crumbs(rater),
        "goes_on": is_last and is_at_work(rater) and has_next(rater),
        "number": number,
        "total": len(campaign.practice),
        "next": None if is_last else number + 1,
        "fields": fields_in(one.task),
        "code": coloured(one.text, one.language),
        "scales": scales(campaign.criteria, entered, wrong),
        "wrong": wrong,
        "compared": given
        and [_compared(one, criterion, given[criterion.name]) for criterion in campaign.criteria],
    }
    return render(request, "annotation/practice.html", context, status=422 if wrong else 200)


def _compared(one: Practice, criterion: Criterion, given: int) -> Compared:
    explained = one.marks[criterion.name]
    return Compared(
        scale=scale_name(criterion.name),
        given=given,
        mark=explained.mark,
        meaning=marks_of(criterion)[criterion.top - explained.mark].meaning,
        reason=_(explained.reason),
    )
