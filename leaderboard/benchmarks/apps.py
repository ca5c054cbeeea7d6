from django.apps import AppConfig


class BenchmarksConfig(AppConfig):
    name = "leaderboard.benchmarks"

    def ready(self) -> None:
        from leaderboard.checks import register_checks

        register_checks()
