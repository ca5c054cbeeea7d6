from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate

if TYPE_CHECKING:
    from leaderboard.scores.models import Board


class PagesConfig(AppConfig):
    name = "leaderboard.pages"

    def ready(self) -> None:
        from leaderboard.checks import register_checks
        from leaderboard.pages import triggers
        from leaderboard.scores.models import board_made

        register_checks()
        board_made.connect(_store_charts)
        board_made.connect(_store_means)
        post_migrate.connect(triggers.install, sender=self)


def _store_means(**_signal: Any) -> None:
    from leaderboard.pages.boards.views.columns import store_means

    store_means()


def _store_charts(*, board: Board, **_signal: Any) -> None:
    # Imports pandas and plotly, which nothing else here needs.
    from leaderboard.pages.boards.findings import store

    store(board)
