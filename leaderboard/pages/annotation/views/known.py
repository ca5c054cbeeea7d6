"""Known items, for organisers. Raters must not see them."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from leaderboard.annotation.campaigns import add_known_item
from leaderboard.annotation.errors import NotNow
from leaderboard.annotation.models import Campaign, CampaignState, Item
from leaderboard.pages.annotation.entry import scale_name
from leaderboard.pages.annotation.forms import KnownItemForm
from leaderboard.pages.annotation.views.access import changeable, for_organisers, posted, unblinded
from leaderboard.pages.annotation.views.words import campaign_crumbs
from leaderboard.pages.shared.code import shown_text


@for_organisers
def campaign_known(request: HttpRequest, pk: int) -> HttpResponse:
    found = unblinded(request, pk)
    form = KnownItemForm(posted(request), campaign=found)
    if request.method == "POST":
        found = changeable(request, pk)
        if form.is_valid() and _added(form):
            messages.success(request, _("The known item is added."))
            return redirect("campaign-known", pk)
    context = {
        "campaign": found,
        "crumbs": campaign_crumbs(found),
        "items": _items(found),
        "form": form,
        "preparing": found.state == CampaignState.PREPARING,
    }
    status = 422 if form.errors else 200
    return render(request, "annotation/campaign_known.html", context, status=status)


def _added(form: KnownItemForm) -> bool:
    try:
        add_known_item(
            campaign=form.campaign,
            task=form.cleaned_data["task"],
            text=form.cleaned_data["text"],
            marks=form.marks(),
        )
    except NotNow as error:
        form.add_error(None, str(error))
    except ValidationError as error:
        form.add_error(None, error)
    return not form.errors


def _items(found: Campaign) -> list[dict[str, object]]:
    rows = found.items.filter(kind=Item.Kind.KNOWN).select_related("task")
    return [
        {
            "item": item,
            "text": shown_text(str(item.text)),
            "marks": [(scale_name(one.criterion), one) for one in item.known.all()],
        }
        for item in rows.prefetch_related("known").order_by("pk")
    ]
