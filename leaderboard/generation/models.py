"""Runs: a team has the site ask a model's endpoint for the generations of a benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from evaluation.engine.family import Sampling
from evaluation.engine.generation.price import Price
from evaluation.engine.instructions import DYNAMIC
from leaderboard.accounts.models import Entrant, Team, User
from leaderboard.benchmarks.models import Revision
from leaderboard.fields import ExactJSONField
from leaderboard.leases import Leased
from leaderboard.messages import Worded
from leaderboard.submissions.models import Upload

if TYPE_CHECKING:
    from leaderboard.accounts.models import Person


class RunState(models.TextChoices):
    """Who moves it: docs/contributors/states.md."""

    WAITING = "waiting", _("waiting for a worker")
    RUNNING = "running", _("running")
    FINISHED = "finished", _("finished")
    STOPPED = "stopped", _("stopped")
    FAILED = "failed", _("failed")

    @classmethod
    def moving(cls) -> tuple[RunState, ...]:
        """Those in which the site has something to do."""
        return cls.WAITING, cls.RUNNING


class RunQuerySet(models.QuerySet["Run"]):
    def visible_to(self, user: Person) -> RunQuerySet:
        """Those of the person's teams. Nobody else's, staff's neither: whose servers they are
        and how they fare is the team's own."""
        if not user.is_authenticated:
            return self.none()
        return self.filter(entrant__team__in=Team.objects.filter(memberships__user=user))

    def moving(self) -> RunQuerySet:
        return self.filter(state__in=RunState.moving())

    def resumable(self) -> RunQuerySet:
        """Those that ended without an answer to everything, as long as the others are kept."""
        ended = Q(state__in=(RunState.STOPPED, RunState.FAILED))
        incomplete = Q(state=RunState.FINISHED, lost__gt=0)
        return self.filter(ended | incomplete, expires__gt=Now())


class Run(Leased, Worded):
    """One benchmark's questions put to one model. Its key lies apart: see RunKey."""

    entrant = models.ForeignKey(Entrant, on_delete=models.CASCADE, related_name="runs")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="runs")
    setting = models.CharField(_("setting"), max_length=40)
    # What Multi-Turn shows of earlier turns, as engine.conversations has it.
    history = models.CharField(max_length=10, default="last")
    user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="runs")
    endpoint = models.CharField(_("endpoint"), max_length=500)
    model = models.CharField(_("model"), max_length=200)
    has_key = models.BooleanField(default=True)
    # engine.family.Sampling, by field.
    sampling = models.JSONField(default=dict)
    stream = models.BooleanField(default=False)
    width = models.PositiveSmallIntegerField(default=8)
    price_sent = models.FloatField(null=True, blank=True)
    price_answered = models.FloatField(null=True, blank=True)
    # Whether what comes out is judged without anybody being asked again.
    judge = models.BooleanField(default=True)

    state = models.CharField(
        _("state"), max_length=12, choices=RunState.choices, default=RunState.WAITING
    )
    # Messages in all, or conversations where these go on by what was passed; messages that got
    # no answer; and the rest of what generating.Work.progress has.
    total = models.PositiveIntegerField(default=0)
    lost = models.PositiveIntegerField(default=0)
    progress = ExactJSONField(default=dict, editable=False)
    # Why it ended, or waits again, in words; and how often in a row it failed on our side.
    cause = models.TextField(blank=True, editable=False)
    tries = models.PositiveSmallIntegerField(default=0, editable=False)
    upload = models.ForeignKey(
        Upload, on_delete=models.SET_NULL, null=True, blank=True, related_name="runs"
    )
    created = models.DateTimeField(_("ordered"), auto_now_add=True)
    started = models.DateTimeField(_("started"), null=True, blank=True)
    finished = models.DateTimeField(_("ended"), null=True, blank=True)
    # Until when it may go on, and until when its answers are kept once it has ended.
    until = models.DateTimeField()
    expires = models.DateTimeField(null=True, blank=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-created"]
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        indexes: ClassVar = [models.Index(fields=["state"])]

    def __str__(self) -> str:
        return f"{self.entrant} / {self.revision}"

    def get_absolute_url(self) -> str:
        return reverse("run", args=[self.pk])

    @property
    def by_verdicts(self) -> bool:
        """Whether what is asked next hangs on what the last answer passes."""
        return self.setting == DYNAMIC

    @property
    def price(self) -> Price | None:
        if self.price_sent is None or self.price_answered is None:
            return None
        return Price(self.price_sent, self.price_answered)

    def asked_with(self) -> Sampling:
        return Sampling(**self.sampling)


class RunKey(models.Model):
    """A run's key, encrypted. A table of its own: no query of runs brings it along, and it goes
    when the run ends."""

    run = models.OneToOneField(
        Run, on_delete=models.CASCADE, primary_key=True, related_name="sealed_key"
    )
    sealed = models.TextField()

    def __str__(self) -> str:
        return f"key of run {self.run_id}"
