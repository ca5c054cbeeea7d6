from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in


class AccountsConfig(AppConfig):
    name = "leaderboard.accounts"

    def ready(self) -> None:
        from leaderboard.accounts.audit import record_sign_in

        user_logged_in.connect(record_sign_in)
