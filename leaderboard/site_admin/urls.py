"""Addresses of the admin's own pages that belong to no model."""

from __future__ import annotations

from django.urls import URLPattern, path

from leaderboard.site_admin.overview import overview

urlpatterns: list[URLPattern] = [path("overview/", overview, name="admin-overview")]
