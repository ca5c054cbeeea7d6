from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class PagesConfig(AppConfig):
    name = "leaderboard.pages"

    def ready(self) -> None:
        from leaderboard.checks import register_checks
        from leaderboard.pages import triggers

        register_checks()
        post_migrate.connect(triggers.install, sender=self)
