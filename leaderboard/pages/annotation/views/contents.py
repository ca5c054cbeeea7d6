"""What a campaign holds, for organisers: its submissions, and known items, which raters must not
see here."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache

from leaderboard.annotation.campaigns import (
    add_known_item,
    add_submissions,
    removal_hindrance,
    remove_submission,
)
from leaderboard.annotation.errors import NotNow
from leaderboard.annotation.models import CampaignState, Item
from leaderboard.pages.annotation.entry import scale_name
from leaderboard.pages.annotation.forms import KnownItemForm, ReasonForm, SubmissionsForm
from leaderboard.pages.annotation.overview import submissions_of, taken_over
from leaderboard.pages.annotation.views.access import (
    campaign_page,
    changeable,
    for_organisers,
    organised,
    posted,
    unblinded,
)
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.code import shown_text
from leaderboard.submissions.models import Submission

PER_PAGE = 50


@for_organisers
def campaign_submissions(request: HttpRequest, pk: int) -> HttpResponse:
    campaign = changeable(request, pk) if request.method == "POST" else organised(pk)
    among = submissions_of(campaign, signed_in(request))
    form = SubmissionsForm(posted(request), among=among)
    if request.method == "POST" and form.is_valid():
        # Selected again, without the list's annotations.
        keys = [submission.pk for submission in form.cleaned_data["submissions"]]
        chosen = Submission.objects.visible_to(signed_in(request)).filter(pk__in=keys)
        try:
            added = add_submissions(campaign=campaign, submissions=chosen, user=signed_in(request))
        except NotNow as error:
            messages.error(request, str(error))
        else:
            sentence = ngettext(
                "%(number)d generation was added.", "%(number)d generations were added.", added
            )
            messages.success(request, sentence % {"number": added})
        return redirect("campaign-submissions", pk)
    page = Paginator(among, PER_PAGE).get_page(request.GET.get("page"))
    return campaign_page(
        request,
        "campaign_submissions",
        campaign,
        form=form,
        page=page,
        taken_over=taken_over(campaign, [row.pk for row in page]),
        staffable=campaign.state in CampaignState.staffable(),
    )


@for_organisers
@never_cache
def campaign_submission_remove(request: HttpRequest, pk: int, submission: int) -> HttpResponse:
    """Shows the confirmation form, or why removal is impossible, and removes."""
    campaign = changeable(request, pk)
    rows = submissions_of(campaign, signed_in(request))
    row = get_object_or_404(rows, pk=submission, rated__gt=0)
    form = ReasonForm(posted(request))
    if request.method == "POST" and form.is_valid():
        reason = form.cleaned_data["reason"]
        try:
            count = remove_submission(
                campaign=campaign, submission=row, user=signed_in(request), reason=reason
            )
        except NotNow as error:
            form.add_error(None, str(error))
        else:
            sentence = ngettext(
                "%(number)d generation was taken out.",
                "%(number)d generations were taken out.",
                count,
            )
            messages.success(request, sentence % {"number": count})
            return redirect("campaign-submissions", pk)
    staffable = campaign.state in CampaignState.staffable()
    hindrance = removal_hindrance(campaign, row) if staffable else _("The campaign is closed.")
    return campaign_page(
        request,
        "campaign_submission_remove",
        campaign,
        form=form,
        submission=row,
        hindrance=hindrance,
    )


@for_organisers
def campaign_known(request: HttpRequest, pk: int) -> HttpResponse:
    campaign = unblinded(request, pk)
    form = KnownItemForm(posted(request), campaign=campaign)
    if request.method == "POST":
        campaign = changeable(request, pk)
        if form.is_valid():
            task, text = form.cleaned_data["task"], form.cleaned_data["text"]
            try:
                add_known_item(campaign=campaign, task=task, text=text, marks=form.marks())
            except NotNow as error:
                form.add_error(None, str(error))
            except ValidationError as error:
                form.add_error(None, error)
            else:
                messages.success(request, _("The known item is added."))
                return redirect("campaign-known", pk)
    rows = campaign.items.filter(kind=Item.Kind.KNOWN).select_related("task")
    items = [
        {
            "item": item,
            "text": shown_text(item.text),
            "marks": [(scale_name(mark.criterion), mark) for mark in item.known.all()],
        }
        for item in rows.prefetch_related("known").order_by("pk")
    ]
    preparing = campaign.state == CampaignState.PREPARING
    return campaign_page(
        request, "campaign_known", campaign, form=form, items=items, preparing=preparing
    )
