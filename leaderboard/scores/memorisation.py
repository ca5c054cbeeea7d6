"""Signs that a board's entrants know its tasks from training, computed with the board's order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import fmean
from typing import TypeAlias

import numpy as np

from evaluation.engine.metrics.memorisation import FEWEST_ENTRANTS, Sign, ages, overlaps
from evaluation.engine.metrics.paired import Clusters, EntrantId, Showing
from leaderboard.benchmarks.models import Task
from leaderboard.scores.models import Board
from leaderboard.submissions.copies import references_given
from leaderboard.submissions.models import Submission

# By evaluation. None: there is too little to compare with.
Signs: TypeAlias = Mapping[EntrantId, Sign | None]


@dataclass(frozen=True, slots=True)
class Memorisation:
    """`overlaps`: the share of right answers that equal the hidden reference, beyond the share
    expected from the other entrants' answers. `ages`: likewise for the difference between tasks
    before and after the entrant's cut-off."""

    overlaps: Signs
    ages: Signs


def memorisation_of(
    board: Board,
    showings: Sequence[Showing],
    submissions: Mapping[EntrantId, Submission],
    clusters: Clusters | None,
) -> Memorisation:
    """`submissions` are by evaluation. Returns no signs for ratings, nor for conversations, because
    their turns are not answers to a task's own prompt."""
    if len(showings) < FEWEST_ENTRANTS or showings[0].by_place:
        return Memorisation({}, {})
    own = [submissions[one.entrant] for one in showings]
    return Memorisation(
        _by_evaluation(showings, _overlaps(board, showings, own, clusters)),
        _by_evaluation(showings, _ages(board, showings, own, clusters)),
    )


def _by_evaluation(showings: Sequence[Showing], signs: Sequence[Sign | None]) -> Signs:
    return {one.entrant: sign for one, sign in zip(showings, signs, strict=False)}


def _overlaps(
    board: Board,
    showings: Sequence[Showing],
    submissions: Sequence[Submission],
    clusters: Clusters | None,
) -> list[Sign | None]:
    pks = [one.pk for one in submissions]
    known, given = references_given(board.revision, board.setting, pks)
    tasks = [task for task in showings[0].units if task in known]
    if not tasks:
        return []
    equal = np.array([[given.get((pk, int(task)), 0.0) for task in tasks] for pk in pks])
    right = np.array([[max(one.units[task]) > 0 for task in tasks] for one in showings])
    return overlaps(equal, right, [clusters[task] if clusters else task for task in tasks])


def _ages(
    board: Board,
    showings: Sequence[Showing],
    submissions: Sequence[Submission],
    clusters: Clusters | None,
) -> list[Sign | None]:
    cutoffs: list[date | None] = [one.entrant.cutoff for one in submissions]
    rows = Task.objects.filter(revision=board.revision_id, dated__isnull=False)
    days = {pk: day for pk, day in rows.values_list("pk", "dated") if day}
    tasks = [task for task in showings[0].units if task in days]
    if not tasks or not any(cutoffs):
        return []
    values = np.array([[fmean(one.units[task]) for task in tasks] for one in showings])
    older = [
        None if cutoff is None else np.array([days[int(task)] < cutoff for task in tasks])
        for cutoff in cutoffs
    ]
    return ages(values, older, [clusters[task] if clusters else task for task in tasks])
