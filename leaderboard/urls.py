"""The URLs of the site; those of an app are in its urls.py."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from leaderboard.health import health

urlpatterns = [
    path("", include("leaderboard.pages.boards.urls")),
    path("", include("leaderboard.pages.accounts.urls")),
    path("", include("leaderboard.pages.submissions.urls")),
    path("", include("leaderboard.pages.generation.urls")),
    path("", include("leaderboard.pages.annotation.urls")),
    path("health/", health, name="health"),
    path("i18n/", include("django.conf.urls.i18n")),
    path("admin/queue/", include("django_rq.urls")),
    path("admin/", admin.site.urls),
]
