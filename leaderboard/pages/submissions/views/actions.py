"""A team's actions on its submission. POST only; repeating one has no further effect."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from evaluation.state.rights import cancellable
from evaluation.work.actions import cancel_evaluation, publish_submission, withdraw_submission
from leaderboard.accounts.audit import record_access
from leaderboard.pages.shared.access import action_on, signed_in, tell
from leaderboard.submissions.models import Consent, Licence, Submission
from leaderboard.submissions.publishing import (
    NotPublishable,
    answer_staff,
    hide_generations,
    show_generations,
)

# Characters of a team's answer to the staff.
MOST_ANSWER = 2000


@action_on("submission")
def submission_cancel(request: HttpRequest, *, pk: int) -> HttpResponse:
    submission = _editable(request, pk)
    moving = cancellable(request.user, submission)
    done = moving is not None and cancel_evaluation(evaluation=moving)
    sentence = _("Cancelled. The verdicts so far are kept.")
    tell(request, done, sentence, _("There was nothing left to cancel."))
    return redirect(submission)


@action_on("submission")
def submission_publish(request: HttpRequest, *, pk: int) -> HttpResponse:
    submission = _editable(request, pk)
    consents = Consent.objects.visible_to(request.user).filter(submission=submission)
    try:
        publish_submission(submission=submission)
    except NotPublishable as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("Published. The board shows it within a few seconds."))
        if licence := _licence(request):
            show_generations(submission=submission, licence=licence, user=signed_in(request))
        if request.POST.get("licence") and not consents.exists():
            messages.warning(request, _("Its generations are not shown."))
    return redirect(submission)


@action_on("submission")
def submission_answer(request: HttpRequest, *, pk: int) -> HttpResponse:
    """What the team says to the staff about a copy that holds the submission."""
    submission = _editable(request, pk)
    answer = request.POST.get("answer", "").strip()[:MOST_ANSWER]
    sent = bool(answer) and answer_staff(submission=submission, answer=answer)
    sentence = _("Sent. The site's staff read it and decide.")
    tell(request, sent, sentence, _("Nothing was sent: write an answer."))
    return redirect(submission)


@action_on("submission")
def submission_withdraw(request: HttpRequest, *, pk: int) -> HttpResponse:
    submission = _editable(request, pk)
    withdraw_submission(submission=submission)
    messages.success(request, _("Withdrawn. Only your team sees it now."))
    return redirect(submission)


@action_on("submission")
def submission_show(request: HttpRequest, *, pk: int) -> HttpResponse:
    submission, licence, user = _editable(request, pk), _licence(request), signed_in(request)
    shown = licence and show_generations(submission=submission, licence=licence, user=user)
    sentence = _("Everyone can read your generations now.")
    tell(request, bool(shown), sentence, _("Nothing was shown."))
    return redirect(submission)


@action_on("submission")
def submission_hide(request: HttpRequest, *, pk: int) -> HttpResponse:
    submission = _editable(request, pk)
    hidden = hide_generations(submission=submission)
    sentence = _("Hidden. Only your team reads your generations now.")
    tell(request, hidden, sentence, _("There was nothing left to hide."))
    return redirect(submission)


def _licence(request: HttpRequest) -> Licence | None:
    name = request.POST.get("licence", "")
    return Licence(name) if name in Licence.values else None


def _editable(request: HttpRequest, pk: int) -> Submission:
    row = get_object_or_404(Submission.objects.editable_by(request.user), pk=pk)
    record_access(request, row)
    return row
