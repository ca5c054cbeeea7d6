"""The steps of a submission and of an upload in words: done, active, pending, stopped."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime

from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.formats import time_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evaluation.models import EvaluationState
from evaluation.state.forecast import Interval
from evaluation.state.progress import Progress
from leaderboard.pages.shared.score_words import count
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
    state, started = progress.state, progress.started is not None
    cancelled = state == EvaluationState.CANCELLED
    if not started:
        cancelled_words = _("cancelled while waiting"), STOPPED
        queued = cancelled_words if cancelled else (waiting_words(progress), NOW)
    elif progress.waited_seconds < 1:
        queued = _("no wait"), DONE
    else:
        queued = _("waited %(time)s") % {"time": duration_words(progress.waited_seconds)}, DONE
    counts = {"judged": count(progress.judged), "total": count(progress.total)}
    so_far = _("%(judged)s of %(total)s") % counts
    if progress.runs != progress.total:
        counts = {"done": count(progress.runs_done), "runs": count(progress.runs)}
        so_far += " · " + _("%(done)s of %(runs)s runs") % counts
    judging = so_far, DONE
    if cancelled:
        judging = _("cancelled at %(so_far)s") % {"so_far": so_far}, STOPPED
    elif state == EvaluationState.JUDGING and not started:
        judging = _("each in its own sandbox"), TODO
    elif state == EvaluationState.JUDGING:
        judging = f"{so_far} · {left_words(progress)}", NOW
    scored = cause or _("intervals, breakdowns"), TODO
    if state == EvaluationState.DONE:
        scored = _("with intervals and breakdowns"), DONE
    elif state == EvaluationState.REFUSED:
        scored = _("refused: a transcript breaks the rules"), STOPPED
    elif state == EvaluationState.SCORING:
        computing = _("being computed") if progress.scorers else _scoring_words(progress)
        scored = cause or computing, NOW
    elif cancelled:
        scored = _("not scored"), TODO
    return [
        checked_step(submission.generations_count),
        Step(_("Queued"), *queued),
        Step(_("Judging"), *judging),
        Step(_("Scored"), *scored),
        published_step(
            submission,
            held=held,
            ready=state == EvaluationState.DONE,
            refused=state == EvaluationState.REFUSED,
        ),
    ]


def checked_step(generations: int) -> Step:
    words = ngettext(
        "%(number)s generation, no problems", "%(number)s generations, no problems", generations
    )
    return Step(_("Checked"), words % {"number": count(generations)}, DONE)


def published_step(
    submission: Submission, *, held: bool, ready: bool, refused: bool = False
) -> Step:
    title = _("Published")
    if held:
        return Step(title, _("not possible now, see below"), STOPPED)
    if submission.visibility == Visibility.PUBLISHED:
        return Step(title, _("on the board"), DONE)
    if refused:
        return Step(title, _("needs a score"), TODO)
    return Step(title, _("when you publish it"), NOW if ready else TODO)


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
    ) % {"number": count(progress.others)}
    return f"{words} · {left_words(progress)}"


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
    # The end is rounded up to a multiple of the step, and to whole minutes.
    step = max(60, _step(high))
    end = math.ceil((timezone.now().timestamp() + left.high) / step) * step
    words = {
        "low": low // unit if unit else duration_words(low),
        "high": duration_words(high),
        "clock": time_format(timezone.localtime(datetime.fromtimestamp(end, UTC)), "H:i T"),
    }
    if not low:
        return _("at most about %(high)s left, probably done by %(clock)s") % words
    return _("about %(low)s to %(high)s left, probably done by %(clock)s") % words


def _scoring_words(progress: Progress) -> str:
    if progress.scorers:
        return _("the score is computed next")
    return _("no worker that computes scores is running")


def outward(low: float, high: float) -> tuple[int, int]:
    """To coarse steps, so that it changes rarely, and still covers the original."""
    return math.floor(low / _step(low)) * _step(low), math.ceil(high / _step(high)) * _step(high)


def _step(seconds: float) -> int:
    steps = ((60, 20), (600, 60), (3600, 300))
    return next((step for below, step in steps if seconds < below), 1800)


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


def storing_words(stored: int, generations: int) -> str:
    if stored == generations:  # minutes for many
        return _("stored, being compared with the answers of other teams")
    words = _("%(stored)s of %(number)s generations stored")
    return words % {"stored": count(stored), "number": count(generations)}


def upload_steps(
    upload: Upload, report: Understood | None, *, ahead: int = 0, stored: int = 0
) -> list[Step]:
    """`ahead`: uploads that come before it, while it waits. `stored`: its generations so far."""
    turn = _("next in line")
    if ahead:
        words = ngettext("%(number)s upload is ahead", "%(number)s uploads are ahead", ahead)
        turn = words % {"number": count(ahead)}
    generations = report.generations if report else 0
    line, step = {
        UploadState.CONFIRMED: (f"{_('waiting to be stored')} · {turn}", NOW),
        UploadState.STORING: (storing_words(stored, generations), NOW),
        UploadState.CHECKED: (_("when you submit it"), NOW),
        UploadState.DISCARDED: (_("discarded"), STOPPED),
    }.get(UploadState(upload.state), (_("when you submit it"), TODO))
    title = _("Checked")
    if upload.state == UploadState.RECEIVED:
        checked = Step(title, f"{_('waiting to be checked')} · {turn}", NOW)
    elif upload.state == UploadState.CHECKING:
        checked = Step(title, _("every line is being read"), NOW)
    elif upload.state == UploadState.REFUSED or (report and not report.ok):
        checked = Step(title, _("the file has problems"), STOPPED)
    elif report is None:
        checked = Step(title, _("not checked"), TODO)
    elif not report.cautions:
        checked = checked_step(generations)
    else:
        number = len(report.cautions)
        words = ngettext("%(shown)s generation", "%(shown)s generations", generations)
        warned = ngettext("%(number)s warning", "%(number)s warnings", number)
        counts = (words % {"shown": count(generations)}, warned % {"number": count(number)})
        checked = Step(title, ", ".join(counts), DONE)
    return [
        Step(_("Received"), filesizeformat(upload.size), DONE),
        checked,
        Step(_("Submitted"), line, step),
    ]
