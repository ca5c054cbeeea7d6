"""Evaluations: their progress and their verdicts. States: docs/contributors/states.md."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from evaluation.engine import records
from leaderboard.accounts.models import User
from leaderboard.benchmarks.models import PROJECT_CHARACTERS, Task
from leaderboard.fields import ExactJSONField, ExactTextField
from leaderboard.leases import Leased
from leaderboard.messages import WORKER_SILENT, MessageField, in_readers_language
from leaderboard.submissions.models import Generation, Submission

# Length of the text that says what a project's image was made from.
BASE_CHARACTERS = 400

STATUSES = [(status.value, status.value) for status in records.Status]
TIERS = [
    (records.Tier.OUTSIDE.value, _("decided out of the program's reach")),
    (records.Tier.SHARED.value, _("decided within the program's reach")),
]


class EvaluationState(models.TextChoices):
    JUDGING = "judging", _("judging")
    SCORING = "scoring", _("being scored")
    DONE = "done", _("done")
    REFUSED = "refused", _("refused")
    CANCELLED = "cancelled", _("cancelled")

    @classmethod
    def moving(cls) -> "tuple[EvaluationState, ...]":
        """States in which the site has something to do."""
        return cls.JUDGING, cls.SCORING

    @classmethod
    def scored(cls) -> "tuple[EvaluationState, ...]":
        """REFUSED: no scores, because the verdicts contradict the transcripts."""
        return cls.DONE, cls.REFUSED


class Evaluation(Leased):
    """A submission judged by one engine version, with one image and one set of limits. The lease is
    for scoring. The submission's current evaluation is the newest that is done, or else the
    newest."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="evaluations")
    current = models.BooleanField(_("current"), default=True)
    state = models.CharField(
        _("state"), max_length=12, choices=EvaluationState.choices, default=EvaluationState.JUDGING
    )
    engine_version = models.CharField(max_length=40)
    # The reference of the sandbox image, which names its recipe; set by the first chunk's claim.
    # For generations inside projects: the bases of the projects' images, set by scoring.
    image = models.CharField(max_length=2000, blank=True)
    limits = models.JSONField(default=dict)
    created = models.DateTimeField(_("queued"), auto_now_add=True)
    started = models.DateTimeField(_("started"), null=True, blank=True)
    finished = models.DateTimeField(_("finished"), null=True, blank=True)
    # Time at which every chunk had ended for the first time.
    judging_ended = models.DateTimeField(null=True, blank=True, editable=False)
    # Scores must be computed again before a board may show them: the set of tasks has changed, or
    # a pass no longer counts.
    outdated = models.BooleanField(default=False, editable=False)
    # A sentence for people if scoring failed because of us.
    cause = MessageField(blank=True, editable=False)
    # Only for a refused evaluation: the departures of its transcripts from the rules, according to
    # our verdicts, as [[a task's primary key, a sentence], ...], and the number of further tasks
    # with departures.
    departures = MessageField(default=list, blank=True, editable=False)
    more_departures = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        ordering: ClassVar = ["-created"]
        verbose_name = _("evaluation")
        verbose_name_plural = _("evaluations")
        indexes: ClassVar = [models.Index(fields=["state"])]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["submission"],
                condition=Q(current=True),
                name="one_current_evaluation_of_a_submission",
            )
        ]

    def __str__(self) -> str:
        return f"{self.submission} #{self.pk}"


class ChunkState(models.TextChoices):
    WAITING = "waiting", _("waiting")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    LOST = "lost", _("lost, to be retried")
    CANCELLED = "cancelled", _("cancelled")

    @classmethod
    def moving(cls) -> "tuple[ChunkState, ...]":
        return cls.WAITING, cls.RUNNING


class Chunk(Leased):
    """A part of an evaluation, about half a minute of work for one sandbox. With a project, it has
    only the generations of the project's tasks in its range."""

    evaluation = models.ForeignKey(
        Evaluation, on_delete=models.CASCADE, related_name="chunks", db_index=False
    )
    number = models.PositiveIntegerField()
    queue = models.CharField(max_length=20)
    # Primary keys of generations of the submission, both ends included.
    first_generation = models.BigIntegerField()
    last_generation = models.BigIntegerField()
    project = models.CharField(_("project"), max_length=PROJECT_CHARACTERS, blank=True)
    # Number of generations, and of those with a verdict on the tests that the setting implies.
    size = models.PositiveIntegerField(_("generations"))
    judged = models.PositiveIntegerField(default=0)
    # Number of generations, each counted once per test set.
    runs = models.PositiveIntegerField(_("runs"))
    state = models.CharField(
        _("state"), max_length=12, choices=ChunkState.choices, default=ChunkState.WAITING
    )
    # Consecutive machinery failures, and the earliest time of the next try.
    tries = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField(null=True, blank=True)
    cause = MessageField(blank=True, help_text=_("Why it was returned to the queue."))
    given_back = models.DateTimeField(null=True, blank=True)
    image_digest = models.CharField(max_length=100, blank=True)
    # The base of the project's image on that host.
    base = models.CharField(max_length=BASE_CHARACTERS, blank=True)
    host = models.CharField(max_length=120, blank=True)
    # While its run waits for its host's slots: {"said": the message, "shares": those that hold
    # slots, for staff}.
    wait = MessageField(null=True, blank=True, editable=False)
    started = models.DateTimeField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)
    # Start of the last claim, and the total time that workers spent on the chunk until that claim
    # ended.
    claimed = models.DateTimeField(null=True, blank=True, editable=False)
    worked = models.DurationField(null=True, blank=True, editable=False)

    class Meta:
        ordering: ClassVar = ["evaluation", "number"]
        verbose_name = _("chunk")
        verbose_name_plural = _("chunks")
        indexes: ClassVar = [models.Index(fields=["state", "queue"])]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["evaluation", "number"], name="one_chunk_of_a_number")
        ]

    def __str__(self) -> str:
        return f"{self.evaluation_id}/{self.number}"

    @property
    def is_returned(self) -> bool:
        """It is tried again after its worker stopped or the machinery failed."""
        return self.given_back is not None and self.state in ChunkState.moving()

    @property
    def why(self) -> str:
        """Why it was given back or lost, for readers. A silent worker leaves no cause."""
        return in_readers_language(self.cause or WORKER_SILENT())


class Forecast(models.Model):
    """A forecast of the seconds until the end of judging, made in a phase of the evaluation
    (`evaluation.state.forecast.phase_of`). Recent ones show how far forecasts are off."""

    evaluation = models.ForeignKey(
        Evaluation, on_delete=models.CASCADE, related_name="forecasts", db_index=False
    )
    phase = models.PositiveSmallIntegerField()
    queue = models.CharField(max_length=20)
    made = models.DateTimeField()
    seconds = models.FloatField()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["queue", "phase"])]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["evaluation", "phase"], name="one_forecast_of_a_phase")
        ]

    def __str__(self) -> str:
        return f"{self.evaluation_id}: {self.phase}"


class VerdictQuerySet(models.QuerySet["Verdict"]):
    def of_generations(self) -> "VerdictQuerySet":
        """One verdict per generation: its own run on the tests that the setting implies."""
        return self.filter(test_set="")

    def shared_passes(self) -> "VerdictQuerySet":
        """Passes that were not decided out of the candidate's reach, without suspect ones, which
        wait elsewhere."""
        return self.of_generations().filter(
            ~Q(integrity=records.Integrity.SUSPECT.value),
            tier=records.Tier.SHARED.value,
            status=records.Status.PASSED.value,
        )


class Verdict(models.Model):
    evaluation = models.ForeignKey(
        Evaluation, on_delete=models.CASCADE, related_name="verdicts", db_index=False
    )
    generation = models.ForeignKey(Generation, on_delete=models.CASCADE, related_name="verdicts")
    test_set = models.CharField(max_length=120, blank=True)
    status = models.CharField(_("status"), max_length=16, choices=STATUSES)
    integrity = models.CharField(
        _("integrity"),
        max_length=12,
        choices=[(value.value, value.value) for value in records.Integrity],
        default=records.Integrity.CLEAN.value,
    )
    tier = models.CharField(
        _("tier"), max_length=8, choices=TIERS, default=records.Tier.SHARED.value
    )
    tests_passed = models.PositiveIntegerField(null=True, blank=True)
    tests_total = models.PositiveIntegerField(null=True, blank=True)
    duration_ms = models.PositiveIntegerField(null=True, blank=True)
    control_ms = models.PositiveIntegerField(null=True, blank=True)
    peak_memory_kib = models.PositiveIntegerField(null=True, blank=True)
    flags = models.JSONField(default=list, blank=True)
    # Evidence against a suspect pass, for staff.
    evidence = ExactTextField(default="")
    # By kind, [used, all] of the project's names that the reference solution uses.
    dependencies = models.JSONField(null=True, blank=True)

    objects = VerdictQuerySet.as_manager()

    class Meta:
        verbose_name = _("verdict")
        verbose_name_plural = _("verdicts")
        indexes: ClassVar = [
            models.Index(fields=["evaluation", "status"]),
            # For the review desk.
            models.Index(
                fields=["evaluation"],
                condition=Q(tier="shared", status="passed", test_set=""),
                name="shared_passes",
            ),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["evaluation", "generation", "test_set"], name="one_verdict_of_a_generation"
            )
        ]

    def __str__(self) -> str:
        return f"{self.generation_id}: {self.status}"

    @property
    def counts(self) -> bool:
        return records.counts(self.status, self.integrity)


class Review(models.Model):
    """Staff's decision on a shared pass, or on one that was `suspect`. Its team reads the reason of
    one that does not count."""

    verdict = models.OneToOneField(
        Verdict, on_delete=models.CASCADE, primary_key=True, related_name="review"
    )
    fine = models.BooleanField(_("fine"))
    suspect = models.BooleanField(_("was suspect"), default=False)
    reason = models.TextField(_("reason"), blank=True)
    by = models.ForeignKey(User, verbose_name=_("by"), on_delete=models.SET_NULL, null=True)
    at = models.DateTimeField(_("time"), auto_now=True)

    class Meta:
        verbose_name = _("review of a pass")
        verbose_name_plural = _("reviews of passes")

    def __str__(self) -> str:
        return str(self.verdict)


class VerdictOutput(models.Model):
    """At most 4 KiB of a generation's output, until it expires."""

    # Past its day, unless everyone reads the generations.
    EXPIRED: ClassVar = Q(expires__lte=Now()) & (
        Q(verdict__evaluation__submission__consent=None)
        | Q(verdict__evaluation__submission__revision__benchmark__shows_output=False)
    )

    verdict = models.OneToOneField(
        Verdict, on_delete=models.CASCADE, primary_key=True, related_name="excerpt"
    )
    text = ExactTextField()
    expires = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return str(self.verdict_id)


class Recheck(Leased):
    """The second judgement of a chunk. It waits until it is `finished`, unless it is leased. The
    first verdicts stay; `differences` has [[generation, test set, status, integrity], ...] of the
    second ones that differ."""

    chunk = models.OneToOneField(
        Chunk, on_delete=models.CASCADE, primary_key=True, related_name="recheck"
    )
    # Claims that ended with a failure of the machinery, or have not ended.
    tries = models.PositiveSmallIntegerField(default=0)
    cause = MessageField(blank=True)
    host = models.CharField(_("host"), max_length=120, blank=True)
    finished = models.DateTimeField(null=True, blank=True, db_index=True)
    differences = models.JSONField(default=list, blank=True)

    class Meta:
        verbose_name = _("recheck of a chunk")
        verbose_name_plural = _("rechecks of chunks")

    def __str__(self) -> str:
        return str(self.chunk)


class RecheckedTask(models.Model):
    """Counts of a task, which outlive its evaluations: the chunks with it that were drawn for a
    recheck, the verdicts that were given twice, and those of them that differ."""

    task = models.ForeignKey(
        Task,
        verbose_name=_("task"),
        on_delete=models.CASCADE,
        related_name="rechecked",
        db_index=False,  # the constraint has an index that begins with it
    )
    engine_version = models.CharField(max_length=40)
    drawn = models.PositiveIntegerField(_("chunks drawn"), default=0)
    judged = models.PositiveIntegerField(_("verdicts given twice"), default=0)
    differing = models.PositiveIntegerField(_("verdicts that differ"), default=0)

    class Meta:
        verbose_name = _("rechecked task")
        verbose_name_plural = _("rechecked tasks")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["task", "engine_version"], name="one_row_of_a_rechecked_task"
            )
        ]

    def __str__(self) -> str:
        return f"{self.task}: {self.differing}/{self.judged}"


class ReferenceVerdict(models.Model):
    """The result of a benchmark's own program on a task, per build of the project's image and
    engine version. `base` is what the image was made from, `remains` the copies of the answer that
    it still holds. An `unsound` reference that was run on a requirement's tests applies to that
    requirement only."""

    task = models.ForeignKey(
        Task,
        verbose_name=_("task"),
        on_delete=models.CASCADE,
        related_name="references",
        db_index=False,
    )
    name = models.CharField(_("name"), max_length=120)
    # Empty if the image could not be built.
    image_digest = models.CharField(max_length=100, blank=True)
    engine_version = models.CharField(max_length=40)
    status = models.CharField(_("status"), max_length=16, choices=STATUSES)
    tests_passed = models.PositiveIntegerField(_("tests passed"))
    tests_total = models.PositiveIntegerField(_("tests"))
    duration_ms = models.PositiveIntegerField()
    cpu_seconds = models.FloatField()
    unsound = models.TextField(_("why it is unsound"), blank=True)
    base = models.CharField(_("made from"), max_length=BASE_CHARACTERS, blank=True)
    remains = models.JSONField(_("copies of the answer"), default=list, blank=True)
    seen = models.DateTimeField(_("last seen"), auto_now=True)

    class Meta:
        verbose_name = _("reference verdict")
        verbose_name_plural = _("reference verdicts")
        indexes: ClassVar = [models.Index(fields=["engine_version", "task"])]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["task", "name", "image_digest", "engine_version"],
                name="one_verdict_of_a_reference",
            )
        ]

    def __str__(self) -> str:
        return f"{self.task}: {self.name}"

    @property
    def part(self) -> str:
        """The requirement that it applies to, or "" for the whole task."""
        return self.name.partition(":")[2]

    @property
    def is_control(self) -> bool:
        """True for the reference solution with tests made to fail: none of them may pass."""
        return self.name.partition(":")[0] == "control"


class ReferenceHidden(models.Model):
    """The part of a reference's verdict that entrants must not see: test names and output."""

    reference = models.OneToOneField(
        ReferenceVerdict, on_delete=models.CASCADE, primary_key=True, related_name="hidden_facts"
    )
    passed = ExactJSONField()
    facts = ExactJSONField()
    output = ExactTextField(default="")

    def __str__(self) -> str:
        return str(self.reference_id)


class ProjectTimes(models.Model):
    """The dry run of a prepared project on the host that measured it first: all hosts derive the
    limits of runs from it. Seconds."""

    key = models.CharField(max_length=64, primary_key=True)
    project = models.CharField(_("project"), max_length=PROJECT_CHARACTERS)
    cpu_seconds = models.FloatField()
    wall_seconds = models.FloatField()
    pause_seconds = models.FloatField()

    class Meta:
        verbose_name = _("times of a project")
        verbose_name_plural = _("times of projects")

    def __str__(self) -> str:
        return self.project


class ProjectBuild(models.Model):
    """The build of a project that all hosts pull from the operator's registry: the first one that
    a host pushed. `record` is the host's record of it (`preparation.store`)."""

    key = models.CharField(max_length=64, primary_key=True)
    project = models.CharField(_("project"), max_length=PROJECT_CHARACTERS)
    digest = models.CharField(_("digest"), max_length=100)
    pushed = models.DateTimeField(_("pushed"), auto_now_add=True)
    record = ExactJSONField(editable=False)

    class Meta:
        verbose_name = _("build of a project")
        verbose_name_plural = _("builds of projects")

    def __str__(self) -> str:
        return self.project


class Worker(models.Model):
    name = models.CharField(_("name"), max_length=120, unique=True)
    host = models.CharField(_("host"), max_length=120)
    queues = models.JSONField(_("queues"), default=list)
    started = models.DateTimeField(_("started"))
    seen = models.DateTimeField(_("last seen"), db_index=True)
    # The host's slots at the last heartbeat: {"count": all, "used": held ones, "shares": names of
    # the holders, for staff}.
    slots = ExactJSONField(null=True, blank=True, editable=False)

    class Meta:
        ordering: ClassVar = ["host", "name"]
        verbose_name = _("worker")
        verbose_name_plural = _("workers")

    def __str__(self) -> str:
        return self.name
