"""Signs that a board's entrants know its tasks from training, computed with the board's order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from statistics import fmean
from typing import TypeAlias

import numpy as np

from evaluation.engine.metrics.memorisation import FEWEST_ENTRANTS, Sign, ages, overlaps
from evaluation.engine.metrics.paired import Clusters, EntrantId, Showing
from evaluation.engine.records import TaskId
from leaderboard.benchmarks.models import Task
from leaderboard.scores.models import Board
from leaderboard.submissions.copies import references_given
from leaderboard.submissions.models import Submission

# By evaluation. None: there is too little to compare with.
Signs: TypeAlias = Mapping[EntrantId, Sign | None]


def memorisation_of(
    board: Board,
    showings: Sequence[Showing],
    submissions: Mapping[EntrantId, Submission],
    clusters: Clusters | None,
) -> dict[str, Signs]:
    """`overlaps`: the share of right answers that equal the hidden reference, beyond the share
    expected from the other entrants' answers. `ages`: likewise for the difference between tasks
    before and after the entrant's cut-off. `submissions` are by evaluation. Returns no signs for
    ratings, nor for conversations, because their turns are not answers to a task's own prompt."""
    if len(showings) < FEWEST_ENTRANTS or showings[0].by_place:
        return {}
    ranked = [submissions[showing.entrant] for showing in showings]
    signs: dict[str, Signs] = {}

    pks = [submission.pk for submission in ranked]
    references, given = references_given(board.revision, board.setting, pks)
    tasks = [task for task in showings[0].units if task in references]
    if tasks:
        equal = np.array([[given.get((pk, int(task)), 0.0) for task in tasks] for pk in pks])
        right = np.array([[max(s.units[task]) > 0 for task in tasks] for s in showings])
        results = overlaps(equal, right, _clusters_of(tasks, clusters))
        signs["overlaps"] = {s.entrant: sign for s, sign in zip(showings, results, strict=True)}

    cutoffs: list[date | None] = [submission.entrant.cutoff for submission in ranked]
    rows = Task.objects.filter(revision=board.revision_id, dated__isnull=False)
    days = {pk: day for pk, day in rows.values_list("pk", "dated") if day}
    tasks = [task for task in showings[0].units if task in days]
    if tasks and any(cutoffs):
        values = np.array([[fmean(s.units[task]) for task in tasks] for s in showings])
        older = [
            None if cutoff is None else np.array([days[int(task)] < cutoff for task in tasks])
            for cutoff in cutoffs
        ]
        results = ages(values, older, _clusters_of(tasks, clusters))
        signs["ages"] = {s.entrant: sign for s, sign in zip(showings, results, strict=True)}
    return signs


def _clusters_of(tasks: Sequence[TaskId], clusters: Clusters | None) -> list[TaskId]:
    return [clusters[task] if clusters else task for task in tasks]
