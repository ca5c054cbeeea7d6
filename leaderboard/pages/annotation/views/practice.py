"""The practice round: a rater marks answers whose marks are then explained. Nothing is stored."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from leaderboard.annotation.assigning import has_next
from leaderboard.annotation.rating import checked_marks
from leaderboard.pages.annotation.entry import Entered, marks_of, scale_name, scales
from leaderboard.pages.annotation.views.access import own_part
from leaderboard.pages.annotation.views.rate import is_at_work, rater_crumbs
from leaderboard.pages.shared.code import coloured
from leaderboard.pages.shared.public import fields_in


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def rate_practice(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """`number` counts from 1."""
    rater = own_part(request, pk)
    campaign = rater.campaign
    if not 1 <= number <= len(campaign.practice):
        raise Http404
    practice, is_last = campaign.practice[number - 1], number == len(campaign.practice)
    entered, wrong, compared = Entered(), {}, []
    if request.method == "POST":
        entered = Entered.of(request.POST, campaign.criteria)
        try:
            marks = checked_marks(entered.marks, campaign.criteria)
        except ValidationError as error:
            wrong = error.message_dict
        else:
            for criterion in campaign.criteria:
                explained = practice.marks[criterion.name]
                line = {
                    "scale": scale_name(criterion.name),
                    "given": marks[criterion.name],
                    "mark": explained.mark,
                    "meaning": marks_of(criterion)[criterion.top - explained.mark].meaning,
                    "reason": _(explained.reason),
                }
                compared.append(line)
    context = {
        "campaign": campaign,
        "crumbs": rater_crumbs(rater),
        "goes_on": is_last and is_at_work(rater) and has_next(rater),
        "number": number,
        "total": len(campaign.practice),
        "next": None if is_last else number + 1,
        "fields": fields_in(practice.task),
        "code": coloured(practice.text, practice.language),
        "scales": scales(campaign.criteria, entered, wrong),
        "wrong": wrong,
        "compared": compared,
    }
    return render(request, "annotation/practice.html", context, status=422 if wrong else 200)
