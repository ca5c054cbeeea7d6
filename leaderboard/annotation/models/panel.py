"""Results of marks, computed again after each change."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from leaderboard.annotation.models.campaign import Campaign, Rater
from leaderboard.annotation.models.mark import CRITERION_CHARACTERS
from leaderboard.submissions.models import Submission


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
