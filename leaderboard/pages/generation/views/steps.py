"""A run's progress: as figures, and as steps in words, each with its state."""

from __future__ import annotations

import math

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evaluation.state.forecast import Interval
from leaderboard.generation.models import Run, RunState
from leaderboard.messages import in_readers_language
from leaderboard.pages.submissions.views.steps import DONE, NOW, STOPPED, TODO, Step, interval_words

_ENDED = (RunState.STOPPED, RunState.FAILED)
_COUNTS = ("tokens_in", "tokens_out", "uncounted", "cut_off", "again")
# Assumed drift of an endpoint's speed, as a logarithm.
DRIFT = 0.2


class Figures:
    """`done` counts answers, or conversations if the run continues by verdicts.

    `rate` is in answers per second, `left` in seconds, `cost` in the team's currency; None means
    unknown. `again` counts retries. `ready` is false while the environment that judges turns is
    being prepared.
    """

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
    numbers = {"done": figures.done, "answered": figures.answered, "total": run.total}
    so_far = words % {
        name: number_format(value, 0, force_grouping=True) for name, value in numbers.items()
    }
    if run.state == RunState.RUNNING:
        if not figures.ready:
            left = _("preparing to judge the turns")
        elif figures.left is None:
            number = number_format(max(0, run.total - figures.done), 0, force_grouping=True)
            words = _("%(number)s left; the time shows after the first answers")
            left = words % {"number": number}
        else:
            left = interval_words(figures.left)
        return Step(title, f"{so_far} · {left}" if run.total else "", NOW)
    if run.state == RunState.FINISHED:
        return Step(title, so_far, DONE)
    if run.state in _ENDED and run.started:
        return Step(title, _("ended at %(so_far)s") % {"so_far": so_far}, STOPPED)
    first = _("each conversation once") if run.by_verdicts else _("each message once")
    return Step(title, so_far if run.total else first, TODO)
