"""The language of pages. Accounts themselves are django-allauth's."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.pages.shared.access import wanted_page


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
