"""The person's own page: teams, entrants, e-mail."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters

from leaderboard.accounts.models import Entrant, Membership
from leaderboard.pages.accounts.forms import EmailForm
from leaderboard.pages.shared.access import signed_in


@sensitive_post_parameters("password")
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """Shows the person's teams with their entrants. A POST changes the e-mail."""
    user = signed_in(request)
    form = EmailForm(request.POST or None, user=user)
    if request.method == "POST" and form.is_valid():
        user.email = form.cleaned_data["email"]
        user.save(update_fields=["email"])
        messages.success(request, _("Your e-mail is changed."))
        return redirect("account")
    entrants = Prefetch("team__entrants", Entrant.objects.order_by("name"))
    memberships = Membership.objects.filter(user=user).select_related("team")
    context = {
        "form": form,
        "memberships": memberships.prefetch_related(entrants).order_by("team__name"),
    }
    return render(request, "accounts/account.html", context)
