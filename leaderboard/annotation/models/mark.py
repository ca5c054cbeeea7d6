"""Ratings, adjudicated outcomes, known marks, and every change of them."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import Person
from leaderboard.annotation.models.assignment import Assignment
from leaderboard.annotation.models.campaign import Item, RaterState

CRITERION_CHARACTERS = 40


class OnScale(models.Model):
    """A mark from 1 to `top`, the best mark of the scale when the mark was given."""

    criterion = models.CharField(_("criterion"), max_length=CRITERION_CHARACTERS)
    value = models.PositiveSmallIntegerField(_("mark"))
    top = models.PositiveSmallIntegerField(_("best mark"))

    class Meta:
        abstract = True
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(value__gte=1, value__lte=F("top"), top__gte=2),
                name="%(class)s_lies_on_its_scale",
            )
        ]

    def __str__(self) -> str:
        return f"{self.criterion}: {self.value}"


class RatingQuerySet(models.QuerySet["Rating"]):
    def counting(self) -> RatingQuerySet:
        """Marks of generations, by raters whose marks count. Results use these."""
        return self.filter(
            assignment__rater__state__in=RaterState.counting(),
            assignment__item__kind=Item.Kind.GENERATION,
        )

    def visible_to(self, user: Person) -> RatingQuerySet:
        """The person's marks and those of `ItemQuerySet.known_to`. Pages read marks only here."""
        if not user.is_authenticated:
            return self.none()
        own = Q(assignment__rater__user=user)
        return self.filter(own | Q(assignment__item__in=Item.objects.known_to(user)))


class Rating(OnScale):
    assignment = models.ForeignKey(
        Assignment, on_delete=models.CASCADE, related_name="ratings", db_index=False
    )
    comment = models.TextField(_("comment"), blank=True)
    created = models.DateTimeField(_("rated"), auto_now_add=True)
    changed = models.DateTimeField(_("changed"), auto_now=True)

    objects = RatingQuerySet.as_manager()

    class Meta(OnScale.Meta):
        verbose_name = _("rating")
        verbose_name_plural = _("ratings")
        constraints: ClassVar = [
            *OnScale.Meta.constraints,
            models.UniqueConstraint(
                fields=["assignment", "criterion"], name="one_mark_of_a_rater_on_a_scale"
            ),
        ]


class Outcome(OnScale):
    """An adjudicator's mark on a scale on which raters differed. Their marks stay."""

    item = models.ForeignKey(
        Item, on_delete=models.CASCADE, related_name="outcomes", db_index=False
    )
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="outcomes")
    comment = models.TextField(_("comment"), blank=True)
    created = models.DateTimeField(_("settled"), auto_now_add=True)
    changed = models.DateTimeField(_("changed"), auto_now=True)

    class Meta(OnScale.Meta):
        verbose_name = _("outcome")
        verbose_name_plural = _("outcomes")
        constraints: ClassVar = [
            *OnScale.Meta.constraints,
            models.UniqueConstraint(fields=["item", "criterion"], name="one_outcome_on_a_scale"),
        ]


class KnownMark(OnScale):
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="known", db_index=False)

    class Meta(OnScale.Meta):
        verbose_name = _("known mark")
        verbose_name_plural = _("known marks")
        constraints: ClassVar = [
            *OnScale.Meta.constraints,
            models.UniqueConstraint(fields=["item", "criterion"], name="one_known_mark_on_a_scale"),
        ]


class MarkChange(models.Model):
    """One new or changed mark. Append-only. `informed`: the rater could see others' marks."""

    class By(models.TextChoices):
        RATER = "rater", _("the rater")
        STAFF = "staff", _("the staff")
        FILE = "file", _("a file")

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="changes")
    criterion = models.CharField(_("criterion"), max_length=CRITERION_CHARACTERS)
    settles = models.BooleanField(_("outcome"), default=False)
    old = models.PositiveSmallIntegerField(_("before"), null=True)
    new = models.PositiveSmallIntegerField(_("after"))
    old_comment = models.TextField(_("comment before"), blank=True)
    new_comment = models.TextField(_("comment after"), blank=True)
    how = models.CharField(_("by"), max_length=10, choices=By.choices)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    reason = models.TextField(_("reason"), blank=True)
    informed = models.BooleanField(default=False)
    created = models.DateTimeField(_("when"), auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["pk"]
        verbose_name = _("change of a mark")
        verbose_name_plural = _("changes of marks")

    def __str__(self) -> str:
        return f"{self.criterion}: {self.old} > {self.new}"
