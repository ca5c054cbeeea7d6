"""Staff's decisions to exclude tasks from results, their undoing, and the rescoring."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from django.db import transaction
from django.db.models import QuerySet

from evaluation.engine.metrics.paired import Table
from evaluation.models import Evaluation, EvaluationState
from evaluation.work import actions
from leaderboard.accounts.models import User
from leaderboard.annotation.campaigns import want_results
from leaderboard.annotation.models import Campaign
from leaderboard.benchmarks.models import Revision, Task, TaskExclusion
from leaderboard.scores.models import Board, Score, Standing, TaskResult
from leaderboard.scores.showings import showings


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of an entrant's row. Places are by score; `points` is the difference of the
    scores in per cent, or in marks up to `top` if people rate; more is better."""

    entrant: str
    place: int
    place_then: int
    points: float
    top: int | None = None


def effects(tasks: QuerySet[Task]) -> list[tuple[Board, list[Change] | None]]:
    """Each board with ranked rows, and its changes in the rows' order if the tasks are left out.
    The changes are None if a row has no other tasks: then no places can be computed."""
    keys = set(tasks.values_list("pk", flat=True))
    boards = Board.objects.filter(revision__in=tasks.values("revision")).order_by("pk")
    changes = list[tuple[Board, list[Change] | None]]()
    for board in boards.select_related("revision__benchmark"):
        ranked = Standing.objects.filter(board=board, place__isnull=False).order_by("place")
        entrants = dict(ranked.values_list("evaluation", "submission__entrant__shown_name"))
        scores = Score.objects.filter(evaluation__in=entrants, metric=board.metric)
        overall = scores.filter(slice="overall").values_list("lower_is_better", "top")
        lower, top = overall.order_by("-lower_is_better").first() or (False, None)
        results = TaskResult.objects.filter(overall=True)
        present = showings(results, board, [*entrants], lower=lower)
        remaining = [
            replace(showing, units=units)
            for showing in present
            if (units := {t: showing.units[t] for t in showing.units.keys() - keys})
        ]
        if not present:
            continue
        if len(remaining) < len(present):
            changes.append((board, None))
            continue
        now, then = (Table.of(units).scores.round(12).tolist() for units in (present, remaining))
        rows = [
            Change(
                entrant=entrants[int(showing.entrant)],
                place=1 + sum(other > score for other in now),
                place_then=1 + sum(other > score_then for other in then),
                points=round((top - 1 if top else 100) * (score_then - score), 2),
                top=top,
            )
            for showing, score, score_then in zip(present, now, then, strict=True)
        ]
        changes.append((board, rows))
    return changes


@transaction.atomic
def leave_out(*, tasks: QuerySet[Task], reason: str, user: User) -> list[TaskExclusion]:
    """Excludes the tasks from all results of their revisions. Returns the new exclusions; tasks
    that were excluded before keep their decision."""
    _lock(Revision.objects.filter(tasks__in=tasks))
    made = [
        TaskExclusion.objects.create(task=task, reason=reason, decided_by=user)
        for task in tasks.filter(exclusion=None).order_by("revision", "number")
    ]
    _rescore({exclusion.task.revision_id for exclusion in made})
    return made


@transaction.atomic
def take_in_again(*, exclusions: Iterable[TaskExclusion]) -> int:
    keys = [exclusion.pk for exclusion in exclusions]
    _lock(Revision.objects.filter(tasks__exclusion__in=keys))
    rows = TaskExclusion.objects.filter(pk__in=keys)
    revisions = set(rows.values_list("task__revision", flat=True))
    gone, _ = rows.delete()
    _rescore(revisions)
    return gone


def _lock(revisions: QuerySet[Revision]) -> None:
    """Scoring that is about to end waits for this lock and then reads the decision; scoring that
    has ended is visible to `_rescore`."""
    keys = set(revisions.values_list("pk", flat=True))
    list(Revision.objects.filter(pk__in=keys).order_by("pk").select_for_update(no_key=True))


def _rescore(revisions: Collection[int]) -> None:
    """Only current results: evaluations in progress read the decisions themselves. Boards show what
    they show now until all results are of the new set of tasks."""
    # Campaigns before evaluations: the lock order of `annotation.results.make_results`.
    for campaign in Campaign.objects.filter(revision__in=revisions).order_by("pk"):
        want_results(campaign=campaign)
    current = Evaluation.objects.filter(current=True, submission__revision__in=revisions)
    # Includes evaluations that are judged again after a loss: boards may still show their earlier
    # scores.
    current.update(outdated=True)
    for evaluation in current.filter(state__in=EvaluationState.scored()):
        actions.rescore(evaluation=evaluation)
