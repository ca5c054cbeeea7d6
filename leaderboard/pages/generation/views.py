"""Pages of a run, which only its team sees: ordering it, its progress, stop and resume."""

import math
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_safe

from evaluation.engine.errors import EndpointError, UploadError
from evaluation.engine.instructions import DYNAMIC
from evaluation.state.expected_end import living_workers
from evaluation.state.forecast import Interval
from evaluation.work.actions import order_run, resume_run
from leaderboard.generation.models import Run, RunState
from leaderboard.generation.runs import are_allowed, stop_run
from leaderboard.messages import in_readers_language
from leaderboard.pages.generation.forms import ResumeForm, RunForm, author_sampling, sampling_words
from leaderboard.pages.shared.access import action_on, confirmed_only, is_polling, signed_in, tell
from leaderboard.pages.shared.record import render_page
from leaderboard.pages.shared.score_words import count
from leaderboard.pages.submissions.forms import board_initial
from leaderboard.pages.submissions.views.live import live_page
from leaderboard.pages.submissions.views.steps import DONE, NOW, STOPPED, TODO, Step, interval_words
from leaderboard.pages.submissions.views.submit import BoardFormPage

QUEUE = "generation"
_COUNTS = ("tokens_in", "tokens_out", "uncounted", "cut_off", "again")
# Assumed drift of an endpoint's speed, as a logarithm.
DRIFT = 0.2


class RunFigures:
    """`done` counts answers, or conversations if the run continues by verdicts.

    `rate` is in answers per second, `left` in seconds, `cost` in the team's currency; None means
    unknown. `again` counts retries. `ready` is false while the environment that judges turns is
    being prepared."""

    def __init__(self, run: Run) -> None:
        stored = run.progress
        self.tokens_in, self.tokens_out, self.uncounted, self.cut_off, self.again = (
            int(stored.get(name, 0)) for name in _COUNTS
        )
        self.answered = int(stored.get("answered", 0)) + int(stored.get("kept", 0))
        # Conversations that ended early also count as done.
        self.done = int(stored.get("talks", 0)) if run.by_verdicts else self.answered
        self.ready = bool(stored.get("ready", True))
        self.trouble = in_readers_language(stored.get("trouble", ""))
        self.reason = in_readers_language(stored.get("reason", ""))
        price = run.price
        self.cost = None if price is None else price.total(self.tokens_in, self.tokens_out)
        new, rate = int(stored.get("new", 0)), float(stored.get("rate", 0.0))
        self.rate = rate if new else None
        self.left: Interval | None = None
        open_ones = max(0, run.total - self.done - (0 if run.by_verdicts else run.lost))
        pace = float(stored.get("pace", 0.0)) if run.by_verdicts else rate
        moving = run.state == RunState.RUNNING and new > 0 and rate > 0 and pace > 0
        if moving and open_ones:
            # About 80 % of the ends, if the answers so far and the open ones come independently of
            # each other, and the endpoint's speed changes by DRIFT.
            spread = 1.28 * math.sqrt(rate / (new * pace) + 1 / open_ones) + DRIFT
            expected = open_ones / pace
            self.left = Interval(expected * math.exp(-spread), expected * math.exp(spread))


def run_steps(run: Run, figures: RunFigures, *, workers: int, ahead: int = 0) -> list[Step]:
    """`ahead`: runs that a worker takes before it, while it waits."""
    title = _("Queued")
    if run.state != RunState.WAITING and run.started is None:
        queued = Step(title, _("stopped while waiting"), STOPPED)
    elif run.state != RunState.WAITING:
        queued = Step(title, _("a worker has claimed it"), DONE)
    elif not workers:
        queued = Step(title, _("no worker is running"), NOW)
    elif not ahead:
        queued = Step(title, _("next in line"), NOW)
    else:
        words = ngettext("%(number)d run is ahead", "%(number)d runs are ahead", ahead)
        queued = Step(title, words % {"number": ahead}, NOW)
    numbers = {"done": figures.done, "answered": figures.answered, "total": run.total}
    numbers["number"] = max(0, run.total - figures.done)
    shown = {name: count(n) for name, n in numbers.items()}
    if run.by_verdicts:
        so_far = _("%(done)s of %(total)s conversations, %(answered)s answers") % shown
    else:
        so_far = _("%(answered)s of %(total)s answers") % shown
    title = _("Generating")
    uploaded = Step(_("Uploaded"), _("checked and judged like any upload"), TODO)
    if run.state == RunState.RUNNING:
        if not figures.ready:
            left = _("preparing to judge the turns")
        elif figures.left is None:
            left = _("%(number)s left; the time shows after the first answers") % shown
        else:
            left = interval_words(figures.left)
        generating = Step(title, f"{so_far} · {left}" if run.total else "", NOW)
    elif run.state == RunState.FINISHED:
        generating = Step(title, so_far, DONE)
        uploaded = Step(_("Uploaded"), _("as an upload of your team"), DONE)
    elif run.state in (RunState.STOPPED, RunState.FAILED) and run.started:
        generating = Step(title, _("ended at %(so_far)s") % {"so_far": so_far}, STOPPED)
    else:
        first = _("each conversation once") if run.by_verdicts else _("each message once")
        generating = Step(title, so_far if run.total else first, TODO)
    return [queued, generating, uploaded]


@dataclass(frozen=True)
class NewRunPage(BoardFormPage):
    @property
    def sampling(self) -> dict[str, str]:
        benchmark, setting = self._board
        return sampling_words(author_sampling(benchmark, setting)) if benchmark else {}

    @property
    def dynamic(self) -> bool:
        return self._board[1] == DYNAMIC


@sensitive_post_parameters("key")
@sensitive_variables("form")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@confirmed_only
def run_new(request: HttpRequest) -> HttpResponse:
    """Filled in from the query string. Raises Http404 if runs are not allowed."""
    if not are_allowed():
        raise Http404
    user = signed_in(request)
    if request.method == "POST":
        form = RunForm(request.POST, user=user)
        if form.is_valid():
            try:
                return redirect(order_run(run=form.run(user), key=form.cleaned_data["key"]))
            except (UploadError, EndpointError) as refused:
                form.add_error(None, in_readers_language(refused.message))
        page = NewRunPage(form)
        return render_page(request, "generation/run_new.html", page, status=422)
    if is_polling(request) and "board" in request.GET:
        form = RunForm(initial={"board": request.GET["board"]}, user=user)
        return render_page(request, "generation/_published.html", NewRunPage(form))
    query = {name: value for name, value in request.GET.items() if isinstance(value, str)}
    form = RunForm(initial=board_initial(query), user=user)
    return render_page(request, "generation/run_new.html", NewRunPage(form))


@login_required
@require_safe
def run(request: HttpRequest, pk: int, *, live: bool = False) -> HttpResponse:
    """With `live`, only the part that changes: at the end also the head, whose buttons change."""
    return _run_page(request, _visible_run(request, pk), ResumeForm(), live=live)


@action_on("run")
def run_stop(request: HttpRequest, *, pk: int) -> HttpResponse:
    """A repeated request changes nothing."""
    row = _visible_run(request, pk)
    sentence = _("Stopped. The key is deleted; the answers are kept.")
    tell(request, stop_run(run=row), sentence, _("The run had already ended."))
    return redirect(row)


@sensitive_post_parameters("key")
@sensitive_variables("form")
@action_on("run")
@confirmed_only
def run_resume(request: HttpRequest, *, pk: int) -> HttpResponse:
    row = _visible_run(request, pk)
    form = ResumeForm(request.POST)
    if not form.is_valid():
        return _run_page(request, row, form, status=422)
    try:
        if not resume_run(run=row, key=form.cleaned_data["key"]):
            messages.warning(request, _("The run cannot be resumed."))
    except (UploadError, EndpointError) as refused:
        form.add_error(None, in_readers_language(refused.message))
        return _run_page(request, row, form, status=422)
    return redirect(row)


def _visible_run(request: HttpRequest, pk: int) -> Run:
    rows = Run.objects.visible_to(request.user)
    return get_object_or_404(
        rows.select_related("entrant__team", "revision__benchmark", "user", "upload"), pk=pk
    )


@dataclass(frozen=True, kw_only=True)
class RunPage:
    """`sampling` is by field, in words. `with_head`: the live part comes with the page's head."""

    run: Run
    form: ResumeForm
    figures: RunFigures
    steps: list[Step]
    sampling: dict[str, str]
    moving: bool
    no_worker: bool
    resumable: bool
    with_head: bool


def _run_page(
    request: HttpRequest, row: Run, form: ResumeForm, *, live: bool = False, status: int = 200
) -> HttpResponse:
    moving, ahead = row.state in RunState.moving(), 0
    workers = len(living_workers(QUEUE)) if moving else 0
    if row.state == RunState.WAITING:
        # Workers take runs in the order of their bells.
        rung = Run.objects.filter(state=RunState.WAITING, rung__isnull=False).exclude(pk=row.pk)
        ahead = (rung.filter(rung__lt=row.rung) if row.rung else rung).count()
    figures = RunFigures(row)
    page = RunPage(
        run=row,
        form=form,
        figures=figures,
        steps=run_steps(row, figures, workers=workers, ahead=ahead),
        sampling=sampling_words(row.asked_with()),
        moving=moving,
        no_worker=row.state == RunState.WAITING and not workers,
        resumable=are_allowed() and Run.objects.resumable().filter(pk=row.pk).exists(),
        with_head=live and not moving,
    )
    parts = "generation/run.html", "generation/_run_live.html"
    return live_page(request, *parts, page, moving=moving, only_live=live, status=status)
