"""Benchmarks, their revisions and tasks, as imported. The engine interprets them."""

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from evaluation.engine import records, registry
from evaluation.engine.family import Family
from leaderboard.accounts.models import Person, staff_may
from leaderboard.fields import ExactJSONField

PROJECT_CHARACTERS, TITLE_CHARACTERS = 200, 90


class BenchmarkQuerySet(models.QuerySet["Benchmark"]):
    def visible_to(self, user: Person) -> Self:
        """Listed benchmarks with a revision; staff may see all."""
        if staff_may(user, "benchmarks.view_benchmark"):
            return self
        return self.filter(listed=True, current__isnull=False)

    def showing(self) -> Self:
        """Benchmarks whose generations may be shown: no test is hidden, so no answer is private,
        and nobody rates their generations now."""
        by_people = [family.slug for family in registry.FAMILIES.values() if family.is_rated]
        rated = self.model._default_manager.filter(
            revisions__campaigns__opened__isnull=False, revisions__campaigns__closed__isnull=True
        )
        judged = self.filter(shows_output=True).exclude(family_slug__in=by_people)
        return judged.exclude(pk__in=rated.values("pk"))


class Benchmark(models.Model):
    slug = models.SlugField(max_length=60, unique=True)
    family_slug = models.CharField(_("family"), max_length=60)
    title = models.CharField(_("title"), max_length=80)
    summary_en = models.TextField(_("summary in English"), blank=True)
    summary_ru = models.TextField(_("summary in Russian"), blank=True)
    summary_zh = models.TextField(_("summary in Chinese"), blank=True)
    link = models.URLField(_("link"), blank=True, help_text=_("The authors' paper or page."))
    authors = models.TextField(
        _("authors"), blank=True, help_text=_("Names separated by commas, for citations.")
    )
    skills = models.JSONField(_("skills"), default=list, blank=True)
    setting = models.CharField(
        _("first setting"), max_length=40, help_text=_("The setting whose board is shown first.")
    )
    metric = models.CharField(_("primary metric"), max_length=40, default="pass@1")
    human_baseline = models.FloatField(
        _("human baseline"),
        null=True,
        blank=True,
        help_text=_("Between 0 and 1; shown as a row that is never ranked."),
    )
    shows_output = models.BooleanField(
        _("entrants see output"),
        default=False,
        help_text=_("Turn this on only if no test is hidden: a program can print what it reads."),
    )
    limits = models.JSONField(
        _("limits"),
        default=dict,
        blank=True,
        help_text=_("Overrides of the family's limits: cpu_seconds, memory (bytes), output."),
    )
    counts_from = models.JSONField(
        _("counts from"),
        default=dict,
        blank=True,
        help_text=_(
            "The day from which a setting's results count in means over benchmarks, such as "
            '{"base": "2026-05-01"}; null or no day: not yet. If this is empty, every setting '
            "counts at once."
        ),
    )
    accepts = models.BooleanField(_("accepts submissions"), default=True)
    declared = models.BooleanField(
        _("runs are declared first"),
        default=False,
        help_text=_(
            "A team has to declare a run before it uploads it: the entrant, the setting, the model "
            "and the number of samples. Boards count all declared runs. Applies to files that are "
            "received from now on."
        ),
    )
    listed = models.BooleanField(_("listed"), default=True)
    current = models.ForeignKey(
        "Revision",
        verbose_name=_("current revision"),
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
    )

    objects = BenchmarkQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["title"]
        verbose_name = _("benchmark")
        verbose_name_plural = _("benchmarks")

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("benchmark", args=[self.slug])

    @property
    def family(self) -> Family:
        """Raises BenchmarkError if this engine does not know the family."""
        return registry.family(self.family_slug)

    @property
    def settings(self) -> tuple[str, ...]:
        """The family's settings; only its own if this engine does not know the family."""
        family = registry.FAMILIES.get(self.family_slug)
        return family.settings if family else (self.setting,)

    def metric_in(self, setting: str) -> str:
        transcripts = self.family.transcripts_in(setting)
        return self.metric if transcripts is None else transcripts.metric

    @property
    def summary(self) -> str:
        translations = {"ru": self.summary_ru, "zh": self.summary_zh}
        return translations.get((get_language() or "")[:2], "") or self.summary_en


class Revision(models.Model):
    """One import of a benchmark's dataset. Every score names its revision."""

    benchmark = models.ForeignKey(
        Benchmark, on_delete=models.CASCADE, related_name="revisions", db_index=False
    )
    label = models.CharField(_("label"), max_length=60)
    sha256 = models.CharField(max_length=64, help_text=_("The checksum of the imported files."))
    # The value of a prompts file. None if the tasks have their own prompts, or the wording is ours.
    prompts = ExactJSONField(null=True, default=None)
    imported = models.DateTimeField(_("imported"), auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-imported"]
        verbose_name = _("revision")
        verbose_name_plural = _("revisions")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["benchmark", "label"], name="one_revision_of_a_label")
        ]

    def __str__(self) -> str:
        return f"{self.benchmark} {self.label}"

    def left_out(self) -> frozenset[int]:
        rows = TaskExclusion.objects.filter(task__revision=self)
        return frozenset(rows.values_list("task", flat=True))

    def packed_kit(self) -> bytes:
        """The data that the tasks share in a sandbox, as the family packs it; empty if none."""
        contents = RevisionKit.objects.filter(revision=self).values_list("content", flat=True)
        return bytes(contents.first() or b"")


class RevisionKit(models.Model):
    """The data that a revision's tasks share in a sandbox: megabytes, and as hidden as tests."""

    revision = models.OneToOneField(
        Revision, on_delete=models.CASCADE, primary_key=True, related_name="kit_row"
    )
    content = models.BinaryField()


class Task(models.Model):
    """The public part of a revision's task. The rest is in TaskHidden."""

    revision = models.ForeignKey(
        Revision, on_delete=models.CASCADE, related_name="tasks", db_index=False
    )
    number = models.PositiveIntegerField(help_text=_("Place in the dataset, from 0."))
    external_id = models.CharField(max_length=200)
    # Ids are numbers in some datasets and texts in others; 13 and "13" are different ids.
    id_is_number = models.BooleanField()
    public = ExactJSONField()
    language = models.CharField(_("language"), max_length=20)
    natural_language = models.CharField(_("natural language"), max_length=20, blank=True)
    level = models.CharField(_("level"), max_length=40, blank=True)
    domain = models.CharField(_("domain"), max_length=120, blank=True)
    category = models.CharField(_("category"), max_length=120, blank=True)
    # The project that its generations are judged in, or ""; see importing.project_names.
    project = models.CharField(_("project"), max_length=PROJECT_CHARACTERS, blank=True)
    # See public.title_of.
    title = models.CharField(_("title"), max_length=TITLE_CHARACTERS, blank=True)
    # The day of the commit or of the publication that the task was made from.
    dated = models.DateField(_("date"), null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["revision", "number"]
        verbose_name = _("task")
        verbose_name_plural = _("tasks")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["revision", "external_id", "id_is_number"], name="one_task_of_an_id"
            ),
            models.UniqueConstraint(fields=["revision", "number"], name="one_task_of_a_number"),
        ]

    def __str__(self) -> str:
        return self.external_id

    @property
    def id_in_dataset(self) -> records.TaskId:
        return int(self.external_id) if self.id_is_number else self.external_id


class TaskHidden(models.Model):
    """The part of a task that only judging reads. Its own table keeps it out of pages' queries."""

    task = models.OneToOneField(
        Task, on_delete=models.CASCADE, primary_key=True, related_name="hidden_part"
    )
    hidden = ExactJSONField()


class TaskExclusion(models.Model):
    """A person's decision to exclude a task from results. Everyone may read the reason."""

    task = models.OneToOneField(
        Task, verbose_name=_("task"), on_delete=models.CASCADE, related_name="exclusion"
    )
    reason = models.TextField(_("reason"), help_text=_("Everyone can read it on the task's page."))
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("decided by"),
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
    )
    decided_at = models.DateTimeField(_("decided"), auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["task"]
        verbose_name = _("task left out")
        verbose_name_plural = _("tasks left out")

    def __str__(self) -> str:
        return str(self.task)
