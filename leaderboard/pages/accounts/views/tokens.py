"""A person's tokens of the API."""

from dataclasses import dataclass

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from leaderboard.accounts.models import Token
from leaderboard.accounts.tokens import make_token
from leaderboard.pages.accounts.forms import TokenForm
from leaderboard.pages.shared.access import confirmed_only, signed_in
from leaderboard.pages.shared.record import render_page


@dataclass(frozen=True, slots=True)
class TokensPage:
    """`text` is the new token's, or ""."""

    form: TokenForm
    text: str
    tokens: QuerySet[Token]


@login_required
@reauthentication_required(allow_get=True)  # type: ignore[untyped-decorator]
@confirmed_only
def tokens(request: HttpRequest) -> HttpResponse:
    """A POST makes a token, and answers with the only page that shows it."""
    user, text, status = signed_in(request), "", 200
    form = TokenForm(request.POST or None, user=user)
    if request.method == "POST":
        status = 422
        if form.is_valid():
            _token, text = make_token(**form.cleaned_data)
            form, status = TokenForm(user=user), 201
    page = TokensPage(form, text, user.tokens.select_related("membership__team"))
    return render_page(request, "accounts/tokens.html", page, status=status)


@login_required
@require_POST
def token_revoke(request: HttpRequest, pk: int) -> HttpResponse:
    token = get_object_or_404(Token, user=signed_in(request), pk=pk)
    token.delete()
    messages.success(request, _("%(name)s is revoked.") % {"name": token.name})
    return redirect("tokens")
