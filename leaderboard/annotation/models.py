"""Campaigns of human rating, with their raters, items and changes; marks, every change of them, and
the results of marks. States and recovery: docs/contributors/states.md."""

from typing import ClassVar, Self

from django.core.serializers.json import DjangoJSONEncoder
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from evaluation.engine import registry
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import ByPeople, Criterion, Practice
from leaderboard.accounts.models import Person, User, staff_may
from leaderboard.benchmarks.models import Revision, Task
from leaderboard.fields import ExactJSONField, ExactTextField
from leaderboard.leases import Leased
from leaderboard.submissions.models import Generation, Submission

CRITERION_CHARACTERS = 40


class CampaignState(models.TextChoices):
    PREPARING = "preparing", _("being prepared")
    OPEN = "open", _("open for rating")
    CLOSED = "closed", _("closed")

    @classmethod
    def staffable(cls) -> "tuple[CampaignState, ...]":
        """States in which raters and generations may be added."""
        return cls.PREPARING, cls.OPEN


class Trial(models.TextChoices):
    BEFORE = "before", _("before all others")
    AMONG = "among", _("among the others")


class Campaign(models.Model):
    """Generations of one revision that people rate by one family's criteria.

    A mean is published with at least `fewest_ratings` marks and an alpha whose interval begins at
    `least_agreement` or above.
    `wanted` rises with every change; `made` is its value when the results were computed."""

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
    def is_staffable(self) -> bool:
        return self.state in CampaignState.staffable()

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
            reason = f"{self.family_slug} is judged by running programs, so it has no scales."
            raise BenchmarkError(reason)
        return judged


class ResultSource(models.Model):
    """The campaign, by the benchmark's own scales, that gives a submission's results: the first one
    that was open with it, until staff choose another."""

    submission = models.OneToOneField(
        Submission, on_delete=models.CASCADE, primary_key=True, related_name="result_source"
    )
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="sources")


class CampaignChange(models.Model):
    """One changed term, one submission added or removed, or the campaign's choice. Append-only.
    `name` is the term's column or the submission's number; `old` and `new` are JSON values, or
    numbers of generations in the campaign."""

    class Kind(models.TextChoices):
        TERM = "term", _("a term")
        CHOSEN = "chosen", _("its marks count")
        ADDED = "added", _("a submission added")
        REMOVED = "removed", _("a submission taken out")

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="changes")
    kind = models.CharField(_("what"), max_length=10, choices=Kind.choices)
    name = models.CharField(max_length=40)
    old = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    new = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    reason = models.TextField(_("reason"), blank=True)
    created = models.DateTimeField(_("when"), auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-pk"]
        verbose_name = _("change of a campaign")
        verbose_name_plural = _("changes of campaigns")


class RaterState(models.TextChoices):
    TRYING = "trying", _("on trial")
    RATING = "rating", _("active")
    REFUSED = "refused", _("too far from the known answers")
    DISMISSED = "dismissed", _("dismissed")

    @classmethod
    def at_work(cls) -> "tuple[RaterState, ...]":
        """States in which the rater gets items."""
        return cls.TRYING, cls.RATING

    @classmethod
    def counting(cls) -> "tuple[RaterState, ...]":
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
    def known_to(self, user: Person) -> Self:
        """Items whose marks the person may see. Staff who may view ratings see all marks, except in
        campaigns in which they rate. Raters see those of the generations that they have rated or
        settle, and of no known item."""
        if not user.is_authenticated:
            return self.none()
        over = Q(assignments__state="done") | Q(assignments__kind="third")
        saved = over & Q(assignments__rater__user=user, kind="generation")
        visible = Q(pk__in=self.model._default_manager.filter(saved).values("pk"))
        if staff_may(user, "annotation.view_rating"):
            parts = Rater.objects.filter(user=user).exclude(state=RaterState.DISMISSED)
            visible |= ~Q(campaign__in=parts.values("campaign"))
        return self.filter(visible)


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


class AssignmentState(models.TextChoices):
    RATING = "rating", _("being rated")
    DONE = "done", _("rated")
    SKIPPED = "skipped", _("skipped")

    @classmethod
    def over(cls) -> "tuple[AssignmentState, ...]":
        """States in which the item is not assigned to its rater again."""
        return cls.DONE, cls.SKIPPED


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def alone(self) -> Self:
        """Assignments of raters whose marks count and who rate independently."""
        return self.filter(kind=Assignment.Kind.ALONE, rater__state__in=RaterState.counting())

    def taking_a_place(self) -> Self:
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
    def counting(self) -> Self:
        """Marks of generations, by raters whose marks count. Results use these."""
        return self.filter(
            assignment__rater__state__in=RaterState.counting(),
            assignment__item__kind=Item.Kind.GENERATION,
        )

    def visible_to(self, user: Person) -> Self:
        """The person's marks and those of `ItemQuerySet.known_to`. Pages read marks only here."""
        if not user.is_authenticated:
            return self.none()
        by_person = Q(assignment__rater__user=user)
        return self.filter(by_person | Q(assignment__item__in=Item.objects.known_to(user)))


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
    score is provisional. `missing` generations count as mark 1, `open` ones have no rating."""

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
