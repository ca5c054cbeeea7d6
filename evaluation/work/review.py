"""The review desk: passes that a process shared with the candidate decided, looked at by staff."""

from collections.abc import Collection

from django.conf import settings
from django.db import transaction
from django.db.models import F, IntegerField, Q, QuerySet
from django.db.models.functions import Mod
from django.utils.crypto import salted_hmac

from evaluation.engine.records import Integrity
from evaluation.models import Evaluation, Review, Verdict
from evaluation.work import actions
from leaderboard.accounts.audit import record_change
from leaderboard.accounts.models import User
from leaderboard.mail.models import Event
from leaderboard.scores.models import Standing
from leaderboard.submissions.events import note_event

# Places of each board whose shared passes are all looked at; one of SAMPLE of the others is too.
LEADERS, SAMPLE = 3, 101


def passes_to_review() -> QuerySet[Verdict]:
    """Shared passes of the leaders of each board, and a sample of those of the other rows.

    The sample is every generation whose number has one residue, which only the site's secret
    determines: it is the same at each call and for all evaluations, so a pass that waits goes on
    waiting, and judging again draws no other sample. Nobody without the secret can compute it, and
    whether a pass waits is shown to staff only."""
    secret = salted_hmac("review sample", "", secret=settings.SECRET_KEY).digest()
    residue = Mod(F("generation_id") + secret[0] % SAMPLE, SAMPLE, output_field=IntegerField())
    leaders = Standing.objects.filter(place__lte=LEADERS).values("evaluation")
    rows = Standing.objects.values("evaluation")
    return (
        Verdict.objects.shared_passes()
        .filter(integrity=Integrity.CLEAN.value, review=None, evaluation__in=rows)
        .annotate(residue=residue)
        .filter(Q(evaluation__in=leaders) | Q(residue=0))
        .order_by("pk")
    )


@transaction.atomic
def decide(*, verdict: Verdict, fine: bool, reason: str, by: User) -> bool:
    """Stores the decision; a pass that is no solution no longer counts. Returns False if this is
    no shared pass, or was reviewed before."""
    passes = Verdict.objects.shared_passes().filter(
        integrity=Integrity.CLEAN.value, evaluation__current=True
    )
    locked = passes.select_for_update(of=("self",)).filter(pk=verdict.pk).first()
    if locked is None or Review.objects.filter(verdict=locked).exists():
        return False
    Review.objects.create(verdict=locked, fine=fine, reason=reason, by_id=by.pk)
    if not fine:
        settle(verdicts=[locked], to=Integrity.CONFIRMED, decision="refused")
    return True


@transaction.atomic
def decide_on_suspects(
    *, verdicts: QuerySet[Verdict], fine: bool, reason: str, by: User
) -> list[Verdict]:
    """Stores the decision on those that are suspect, and returns them."""
    suspects = verdicts.filter(integrity=Integrity.SUSPECT.value)
    locked = list(suspects.select_for_update(of=("self",)))
    for verdict in locked:
        facts = {"fine": fine, "suspect": True, "reason": reason, "by_id": by.pk}
        Review.objects.update_or_create(verdict=verdict, defaults=facts)
    to, decision = (Integrity.CLEARED, "accepted") if fine else (Integrity.CONFIRMED, "refused")
    settle(verdicts=locked, to=to, decision=decision)
    return locked


@transaction.atomic
def take_back(*, review: Review) -> None:
    """Undoes a decision: the pass waits for a review again, and is what it was before."""
    locked = Verdict.objects.select_for_update(of=("self",)).get(pk=review.verdict_id)
    Review.objects.filter(pk=review.pk).delete()
    if review.suspect or not review.fine:
        settle(verdicts=[locked], to=Integrity.SUSPECT if review.suspect else Integrity.CLEAN)


@transaction.atomic
def settle(*, verdicts: Collection[Verdict], to: Integrity, decision: str = "") -> None:
    """Writes the decision on the verdicts and has their evaluations scored again. Teams' webhooks
    are told of a `decision`."""
    Verdict.objects.filter(pk__in=[row.pk for row in verdicts]).update(integrity=to.value)
    for row in verdicts:
        record_change(row, integrity=(row.integrity, to.value))
    concerned = Evaluation.objects.filter(pk__in={row.evaluation_id for row in verdicts})
    # In the order in which others lock revisions.
    for evaluation in concerned.order_by("submission__revision", "pk"):
        if decision:
            facts = {"of": "passes", "decision": decision}
            note_event(submission=evaluation.submission, event=Event.REVIEWED, **facts)
        if to == Integrity.CONFIRMED:
            actions.discount(evaluation=evaluation)
        else:
            actions.rescore(evaluation=evaluation)
