"""Admin of results and boards. Read-only, since all rows are computed."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from leaderboard.scores.models import (
    Board,
    Edition,
    Score,
    Standing,
    TaskResult,
    TaskStatistics,
    statistics_to_review,
)
from leaderboard.site_admin.bases import ReadOnly, SettingFilter, SliceFilter, part, setting


@admin.register(TaskResult)
class TaskResultAdmin(ReadOnly):
    list_display = ("evaluation_id", "task", "metric", "category", "turn", "c", "n", "open")
    list_select_related = ("task",)
    list_filter = ("metric",)
    search_fields = ("=evaluation__id", "=task__external_id")
    ordering = ("-id",)


@admin.register(Score)
class ScoreAdmin(ReadOnly):
    list_display = ("evaluation_id", "metric", part, "value", "low", "high", "n", "tasks")
    list_filter = ("metric", ("slice", SliceFilter))
    search_fields = ("=evaluation__id", "slice_value")
    ordering = ("-id",)


@admin.register(Board)
class BoardAdmin(ReadOnly):
    list_display = ("revision", setting, "metric", "wanted", "made", "made_at")
    list_select_related = ("revision__benchmark",)
    list_filter = ("revision__benchmark", ("setting", SettingFilter))
    ordering = ("-made_at",)


@admin.register(Standing)
class StandingAdmin(ReadOnly):
    list_display = ("board", "place", "entrant", "rank_low", "rank_high", "evaluation_id")
    list_select_related = ("board__revision__benchmark", "submission__entrant")
    list_filter = ("board__revision__benchmark", ("board__setting", SettingFilter))
    search_fields = ("submission__entrant__name",)

    @admin.display(ordering="submission__entrant__name")
    def entrant(self, row: Standing) -> str:
        return row.submission.entrant.name


class ToReview(admin.SimpleListFilter):
    title = _("review")
    parameter_name = "tests"

    def lookups(self, _request: HttpRequest, _page: Any) -> list[tuple[str, Any]]:
        return [("open", _("tasks whose tests need a review"))]

    def queryset(
        self, _request: HttpRequest, rows: QuerySet[TaskStatistics]
    ) -> QuerySet[TaskStatistics]:
        return rows if self.value() is None else rows.filter(pk__in=statistics_to_review())


@admin.register(TaskStatistics)
class TaskStatisticsAdmin(ReadOnly):
    list_display = ("task", "board", "n", "rate", "discrimination", "flagged")
    list_select_related = ("task", "board__revision__benchmark")
    list_filter = (ToReview, "board__revision__benchmark", ("board__setting", SettingFilter))
    search_fields = ("=task__external_id",)
    ordering = ("discrimination", "id")


@admin.register(Edition)
class EditionAdmin(ReadOnly):
    list_display = ("board", "made_at", "metric", "ranked", "engine", "metrics")
    list_select_related = ("board__revision__benchmark",)
    list_filter = ("board__revision__benchmark", ("board__setting", SettingFilter))
    ordering = ("-made_at",)
