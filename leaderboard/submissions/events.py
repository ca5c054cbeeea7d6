"""Events of a submission, for the webhooks of its team."""

from leaderboard.mail.models import Event, Webhook
from leaderboard.mail.webhooks import add_deliveries
from leaderboard.submissions.models import Submission


def note_event(*, submission: Submission, event: Event, **facts: str) -> None:
    """Call it in the transaction of the step that the event tells of."""
    webhooks = list(Webhook.objects.filter(team__entrants=submission.entrant_id, off=None))
    if webhooks:
        revision = submission.revision
        data = {
            "submission": submission.public_id,
            "benchmark": revision.benchmark.slug,
            "revision": revision.label,
            "setting": submission.setting,
            "entrant": submission.entrant.slug,
            **facts,
        }
        add_deliveries(webhooks, event, data)
