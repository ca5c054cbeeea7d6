"""Which submissions a user may see, and which parts of their verdicts, which are also a file of
JSON Lines. Pages, files and the API ask only here."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from evaluation.engine.family import ByExecution, Plain
from evaluation.models import Evaluation, EvaluationState, Verdict
from leaderboard.accounts.audit import record_access
from leaderboard.accounts.models import Person, staff_may
from leaderboard.fields import NO_TURN
from leaderboard.submissions.bases import may_be_copy
from leaderboard.submissions.models import Consent, Generation, Submission, Visibility

ROWS_AT_ONCE = 2000
# The columns of the file of verdicts.
EVERYONES = ("status", "integrity", "tier", "duration_ms", "dependencies")
DETAILS = ("tests_passed", "tests_total", "control_ms", "peak_memory_kib", "flags")
PLACE = (
    *("generation__task__external_id", "generation__task__id_is_number", "generation__sample"),
    *("generation__requirement", "generation__turn", "test_set"),
)


def visible_submission(request: HttpRequest, pk: int) -> Submission:
    """The submission with related rows. Raises Http404 if the user may not see it. Records that
    staff see a private one."""
    rows = Submission.objects.visible_to(request.user)
    rows = rows.select_related("entrant__team", "revision__benchmark", "user", "upload")
    row = get_object_or_404(rows.defer("upload__report", "upload__left_out"), pk=pk)
    if row.visibility == Visibility.PRIVATE:
        record_access(request, row)
    return row


@dataclass(frozen=True, slots=True)
class Rights:
    """Everyone who sees a submission sees status and duration of its verdicts.

    own: the generations, their messages and changes; only for the team, and for staff who may view
        generations.
    consent: if the team shows everyone its generations.
    details: tests passed, memory and flags. With hidden tests only for `staff`, since a program
        can print, allocate or count what it reads.
    output: what generations printed, for readers of the generation who see details.
    staff: whether the person is staff who may change verdicts.
    plain: verdict details that derive from the submission only; for readers of the generation,
        even with hidden tests."""

    own: bool
    details: bool
    output: bool
    staff: bool
    plain: Plain = Plain()
    consent: Consent | None = None

    @classmethod
    def of(cls, request: HttpRequest, submission: Submission) -> Self:
        """Records that staff read what only the team sees; `visible_submission` recorded it if the
        submission is private."""
        user = request.user
        staff = staff_may(user, "evaluation.change_verdict")
        own = Submission.objects.readable_by(user).filter(pk=submission.pk).exists()
        if (staff or own) and submission.visibility == Visibility.PUBLISHED:
            record_access(request, submission)
        details = staff or submission.revision.benchmark.shows_output
        judged = submission.revision.benchmark.family.judged
        consents = Consent.objects.visible_to(user).select_related("submission__entrant__team")
        consent = consents.filter(submission=submission).first()
        reads = own or consent is not None
        plain = judged.plain if reads and isinstance(judged, ByExecution) else Plain()
        return cls(own, details, reads and details, staff, plain, consent)

    @classmethod
    def of_everyone(cls, consent: Consent) -> Self:
        """What everyone may see of a submission with a consent in force."""
        judged = consent.submission.revision.benchmark.family.judged
        plain = judged.plain if isinstance(judged, ByExecution) else Plain()
        return cls(False, True, True, False, plain, consent)

    def reads(self, generation: Generation, submission: Submission) -> bool:
        shown = self.consent is not None and not may_be_copy(generation.turn, submission)
        return self.own or shown


def cancellable(user: Person, submission: Submission) -> Evaluation | None:
    """The newest evaluation that the person may cancel now."""
    newest = submission.evaluations.order_by("-pk")
    return next((row for row in newest if may_cancel(user, submission, row)), None)


def may_cancel(user: Person, submission: Submission, evaluation: Evaluation) -> bool:
    """Assumes that the user may edit the submission. A team may cancel its current evaluation while
    the result is private; otherwise only staff, as it may cost the team its result."""
    if evaluation.state not in EvaluationState.moving():
        return False
    own = evaluation.current and submission.visibility == Visibility.PRIVATE
    return own or staff_may(user, "submissions.change_submission")


def verdict_lines(evaluation: Evaluation, *, details: bool) -> Iterator[str]:
    """In the order of the upload. `details` as in Rights."""
    columns = EVERYONES + (DETAILS if details else ())
    verdicts = Verdict.objects.filter(evaluation=evaluation).order_by("generation", "test_set")
    for row in verdicts.values(*PLACE, *columns).iterator(ROWS_AT_ONCE):
        task, is_number, sample, requirement, turn, test_set = map(row.pop, PLACE)
        place: dict[str, Any] = {"task_id": int(task) if is_number else task, "sample": sample}
        if requirement:
            place["requirement"] = requirement
        if turn != NO_TURN:
            place["turn"] = turn
        if test_set:
            place["test_set"] = test_set
        if row["dependencies"] is None:
            del row["dependencies"]
        yield json.dumps(place | row, ensure_ascii=False) + "\n"
