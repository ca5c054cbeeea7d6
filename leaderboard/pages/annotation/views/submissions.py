"""Organisers add submissions to a campaign and remove them."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache

from leaderboard.accounts.models import User
from leaderboard.annotation.campaigns import (
    add_submissions,
    removal_hindrance,
    remove_submission,
)
from leaderboard.annotation.errors import NotNow
from leaderboard.annotation.models import Campaign, CampaignState
from leaderboard.pages.annotation.forms import ReasonForm, SubmissionsForm
from leaderboard.pages.annotation.overview import submissions_of
from leaderboard.pages.annotation.views.access import changeable, for_organisers, organised, posted
from leaderboard.pages.annotation.views.moved import taken_over
from leaderboard.pages.annotation.views.words import campaign_crumbs
from leaderboard.pages.shared.access import signed_in
from leaderboard.submissions.models import Submission

PER_PAGE = 50


@for_organisers
def campaign_submissions(request: HttpRequest, pk: int) -> HttpResponse:
    found = changeable(request, pk) if request.method == "POST" else organised(pk)
    among = submissions_of(found, signed_in(request))
    form = SubmissionsForm(posted(request), among=among)
    if request.method == "POST" and form.is_valid():
        return _added(request, found, form)
    page = Paginator(among, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "campaign": found,
        "crumbs": campaign_crumbs(found),
        "form": form,
        "page": page,
        "taken_over": taken_over(found, [row.pk for row in page]),
        "staffable": found.state in CampaignState.staffable(),
    }
    status = 422 if form.errors else 200
    return render(request, "annotation/campaign_submissions.html", context, status=status)


def _added(request: HttpRequest, found: Campaign, form: SubmissionsForm) -> HttpResponse:
    chosen = form.cleaned_data["submissions"]
    try:
        added = add_submissions(
            campaign=found, submissions=_plain(chosen, signed_in(request)), user=signed_in(request)
        )
    except NotNow as error:
        messages.error(request, str(error))
    else:
        sentence = ngettext(
            "%(number)d generation was added.", "%(number)d generations were added.", added
        )
        messages.success(request, sentence % {"number": added})
    return redirect("campaign-submissions", found.pk)


def _plain(chosen: Iterable[Submission], user: User) -> QuerySet[Submission]:
    """The same submissions without the list's annotations."""
    rows = Submission.objects.visible_to(user)
    return rows.filter(pk__in=[one.pk for one in chosen])


@for_organisers
@never_cache
def campaign_submission_remove(request: HttpRequest, pk: int, submission: int) -> HttpResponse:
    """Shows the confirmation form, or why removal is impossible, and removes."""
    found = changeable(request, pk)
    row = get_object_or_404(submissions_of(found, signed_in(request)), pk=submission, rated__gt=0)
    form = ReasonForm(posted(request))
    if request.method == "POST" and form.is_valid() and _removed(request, found, row, form):
        return redirect("campaign-submissions", found.pk)
    open_now = found.state in CampaignState.staffable()
    context = {
        "campaign": found,
        "crumbs": campaign_crumbs(found),
        "submission": row,
        "form": form,
        "hindrance": removal_hindrance(found, row) if open_now else _("The campaign is closed."),
    }
    status = 422 if form.errors else 200
    return render(request, "annotation/campaign_submission_remove.html", context, status=status)


def _removed(request: HttpRequest, found: Campaign, row: Submission, form: ReasonForm) -> bool:
    """Returns False and adds the error to the form if the removal fails."""
    plain = _plain([row], signed_in(request)).get()
    reason = form.cleaned_data["reason"]
    try:
        count = remove_submission(
            campaign=found, submission=plain, user=signed_in(request), reason=reason
        )
    except NotNow as error:
        form.add_error(None, str(error))
        return False
    sentence = ngettext(
        "%(number)d generation was taken out.", "%(number)d generations were taken out.", count
    )
    messages.success(request, sentence % {"number": count})
    return True
