"""The steps of a run in words, each with its state."""

from __future__ import annotations

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.generation.models import Run, RunState
from leaderboard.pages.generation.progress import Figures
from leaderboard.pages.submissions.views.steps import (
    DONE,
    NOW,
    STOPPED,
    TODO,
    Step,
    interval_words,
)

_ENDED = (RunState.STOPPED, RunState.FAILED)


def run_steps(run: Run, figures: Figures, *, workers: int, ahead: int = 0) -> list[Step]:
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
    if run.state == RunState.FINISHED:
        uploaded = Step(_("Uploaded"), _("as an upload of your team"), DONE)
    else:
        uploaded = Step(_("Uploaded"), _("checked and judged like any upload"), TODO)
    return [queued, _generating(run, figures), uploaded]


def _generating(run: Run, figures: Figures) -> Step:
    title = _("Generating")
    if run.by_verdicts:
        words = _("%(done)s of %(total)s conversations, %(answered)s answers")
    else:
        words = _("%(answered)s of %(total)s answers")
    numbers = {"done": figures.done, "answered": figures.answered, "total": figures.total}
    so_far = words % {
        name: number_format(value, 0, force_grouping=True) for name, value in numbers.items()
    }
    if run.state == RunState.RUNNING:
        left = left_words(figures) if figures.ready else _("preparing to judge the turns")
        return Step(title, f"{so_far} · {left}" if run.total else "", NOW)
    if run.state == RunState.FINISHED:
        return Step(title, so_far, DONE)
    if run.state in _ENDED and run.started:
        return Step(title, _("ended at %(so_far)s") % {"so_far": so_far}, STOPPED)
    first = _("each conversation once") if run.by_verdicts else _("each message once")
    return Step(title, so_far if run.total else first, TODO)


def left_words(figures: Figures) -> str:
    if figures.left is None:
        left = number_format(max(0, figures.total - figures.done), 0, force_grouping=True)
        return _("%(number)s left; the time shows after the first answers") % {"number": left}
    return interval_words(figures.left)
