"""Campaigns and their changes, raters and items, and the rule for access to marks."""

from __future__ import annotations

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from evaluation.engine import registry
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import ByPeople, Criterion, Practice
from leaderboard.accounts.models import Person, User, staff_may
from leaderboard.benchmarks.models import Revision, Task
from leaderboard.fields import ExactTextField
from leaderboard.submissions.models import Generation, Submission


class CampaignState(models.TextChoices):
    PREPARING = "preparing", _("being prepared")
    OPEN = "open", _("open for rating")
    CLOSED = "closed", _("closed")

    @classmethod
    def staffable(cls) -> tuple[CampaignState, ...]:
        """States in which raters and generations may be added."""
        return cls.PREPARING, cls.OPEN


class Trial(models.TextChoices):
    """When raters get known items."""

    BEFORE = "before", _("before all others")
    AMONG = "among", _("among the others")


class Campaign(models.Model):
    """Generations of one revision that people rate by one family's criteria.

    A mean is published with at least `fewest_ratings` marks and an alpha whose interval begins at
    `least_agreement` or above.
    `wanted` rises with every change; `made` is its value when the results were computed.
    """

    title = models.CharField(_("title"), max_length=80)
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="campaigns")
    family_slug = models.CharField(
        _("criteria of"), max_length=60, help_text=_("The family whose scales are used.")
    )
    per_item = models.PositiveSmallIntegerField(
        _("raters of each generation"), default=3, validators=[MinValueValidator(1)]
    )
    fewest_ratings = models.PositiveIntegerField(_("marks required to publish a mean"), default=30)
    least_agreement = models.FloatField(
        _("agreement required to publish a mean"),
        default=0.667,
        validators=[MinValueValidator(-1.0), MaxValueValidator(1.0)],
    )
    constant_marks = models.BooleanField(
        _("publish means if all marks are the same"),
        default=False,
        help_text=_(
            "Agreement cannot be computed on a scale with a single mark, so its means stay "
            "provisional unless you decide otherwise."
        ),
    )
    trial = models.CharField(
        _("known items come"), max_length=10, choices=Trial.choices, default=Trial.BEFORE
    )
    most_apart = models.FloatField(
        _("largest distance from the known answers"),
        default=0.7,
        validators=[MinValueValidator(0.0)],
        help_text=_("In marks, averaged over the known items, for each scale."),
    )
    closes = models.DateTimeField(
        _("closes automatically"),
        null=True,
        blank=True,
        help_text=_("In UTC. If empty, the campaign is open until you close it."),
    )
    state = models.CharField(
        _("state"), max_length=10, choices=CampaignState.choices, default=CampaignState.PREPARING
    )
    seed = models.CharField(max_length=32, editable=False)
    # Hash of the criteria at the campaign's creation (campaigns.rubric).
    rubric = models.CharField(_("rubric"), max_length=12, blank=True, editable=False)
    created_by = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created = models.DateTimeField(_("created"), auto_now_add=True)
    opened = models.DateTimeField(_("opened"), null=True, blank=True, editable=False)
    closed = models.DateTimeField(_("closed"), null=True, blank=True, editable=False)
    wanted = models.PositiveIntegerField(default=0, editable=False)
    made = models.PositiveIntegerField(default=0, editable=False)
    made_at = models.DateTimeField(null=True, blank=True, editable=False)
    rung = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering: ClassVar = ["-created"]
        verbose_name = _("rating campaign")
        verbose_name_plural = _("rating campaigns")
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(per_item__gte=1), name="somebody_rates_each_item")
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """The scales. Raises BenchmarkError if people do not judge the family."""
        return self._judged.criteria

    @property
    def practice(self) -> tuple[Practice, ...]:
        return self._judged.practice

    @property
    def _judged(self) -> ByPeople:
        judged = registry.family(self.family_slug).judged
        if not isinstance(judged, ByPeople):
            raise BenchmarkError(
                f"{self.family_slug} is judged by running programs, so it has no scales."
            )
        return judged


class ResultSource(models.Model):
    """The campaign, by the benchmark's own scales, that gives a submission's results: the first one
    that was open with it, until staff choose another."""

    submission = models.OneToOneField(
        Submission, on_delete=models.CASCADE, primary_key=True, related_name="result_source"
    )
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="sources")

    def __str__(self) -> str:
        return f"{self.submission_id}: {self.campaign}"


class CampaignChange(models.Model):
    """One changed term, one submission added or removed, or the campaign's choice. Append-only.

    `name` is the term's column or the submission's number; `old` and `new` are JSON values, or
    numbers of generations in the campaign.
    """

    class Kind(models.TextChoices):
        TERM = "term", _("a term")
        CHOSEN = "chosen", _("its marks count")
        ADDED = "added", _("a submission added")
        REMOVED = "removed", _("a submission taken out")

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="changes")
    kind = models.CharField(_("what"), max_length=10, choices=Kind.choices)
    name = models.CharField(max_length=40)
    old = models.JSONField(null=True)
    new = models.JSONField(null=True)
    user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    reason = models.TextField(_("reason"), blank=True)
    created = models.DateTimeField(_("when"), auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-pk"]
        verbose_name = _("change of a campaign")
        verbose_name_plural = _("changes of campaigns")

    def __str__(self) -> str:
        return f"{self.kind} {self.name}: {self.old} > {self.new}"


class RaterState(models.TextChoices):
    TRYING = "trying", _("on trial")
    RATING = "rating", _("active")
    REFUSED = "refused", _("too far from the known answers")
    DISMISSED = "dismissed", _("dismissed")

    @classmethod
    def at_work(cls) -> tuple[RaterState, ...]:
        """States in which the rater gets items."""
        return cls.TRYING, cls.RATING

    @classmethod
    def counting(cls) -> tuple[RaterState, ...]:
        """States in which the rater's marks count."""
        return (cls.RATING,)


class Rater(models.Model):
    """A person's part in a campaign, known to others by `number`. `tried`: time of the decision."""

    campaign = models.ForeignKey(
        Campaign, on_delete=models.CASCADE, related_name="raters", db_index=False
    )
    user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="rater_in")
    number = models.PositiveIntegerField(_("number"))
    state = models.CharField(_("state"), max_length=10, choices=RaterState.choices)
    adjudicates = models.BooleanField(
        _("adjudicates"), default=False, help_text=_("Settles items on which other raters differ.")
    )
    tried = models.DateTimeField(_("trial ended"), null=True, blank=True)
    reason = models.TextField(
        _("reason"), blank=True, help_text=_("The reason for the staff's decision.")
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["campaign", "number"]
        verbose_name = _("rater")
        verbose_name_plural = _("raters")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["campaign", "user"], name="one_part_of_a_person"),
            models.UniqueConstraint(fields=["campaign", "number"], name="one_rater_of_a_number"),
        ]

    def __str__(self) -> str:
        return str(self.number)


class ItemQuerySet(models.QuerySet["Item"]):
    def known_to(self, user: Person) -> ItemQuerySet:
        """Items whose marks the person may see. Staff who may view ratings: all, but in campaigns
        in which they rate. Raters: the generations that they have rated or settle, but no known
        items.
        """
        if not user.is_authenticated:
            return self.none()
        over = Q(assignments__state="done") | Q(assignments__kind="third")
        saved = over & Q(assignments__rater__user=user, kind="generation")
        seen = Q(pk__in=self.model._default_manager.filter(saved).values("pk"))
        if staff_may(user, "annotation.view_rating"):
            parts = Rater.objects.filter(user=user).exclude(state=RaterState.DISMISSED)
            seen |= ~Q(campaign__in=parts.values("campaign"))
        return self.filter(seen)


class Item(models.Model):
    """A generation, or a text with known marks. Equal `likeness`: near-identical (likeness.py)."""

    class Kind(models.TextChoices):
        GENERATION = "generation", _("generation")
        KNOWN = "known", _("known answer")

    campaign = models.ForeignKey(
        Campaign, on_delete=models.CASCADE, related_name="items", db_index=False
    )
    kind = models.CharField(_("kind"), max_length=10, choices=Kind.choices)
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="rated_items")
    generation = models.ForeignKey(
        Generation, on_delete=models.PROTECT, null=True, blank=True, related_name="rated_items"
    )
    # The text of a known item. A generation has its own.
    text = ExactTextField(default="")
    likeness = models.PositiveIntegerField(default=0)

    objects = ItemQuerySet.as_manager()

    class Meta:
        verbose_name = _("item")
        verbose_name_plural = _("items")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["campaign", "generation"], name="one_item_of_a_generation"
            ),
            models.CheckConstraint(
                condition=Q(kind="generation", generation__isnull=False)
                | Q(kind="known", generation__isnull=True),
                name="generations_are_items_of_their_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.campaign_id}/{self.pk}"

    @property
    def shown(self) -> str:
        return self.generation.text if self.generation else self.text
