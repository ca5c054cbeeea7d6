from django.apps import AppConfig


class PagesConfig(AppConfig):
    name = "leaderboard.pages"

    def ready(self) -> None:
        from leaderboard.checks import register_checks

        register_checks()
