"""Items assigned to raters, and drafts."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from leaderboard.annotation.models.campaign import Item, Rater, RaterState
from leaderboard.fields import ExactJSONField
from leaderboard.leases import Leased


class AssignmentState(models.TextChoices):
    RATING = "rating", _("being rated")
    DONE = "done", _("rated")
    SKIPPED = "skipped", _("skipped")

    @classmethod
    def over(cls) -> tuple[AssignmentState, ...]:
        """States in which the item is not assigned to its rater again."""
        return cls.DONE, cls.SKIPPED


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def alone(self) -> AssignmentQuerySet:
        """Assignments of raters whose marks count and who rate independently."""
        return self.filter(kind=Assignment.Kind.ALONE, rater__state__in=RaterState.counting())

    def taking_a_place(self) -> AssignmentQuerySet:
        """Rated assignments and those with a valid lease: each takes one of an item's places."""
        there = Q(state=AssignmentState.RATING, lease_until__gt=Now())
        return self.alone().filter(Q(state=AssignmentState.DONE) | there)


class Assignment(Leased):
    """An item assigned to a rater, leased while the rater's page is open."""

    class Kind(models.TextChoices):
        ALONE = "alone", _("independent rating")
        THIRD = "third", _("settles a disagreement")

    item = models.ForeignKey(
        Item, on_delete=models.CASCADE, related_name="assignments", db_index=False
    )
    rater = models.ForeignKey(
        Rater, on_delete=models.CASCADE, related_name="assignments", db_index=False
    )
    kind = models.CharField(_("kind"), max_length=10, choices=Kind.choices, default=Kind.ALONE)
    state = models.CharField(
        _("state"), max_length=10, choices=AssignmentState.choices, default=AssignmentState.RATING
    )
    reason = models.TextField(_("why it was skipped"), blank=True)
    # Seconds of work on the item, up to the last save.
    seconds = models.PositiveIntegerField(_("seconds"), default=0)
    shown = models.DateTimeField(_("last shown"), null=True, blank=True)
    finished = models.DateTimeField(_("rated"), null=True, blank=True)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        verbose_name = _("assignment")
        verbose_name_plural = _("assignments")
        indexes: ClassVar = [models.Index(fields=["rater", "state"])]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["item", "rater"], name="one_assignment_of_a_rater")
        ]

    def __str__(self) -> str:
        return f"{self.item_id}: {self.rater}"


class Draft(models.Model):
    """Unsaved marks. `version` rises with every change; a writer names the version that it read."""

    assignment = models.OneToOneField(
        Assignment, on_delete=models.CASCADE, primary_key=True, related_name="draft"
    )
    marks = ExactJSONField(default=dict)
    comments = ExactJSONField(default=dict)
    seconds = models.PositiveIntegerField(default=0)
    version = models.PositiveIntegerField(default=0)
    changed = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return str(self.assignment_id)
