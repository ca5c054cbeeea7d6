from contextlib import suppress

from django.apps import AppConfig
from django.conf import settings
from django.db.models.signals import post_migrate


class PagesConfig(AppConfig):
    name = "leaderboard.pages"

    def ready(self) -> None:
        from leaderboard import checks, sqlite  # noqa: F401 - registers them
        from leaderboard.pages import triggers

        with suppress(OSError):
            settings.FILE_UPLOAD_TEMP_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
        post_migrate.connect(triggers.install, sender=self)
