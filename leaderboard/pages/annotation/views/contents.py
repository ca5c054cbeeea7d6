"""A campaign's terms, with the record of changes, its submissions, and its known items, which
raters must not see here. For organisers."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.defaultfilters import yesno
from django.utils.dateparse import parse_datetime
from django.utils.formats import localize
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache

from leaderboard.annotation.campaigns import (
    TERMS,
    add_known_item,
    add_submissions,
    change_terms,
    removal_hindrance,
    remove_submission,
)
from leaderboard.annotation.errors import NotNow
from leaderboard.annotation.models import Campaign, CampaignChange, Item, Trial
from leaderboard.pages.annotation.forms import KnownItemForm, ReasonForm, SubmissionsForm, TermsForm
from leaderboard.pages.annotation.queries import submissions_of
from leaderboard.pages.annotation.views.access import (
    CampaignPage,
    campaign_page,
    changeable,
    for_organisers,
    organised,
    part_of,
    posted,
    refusals_on,
    unblinded,
)
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.code import Budget
from leaderboard.pages.shared.score_words import moment
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
    page = CampaignPage(campaign=campaign, form=form, page=part_of(request, among, PER_PAGE))
    return campaign_page(request, "campaign_submissions", page)


@dataclass(frozen=True, kw_only=True)
class RemovalPage(CampaignPage):
    submission: Submission
    hindrance: str


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
        with refusals_on(form):
            count = remove_submission(
                campaign=campaign, submission=row, user=signed_in(request), reason=reason
            )
            sentence = ngettext(
                "%(number)d generation was taken out.",
                "%(number)d generations were taken out.",
                count,
            )
            messages.success(request, sentence % {"number": count})
            return redirect("campaign-submissions", pk)
    hindrance = _("The campaign is closed.")
    if campaign.is_staffable:
        hindrance = removal_hindrance(campaign, row)
    page = RemovalPage(campaign=campaign, form=form, submission=row, hindrance=hindrance)
    return campaign_page(request, "campaign_submission_remove", page)


@dataclass(frozen=True, kw_only=True)
class KnownPage(CampaignPage):
    items: list[tuple[Item, SafeString]]


@for_organisers
def campaign_known(request: HttpRequest, pk: int) -> HttpResponse:
    campaign = unblinded(request, pk)
    form = KnownItemForm(posted(request), campaign=campaign)
    if request.method == "POST":
        campaign = changeable(request, pk)
        if form.is_valid():
            task, text = form.cleaned_data["task"], form.cleaned_data["text"]
            with refusals_on(form, or_invalid=True):
                add_known_item(campaign=campaign, task=task, text=text, marks=form.marks())
                messages.success(request, _("The known item is added."))
                return redirect("campaign-known", pk)
    rows = campaign.items.filter(kind=Item.Kind.KNOWN).select_related("task")
    budget = Budget()
    rows = rows.prefetch_related("known").order_by("pk")
    items = [(item, budget.plain(item.text)) for item in rows]
    return campaign_page(
        request, "campaign_known", KnownPage(campaign=campaign, form=form, items=items)
    )


@dataclass(frozen=True, kw_only=True)
class TermsPage(CampaignPage):
    """A change is followed by its subject, and the words before and after it."""

    changes: list[tuple[CampaignChange, str, str, str]]


@dataclass(frozen=True, kw_only=True)
class TermsAskPage(CampaignPage):
    """`posted` are the values of the form, `compared` the words for each term before and after."""

    posted: list[tuple[str, str]]
    compared: list[tuple[str, str, str]]


@for_organisers
@never_cache
def campaign_terms(request: HttpRequest, pk: int) -> HttpResponse:
    """Shows the form, then asks for a reason to confirm the changes, then saves them."""
    campaign = changeable(request, pk) if request.method == "POST" else organised(pk)
    # A model form changes its instance even if it is invalid, so it gets its own copy.
    form = TermsForm(posted(request), instance=organised(pk))
    if request.method != "POST" or not form.is_valid():
        changes = _changes_in_words(request, campaign)
        page = TermsPage(campaign=campaign, form=form, changes=changes)
        return campaign_page(request, "campaign_terms", page)
    terms = {name: form.cleaned_data[name] for name in TERMS if name in form.changed_data}
    if not terms:
        messages.info(request, _("Nothing was changed."))
        return redirect("campaign-terms", pk)
    reason = ReasonForm(request.POST if "confirmed" in request.POST else None)
    if reason.is_valid():
        why = reason.cleaned_data["reason"]
        with refusals_on(reason, or_invalid=True):
            change_terms(campaign=campaign, user=signed_in(request), reason=why, terms=terms)
            messages.success(request, _("The terms are changed. The change is on record below."))
            return redirect("campaign-terms", pk)
    values = [(name, form.data.get(name, "")) for name in form.fields]
    compared = [
        (_term_name(name), _term_words(name, getattr(campaign, name)), _term_words(name, value))
        for name, value in terms.items()
    ]
    ask = TermsAskPage(campaign=campaign, form=reason, posted=values, compared=compared)
    return campaign_page(request, "campaign_terms_ask", ask)


def _changes_in_words(
    request: HttpRequest, campaign: Campaign
) -> list[tuple[CampaignChange, str, str, str]]:
    changes = list(campaign.changes.select_related("user"))
    numbers = [change.name for change in changes if change.name.isdecimal()]
    submissions = Submission.objects.visible_to(signed_in(request)).filter(pk__in=numbers)
    entrants = dict(submissions.values_list("pk", "entrant__name"))
    lines = []
    for change in changes:
        if change.kind == CampaignChange.Kind.TERM:
            subject = _term_name(change.name)
            old, new = (_term_words(change.name, value) for value in (change.old, change.new))
        elif change.kind == CampaignChange.Kind.CHOSEN:
            subject, old, new = _("Results come from this campaign"), "", ""
        else:
            number = int(change.name)
            words = {"name": entrants.get(number, "?"), "number": number}
            subject = _("Generations of %(name)s (submission %(number)d)") % words
            old, new = str(change.old or 0), str(change.new or 0)
        lines.append((change, subject, old, new))
    return lines


def _term_name(name: str) -> str:
    column: Any = Campaign._meta.get_field(name)
    return capfirst(str(column.verbose_name))


def _term_words(name: str, value: Any) -> str:
    """A term's value in words. `value` comes from the column or from a recorded change."""
    if name == "trial":
        return str(Trial(value).label)
    if name == "closes":
        closes = parse_datetime(value) if isinstance(value, str) else value
        return moment(closes) if closes else _("when you close it")
    return str(yesno(value) if isinstance(value, bool) else localize(value))
