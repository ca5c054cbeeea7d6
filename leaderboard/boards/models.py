"""Means over boards, stored when a board is made."""

from typing import ClassVar

from django.db import models

from leaderboard.fields import ExactJSONField


class ColumnMeans(models.Model):
    """The means of a column of the home page's table, as means.py writes and reads them. `made_of`
    is a digest of everything that they depend on."""

    view = models.CharField(max_length=20)
    column = models.CharField(max_length=120)
    made_of = models.CharField(max_length=64)
    content = ExactJSONField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["view", "column"], name="one_row_of_a_column")
        ]

    def __str__(self) -> str:
        return f"{self.view} {self.column}"
