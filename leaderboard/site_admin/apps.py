from django.apps import AppConfig


class SiteAdminConfig(AppConfig):
    name = "leaderboard.site_admin"
