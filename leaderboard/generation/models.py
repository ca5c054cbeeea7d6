"""Runs: the site asks a model's endpoint for a benchmark's generations on behalf of a team."""

from typing import ClassVar, Self

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from evaluation.engine.family import Sampling
from evaluation.engine.generation.answers import Price
from evaluation.engine.instructions import DYNAMIC
from leaderboard.accounts.models import Entrant, Person, User, teams_of
from leaderboard.benchmarks.models import Revision
from leaderboard.leases import Leased
from leaderboard.messages import MessageField
from leaderboard.submissions.models import Upload


class RunState(models.TextChoices):
    """States of a run; docs/contributors/states.md lists who moves it."""

    WAITING = "waiting", _("waiting for a worker")
    RUNNING = "running", _("running")
    FINISHED = "finished", _("finished")
    STOPPED = "stopped", _("stopped")
    FAILED = "failed", _("failed")

    @classmethod
    def moving(cls) -> "tuple[RunState, ...]":
        """States in which the site has something to do."""
        return cls.WAITING, cls.RUNNING


class RunQuerySet(models.QuerySet["Run"]):
    def visible_to(self, user: Person) -> Self:
        """Runs of the person's teams. Even staff do not see other teams' runs."""
        return self.filter(entrant__team__in=teams_of(user))

    def moving(self) -> Self:
        return self.filter(state__in=RunState.moving())

    def resumable(self) -> Self:
        """Runs that ended without all answers, as long as the other answers are kept."""
        ended = Q(state__in=(RunState.STOPPED, RunState.FAILED))
        incomplete = Q(state=RunState.FINISHED, lost__gt=0)
        return self.filter(ended | incomplete, expires__gt=Now())


class Run(Leased):
    """A benchmark's questions to one model."""

    entrant = models.ForeignKey(Entrant, on_delete=models.CASCADE, related_name="runs")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="runs")
    setting = models.CharField(_("setting"), max_length=40)
    # How much of earlier turns Multi-Turn shows, as in engine.conversations.
    history = models.CharField(max_length=10, default="last")
    user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="runs")
    endpoint = models.CharField(_("endpoint"), max_length=500)
    model = models.CharField(_("model"), max_length=200)
    has_key = models.BooleanField(default=True)
    # The fields of engine.family.Sampling.
    sampling = models.JSONField(default=dict)
    stream = models.BooleanField(default=False)
    width = models.PositiveSmallIntegerField(default=8)
    price_sent = models.FloatField(null=True, blank=True)
    price_answered = models.FloatField(null=True, blank=True)
    # Whether the answers are judged without further confirmation.
    judge = models.BooleanField(default=True)

    state = models.CharField(
        _("state"), max_length=12, choices=RunState.choices, default=RunState.WAITING
    )
    # Messages in total, or conversations if their course depends on passed tests; messages
    # without an answer; and the rest of evaluation.work.generating.progress.
    total = models.PositiveIntegerField(default=0)
    lost = models.PositiveIntegerField(default=0)
    progress = MessageField(default=dict, editable=False)
    # Why it ended or waits again, and the number of consecutive failures on our side.
    cause = MessageField(blank=True, editable=False)
    tries = models.PositiveSmallIntegerField(default=0, editable=False)
    upload = models.ForeignKey(
        Upload, on_delete=models.SET_NULL, null=True, blank=True, related_name="runs"
    )
    created = models.DateTimeField(_("ordered"), auto_now_add=True)
    started = models.DateTimeField(_("started"), null=True, blank=True)
    finished = models.DateTimeField(_("ended"), null=True, blank=True)
    # The deadline, and the time until which its answers are kept after its end.
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
        """Whether the next message depends on the tests that the last answer passes."""
        return self.setting == DYNAMIC

    @property
    def price(self) -> Price | None:
        if self.price_sent is None or self.price_answered is None:
            return None
        return Price(self.price_sent, self.price_answered)

    def asked_with(self) -> Sampling:
        return Sampling(**self.sampling)


class RunKey(models.Model):
    """An encrypted key, deleted when the run ends. Its own table keeps it out of other queries."""

    run = models.OneToOneField(
        Run, on_delete=models.CASCADE, primary_key=True, related_name="sealed_key"
    )
    sealed = models.TextField()
