"""Assignments and drafts, marks and every change of them, and the results of marks."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import Person, User
from leaderboard.annotation.models.campaign import Campaign, Item, Rater, RaterState
from leaderboard.fields import ExactJSONField
from leaderboard.leases import Leased
from leaderboard.submissions.models import Submission

CRITERION_CHARACTERS = 40


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
    user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    reason = models.TextField(_("reason"), blank=True)
    informed = models.BooleanField(default=False)
    created = models.DateTimeField(_("when"), auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["pk"]
        verbose_name = _("change of a mark")
        verbose_name_plural = _("changes of marks")

    def __str__(self) -> str:
        return f"{self.criterion}: {self.old} > {self.new}"


class PanelScore(models.Model):
    """A submission's mean mark on one scale, over one slice of the tasks, with a 95 % interval.

    `scope`: whether the interval holds for this panel or for raters like these. `holds`: why the
    score is provisional. `missing` generations count as mark 1, `open` ones have no rating.
    """

    campaign = models.ForeignKey(
        Campaign, on_delete=models.CASCADE, related_name="scores", db_index=False
    )
    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="panel_scores"
    )
    criterion = models.CharField(max_length=CRITERION_CHARACTERS)
    slice = models.CharField(max_length=40, default="overall")
    slice_value = models.CharField(max_length=120, blank=True)
    value = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    scope = models.CharField(max_length=12)
    shares = models.JSONField(default=list)
    ratings = models.PositiveIntegerField()
    raters = models.PositiveIntegerField()
    items = models.PositiveIntegerField()
    tasks = models.PositiveIntegerField()
    missing = models.PositiveIntegerField(default=0)
    open = models.PositiveIntegerField(default=0)
    holds = models.JSONField(default=list)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["campaign", "submission", "criterion", "slice", "slice_value"],
                name="one_panel_score_of_a_slice",
            )
        ]

    def __str__(self) -> str:
        return f"{self.criterion} {self.slice_value}: {self.value}"

    @property
    def published(self) -> bool:
        return not self.holds


class PanelAgreement(models.Model):
    """`lack` is why a value is missing."""

    class Measure(models.TextChoices):
        ALPHA = "alpha", _("Krippendorff's alpha")
        KAPPA = "kappa", _("weighted kappa")

    campaign = models.ForeignKey(
        Campaign, on_delete=models.CASCADE, related_name="agreements", db_index=False
    )
    criterion = models.CharField(max_length=CRITERION_CHARACTERS)
    measure = models.CharField(max_length=10, choices=Measure.choices)
    value = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    raters = models.PositiveIntegerField()
    tasks = models.PositiveIntegerField()
    pairs = models.PositiveIntegerField()
    lack = models.CharField(max_length=40, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["campaign", "criterion", "measure"], name="one_agreement_on_a_scale"
            )
        ]

    def __str__(self) -> str:
        return f"{self.criterion}: {self.value}"


class RaterAgreement(models.Model):
    """One rater's agreement with the mean of the others on one scale, for organisers."""

    rater = models.ForeignKey(
        Rater, on_delete=models.CASCADE, related_name="agreements", db_index=False
    )
    criterion = models.CharField(max_length=CRITERION_CHARACTERS)
    value = models.FloatField(null=True)
    bias = models.FloatField(null=True)
    distance = models.FloatField(null=True)
    items = models.PositiveIntegerField()
    lack = models.CharField(max_length=40, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["rater", "criterion"], name="one_agreement_of_a_rater")
        ]

    def __str__(self) -> str:
        return f"{self.rater}: {self.value}"
