"""A team's actions on its submission. POST only; repeating one has no further effect."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from evaluation.work.actions import cancel_evaluation, publish_submission, withdraw_submission
from leaderboard.pages.shared.access import action_on
from leaderboard.pages.submissions.views.rights import may_cancel
from leaderboard.submissions.models import Submission
from leaderboard.submissions.publishing import NotPublishable


@action_on("submission")
def submission_cancel(request: HttpRequest, *, pk: int) -> HttpResponse:
    found = _own(request, pk)
    newest = found.evaluations.order_by("-pk")
    moving = next((one for one in newest if may_cancel(request.user, found, one)), None)
    if moving is not None and cancel_evaluation(evaluation=moving):
        messages.success(request, _("Cancelled. The verdicts so far are kept."))
    else:
        messages.warning(request, _("There was nothing left to cancel."))
    return redirect(found)


@action_on("submission")
def submission_publish(request: HttpRequest, *, pk: int) -> HttpResponse:
    found = _own(request, pk)
    try:
        publish_submission(submission=found)
    except NotPublishable as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("Published. The board shows it within a few seconds."))
    return redirect(found)


@action_on("submission")
def submission_withdraw(request: HttpRequest, *, pk: int) -> HttpResponse:
    found = _own(request, pk)
    withdraw_submission(submission=found)
    messages.success(request, _("Withdrawn. Only your team sees it now."))
    return redirect(found)


def _own(request: HttpRequest, pk: int) -> Submission:
    return get_object_or_404(Submission.objects.editable_by(request.user), pk=pk)
