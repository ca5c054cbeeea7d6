"""The order of a board, computed when its results change; its editions, the orders that it had."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.metrics import METRICS_VERSION
from evaluation.engine.metrics.paired import EntrantId
from evaluation.engine.metrics.ranking import Ranking, rank
from evaluation.engine.metrics.raters import Raters
from evaluation.engine.metrics.swaps import Swaps
from evaluation.engine.records import Integrity, Status, Tier
from evaluation.models import Evaluation, EvaluationState, Verdict
from evaluation.state.scheduling import due_for_scoring
from leaderboard.benchmarks.models import Revision
from leaderboard.leases import claimed, held, lease_end
from leaderboard.scores import pairs, showings
from leaderboard.scores.changes import changes_of
from leaderboard.scores.models import Board, Edition, EditionRow, Score, Standing, TaskResult
from leaderboard.submissions.models import Submission, Visibility

# Minimum seconds between two orders of a board, so that changes in quick succession share one.
SECONDS_BETWEEN = 2


def want_board(*, submission: Submission) -> Board:
    metric = submission.revision.benchmark.metric_in(submission.setting)
    board, _ = Board.objects.get_or_create(
        revision=submission.revision, setting=submission.setting, defaults={"metric": metric}
    )
    Board.objects.filter(pk=board.pk).update(wanted=F("wanted") + 1, metric=metric)
    board.refresh_from_db()
    return board


def leave_board(*, evaluation: Evaluation) -> Board | None:
    """Takes the evaluation's row off its board at once. Returns the board if it had one."""
    gone, _ = Standing.objects.filter(evaluation=evaluation).delete()
    _drop_replaced([evaluation.pk])
    return want_board(submission=evaluation.submission) if gone else None


def stale_boards() -> QuerySet[Board]:
    """Boards that have changed since their order was computed."""
    return Board.objects.filter(made__lt=F("wanted"))


def due_boards() -> QuerySet[Board]:
    """Stale boards that no worker is computing, that were not made just now, and of which no result
    is being scored again. A result whose scoring failed is not waited for."""
    quiet = Q(made_at=None) | Q(made_at__lt=Now() - timedelta(seconds=SECONDS_BETWEEN))
    free = Q(lease_until=None) | Q(lease_until__lt=Now())
    awaited = due_for_scoring().filter(
        current=True,
        cause="",
        submission__revision=OuterRef("revision"),
        submission__setting=OuterRef("setting"),
        submission__visibility=Visibility.PUBLISHED,
    )
    return stale_boards().filter(quiet, free, ~Exists(awaited))


def claim_board(*, pk: int, owner: str) -> Board | None:
    """Returns None if the board is not due."""
    return claimed(due_boards(), pk=pk, owner=owner, rung=None)


def renew_lease(*, board: Board) -> bool:
    return bool(held(Board.objects.all(), board).update(lease_until=lease_end()))


def release_board(*, board: Board) -> None:
    held(Board.objects.all(), board).update(lease_until=None, rung=None)


def make_board(*, board: Board) -> bool:
    """Computes the board's order as of now. Returns False if this or a later order is stored, or if
    a result was scored again meanwhile. Safe to run concurrently and again after a crash."""
    board.refresh_from_db()
    wanted = board.wanted
    if board.made >= wanted:
        return False
    shown = evaluations_shown(board)
    fitting = [evaluation for evaluation in shown if _fits(evaluation)]
    overall = Score.objects.filter(evaluation__in=fitting, metric=board.metric, slice="overall")
    scores = {score.evaluation_id: score for score in overall}
    settled = [key for key, score in scores.items() if score.value is not None]
    lower = any(score.lower_is_better for score in scores.values())
    units = showings.showings(TaskResult.objects.filter(overall=True), board, settled, lower=lower)
    swaps = Swaps.unpacked(bytes(board.swaps))
    compared, panels = [scores[int(unit.entrant)] for unit in units], None
    if any(score.top for score in compared):  # mean marks
        panels = [Raters(**(score.raters or {})) for score in compared]
    clusters = showings.clusters_of(board)
    ranking = rank(units, clusters, swaps, panels)
    submissions: dict[EntrantId, Submission] = {row.pk: row.submission for row in fitting}
    items = showings.items_of(board, units, submissions)
    signs = {} if panels else showings.memorisation_of(board, units, submissions, clusters)
    changes = changes_of(board, fitting)
    rows = _standings(board, shown, ranking)
    with transaction.atomic():
        # Scoring holds this lock at its end: results are replaced before this or after it.
        Revision.objects.select_for_update(no_key=True).get(pk=board.revision_id)
        mine = Board.objects.filter(pk=board.pk, made__lt=wanted)
        made = {"made": wanted, "made_at": Now(), "facts": _facts(board, ranking, signs)}
        tests = {"swaps": swaps.packed(), "pairs": pairs.packed(ranking.p)}
        read = {(row.pk, row.state, row.attempt, row.outdated) for row in shown}
        present = Evaluation.objects.filter(pk__in=[row.pk for row in shown])
        unchanged = read == set(present.values_list("pk", "state", "attempt", "outdated"))
        if not unchanged or not mine.update(**tests, **made):
            return False
        before = Standing.objects.filter(board=board)
        _drop_replaced(list(before.filter(replaced=True).values_list("evaluation", flat=True)))
        before.delete()
        standings = Standing.objects.bulk_create(rows)
        showings.write_statistics(board, items)
        now = timezone.now()
        keep_edition(board=board, standings=standings, scores=scores, now=now, changes=changes)
    return True


def evaluations_shown(board: Board) -> list[Evaluation]:
    """The newest published result of each entrant. Includes results that are being scored again."""
    scored = Score.objects.filter(evaluation=OuterRef("pk"))
    again = Q(Exists(scored), state__in=EvaluationState.moving())
    rows = Evaluation.objects.filter(
        Q(state=EvaluationState.DONE) | again,
        current=True,
        submission__revision=board.revision_id,
        submission__setting=board.setting,
        submission__visibility=Visibility.PUBLISHED,
    ).select_related("submission__entrant")
    in_order = rows.order_by("submission__published", "pk")
    return list({row.submission.entrant_id: row for row in in_order}.values())


def _fits(evaluation: Evaluation) -> bool:
    """Whether the stored results are of the present tasks and verdicts."""
    return evaluation.state == EvaluationState.DONE or not evaluation.outdated


def _drop_replaced(evaluations: Sequence[int]) -> None:
    Score.with_replaced.filter(evaluation__in=evaluations, replaced=True).delete()
    TaskResult.with_replaced.filter(evaluation__in=evaluations, replaced=True).delete()


def _facts(
    board: Board, ranking: Ranking, signs: Mapping[str, showings.Signs]
) -> dict[str, object]:
    clusters = board.revision.benchmark.family.clusters
    signs_by_place = {
        name: [asdict(sign) if (sign := column.get(row.entrant)) else None for row in ranking.rows]
        for name, column in signs.items()
    }
    return {
        "tasks": ranking.tasks,
        "clusters": ranking.clusters,
        "cluster": clusters.noun if clusters else "task",
        "test": "swaps",
        "p": list(ranking.lead),
        "every_group": ranking.every_group,
        "detectable": ranking.detectable,
        "raters_differ": ranking.raters_differ,
        **{name: column for name, column in signs_by_place.items() if any(column)},
        "unshared": ranking.unshared,
        "engine": ENGINE_VERSION,
        "metrics": METRICS_VERSION,
    }


def _standings(board: Board, shown: Sequence[Evaluation], ranking: Ranking) -> list[Standing]:
    passed = Verdict.objects.of_generations().filter(
        evaluation__in=shown,
        status=Status.PASSED.value,
        integrity__in=(Integrity.CLEAN.value, Integrity.CLEARED.value),
    )
    tiers = {f"passes_{tier.value}": Count("pk", filter=Q(tier=tier.value)) for tier in Tier}
    counted = passed.order_by().values("evaluation").annotate(**tiers)
    passes = {row.pop("evaluation"): row for row in map(dict[str, Any], counted)}
    no_passes = dict.fromkeys(tiers, None if board.revision.benchmark.family.is_rated else 0)
    ranks = {
        row.entrant: {
            "place": position + 1,
            "rank_low": row.low,
            "rank_high": row.high,
            "groups": [n for n, group in enumerate(ranking.groups) if position in group],
        }
        for position, row in enumerate(ranking.rows)
    }
    return [
        Standing(
            board=board,
            submission=evaluation.submission,
            evaluation=evaluation,
            has_results=_fits(evaluation),
            **passes.get(evaluation.pk, no_passes),
            **ranks.get(evaluation.pk, {}),
        )
        for evaluation in shown
    ]


# --- Editions -----------------------------------------------------------------------------------

# Kept editions, besides those with changes: the newest _RECENT ones of the last day, then the last
# one of each day, which may be cited.
_RECENT = 20
_OF_SCORE = ("value", "low", "high")


def keep_edition(
    *,
    board: Board,
    standings: Sequence[Standing],
    scores: dict[int, Score],
    now: datetime,
    changes: dict[str, Any],
) -> Edition | None:
    """Stores the order, and deletes the rows of editions that are too many, but none with changes.
    Stores nothing if the newest edition has the same rows and `changes` are empty. `scores` are by
    evaluation. Call it in the transaction that stores the order."""
    rows = [
        EditionRow(
            submission=standing.submission,
            **{name: getattr(standing, name) for name in ("rank_low", "rank_high")},
            **{name: getattr(scores[standing.evaluation_id], name) for name in _OF_SCORE},
        )
        for standing in standings
        if standing.place is not None
    ]
    last = Edition.objects.filter(board=board, metric=board.metric).first()
    without_ends = attrgetter("submission_id", "value", "rank_low", "rank_high")
    facts = attrgetter("submission_id", "value", "rank_low", "rank_high", "low", "high")
    last_rows = list(last.rows.all()) if last else []
    made_by = {"engine": ENGINE_VERSION, "metrics": METRICS_VERSION}
    same_versions = last and made_by == {name: getattr(last, name) for name in made_by}
    if same_versions and set(map(facts, last_rows)) == set(map(facts, rows)) and not changes:
        return None
    if last is None:
        changes = {}
    if changes:
        present = {row.submission_id for row in rows}
        older = {without_ends(row) for row in last_rows if row.submission_id in present}
        changes = {**changes, "rows": sorted(older - set(map(without_ends, rows)))}
    edition = Edition.objects.create(
        board=board, metric=board.metric, made_at=now, ranked=len(rows), changes=changes, **made_by
    )
    for row in rows:
        row.edition = edition
    EditionRow.objects.bulk_create(rows)
    stored = Edition.objects.filter(board=board, changes={}, thinned=False)
    thinned = surplus(stored.values_list("pk", "made_at"), now)
    EditionRow.objects.filter(edition__in=thinned).delete()
    Edition.objects.filter(pk__in=thinned).update(thinned=True)
    return edition


def surplus(editions: Iterable[tuple[int, datetime]], now: datetime) -> list[int]:
    """The keys of editions (key, time; newest first) to thin out: all but the newest of the last
    day, and the last of each day before it."""
    recent, periods, keys = 0, set(), []
    for key, made_at in editions:
        if made_at > now - timedelta(days=1):
            recent += 1
            period = f"{made_at:%Y-%m-%d} {min(recent, _RECENT)}"
        else:
            period = f"{made_at:%Y-%m-%d}"
        if period in periods:
            keys.append(key)
        periods.add(period)
    return keys
