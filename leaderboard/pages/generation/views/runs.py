"""A run's page: progress, stop and resume. Only its team sees it."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_safe

from evaluation.engine.errors import EndpointError, UploadError
from evaluation.state.expected_end import living_workers
from evaluation.work.actions import resume_run, stop_run
from leaderboard.generation.models import Run, RunState
from leaderboard.generation.runs import are_allowed
from leaderboard.messages import in_readers_language
from leaderboard.pages.boards.words import setting_words
from leaderboard.pages.generation.forms import ResumeForm, sampling_words
from leaderboard.pages.generation.views.steps import Figures, run_steps
from leaderboard.pages.shared.access import action_on, confirmed_only
from leaderboard.pages.shared.crumbs import entrant_crumbs
from leaderboard.pages.submissions.views.live import live_page

QUEUE = "generation"


@login_required
@require_safe
def run(request: HttpRequest, pk: int, *, live: bool = False) -> HttpResponse:
    """With `live`, only the part that changes. The final update includes the page's head, because
    its buttons change."""
    return _page(request, _own(request, pk), ResumeForm(), live=live)


@action_on("run")
def run_stop(request: HttpRequest, *, pk: int) -> HttpResponse:
    """A repeated request changes nothing."""
    row = _own(request, pk)
    if stop_run(run=row):
        messages.success(request, _("Stopped. The key is deleted; the answers are kept."))
    else:
        messages.warning(request, _("The run had already ended."))
    return redirect(row)


@sensitive_post_parameters("key")
@sensitive_variables("form")
@action_on("run")
@confirmed_only
def run_resume(request: HttpRequest, *, pk: int) -> HttpResponse:
    row = _own(request, pk)
    form = ResumeForm(request.POST)
    if not form.is_valid():
        return _page(request, row, form, status=422)
    try:
        if not resume_run(run=row, key=form.cleaned_data["key"]):
            messages.warning(request, _("The run cannot be resumed."))
    except (UploadError, EndpointError) as refused:
        form.add_error(None, in_readers_language(refused.message))
        return _page(request, row, form, status=422)
    return redirect(row)


def _own(request: HttpRequest, pk: int) -> Run:
    rows = Run.objects.visible_to(request.user)
    return get_object_or_404(
        rows.select_related("entrant__team", "revision__benchmark", "user", "upload"), pk=pk
    )


def _page(
    request: HttpRequest, row: Run, form: ResumeForm, *, live: bool = False, status: int = 200
) -> HttpResponse:
    moving, ahead = row.state in RunState.moving(), 0
    workers = len(living_workers(QUEUE)) if moving else 0
    if row.state == RunState.WAITING:
        # Workers take runs in the order of their bells.
        rung = Run.objects.filter(state=RunState.WAITING, rung__isnull=False).exclude(pk=row.pk)
        ahead = (rung.filter(rung__lt=row.rung) if row.rung else rung).count()
    figures = Figures(row)
    resumable = are_allowed() and Run.objects.resumable().filter(pk=row.pk).exists()
    context: dict[str, object] = {
        "run": row,
        "benchmark": row.revision.benchmark,
        "setting": setting_words(row.setting),
        "crumbs": entrant_crumbs(row.entrant, own=True),
        "moving": moving,
        "no_worker": moving and row.state == RunState.WAITING and not workers,
        "figures": figures,
        "steps": run_steps(row, figures, workers=workers, ahead=ahead),
        "sampling": sampling_words(row.asked_with()),
        "resumable": resumable,
        "form": form,
        "with_head": live and not moving,
    }
    parts = "generation/run.html", "generation/_run_live.html"
    return live_page(request, *parts, context, moving=moving, only_live=live, status=status)
