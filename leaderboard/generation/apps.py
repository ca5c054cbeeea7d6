from django.apps import AppConfig


class GenerationConfig(AppConfig):
    name = "leaderboard.generation"
    verbose_name = "Generation"
