"""The URLs of the site; those of an app are in its urls.py."""

from inspect import unwrap

from django.contrib import admin
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import include, path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.defaults import bad_request, page_not_found, permission_denied

from leaderboard.readiness import ready


@require_safe
def health(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - every view has one
    """Returns 200 if the database answers; otherwise its error propagates."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
@require_safe
def signed_in(request: HttpRequest) -> HttpResponse:
    """Status 204 if the client is signed in, else 401. The proxy asks before it stores an
    upload (docs/operators/nginx.conf)."""
    return HttpResponse(status=204 if request.user.is_authenticated else 401)


# Without Django's check of the form's token, which reads the body: one that is broken would raise
# another error, and the answer would be a 500.
handler400, handler403, handler404 = map(unwrap, (bad_request, permission_denied, page_not_found))
handler500 = "leaderboard.pages.errors.server_error"
urlpatterns = [
    path("", include("leaderboard.pages.boards.urls")),
    path("", include("leaderboard.pages.accounts.urls")),
    path("", include("leaderboard.pages.submissions.urls")),
    path("", include("leaderboard.pages.generation.urls")),
    path("", include("leaderboard.pages.annotation.urls")),
    path("api/", include("leaderboard.api.urls")),
    path("health/", health, name="health"),
    path("signed-in/", signed_in, name="signed-in"),
    path("ready/", ready, name="ready"),
    path("admin/", include("leaderboard.site_admin.overview")),
    path("admin/queue/", include("django_rq.urls")),
    path("admin/", admin.site.urls),
]
