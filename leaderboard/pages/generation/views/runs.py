"""A run's page: progress, stop and resume. Only its team sees it."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
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
from leaderboard.pages.generation.progress import Figures
from leaderboard.pages.generation.views.steps import run_steps
from leaderboard.pages.shared.access import action_on
from leaderboard.pages.shared.crumbs import entrant_crumbs
from leaderboard.pages.submissions.views.live import LivePart, answer

LIVE = "generation/_run_live.html"
QUEUE = "generation"


@login_required
@require_safe
def run(request: HttpRequest, pk: int) -> HttpResponse:
    return _page(request, _own(request, pk), ResumeForm())


@login_required
@require_safe
def run_live(request: HttpRequest, pk: int) -> HttpResponse:
    """The final update also contains the page's head, because its buttons change."""
    found = _own(request, pk)
    over = found.state not in RunState.moving()
    part = LivePart.of(request, LIVE, {**_context(found, ResumeForm()), "with_head": over})
    return answer(part, over=over)


@action_on("run")
def run_stop(request: HttpRequest, *, pk: int) -> HttpResponse:
    """A repeated request changes nothing."""
    found = _own(request, pk)
    if stop_run(run=found):
        messages.success(request, _("Stopped. The key is deleted; the answers are kept."))
    else:
        messages.warning(request, _("The run had already ended."))
    return redirect(found)


@sensitive_post_parameters("key")
@sensitive_variables("form")
@action_on("run")
def run_resume(request: HttpRequest, *, pk: int) -> HttpResponse:
    found = _own(request, pk)
    form = ResumeForm(request.POST)
    if not form.is_valid():
        return _page(request, found, form, status=422)
    try:
        if not resume_run(run=found, key=form.cleaned_data["key"]):
            messages.warning(request, _("The run cannot be resumed."))
    except (UploadError, EndpointError) as refused:
        form.add_error(None, in_readers_language(refused.message))
        return _page(request, found, form, status=422)
    return redirect(found)


def _own(request: HttpRequest, pk: int) -> Run:
    rows = Run.objects.visible_to(request.user)
    return get_object_or_404(
        rows.select_related("entrant__team", "revision__benchmark", "user", "upload"), pk=pk
    )


def _page(request: HttpRequest, found: Run, form: ResumeForm, status: int = 200) -> HttpResponse:
    context = _context(found, form)
    context["live"] = LivePart.of(request, LIVE, context).html
    return render(request, "generation/run.html", context, status=status)


def _context(found: Run, form: ResumeForm) -> dict[str, object]:
    moving = found.state in RunState.moving()
    workers = len(living_workers(QUEUE)) if moving else 0
    figures = Figures.of(found)
    resumable = are_allowed() and Run.objects.resumable().filter(pk=found.pk).exists()
    return {
        "run": found,
        "benchmark": found.revision.benchmark,
        "setting": setting_words(found.setting),
        "crumbs": entrant_crumbs(found.entrant, own=True),
        "moving": moving,
        "no_worker": moving and found.state == RunState.WAITING and not workers,
        "figures": figures,
        "steps": run_steps(found, figures, workers=workers, ahead=_ahead(found)),
        "sampling": sampling_words(found.asked_with()),
        "resumable": resumable,
        "form": form,
    }


def _ahead(found: Run) -> int:
    """The number of runs before it: workers take runs in the order of their bells."""
    if found.state != RunState.WAITING:
        return 0
    rows = Run.objects.filter(state=RunState.WAITING, rung__isnull=False).exclude(pk=found.pk)
    return (rows.filter(rung__lt=found.rung) if found.rung else rows).count()
