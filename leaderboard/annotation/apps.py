from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "leaderboard.annotation"
