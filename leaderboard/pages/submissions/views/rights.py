"""Which parts of a submission's verdicts a user may see. Pages and files ask only here."""

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

    texts: the generations; only for the team and staff.
    details: tests passed, memory and flags. With hidden tests only for staff, since a program
        can print, allocate or count what it reads.
    output: what generations printed, for readers who have both of the above.
    plain: verdict details that derive from the submission only; for the team and staff, even
        with hidden tests.
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
    """Assumes that the user may edit the submission. A team may cancel its current evaluation while
    the result is private; otherwise only staff, as it may cost the team its result.
    """
    if evaluation.state not in EvaluationState.moving():
        return False
    own = evaluation.current and submission.visibility == Visibility.PRIVATE
    return bool(user.is_staff or own)
