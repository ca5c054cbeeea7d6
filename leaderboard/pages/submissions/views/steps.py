"""The steps of a submission and of an upload in words: done, active, pending, stopped."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime

from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.formats import number_format, time_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evaluation.models import EvaluationState
from evaluation.state.forecast import Interval
from evaluation.state.progress import Progress
from leaderboard.submissions.intake import Understood
from leaderboard.submissions.models import Submission, Upload, UploadState, Visibility

DONE, NOW, TODO, STOPPED = "done", "now", "todo", "stopped"


@dataclass(frozen=True, slots=True)
class Step:
    """`url`: the page of the step, if it is another one."""

    title: str
    line: str
    state: str
    url: str = ""


def steps_of(submission: Submission, progress: Progress, *, cause: str, held: bool) -> list[Step]:
    """`cause` says why scoring waits; `held`: the submission cannot be published now."""
    return [
        checked_step(submission),
        _queued(progress),
        _judging(progress),
        _scored(progress, cause),
        _published(submission, progress, held=held),
    ]


def checked_step(submission: Submission) -> Step:
    return Step(_("Checked"), _no_problems(submission.generations_count), DONE)


def _no_problems(n: int) -> str:
    words = ngettext("%(number)s generation, no problems", "%(number)s generations, no problems", n)
    return words % {"number": _number(n)}


def _queued(progress: Progress) -> Step:
    title = _("Queued")
    if progress.started is None and progress.state == EvaluationState.CANCELLED:
        return Step(title, _("cancelled while waiting"), STOPPED)
    if progress.started is None:
        return Step(title, waiting_words(progress), NOW)
    if progress.waited_seconds < 1:
        return Step(title, _("no wait"), DONE)
    waited = duration_words(progress.waited_seconds)
    return Step(title, _("waited %(time)s") % {"time": waited}, DONE)


def waiting_words(progress: Progress) -> str:
    """Why judging has not started, and when it probably ends."""
    if not progress.workers:
        return _("no worker is running")
    if not progress.others:
        return f"{_('next in line')} · {left_words(progress)}"
    words = ngettext(
        "in turns with %(number)s other submission",
        "in turns with %(number)s other submissions",
        progress.others,
    ) % {"number": _number(progress.others)}
    return f"{words} · {left_words(progress)}"


def _judging(progress: Progress) -> Step:
    title = _("Judging")
    so_far = _so_far(progress)
    if progress.state == EvaluationState.CANCELLED:
        return Step(title, _("cancelled at %(so_far)s") % {"so_far": so_far}, STOPPED)
    if progress.state != EvaluationState.JUDGING:
        return Step(title, so_far, DONE)
    if progress.started is None:
        return Step(title, _("each in its own sandbox"), TODO)
    return Step(title, f"{so_far} · {left_words(progress)}", NOW)


def _so_far(progress: Progress) -> str:
    counts = {"judged": _number(progress.judged), "total": _number(progress.total)}
    so_far = _("%(judged)s of %(total)s") % counts
    if progress.runs == progress.total:
        return so_far
    counts = {"done": _number(progress.runs_done), "runs": _number(progress.runs)}
    return f"{so_far} · " + _("%(done)s of %(runs)s runs") % counts


def left_words(progress: Progress) -> str:
    """The interval in which judging probably ends."""
    if progress.scorers is not None:
        return _scoring_words(progress)
    if not progress.workers:
        return _("no worker is running")
    if progress.left is None:
        return _("the last chunk ends in a moment")
    return interval_words(progress.left)


def interval_words(left: Interval) -> str:
    low, high = outward(*left)
    unit = next((unit for unit in (1, 60) if unit <= low and high < 60 * unit), None)
    words = {
        "low": low // unit if unit else duration_words(low),
        "high": duration_words(high),
        "clock": time_format(_rounded_up(left.high, _step(high)), "H:i"),
    }
    if not low:
        return _("at most about %(high)s left, probably done by %(clock)s") % words
    return _("about %(low)s to %(high)s left, probably done by %(clock)s") % words


def _scoring_words(progress: Progress) -> str:
    if progress.scorers:
        return _("the score is computed next")
    return _("no worker that computes scores is running")


def outward(low: float, high: float) -> tuple[int, int]:
    """Rounds the ends of an interval in seconds outward, so that it still covers the original, and
    to coarse steps, so that it changes rarely."""
    return math.floor(low / _step(low)) * _step(low), math.ceil(high / _step(high)) * _step(high)


def _step(seconds: float) -> int:
    steps = ((60, 20), (600, 60), (3600, 300))
    return next((step for below, step in steps if seconds < below), 1800)


def _rounded_up(seconds: float, step: int) -> datetime:
    """The time of day after `seconds`, rounded up to a multiple of `step` seconds and to whole
    minutes."""
    step = max(60, step)
    end = timezone.now().timestamp() + seconds
    return timezone.localtime(datetime.fromtimestamp(math.ceil(end / step) * step, UTC))


def _scored(progress: Progress, cause: str) -> Step:
    title = _("Scored")
    if progress.state == EvaluationState.DONE:
        return Step(title, _("with intervals and breakdowns"), DONE)
    if progress.state == EvaluationState.REFUSED:
        return Step(title, _("refused: a transcript breaks the rules"), STOPPED)
    if progress.state == EvaluationState.SCORING:
        computed = _("being computed") if progress.scorers else _scoring_words(progress)
        return Step(title, cause or computed, NOW)
    if progress.state == EvaluationState.CANCELLED:
        return Step(title, _("not scored"), TODO)
    return Step(title, cause or _("intervals, breakdowns"), TODO)


def _published(submission: Submission, progress: Progress, *, held: bool) -> Step:
    if held:
        return held_step()
    title = _("Published")
    if submission.visibility == Visibility.PUBLISHED:
        return Step(title, _("on the board"), DONE)
    if progress.state == EvaluationState.DONE:
        return Step(title, _("when you publish it"), NOW)
    if progress.state == EvaluationState.REFUSED:
        return Step(title, _("needs a score"), TODO)
    return Step(title, _("when you publish it"), TODO)


def held_step() -> Step:
    return Step(_("Published"), _("not possible now, see below"), STOPPED)


def duration_words(seconds: float | None) -> str:
    """Formats as "8 s", "2 min 5 s", "5 min" or "3 h 10 min"."""
    whole = max(0, round(seconds or 0))
    minutes, rest = divmod(whole, 60)
    if whole < 60:
        return _("%(seconds)d s") % {"seconds": whole}
    if whole < 3600 and not rest:
        return _("%(minutes)d min") % {"minutes": minutes}
    if whole < 3600:
        return _("%(minutes)d min %(seconds)d s") % {"minutes": minutes, "seconds": rest}
    hours, minutes = divmod(minutes, 60)
    return _("%(hours)d h %(minutes)d min") % {"hours": hours, "minutes": minutes}


def _number(value: int) -> str:
    return number_format(value, 0, force_grouping=True)


def upload_steps(upload: Upload, report: Understood | None, *, ahead: int = 0) -> list[Step]:
    """`ahead`: uploads that come before it, while it waits."""
    size = filesizeformat(upload.size)
    return [
        Step(_("Received"), size, DONE),
        _upload_checked(UploadState(upload.state), report, ahead),
        _upload_submitted(UploadState(upload.state), report, ahead),
    ]


def _ahead_words(ahead: int) -> str:
    if not ahead:
        return _("next in line")
    words = ngettext("%(number)s upload is ahead", "%(number)s uploads are ahead", ahead)
    return words % {"number": _number(ahead)}


def _upload_checked(state: UploadState, report: Understood | None, ahead: int) -> Step:
    title = _("Checked")
    if state == UploadState.RECEIVED:
        return Step(title, f"{_('waiting to be checked')} · {_ahead_words(ahead)}", NOW)
    if state == UploadState.CHECKING:
        return Step(title, _("every line is being read"), NOW)
    if state == UploadState.REFUSED or (report is not None and not report.ok):
        return Step(title, _("the file has problems"), STOPPED)
    if report is None:
        return Step(title, _("not checked"), TODO)
    n, warnings = report.generations, len(report.warnings)
    if not warnings:
        return Step(title, _no_problems(n), DONE)
    generations = ngettext("%(shown)s generation", "%(shown)s generations", n)
    words = ngettext("%(number)s warning", "%(number)s warnings", warnings)
    said = (generations % {"shown": _number(n)}, words % {"number": _number(warnings)})
    return Step(title, ", ".join(said), DONE)


def _upload_submitted(state: UploadState, report: Understood | None, ahead: int) -> Step:
    title = _("Submitted")
    if state == UploadState.CONFIRMED:
        return Step(title, f"{_('waiting to be stored')} · {_ahead_words(ahead)}", NOW)
    if state == UploadState.STORING and report is not None:
        words = _("storing %(number)s generations")
        return Step(title, words % {"number": _number(report.generations)}, NOW)
    if state == UploadState.CHECKED:
        return Step(title, _("when you submit it"), NOW)
    if state == UploadState.DISCARDED:
        return Step(title, _("discarded"), STOPPED)
    return Step(title, _("when you submit it"), TODO)
