"""Sign-up, sign-in, sign-out, passwords, and the language of pages."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth import views as auth
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_safe

from leaderboard.accounts.teams import create_team
from leaderboard.pages.accounts.forms import SignInForm, SignUpForm
from leaderboard.pages.shared.access import wanted_page


class SignIn(auth.LoginView):
    """Accepts username or e-mail. Redirects to `next` if it is a page of this site."""

    template_name = "accounts/sign_in.html"
    authentication_form = SignInForm
    extra_context: Any = {"open_sign_up": lambda: settings.OPEN_SIGN_UP}


sign_in = SignIn.as_view()
sign_out = auth.LogoutView.as_view()


@never_cache
@require_safe
def language(request: HttpRequest, code: str) -> HttpResponse:
    """Sets the language in a cookie and returns to `next`."""
    if code not in dict(settings.LANGUAGES):
        raise Http404(_("There is no such page."))
    answer = redirect(wanted_page(request) or "home")
    answer.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        code,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )
    return answer


@sensitive_post_parameters("password1", "password2")
@never_cache
def sign_up(request: HttpRequest) -> HttpResponse:
    if not settings.OPEN_SIGN_UP:
        return render(request, "accounts/sign_up_closed.html", status=403)
    form = SignUpForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        name = form.cleaned_data["team"]
        try:
            with transaction.atomic():
                user = form.save()
                team = create_team(name=name, owner=user) if name else None
        except IntegrityError:  # a name was taken since the form was checked
            form.add_error(None, _("One of these names has just been taken. Choose another."))
        else:
            login(request, user)
            first = reverse("entrant-new", args=[team.slug]) if team else reverse("account")
            return redirect(wanted_page(request) or first)
    context = {"form": form, "next": wanted_page(request)}
    return render(request, "accounts/sign_up.html", context)


class PasswordChange(auth.PasswordChangeView):
    template_name = "accounts/password_change.html"
    success_url = reverse_lazy("account")

    def form_valid(self, form: Any) -> HttpResponse:
        messages.success(self.request, _("Your password is changed."))
        return super().form_valid(form)


password_change = PasswordChange.as_view()


class PasswordReset(auth.PasswordResetView):
    """Gives the same answer whether the account exists or not."""

    template_name = "accounts/password_reset.html"
    email_template_name = "accounts/password_reset_email.txt"
    subject_template_name = "accounts/password_reset_subject.txt"


password_reset = PasswordReset.as_view()
password_reset_done = auth.PasswordResetDoneView.as_view(
    template_name="accounts/password_reset_done.html"
)
password_reset_confirm = auth.PasswordResetConfirmView.as_view(
    template_name="accounts/password_reset_confirm.html"
)
password_reset_complete = auth.PasswordResetCompleteView.as_view(
    template_name="accounts/password_reset_complete.html"
)
