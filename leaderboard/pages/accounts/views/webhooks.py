"""The webhooks of a team, with the log of what was sent to them. Only owners see them."""

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from leaderboard.accounts.models import Team
from leaderboard.mail.models import Delivery, Event
from leaderboard.mail.webhooks import MOST_WEBHOOKS, add_deliveries, make_webhook
from leaderboard.pages.accounts.forms import WebhookForm
from leaderboard.pages.accounts.views.teams import owned_team
from leaderboard.pages.shared.access import confirmed_only
from leaderboard.pages.shared.record import render_page

MOST_SHOWN = 50


@dataclass(frozen=True, slots=True)
class WebhooksPage:
    """`secret` is the new webhook's, or ""."""

    team: Team
    form: WebhookForm
    secret: str
    deliveries: QuerySet[Delivery]


@login_required
@confirmed_only
def webhooks(request: HttpRequest, slug: str) -> HttpResponse:
    """A POST makes a webhook, and answers with the only page that shows its secret."""
    team, secret, status = owned_team(request, slug), "", 200
    form = WebhookForm(request.POST or None)
    if request.method == "POST":
        status = 422
        if team.webhooks.count() >= MOST_WEBHOOKS:
            sentence = _("A team can have %(most)d webhooks. Delete one first.")
            messages.error(request, sentence % {"most": MOST_WEBHOOKS})
        elif form.is_valid():
            _webhook, secret = make_webhook(team=team, url=form.cleaned_data["url"])
            form, status = WebhookForm(), 201
    deliveries = Delivery.objects.filter(webhook__team=team)[:MOST_SHOWN]
    page = WebhooksPage(team, form, secret, deliveries)
    return render_page(request, "accounts/webhooks.html", page, status=status)


@login_required
@require_POST
def webhook_change(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Sends a test, unless one waits already; `change` "delete" deletes the webhook."""
    team = owned_team(request, slug)
    webhook = get_object_or_404(team.webhooks, pk=pk)
    if request.POST.get("change") == "delete":
        webhook.delete()
        messages.success(request, _("The webhook is deleted."))
    elif not webhook.deliveries.filter(event=Event.TEST, sent=None, given_up=None).exists():
        add_deliveries([webhook], Event.TEST, {"team": team.slug})
        messages.success(request, _("A test is sent. Look at the log in a moment."))
    return redirect("webhooks", slug=slug)
