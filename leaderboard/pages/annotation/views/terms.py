"""A campaign's terms for organisers: values, changes, and the record of changes."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from leaderboard.annotation.errors import NotNow
from leaderboard.annotation.models import Campaign, CampaignChange
from leaderboard.annotation.terms import change_terms
from leaderboard.pages.annotation.forms import ReasonForm, TermsForm
from leaderboard.pages.annotation.views.access import changeable, for_organisers, organised, posted
from leaderboard.pages.annotation.views.words import campaign_crumbs, term_name, term_words
from leaderboard.pages.shared.access import signed_in
from leaderboard.submissions.models import Submission


@dataclass(frozen=True, slots=True)
class Compared:
    name: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Told:
    row: CampaignChange
    name: str
    old: str
    new: str


@for_organisers
@never_cache
def campaign_terms(request: HttpRequest, pk: int) -> HttpResponse:
    """Shows the form, then asks for a reason to confirm the changes, then saves them."""
    found = changeable(request, pk) if request.method == "POST" else organised(pk)
    # A model form changes its instance even if it is invalid, so it gets its own copy.
    form = TermsForm(posted(request), instance=organised(pk))
    if request.method != "POST" or not form.is_valid():
        return _page(request, found, form)
    if not form.changed():
        messages.info(request, _("Nothing was changed."))
        return redirect("campaign-terms", pk)
    reason = ReasonForm(request.POST if "confirmed" in request.POST else None)
    if reason.is_valid() and _changed(request, found, form, reason):
        return redirect("campaign-terms", pk)
    return _question(request, found, form, reason)


def _changed(request: HttpRequest, found: Campaign, form: TermsForm, reason: ReasonForm) -> bool:
    """Saves the terms. Returns False and adds the error to `reason` if they are rejected."""
    terms = {name: form.cleaned_data[name] for name in form.changed()}
    why = reason.cleaned_data["reason"]
    try:
        change_terms(campaign=found, user=signed_in(request), reason=why, terms=terms)
    except NotNow as error:
        reason.add_error(None, str(error))
        return False
    except ValidationError as error:
        reason.add_error(None, error.messages)
        return False
    messages.success(request, _("The terms are changed. The change is on record below."))
    return True


def _page(request: HttpRequest, found: Campaign, form: TermsForm) -> HttpResponse:
    changes = list(found.changes.select_related("user"))
    numbers = [row.name for row in changes if row.kind != CampaignChange.Kind.TERM]
    seen = Submission.objects.visible_to(signed_in(request)).filter(pk__in=numbers)
    entrants = dict(seen.values_list("pk", "entrant__name"))
    context = {
        "campaign": found,
        "crumbs": campaign_crumbs(found),
        "form": form,
        "changes": [_described(row, entrants) for row in changes],
    }
    status = 422 if form.errors else 200
    return render(request, "annotation/campaign_terms.html", context, status=status)


def _question(
    request: HttpRequest, found: Campaign, form: TermsForm, reason: ReasonForm
) -> HttpResponse:
    context = {
        "campaign": found,
        "crumbs": campaign_crumbs(found),
        "kept": [(name, form.data.get(name, "")) for name in form.fields],
        "compared": [
            Compared(
                term_name(name),
                term_words(name, getattr(found, name)),
                term_words(name, form.cleaned_data[name]),
            )
            for name in form.changed()
        ],
        "reason": reason,
    }
    status = 422 if reason.errors else 200
    return render(request, "annotation/campaign_terms_ask.html", context, status=status)


def _described(row: CampaignChange, entrants: dict[int, str]) -> Told:
    if row.kind == CampaignChange.Kind.TERM:
        old, new = term_words(row.name, row.old), term_words(row.name, row.new)
        return Told(row, term_name(row.name), old, new)
    words = {"name": entrants.get(int(row.name), "?"), "number": int(row.name)}
    shown = _("Generations of %(name)s (submission %(number)d)") % words
    return Told(row, shown, str(row.old or 0), str(row.new or 0))
