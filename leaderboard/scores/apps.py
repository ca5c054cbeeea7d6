from django.apps import AppConfig


class ScoresConfig(AppConfig):
    name = "leaderboard.scores"
