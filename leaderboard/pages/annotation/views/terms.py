"""A campaign's terms for organisers: values, changes, and the record of changes."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.defaultfilters import yesno
from django.utils.dateparse import parse_datetime
from django.utils.formats import localize
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from leaderboard.annotation.errors import NotNow
from leaderboard.annotation.models import Campaign, CampaignChange, Trial
from leaderboard.annotation.terms import change_terms
from leaderboard.pages.annotation.forms import ReasonForm, TermsForm
from leaderboard.pages.annotation.views.access import (
    campaign_page,
    changeable,
    for_organisers,
    organised,
    posted,
)
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.score_words import moment
from leaderboard.submissions.models import Submission


@for_organisers
@never_cache
def campaign_terms(request: HttpRequest, pk: int) -> HttpResponse:
    """Shows the form, then asks for a reason to confirm the changes, then saves them."""
    campaign = changeable(request, pk) if request.method == "POST" else organised(pk)
    # A model form changes its instance even if it is invalid, so it gets its own copy.
    form = TermsForm(posted(request), instance=organised(pk))
    if request.method != "POST" or not form.is_valid():
        changes = _changes_in_words(request, campaign)
        return campaign_page(request, "campaign_terms", campaign, form=form, changes=changes)
    terms = {name: form.cleaned_data[name] for name in form.changed()}
    if not terms:
        messages.info(request, _("Nothing was changed."))
        return redirect("campaign-terms", pk)
    reason = ReasonForm(request.POST if "confirmed" in request.POST else None)
    if reason.is_valid():
        why = reason.cleaned_data["reason"]
        try:
            change_terms(campaign=campaign, user=signed_in(request), reason=why, terms=terms)
        except NotNow as error:
            reason.add_error(None, str(error))
        except ValidationError as error:
            reason.add_error(None, error.messages)
        else:
            messages.success(request, _("The terms are changed. The change is on record below."))
            return redirect("campaign-terms", pk)
    return campaign_page(
        request,
        "campaign_terms_ask",
        campaign,
        form=reason,
        kept=[(name, form.data.get(name, "")) for name in form.fields],
        compared=[
            (_term_name(name), _term_words(name, getattr(campaign, name)), _term_words(name, value))
            for name, value in terms.items()
        ],
    )


def _changes_in_words(
    request: HttpRequest, campaign: Campaign
) -> list[tuple[CampaignChange, str, str, str]]:
    """The changes, each with its subject and the values before and after."""
    changes = list(campaign.changes.select_related("user"))
    numbers = [change.name for change in changes if change.kind != CampaignChange.Kind.TERM]
    submissions = Submission.objects.visible_to(signed_in(request)).filter(pk__in=numbers)
    entrants = dict(submissions.values_list("pk", "entrant__name"))
    lines = []
    for change in changes:
        if change.kind == CampaignChange.Kind.TERM:
            subject = _term_name(change.name)
            old, new = (_term_words(change.name, value) for value in (change.old, change.new))
        else:
            number = int(change.name)
            words = {"name": entrants.get(number, "?"), "number": number}
            subject = _("Generations of %(name)s (submission %(number)d)") % words
            old, new = str(change.old or 0), str(change.new or 0)
        lines.append((change, subject, old, new))
    return lines


def _term_name(name: str) -> str:
    """The label of a column in TERMS, as its form shows it."""
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
