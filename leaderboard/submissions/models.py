from typing import ClassVar, Self
from urllib.parse import urlencode

from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.utils.translation import gettext_lazy as _

from evaluation.engine import records
from leaderboard.accounts.models import Entrant, Person, Team, User, staff_may, teams_of
from leaderboard.benchmarks.models import Benchmark, Revision, Task
from leaderboard.fields import NO_TURN, ExactJSONField, ExactTextField, turn_of
from leaderboard.leases import Leased
from leaderboard.messages import MessageField

MEMBER_CHARACTERS = 200


def random_id() -> str:
    """22 letters and digits, which nobody guesses: 131 bits. None starts with "-", so the client's
    command line takes no id for an option."""
    return get_random_string(22)


class UploadState(models.TextChoices):
    """States from a file to a submission; docs/contributors/states.md lists who moves them."""

    RECEIVED = "received", _("waiting to be checked")
    CHECKING = "checking", _("being checked")
    REFUSED = "refused", _("refused")
    CHECKED = "checked", _("checked, not submitted yet")
    CONFIRMED = "confirmed", _("waiting to be stored")
    STORING = "storing", _("being stored")
    STORED = "stored", _("submitted")
    DISCARDED = "discarded", _("discarded")

    @classmethod
    def moving(cls) -> "tuple[UploadState, ...]":
        """States in which the site has something to do."""
        return cls.RECEIVED, cls.CHECKING, cls.CONFIRMED, cls.STORING

    @classmethod
    def submitted(cls) -> "tuple[UploadState, ...]":
        """States in which the file is to become a submission."""
        return cls.CONFIRMED, cls.STORING

    @classmethod
    def unused(cls) -> "tuple[UploadState, ...]":
        """States in which the file will not become a submission."""
        return cls.REFUSED, cls.DISCARDED


class UploadQuerySet(models.QuerySet["Upload"]):
    def visible_to(self, user: Person) -> Self:
        return self.filter(entrant__team__in=teams_of(user, "submissions.view_upload"))

    def editable_by(self, user: Person) -> Self:
        rights = "submissions.view_upload", "submissions.change_upload"
        return self.filter(entrant__team__in=teams_of(user, *rights))


class Upload(Leased):
    """A prediction file on its way to a submission. `public_id` names it in the API."""

    public_id = models.CharField(max_length=22, unique=True, default=random_id, editable=False)
    entrant = models.ForeignKey(Entrant, on_delete=models.CASCADE, related_name="uploads")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="uploads")
    setting = models.CharField(_("setting"), max_length=40)
    user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="uploads")
    # The uploads of one zip share the file.
    file = models.FileField(upload_to="%Y/%m/")
    name = models.CharField(_("file name"), max_length=200)
    size = models.BigIntegerField(_("bytes"))
    sha256 = models.CharField(max_length=64)
    # Of its generations, and the bytes that they take when they are stored; 0 until it is checked.
    generations_count = models.PositiveIntegerField(default=0, editable=False)
    generations_bytes = models.BigIntegerField(default=0, editable=False)
    state = models.CharField(
        _("state"), max_length=12, choices=UploadState.choices, default=UploadState.RECEIVED
    )
    # If a zip became several uploads: the first of them, and this upload's file in the zip.
    batch = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, editable=False, related_name="+"
    )
    member = models.CharField(
        _("file in the zip"), max_length=MEMBER_CHARACTERS, blank=True, editable=False
    )
    # In the first upload of a zip: other files without an upload, with reasons; see members.py.
    left_out = MessageField(null=True, editable=False)
    # Whether a run of this site asked for the answers. A file cannot claim this.
    asked_here = models.BooleanField(default=False, editable=False)
    # Whether it is discarded after its report, without being bound to a declared run.
    only_check = models.BooleanField(default=False, editable=False)
    # An engine.uploads.UploadReport; see intake.py.
    report = MessageField(null=True, blank=True, editable=False)
    # The cause of the last failure on our side, and the number of consecutive failures.
    cause = MessageField(blank=True, editable=False)
    tries = models.PositiveSmallIntegerField(default=0, editable=False)
    created = models.DateTimeField(_("received"), auto_now_add=True)
    expires = models.DateTimeField(_("the file is kept until"))

    objects = UploadQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-created"]
        verbose_name = _("upload")
        verbose_name_plural = _("uploads")
        indexes: ClassVar = [models.Index(fields=["state"])]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("upload", args=[self.pk])


class Visibility(models.TextChoices):
    PRIVATE = "private", _("private")
    PUBLISHED = "published", _("published")


def visibility_filter(
    user: Person, submission: str = "", benchmark: str = "revision__benchmark__"
) -> Q:
    """Submissions that the person may see. `submission` and `benchmark` are lookup prefixes, for
    queries of other models."""
    if staff_may(user, "submissions.view_submission"):
        return Q()
    listed = {f"{submission}visibility": Visibility.PUBLISHED, f"{benchmark}listed": True}
    if not user.is_authenticated:
        return Q(**listed)
    return Q(**listed) | Q(**{f"{submission}entrant__team__in": teams_of(user)})


class SubmissionQuerySet(models.QuerySet["Submission"]):
    def visible_to(self, user: Person) -> Self:
        """Published ones, and those of the person's teams; staff may see all. Exports use this."""
        return self.filter(visibility_filter(user))

    def editable_by(self, user: Person) -> Self:
        """Submissions that the person may cancel, publish and withdraw."""
        rights = "submissions.view_submission", "submissions.change_submission"
        return self.filter(entrant__team__in=teams_of(user, *rights))

    def readable_by(self, user: Person) -> Self:
        """Submissions whose texts the person may read."""
        rights = "submissions.view_submission", "submissions.view_generation"
        return self.filter(entrant__team__in=teams_of(user, *rights))


_SubmissionManager = models.Manager.from_queryset(SubmissionQuerySet)


class FinishedSubmissions(_SubmissionManager["Submission"]):
    """Excludes submissions whose generations are still being stored."""

    def get_queryset(self) -> "models.QuerySet[Submission]":
        return super().get_queryset().filter(storing=None)


class Submission(models.Model):
    """An entrant's generations for one revision in one setting. `public_id` names it in the API."""

    public_id = models.CharField(max_length=22, unique=True, default=random_id, editable=False)
    upload = models.ForeignKey(
        Upload, on_delete=models.SET_NULL, null=True, related_name="submissions"
    )
    entrant = models.ForeignKey(Entrant, on_delete=models.CASCADE, related_name="submissions")
    revision = models.ForeignKey(
        Revision, on_delete=models.PROTECT, related_name="submissions", db_index=False
    )
    setting = models.CharField(_("setting"), max_length=40)
    user = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, blank=True, related_name="submissions"
    )
    # Copied from its upload.
    asked_here = models.BooleanField(default=False, editable=False)
    generations_count = models.PositiveIntegerField(_("generations"))
    # The submission whose generations are its turn 0; generations_count does not include them.
    base = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, editable=False, related_name="+"
    )
    # Digest of the normalised generations: the same predictions sent twice have the same digest.
    digest = models.CharField(max_length=64, db_index=True)
    visibility = models.CharField(
        _("visibility"), max_length=10, choices=Visibility.choices, default=Visibility.PRIVATE
    )
    created = models.DateTimeField(_("submitted"), auto_now_add=True)
    published = models.DateTimeField(_("published"), null=True, blank=True)
    # Whether it was withdrawn once: it is not deleted then.
    was_published = models.BooleanField(default=False, editable=False)
    # The upload's attempt that stores its generations, part by part; None once all are stored.
    storing = models.PositiveIntegerField(null=True, editable=False)

    objects = FinishedSubmissions()
    # For intake, which stores and removes unfinished ones.
    with_unfinished = models.Manager["Submission"]()

    class Meta:
        ordering: ClassVar = ["-created"]
        verbose_name = _("submission")
        verbose_name_plural = _("submissions")
        indexes: ClassVar = [models.Index(fields=["revision", "setting", "visibility"])]

    def __str__(self) -> str:
        return f"{self.entrant} / {self.revision}"

    @property
    def is_rated(self) -> bool:
        return self.revision.benchmark.family.is_rated

    def get_absolute_url(self) -> str:
        return reverse("submission", args=[self.pk])

    @property
    def board_url(self) -> str:
        query, benchmark = {"setting": self.setting}, self.revision.benchmark
        if benchmark.current_id != self.revision_id:
            query["revision"] = self.revision.label
        return f"{benchmark.get_absolute_url()}?{urlencode(query)}"


class LedgerEntry(models.Model):
    """A team's submission whose judging has begun. It stays on record, and counts on public boards,
    when the submission is private, deleted, or of an entrant that has moved to another team."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="ledger")
    revision = models.ForeignKey(
        Revision, on_delete=models.CASCADE, related_name="ledger", db_index=False
    )
    setting = models.CharField(_("setting"), max_length=40)
    submission = models.OneToOneField(
        Submission, on_delete=models.SET_NULL, null=True, related_name="ledger_entry"
    )
    created = models.DateTimeField(_("judging began"), auto_now_add=True)

    class Meta:
        verbose_name = _("ledger entry")
        verbose_name_plural = _("ledger entries")
        indexes: ClassVar = [models.Index(fields=["revision", "setting", "team"])]

    def __str__(self) -> str:
        return f"{self.team} / {self.revision} {self.setting} #{self.submission_id}"


class DeclarationQuerySet(models.QuerySet["Declaration"]):
    def open(self) -> Self:
        """Declarations to which a file can be bound."""
        unused = Q(upload=None) | Q(upload__state__in=UploadState.unused())
        return self.filter(unused, entrant__isnull=False, withdrawn=None, evaluated=None)

    def editable_by(self, user: Person) -> Self:
        return self.filter(team__in=teams_of(user, "submissions.change_declaration"))


class Declaration(models.Model):
    """A run that a team announced before it uploaded it. Stays on record, and counts on public
    boards, when it is withdrawn, never uploaded, or its entrant is deleted.

    `upload` is the last file that was bound to it; one that was refused or discarded leaves it
    open. `evaluated`: when judging of its submission began."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="declarations")
    entrant = models.ForeignKey(
        Entrant, on_delete=models.SET_NULL, null=True, related_name="declarations"
    )
    revision = models.ForeignKey(
        Revision, on_delete=models.CASCADE, related_name="declarations", db_index=False
    )
    setting = models.CharField(_("setting"), max_length=40)
    samples = models.PositiveSmallIntegerField(_("samples of each task"))
    model = models.CharField(_("model"), max_length=200)
    upload = models.OneToOneField(
        Upload, on_delete=models.SET_NULL, null=True, related_name="declaration"
    )
    user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created = models.DateTimeField(_("declared"), auto_now_add=True)
    evaluated = models.DateTimeField(_("judging began"), null=True)
    withdrawn = models.DateTimeField(_("withdrawn"), null=True)
    withdrawn_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")

    objects = DeclarationQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-pk"]
        verbose_name = _("declared run")
        verbose_name_plural = _("declared runs")
        indexes: ClassVar = [models.Index(fields=["revision", "setting", "team"])]

    def __str__(self) -> str:
        return f"{self.team} / {self.revision} {self.setting} #{self.pk}"

    @property
    def is_open(self) -> bool:
        """As `DeclarationQuerySet.open`, for a row whose upload is loaded."""
        unused = self.upload is None or self.upload.state in UploadState.unused()
        return unused and bool(self.entrant_id) and not (self.withdrawn or self.evaluated)


class Provenance(models.Model):
    """The team's statement on how its generations were made. Its own table keeps lists small."""

    submission = models.OneToOneField(
        Submission, on_delete=models.CASCADE, primary_key=True, related_name="provenance"
    )
    # The format is that of engine.uploads.header.
    said = ExactJSONField()

    class Meta:
        verbose_name = _("provenance")
        verbose_name_plural = _("provenances")


class Licence(models.TextChoices):
    """Licences by their SPDX identifiers."""

    CC_BY = "CC-BY-4.0", "CC BY 4.0"
    CC_ZERO = "CC0-1.0", "CC0 1.0"
    MIT = "MIT", "MIT"
    APACHE = "Apache-2.0", "Apache 2.0"


class ConsentQuerySet(models.QuerySet["Consent"]):
    def visible_to(self, user: Person) -> Self:
        """Consents in force, of published submissions that the person sees. With a consent, the
        person may read the submission's generations and what they printed, except of copies
        (`bases.may_be_copy`)."""
        published = Submission.objects.visible_to(user).filter(visibility=Visibility.PUBLISHED)
        showing = Benchmark.objects.showing()
        return self.filter(submission__in=published.filter(revision__benchmark__in=showing))


class Consent(models.Model):
    """A team's agreement that everyone may read the generations of its published submission under a
    licence. Deleted when it ends."""

    submission = models.OneToOneField(
        Submission, on_delete=models.CASCADE, primary_key=True, related_name="consent"
    )
    licence = models.CharField(_("licence"), max_length=20, choices=Licence.choices)
    user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created = models.DateTimeField(_("agreed"), auto_now_add=True)

    objects = ConsentQuerySet.as_manager()

    class Meta:
        verbose_name = _("consent")
        verbose_name_plural = _("consents")

    @property
    def licence_url(self) -> str:
        return f"https://spdx.org/licenses/{self.licence}.html"


class GenerationsOfFinished(models.Manager["Generation"]):
    """Excludes generations of submissions that are still being stored."""

    def get_queryset(self) -> "models.QuerySet[Generation]":
        return super().get_queryset().filter(submission__storing=None)


class Generation(models.Model):
    """One model output, exactly as uploaded."""

    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="generations", db_index=False
    )
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="generations")
    sample = models.PositiveIntegerField()
    requirement = models.CharField(max_length=120, blank=True)
    turn = models.SmallIntegerField(default=NO_TURN)
    text = ExactTextField()
    # The message that it answers, if a transcript records it.
    asked = ExactTextField(default="", blank=True)

    objects = GenerationsOfFinished()
    with_unfinished = models.Manager["Generation"]()

    class Meta:
        verbose_name = _("generation")
        verbose_name_plural = _("generations")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["submission", "task", "sample", "requirement", "turn"],
                name="one_generation_of_a_key",
            )
        ]

    def __str__(self) -> str:
        return f"{self.task_id}/{self.sample}"

    def key_of(self, task_id: records.TaskId) -> records.Key:
        """The engine's key; `task_id` is the task's id in the dataset."""
        return generation_key(task_id, self.sample, self.requirement, self.turn)


def generation_key(
    task_id: records.TaskId, sample: int, requirement: str, turn: int
) -> records.Key:
    return records.Key(task_id, sample, requirement or None, turn_of(turn))


class AnswerDigest(models.Model):
    """A submission's answer to a task without comments and formatting, as a digest that includes
    the task and its slot; and its sketch (evaluation.engine.sketches). Equal answers have one row.
    Empty ones have none."""

    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="answer_digests", db_index=False
    )
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="+")
    digest = models.BinaryField(max_length=16)
    # Each of four bytes; `least` is the smallest one.
    hashes = models.BinaryField()
    least = models.BigIntegerField()
    # Too short to be evidence of a copy.
    short = models.BooleanField()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["least"])]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["submission", "digest"], name="one_digest_of_an_answer")
        ]


class CopyState(models.TextChoices):
    OPEN = "open", _("to be decided")
    ALLOWED = "allowed", _("allowed")
    REFUSED = "refused", _("refused")


class CopyQuerySet(models.QuerySet["Copy"]):
    def waiting(self) -> Self:
        """Those that staff have not decided, or not since the team's last answer."""
        return self.filter(Q(state=CopyState.OPEN) | Q(answered__gt=F("decided_at")))


class Copy(models.Model):
    """A submission with many answers like those that another team submitted before. Staff decide.

    `other` is None if it was deleted since. The shares are those of metrics.copies.Overlap, and
    `held` says whether publishing waits for the decision."""

    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="copies", db_index=False
    )
    other = models.ForeignKey(
        Submission,
        verbose_name=_("submitted before"),
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
    )
    tasks = models.PositiveIntegerField(_("tasks that both answered"))
    share = models.FloatField(_("alike"))
    rare_tasks = models.PositiveIntegerField(_("tasks with rare answers"))
    rare_share = models.FloatField(_("alike among rare answers"))
    held = models.BooleanField(_("publishing waits"))
    state = models.CharField(
        _("state"), max_length=10, choices=CopyState.choices, default=CopyState.OPEN
    )
    # The team reads the reason, and answers.
    reason = models.TextField(_("reason"), blank=True)
    answer = models.TextField(_("the team's answer"), blank=True)
    answered = models.DateTimeField(_("answered"), null=True)
    decided_by = models.ForeignKey(
        User, verbose_name=_("decided by"), on_delete=models.SET_NULL, null=True, related_name="+"
    )
    decided_at = models.DateTimeField(_("decided"), null=True)
    found = models.DateTimeField(_("found"), auto_now_add=True)

    objects = CopyQuerySet.as_manager()

    class Meta:
        verbose_name = _("copy")
        verbose_name_plural = _("copies")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["submission", "other"], name="one_copy_of_a_pair")
        ]

    def __str__(self) -> str:
        return f"{self.submission_id} = {self.other_id}"
