from django.apps import AppConfig


class BoardsConfig(AppConfig):
    name = "leaderboard.pages.boards"
