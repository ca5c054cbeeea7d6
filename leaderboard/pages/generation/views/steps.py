"""The steps of a run in words, each with its state."""

from __future__ import annotations

from django.utils.formats import number_format, time_format
from django.utils.translation import gettext as _

from leaderboard.generation.models import Run, RunState
from leaderboard.pages.generation.progress import Figures
from leaderboard.pages.submissions.views.steps import (
    DONE,
    NOW,
    STOPPED,
    TODO,
    Step,
    duration_words,
    roughly,
)

_ENDED = (RunState.STOPPED, RunState.FAILED)


def run_steps(run: Run, figures: Figures, *, workers: int) -> list[Step]:
    return [_waited(run, workers), _asked(run, figures), _handed_on(run)]


def _waited(run: Run, workers: int) -> Step:
    title = _("Queued")
    if run.state == RunState.WAITING:
        return Step(title, _("next in line") if workers else _("no worker is running"), NOW)
    if run.started is None:
        return Step(title, _("stopped while waiting"), STOPPED)
    return Step(title, _("a worker has claimed it"), DONE)


def _asked(run: Run, figures: Figures) -> Step:
    title = _("Generating")
    so_far = _so_far(run, figures)
    if run.state == RunState.RUNNING:
        left = left_words(figures) if figures.ready else _("preparing to judge the turns")
        return Step(title, f"{so_far} · {left}" if run.total else "", NOW)
    if run.state == RunState.FINISHED:
        return Step(title, so_far, DONE)
    if run.state in _ENDED and run.started:
        return Step(title, _("ended at %(so_far)s") % {"so_far": so_far}, STOPPED)
    first = _("each conversation once") if run.by_verdicts else _("each message once")
    return Step(title, so_far if run.total else first, TODO)


def _so_far(run: Run, figures: Figures) -> str:
    if run.by_verdicts:
        words = _("%(done)s of %(total)s conversations, %(answered)s answers")
    else:
        words = _("%(answered)s of %(total)s answers")
    numbers = {"done": figures.done, "answered": figures.answered, "total": figures.total}
    return words % {
        name: number_format(value, 0, force_grouping=True) for name, value in numbers.items()
    }


def left_words(figures: Figures) -> str:
    if figures.seconds_left is None or figures.until is None:
        return _("the time left is not known yet")
    return _("about %(time)s left, until %(clock)s") % {
        "time": duration_words(roughly(figures.seconds_left)),
        "clock": time_format(figures.until, "H:i"),
    }


def _handed_on(run: Run) -> Step:
    title = _("Uploaded")
    if run.state == RunState.FINISHED:
        return Step(title, _("as an upload of your team"), DONE)
    return Step(title, _("checked and judged like any upload"), TODO)
