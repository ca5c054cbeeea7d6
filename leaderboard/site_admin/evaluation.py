"""Admin of evaluations: view results, review suspects, retry lost chunks."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from evaluation.engine.projects.hints import limited_hints
from evaluation.engine.records import Integrity, Status, evidence_in
from evaluation.models import (
    Chunk,
    ChunkState,
    Evaluation,
    ProjectBuild,
    ProjectTimes,
    Recheck,
    RecheckedTask,
    Review,
    Verdict,
    Worker,
)
from evaluation.work import actions, review
from leaderboard.accounts.audit import record_access
from leaderboard.benchmarks.records import task_record
from leaderboard.messages import in_readers_language
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.code import TEXT_SHOWN, framed, judged_part, shown_text
from leaderboard.pages.shared.mark_words import flag_words
from leaderboard.site_admin import bases


@admin.action(description=gettext_lazy("Run lost chunks again"), permissions=["change"])
def run_lost_chunks_again(_admin: Any, request: HttpRequest, rows: QuerySet[Any]) -> None:
    """Of evaluations, or of the evaluations of chunks."""
    nothing = _("They have no lost chunks.")
    if rows.model is Chunk:
        rows = Evaluation.objects.filter(chunks__in=rows).distinct()
        nothing = _("Their evaluations have no lost chunks.")
    again = sum(actions.retry_lost(evaluation=row) for row in rows)
    if not again:
        messages.info(request, nothing)
        return
    done = ngettext(
        "The lost chunks of %(count)d evaluation are judged again.",
        "The lost chunks of %(count)d evaluations are judged again.",
        again,
    )
    messages.success(request, done % {"count": again})


@admin.register(Evaluation)
class EvaluationAdmin(bases.ReadOnly):
    list_display = (
        *("id", "submission", "state", "current", bases.column("total", gettext_lazy("chunks"))),
        *(bases.column("lost", gettext_lazy("lost")), "created", "finished"),
    )
    list_select_related = ("submission__entrant", "submission__revision__benchmark")
    list_filter = ("state", "current", "submission__revision__benchmark")
    search_fields = ("=id", "submission__entrant__name")
    actions = (run_lost_chunks_again,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Evaluation]:
        rows: QuerySet[Evaluation] = super().get_queryset(request)
        lost = Count("chunks", filter=Q(chunks__state=ChunkState.LOST))
        return rows.annotate(total=Count("chunks"), lost=lost)


@admin.register(Chunk)
class ChunkAdmin(bases.ReadOnly):
    list_display = (
        *("id", "evaluation_id", "number", bases.queue, "project", "state", "judged", "size"),
        "why_returned",
    )
    list_filter = ("state", ("queue", bases.QueueFilter))
    search_fields = ("=evaluation__id", "owner", "host", "project")
    ordering = ("-id",)
    actions = (run_lost_chunks_again,)

    @admin.display(description=gettext_lazy("cause"))
    def why_returned(self, row: Chunk) -> str:
        return row.why if row.given_back else ""


TASK = bases.column("generation.task", gettext_lazy("task"))
FINE, WRONG = "fine", "wrong"


class ReviewForm(forms.Form):
    verdict = forms.ModelChoiceField(Verdict.objects.all(), widget=forms.HiddenInput)
    decision = forms.ChoiceField(choices=[(FINE, FINE), (WRONG, WRONG)])
    reason = forms.CharField(
        label=gettext_lazy("Reason"), max_length=500, required=False, widget=forms.Textarea
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("decision") == WRONG and not data.get("reason"):
            self.add_error("reason", _("Say why it is not a solution."))
        return data


@admin.register(Verdict)
class VerdictAdmin(bases.PartlyHidden):
    """Staff decide here on suspect passes. Their decisions stay on record."""

    list_display = (
        *("id", "evaluation_id", TASK, bases.tests, bases.status, bases.integrity),
        *("tier", "marks"),
    )
    list_select_related = ("generation__task",)
    list_filter = (("integrity", bases.IntegrityFilter), "tier", ("status", bases.StatusFilter))
    search_fields = ("=evaluation__id", "=generation__task__external_id")
    ordering = ("-id",)
    actions = ("clear_suspects", "confirm_suspects")
    pages = (("desk/", "desk", "evaluation_verdict_desk"),)
    replaced, hidden, is_private = "evidence", "evidence_text", True

    def desk(self, request: HttpRequest) -> HttpResponse:
        """The next shared pass to review: hints, then its code next to the reference. The query
        `after` is the pass that the reader left for later."""
        if not self.has_change_permission(request):
            raise PermissionDenied
        form = ReviewForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            data, user = form.cleaned_data, signed_in(request)
            fine = data["decision"] == FINE
            if review.decide(verdict=data["verdict"], fine=fine, reason=data["reason"], by=user):
                words = _("Fine: it counts.") if fine else _("Not a solution: it no longer counts.")
                undo = reverse("admin:evaluation_review_changelist")
                link = format_html('{} <a href="{}">{}</a>', words, undo, _("Undo it in the list"))
                messages.success(request, link)
            else:
                messages.info(request, _("This pass was reviewed or changed meanwhile."))
            return redirect(request.get_full_path())
        waiting = review.passes_to_review()
        rows = waiting.select_related(
            "generation__task__revision__benchmark",
            "generation__task__hidden_part",
            "evaluation__submission__entrant",
        )
        refused, after = form.data.get("verdict", ""), request.GET.get("after", "")
        if refused.isdecimal():
            verdict = rows.filter(pk=refused).first()
        else:
            later = rows.filter(pk__gt=after) if after.isdecimal() else rows
            verdict = later.first() or rows.first()
        context: dict[str, Any] = {"waiting": waiting.count(), "verdict": verdict, "form": form}
        if verdict is not None:
            task, submission = verdict.generation.task, verdict.evaluation.submission
            record_access(request, submission)
            code = judged_part(verdict.generation, task, submission)
            record = task_record(task, task.hidden_part.hidden)
            references = (*task.revision.benchmark.family.solutions(record), "")
            context |= {
                "hints": limited_hints(code),
                "code": shown_text(code[:TEXT_SHOWN]),
                "reference": shown_text(references[0][:TEXT_SHOWN]),
            }
        return self.page(request, "evaluation/desk", _("Review desk"), **context)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Verdict]:
        rows: QuerySet[Verdict] = super().get_queryset(request)
        return rows.select_related("generation__task").defer("generation__text")

    @admin.display(description=gettext_lazy("flags"))
    def marks(self, row: Verdict) -> str:
        return ", ".join(map(flag_words, row.flags))

    @admin.display(description=gettext_lazy("evidence"))
    def evidence_text(self, row: Verdict) -> SafeString:
        text = row.evidence
        if row.status == Status.PASSED:
            text = "\n".join(map(str, evidence_in(text)))
        return framed(text)

    @admin.action(
        description=gettext_lazy("Clear: these suspect passes count…"), permissions=["change"]
    )
    def clear_suspects(self, request: HttpRequest, rows: QuerySet[Verdict]) -> HttpResponse | None:
        return self._settle(request, rows, Integrity.CLEARED)

    @admin.action(
        description=gettext_lazy("Confirm: these suspect passes do not count…"),
        permissions=["change"],
    )
    def confirm_suspects(
        self, request: HttpRequest, rows: QuerySet[Verdict]
    ) -> HttpResponse | None:
        return self._settle(request, rows, Integrity.CONFIRMED)

    def _settle(
        self, request: HttpRequest, rows: QuerySet[Verdict], to: Integrity
    ) -> HttpResponse | None:
        suspects = rows.filter(integrity=Integrity.SUSPECT.value)
        if not suspects.exists():
            messages.info(request, _("None of them was suspect."))
            return None
        fine = to == Integrity.CLEARED
        posted = request.POST if "reason" in request.POST else None
        help_text = _("The teams read it if the passes do not count.")
        form = bases.ReasonForm(posted, help_text=help_text)
        if not form.is_valid():
            verdicts = suspects.select_related(
                "generation__task", "evaluation__submission__entrant"
            )
            action = "clear_suspects" if fine else "confirm_suspects"
            return self.page(
                request,
                "evaluation/settle",
                _("These passes count") if fine else _("These passes do not count"),
                form=form,
                verdicts=verdicts,
                hidden=bases.shown_rows(action, [row.pk for row in verdicts]),
            )
        user, reason = signed_in(request), form.cleaned_data["reason"]
        settled = review.decide_on_suspects(verdicts=rows, fine=fine, reason=reason, by=user)
        words = _("Reviewed: %(decision)s") % {"decision": bases.integrity_words(to.value)}
        LogEntry.objects.log_actions(user.pk, settled, CHANGE, f"{words}: {reason}")
        done = ngettext(
            "%(count)d verdict is settled; its scores are being computed again.",
            "%(count)d verdicts are settled; their scores are being computed again.",
            len(settled),
        )
        messages.success(request, done % {"count": len(settled)})
        return None


@admin.register(Review)
class ReviewAdmin(bases.ReadOnly):
    list_display = ("verdict", "fine", "suspect", bases.REASON, "by", "at")
    list_filter = ("fine", "suspect")
    list_select_related = ("verdict", "by")
    ordering = ("-at",)
    actions = ("take_back",)

    @admin.action(
        description=gettext_lazy("Undo: the passes wait for a review again"), permissions=["change"]
    )
    def take_back(self, request: HttpRequest, rows: QuerySet[Review]) -> None:
        verdicts = [row.verdict for row in rows]
        for row in rows:
            review.take_back(review=row)
        LogEntry.objects.log_actions(signed_in(request).pk, verdicts, CHANGE, _("Review undone"))
        messages.success(request, _("The decisions are undone."))


@admin.register(RecheckedTask)
class RecheckedTaskAdmin(bases.ReadOnly):
    list_display = ("task", bases.REVISION, "engine_version", "judged", "differing", "drawn")
    list_filter = ("task__revision__benchmark",)
    list_select_related = ("task__revision__benchmark",)
    search_fields = ("=task__external_id",)
    ordering = ("-differing", "-judged")


@admin.register(Recheck)
class RecheckAdmin(bases.ReadOnly):
    list_display = (
        *("chunk", "tries", bases.column("cause", gettext_lazy("cause"), in_readers_language)),
        *("host", "finished"),
    )
    list_select_related = ("chunk",)


# The hosts' agreement on a project: delete a row to have it made again.
@admin.register(ProjectTimes)
class ProjectTimesAdmin(bases.Deletable):
    search_fields = ("project", "=key")
    list_display = ("project", "cpu_seconds", "wall_seconds", "pause_seconds")


@admin.register(ProjectBuild)
class ProjectBuildAdmin(bases.Deletable):
    search_fields = ("project", "=key")
    list_display = ("project", "digest", "pushed")
    fields = readonly_fields = ("project", "key", "digest", "pushed")


@admin.register(Worker)
class WorkerAdmin(bases.ReadOnly):
    list_display = ("name", "host", "serves", "started", "seen")
    list_filter = ("host",)
    search_fields = ("name", "host")
    fields = readonly_fields = ("name", "host", "serves", "started", "seen")

    @admin.display(description=gettext_lazy("queues"))
    def serves(self, row: Worker) -> str:
        return bases.served_words(row)
