"""What of a submission's verdicts a person may know. Pages and files ask here alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluation.engine.family import ByExecution, Plain
from evaluation.models import Evaluation, EvaluationState
from leaderboard.submissions.models import Submission, Visibility

if TYPE_CHECKING:
    from leaderboard.accounts.models import Person


@dataclass(frozen=True, slots=True)
class Rights:
    """Everyone who sees a submission sees status and duration of its verdicts.

    texts: the generations, its team's and staff's alone.
    details: tests passed, memory and flags; with hidden tests only staff's, since a program
        can print, allocate or count what it reads.
    output: what generations printed, where the team may see both of the above.
    plain: what of a verdict says nothing but what the generation's text says; its team's and
        staff's alone, whatever is hidden.
    """

    texts: bool
    details: bool
    output: bool
    staff: bool
    plain: Plain = Plain()

    @classmethod
    def of(cls, user: Person, submission: Submission) -> Rights:
        staff = bool(user.is_staff)
        own = Submission.objects.editable_by(user).filter(pk=submission.pk).exists()
        details = staff or submission.revision.benchmark.shows_output
        judged = submission.revision.benchmark.family.judged
        plain = judged.plain if own and isinstance(judged, ByExecution) else Plain()
        return cls(own, details, own and details, staff, plain)


def may_cancel(user: Person, submission: Submission, evaluation: Evaluation) -> bool:
    """Of what may be edited: a team stops its own judging until it shows the result. What is
    judged anew beside a result, or under one that everyone sees, is the staff's to stop: it may
    take the result away."""
    if evaluation.state not in EvaluationState.moving():
        return False
    own = evaluation.current and submission.visibility == Visibility.PRIVATE
    return bool(user.is_staff or own)
