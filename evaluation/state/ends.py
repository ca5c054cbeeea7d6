"""Tells a team's webhooks, and the person who submitted, of an evaluation's end."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from evaluation.models import Evaluation, EvaluationState
from leaderboard.accounts.models import User
from leaderboard.mail.models import Event
from leaderboard.mail.outbox import mail_users
from leaderboard.submissions.events import note_event

# Shorter evaluations send no mail: the person is still there.
LONG = timedelta(minutes=5)


def tell_end(*, evaluation: Evaluation, state: EvaluationState) -> None:
    """Call it in the transaction that ends the evaluation. Says nothing of what people judge: its
    scores change with every mark."""
    submission = evaluation.submission
    if submission.is_rated:
        return
    note_event(submission=submission, event=Event.ENDED, state=state.value)
    if timezone.now() - evaluation.created > LONG:
        members = User.objects.filter(teams__entrants=submission.entrant_id)
        wanted = members.filter(submissions=submission, mail_when_judged=True)
        subject = f"Assay: judging of {submission.entrant} is over"
        text = f"{submission} in the setting {submission.setting}: {state.value}.\n\nYour account's"
        mail_users(wanted, subject, f"{text} page asks for this message.\n")
