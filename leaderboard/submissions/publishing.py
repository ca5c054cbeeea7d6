"""Puts results on the public board and takes them off, as their team decides. Keeps the ledger of
what teams had judged."""

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from leaderboard.accounts.audit import record_change
from leaderboard.accounts.models import Entrant, Person, User
from leaderboard.benchmarks.models import Benchmark
from leaderboard.mail.models import Event
from leaderboard.submissions.events import note_event
from leaderboard.submissions.models import (
    Consent,
    Copy,
    CopyState,
    Declaration,
    LedgerEntry,
    Licence,
    Submission,
    Visibility,
)


class NotPublishable(Exception):
    """The submission has no result to show yet; the text tells its team why."""


@transaction.atomic
def publish(*, submission: Submission) -> bool:
    """Returns False if it was already public."""
    private = Submission.objects.filter(pk=submission.pk, visibility=Visibility.PRIVATE)
    rows = Submission.objects.filter(entrant=submission.entrant_id, setting=submission.setting)
    public = rows.filter(revision=submission.revision_id, visibility=Visibility.PUBLISHED)
    before = public.order_by("published", "pk").last()
    if not private.update(visibility=Visibility.PUBLISHED, published=Now()):
        return False
    record_change(submission, visibility=(Visibility.PRIVATE, Visibility.PUBLISHED))
    note_event(submission=submission, event=Event.PUBLISHED)
    if before:
        note_event(submission=before, event=Event.SUPERSEDED, by=submission.public_id)
    return True


def may_show(submission: Submission, user: Person) -> bool:
    """Whether the user may let everyone read its generations once it is published. Only members of
    its team may: staff cannot license the work of others."""
    showing = Benchmark.objects.showing().filter(revisions=submission.revision_id)
    member = submission.entrant.team.memberships.filter(user=user.pk)
    return member.exists() and showing.exists()


@transaction.atomic
def show_generations(*, submission: Submission, licence: Licence, user: User) -> bool:
    """Lets everyone read its generations under the licence. Returns False if it is not public, if
    the user may not decide this, or if they are shown already."""
    # A withdrawal comes before this or after it.
    row = Submission.objects.select_for_update().filter(pk=submission.pk).order_by("pk").first()
    if row is None or row.visibility != Visibility.PUBLISHED or not may_show(row, user):
        return False
    _consent, shown = Consent.objects.get_or_create(
        submission=row, defaults={"licence": licence, "user": user}
    )
    return shown


def hide_generations(*, submission: Submission) -> bool:
    """Returns False if none were shown."""
    return bool(Consent.objects.filter(submission=submission).delete()[0])


@transaction.atomic
def withdraw(*, submission: Submission) -> bool:
    """Hides its generations, too. Returns False if it was not public."""
    public = Submission.objects.filter(pk=submission.pk, visibility=Visibility.PUBLISHED)
    moved = public.update(visibility=Visibility.PRIVATE, published=None, was_published=True)
    # After the update, which waits for a publication that is under way.
    hide_generations(submission=submission)
    if moved:
        record_change(submission, visibility=(Visibility.PUBLISHED, Visibility.PRIVATE))
        note_event(submission=submission, event=Event.WITHDRAWN)
    return bool(moved)


def holding_copies(submission: Submission) -> QuerySet[Copy]:
    return submission.copies.filter(Q(state=CopyState.OPEN, held=True) | Q(state=CopyState.REFUSED))


def answer_staff(*, submission: Submission, answer: str) -> bool:
    """Stores what the team says about the copies that hold it. Returns False if none does."""
    return bool(holding_copies(submission).update(answer=answer, answered=Now()))


def hold_words(submission: Submission) -> str:
    """Why its team cannot publish it now, or "". Never reveals whose answers it is like, unless
    staff do so in their reason."""
    reasons = dict(holding_copies(submission).order_by("decided_at").values_list("state", "reason"))
    if CopyState.REFUSED in reasons:
        words = _(
            "The site's staff decided that this result is not published, because most of its "
            "answers are like answers that another team submitted before. Their reason: %(reason)s "
            "If you disagree, answer on the result's page."
        )
        return words % {"reason": reasons[CopyState.REFUSED]}
    if reasons:
        return _(
            "This result cannot be published yet: most of its answers are like answers that "
            "another team submitted before. The site's staff look at both and decide. Tell them "
            "on the result's page how your team made the answers."
        )
    if Entrant.objects.waiting().filter(pk=submission.entrant_id).exists():
        return _(
            "This result cannot be published yet: the entrant's name looks like the name of "
            "another team's entrant. The site's staff decide. Choose another name, or wait."
        )
    return ""


def note_judging(*, submission: Submission) -> None:
    """Enters the submission into the ledger, once: its team may see verdicts from now on."""
    _entry, entered = LedgerEntry.objects.get_or_create(
        submission=submission,
        defaults={
            "team_id": submission.entrant.team_id,
            "revision_id": submission.revision_id,
            "setting": submission.setting,
        },
    )
    if entered:
        rows = Declaration.objects.filter(upload__submissions=submission.pk, evaluated=None)
        Declaration.objects.filter(pk__in=rows.values("pk")).update(evaluated=Now())


def anything_published() -> bool:
    return Submission.objects.filter(visibility=Visibility.PUBLISHED).exists()
