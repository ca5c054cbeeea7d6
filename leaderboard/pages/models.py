"""The record of public changes, which tells whether a cached page is current; boards' charts."""

from typing import ClassVar

from django.db import models

from leaderboard.fields import ExactJSONField
from leaderboard.scores.models import Board


class PublicChange(models.Model):
    """A change to rows that pages for visitors show. Database triggers add these rows in the
    transaction of the change and delete the oldest: see triggers.py."""


class BoardPart(models.Model):
    """A part of a board's charts in one language, computed when the board was made. `made_of` is a
    digest of everything that can change without making the board again."""

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="+", db_index=False)
    language = models.CharField(max_length=10)
    name = models.CharField(max_length=80)
    made_of = models.CharField(max_length=64)
    content = ExactJSONField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["board", "language", "name"], name="one_part_of_a_name")
        ]

    def __str__(self) -> str:
        return f"{self.board_id} {self.language} {self.name}"
