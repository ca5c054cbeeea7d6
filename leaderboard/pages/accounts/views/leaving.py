"""What the site stores about a person, as a file; and the deletion of the account."""

from __future__ import annotations

import time

from allauth.account import app_settings
from allauth.account.internal.flows.login import get_authentication_records
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_safe

from evaluation.work.leaving import Needed, delete_account
from leaderboard.accounts import teams
from leaderboard.pages.accounts.export import export
from leaderboard.pages.accounts.forms import DeletionForm
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.crumbs import account_crumbs


@login_required
@require_safe
def account_export(request: HttpRequest) -> StreamingHttpResponse:
    disposition = {"Content-Disposition": 'attachment; filename="account.json"'}
    rows = export(signed_in(request))
    return StreamingHttpResponse(rows, content_type="application/json", headers=disposition)


@sensitive_post_parameters("password")
@login_required
def account_delete(request: HttpRequest) -> HttpResponse:
    """Says what goes and what stays. A POST deletes the account and ends its sessions."""
    user = signed_in(request)
    records = get_authentication_records(request, user)
    recent = (
        bool(records) and time.time() - records[-1]["at"] < app_settings.REAUTHENTICATION_TIMEOUT
    )
    form = DeletionForm(request.POST or None, user=user, recent=recent)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                delete_account(user=user, successors=form.successors())
            except (Needed, teams.LastOwner) as error:
                form.add_error(None, str(error))
            else:
                logout(request)
                messages.success(request, _("Your account is deleted."))
                return redirect("home")
    context = {
        "form": form,
        "alone": teams.without_other_member(user),
        "crumbs": account_crumbs(),
    }
    return render(request, "accounts/account_delete.html", context, status=status)
