"""Results of evaluations by task, scores, and the order on a board, all derived from verdicts."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import CASCADE, F, Q, QuerySet, UniqueConstraint
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from evaluation.engine.registry import result_metric
from evaluation.models import Evaluation
from leaderboard.accounts.models import Person
from leaderboard.benchmarks.models import Revision, Task
from leaderboard.fields import NO_TURN
from leaderboard.leases import Leased
from leaderboard.messages import MessageField, in_readers_language, setting_named
from leaderboard.submissions.models import Submission, Visibility, random_id, visibility_filter

_Row = TypeVar("_Row", bound=models.Model)


class Newest(models.Manager[_Row]):
    """Excludes rows that were replaced and are kept for a board."""

    def get_queryset(self) -> QuerySet[_Row]:
        return super().get_queryset().filter(replaced=False)


class Scored(models.Model):
    """Rows that are written when an evaluation is scored. If it is scored again, the rows that a
    board shows are kept until that board is remade."""

    replaced = models.BooleanField(default=False, editable=False)

    class Meta:
        abstract = True


class TaskResult(Scored):
    """The contribution of one slot of a task: `c` of `n` samples are correct, `open` unsettled;
    metrics that are not counts have a `value` instead."""

    evaluation = models.ForeignKey(Evaluation, CASCADE, related_name="task_results", db_index=False)
    task = models.ForeignKey(Task, CASCADE, related_name="results")
    metric = models.CharField(max_length=40)
    category = models.CharField(max_length=120, blank=True)
    turn = models.SmallIntegerField(default=NO_TURN)
    n = models.PositiveIntegerField()
    c = models.PositiveIntegerField()
    open = models.PositiveIntegerField(default=0)
    value = models.FloatField(null=True, blank=True)
    overall = models.BooleanField(default=True)
    # The value of each of several samples, null if it is open.
    samples = models.JSONField(default=list, editable=False)

    objects = Newest["TaskResult"]()
    with_replaced = models.Manager["TaskResult"]()

    class Meta:
        verbose_name = _("task result")
        verbose_name_plural = _("task results")
        constraints: ClassVar = [
            UniqueConstraint(
                fields=["evaluation", "task", "metric", "category", "turn", "replaced"],
                name="one_result_of_a_slot",
            )
        ]

    def __str__(self) -> str:
        return f"{self.task_id}: {self.c}/{self.n}"


class Score(Scored):
    """A metric over one slice of an evaluation, with its 95 % interval over clusters.

    `value` is None if it is undefined (see `note`) or not settled (then `least` and `most` bound
    its final value). `is_count`: a number, not a share of 1. `top`: a mean mark m on a scale from 1
    to `top`, stored as (m - 1) / (top - 1). `of_references`: of the benchmark's own programs.
    """

    evaluation = models.ForeignKey(Evaluation, CASCADE, related_name="scores", db_index=False)
    metric = models.CharField(max_length=40)
    slice = models.CharField(max_length=40, default="overall")
    slice_value = models.CharField(max_length=120, blank=True)
    value = models.FloatField(null=True, blank=True)
    low = models.FloatField(null=True, blank=True)
    high = models.FloatField(null=True, blank=True)
    least = models.FloatField(null=True, blank=True)
    most = models.FloatField(null=True, blank=True)
    n = models.PositiveIntegerField()
    tasks = models.PositiveIntegerField()
    note = MessageField(blank=True)
    is_count = models.BooleanField(default=False)
    lower_is_better = models.BooleanField(default=False)
    # The two parts of the standard error, see evaluation.engine.metrics.intervals.ErrorParts.
    error_tasks = models.FloatField(null=True, blank=True)
    error_runs = models.FloatField(null=True, blank=True)
    # The turns on which there was something to measure, of n.
    defined = models.PositiveIntegerField(null=True, blank=True)
    # A variant of another metric is shown with the details, but not as a column of boards.
    is_variant = models.BooleanField(default=False)
    top = models.PositiveSmallIntegerField(null=True, blank=True)
    of_references = models.BooleanField(default=False)
    # The raters of an overall mean mark: evaluation.engine.metrics.raters.Raters, as a dictionary.
    # Names persons, so no page shows it.
    raters = models.JSONField(null=True, editable=False)

    objects = Newest["Score"]()
    with_replaced = models.Manager["Score"]()

    class Meta:
        verbose_name = _("score")
        verbose_name_plural = _("scores")
        constraints: ClassVar = [
            UniqueConstraint(
                fields=["evaluation", "metric", "slice", "slice_value", "replaced"],
                name="one_score_of_a_slice",
            )
        ]

    def __str__(self) -> str:
        return f"{self.metric} {self.slice_value}: {self.value}"


class Board(Leased):
    """The published results of a revision in one setting, put in order. Every change raises
    `wanted`; `made` is its value when the order was last computed, under the lease."""

    revision = models.ForeignKey(Revision, CASCADE, related_name="boards", db_index=False)
    setting = models.CharField(max_length=40)
    metric = models.CharField(max_length=40)
    wanted = models.PositiveIntegerField(default=0)
    made = models.PositiveIntegerField(default=0)
    made_at = models.DateTimeField(null=True, blank=True)
    # For the page's sentences: the tasks compared, their clusters, the leader's adjusted p against
    # each row below, the difference that is shown with 80 % power, by place the signs of
    # memorisation (metrics.memorisation.Sign), and the engine that computed it: {"tasks": 802,
    # "clusters": 95, "cluster": "repository", "test": "swaps", "p": [0.21, 0.12, ...],
    # "detectable": 0.08, "overlaps": [{...}, null, ...], "ages": [...], "engine": "0.3.0"}.
    facts = models.JSONField(default=dict)
    # The swap tests of its pairs, as evaluation.engine.metrics.swaps packs them.
    swaps = models.BinaryField(default=bytes, editable=False)
    # The adjusted p of its pairs, as leaderboard.scores.pairs packs them.
    pairs = models.BinaryField(default=bytes, editable=False)

    class Meta:
        verbose_name = _("board")
        verbose_name_plural = _("boards")
        constraints: ClassVar = [
            UniqueConstraint(fields=["revision", "setting"], name="one_board_of_a_setting")
        ]

    def __str__(self) -> str:
        return f"{self.revision} {in_readers_language(setting_named(self.setting))}"

    @property
    def result_metric(self) -> str:
        return result_metric(self.metric)


class StandingQuerySet(models.QuerySet["Standing"]):
    def visible_to(self, user: Person) -> Self:
        """The rows of published submissions that the person may see. Uses joins: a subquery over
        submissions takes the database as long as the rest of a page."""
        published = self.filter(submission__visibility=Visibility.PUBLISHED)
        return published.filter(
            visibility_filter(user, "submission__", "board__revision__benchmark__")
        )


class Standing(models.Model):
    """An entrant's newest published result. `place` is None if it is not settled: no rank.

    `replaced`: the row shows results that were replaced since. `has_results` is false while the
    submission's results do not fit the board, until they are scored again. The passes that count,
    by the tier in which they were decided, are None if people judge.
    """

    board = models.ForeignKey(Board, CASCADE, related_name="standings", db_index=False)
    submission = models.ForeignKey(Submission, CASCADE, related_name="standings")
    evaluation = models.ForeignKey(Evaluation, CASCADE, related_name="standings")
    place = models.PositiveIntegerField(null=True)
    rank_low = models.PositiveIntegerField(null=True)
    rank_high = models.PositiveIntegerField(null=True)
    # Numbers of the groups of indistinguishable entrants that this row belongs to.
    groups = models.JSONField(default=list)
    replaced = models.BooleanField(default=False, editable=False)
    has_results = models.BooleanField(default=True, editable=False)
    passes_outside = models.PositiveIntegerField(null=True, editable=False)
    passes_shared = models.PositiveIntegerField(null=True, editable=False)

    objects = StandingQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["board", models.F("place").asc(nulls_last=True), "pk"]
        verbose_name = _("standing")
        verbose_name_plural = _("standings")
        constraints: ClassVar = [
            UniqueConstraint(fields=["board", "submission"], name="one_row_of_a_submission"),
            UniqueConstraint(
                fields=["board", "place"],
                condition=Q(place__isnull=False),
                name="one_row_of_a_place",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.board}: {self.place}"


class TaskStatistics(models.Model):
    """How the ranked entrants of a board do on a task; the fields are those of
    evaluation.engine.metrics.items.Item. Made with the board."""

    board = models.ForeignKey(Board, CASCADE, related_name="task_statistics", db_index=False)
    task = models.ForeignKey(Task, CASCADE, related_name="statistics")
    n = models.PositiveIntegerField(_("entrants"))
    rate = models.FloatField(_("solve rate"))
    discrimination = models.FloatField(_("discrimination"), null=True)
    flagged = models.BooleanField(_("weaker entrants solve it more often"))
    slope = models.FloatField(_("slope"), null=True)
    difficulty = models.FloatField(_("difficulty"), null=True)

    class Meta:
        verbose_name = _("statistics of a task")
        verbose_name_plural = _("statistics of tasks")
        constraints: ClassVar = [
            UniqueConstraint(fields=["board", "task"], name="one_row_of_statistics_of_a_task")
        ]

    def __str__(self) -> str:
        return f"{self.board}: {self.task}"


def statistics_to_review() -> QuerySet[TaskStatistics]:
    """Statistics of current revisions' tasks that count."""
    return TaskStatistics.objects.filter(
        flagged=True, task__exclusion=None, board__revision=F("board__revision__benchmark__current")
    )


class Edition(models.Model):
    """The order that a board had when it was made, kept when it is made again. `public_id` names it
    in addresses. `changes` say what scoring again has changed since the edition before: {}, or some
    of {"engine": [from, to], "metrics": [from, to], "tasks": [[primary key, kind, entrants], ...]}
    with "rows", as they were: [[submission, value, rank_low, rank_high], ...]. The kinds are those
    of `scores.changes`."""

    public_id = models.CharField(max_length=22, unique=True, default=random_id, editable=False)
    board = models.ForeignKey(Board, CASCADE, related_name="editions", db_index=False)
    metric = models.CharField(max_length=40)
    engine = models.CharField(max_length=40)
    # The version of the metrics; "" in editions that are older than this version number.
    metrics = models.CharField(max_length=40, default="")
    made_at = models.DateTimeField()
    # The number of ranked entrants.
    ranked = models.PositiveIntegerField()
    changes = models.JSONField(default=dict, blank=True)
    # It has no rows any more; its address shows the next edition of its metric that has.
    thinned = models.BooleanField(default=False, editable=False)

    class Meta:
        ordering: ClassVar = ["board", "-made_at", "-pk"]
        verbose_name = _("edition")
        verbose_name_plural = _("editions")
        indexes: ClassVar = [models.Index(fields=["board", "made_at"])]

    def __str__(self) -> str:
        return f"{self.board}: {self.made_at:%Y-%m-%d}"

    def get_absolute_url(self) -> str:
        slug = self.board.revision.benchmark.slug
        return reverse("edition", args=[slug, self.public_id])


class EditionRow(models.Model):
    """A ranked row of an edition: places as in Standing, score and interval as in Score."""

    edition = models.ForeignKey(Edition, CASCADE, related_name="rows", db_index=False)
    submission = models.ForeignKey(Submission, CASCADE, related_name="edition_rows")
    rank_low = models.PositiveIntegerField()
    rank_high = models.PositiveIntegerField()
    value = models.FloatField()
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)

    class Meta:
        verbose_name = _("row of an edition")
        verbose_name_plural = _("rows of editions")
        constraints: ClassVar = [
            UniqueConstraint(
                fields=["edition", "submission"], name="one_edition_row_of_a_submission"
            )
        ]

    def __str__(self) -> str:
        return f"{self.edition}: {self.rank_low}-{self.rank_high}"


class ReceiptQuerySet(models.QuerySet["Receipt"]):
    def readable(self) -> Self:
        """Without those whose files tell how many tests passed that are hidden now."""
        hidden = {"submission__revision__benchmark__shows_output": False}
        return self.exclude(tells_of_tests=True, **hidden)

    def valid(self) -> Self:
        """The receipts of what everyone may see now, one of each result."""
        return self.readable().filter(
            visibility_filter(AnonymousUser(), "submission__", "submission__revision__benchmark__"),
            superseded=None,
        )


class Receipt(models.Model):
    """A signed statement on a published result (receipts.py). `digest` is the SHA-256 of the
    statement, `envelope` has it with its signature, and `verdicts` is the file that it names,
    gzipped. `evaluation` and `attempt` say which scoring was signed."""

    submission = models.ForeignKey(Submission, CASCADE, related_name="receipts")
    evaluation = models.ForeignKey(
        Evaluation, on_delete=models.SET_NULL, null=True, related_name="receipts"
    )
    attempt = models.PositiveIntegerField()
    digest = models.CharField(max_length=64, unique=True)
    envelope = models.JSONField()
    verdicts = models.BinaryField()
    # The file has results by task in metrics of tests, which are public only with the tests.
    tells_of_tests = models.BooleanField()
    made = models.DateTimeField()
    superseded = models.DateTimeField(null=True)

    objects = ReceiptQuerySet.as_manager()

    class Meta:
        verbose_name = _("receipt")
        verbose_name_plural = _("receipts")
        constraints: ClassVar = [
            UniqueConstraint(
                fields=["submission"],
                condition=Q(superseded=None),
                name="one_valid_receipt_of_a_submission",
            )
        ]

    def __str__(self) -> str:
        return self.digest


class ReceiptKey(models.Model):
    """The public part, in hexadecimal, of an Ed25519 key that signs or signed receipts."""

    keyid = models.CharField(max_length=64, unique=True)
    public = models.CharField(max_length=64)
    since = models.DateTimeField(auto_now_add=True)
    until = models.DateTimeField(null=True)

    class Meta:
        ordering: ClassVar = ["since", "pk"]
        verbose_name = _("key of receipts")
        verbose_name_plural = _("keys of receipts")

    def __str__(self) -> str:
        return self.keyid

    @property
    def described(self) -> dict[str, Any]:
        """As securesystemslib reads it."""
        return {"keytype": "ed25519", "scheme": "ed25519", "keyval": {"public": self.public}}


def shown_in(
    rows: QuerySet[_Row], standings: QuerySet[Standing] | Sequence[Standing] | Sequence[int]
) -> QuerySet[_Row]:
    """The results or scores, replaced ones included, that the standings (or their keys) show."""
    if isinstance(standings, QuerySet):
        standings = standings.order_by()
    return rows.filter(
        evaluation__standings__in=standings,
        evaluation__standings__has_results=True,
        replaced=F("evaluation__standings__replaced"),
    )
