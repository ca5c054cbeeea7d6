"""Admin of results and boards. Read-only, since all rows are computed."""

from __future__ import annotations

from django.contrib import admin

from leaderboard.scores.models import Board, Edition, Score, Standing, TaskResult
from leaderboard.site_admin.benchmarks import ReadOnly


@admin.register(TaskResult)
class TaskResultAdmin(ReadOnly):
    list_display = ("evaluation_id", "task", "metric", "category", "turn", "c", "n", "open")
    list_select_related = ("task",)
    list_filter = ("metric",)
    search_fields = ("=evaluation__id", "=task__external_id")
    raw_id_fields = ("evaluation", "task")
    ordering = ("-id",)


@admin.register(Score)
class ScoreAdmin(ReadOnly):
    list_display = (
        "evaluation_id",
        "metric",
        "slice",
        "slice_value",
        "value",
        "low",
        "high",
        "n",
        "tasks",
    )
    list_filter = ("metric", "slice")
    search_fields = ("=evaluation__id", "slice_value")
    raw_id_fields = ("evaluation",)
    ordering = ("-id",)


@admin.register(Board)
class BoardAdmin(ReadOnly):
    list_display = ("revision", "setting", "metric", "wanted", "made", "made_at")
    list_select_related = ("revision__benchmark",)
    list_filter = ("revision__benchmark", "setting")
    ordering = ("-made_at",)


@admin.register(Standing)
class StandingAdmin(ReadOnly):
    list_display = ("board", "place", "entrant", "rank_low", "rank_high", "evaluation_id")
    list_select_related = ("board__revision__benchmark", "submission__entrant")
    list_filter = ("board__revision__benchmark", "board__setting")
    search_fields = ("submission__entrant__name",)
    raw_id_fields = ("board", "submission", "evaluation")

    @admin.display(ordering="submission__entrant__name")
    def entrant(self, row: Standing) -> str:
        return row.submission.entrant.name


@admin.register(Edition)
class EditionAdmin(ReadOnly):
    list_display = ("board", "made_at", "metric", "ranked", "engine")
    list_select_related = ("board__revision__benchmark",)
    list_filter = ("board__revision__benchmark", "board__setting")
    ordering = ("-made_at",)
