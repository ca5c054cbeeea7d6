"""What scoring again changes on a board: results that it shows against those that replace them."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet

from evaluation.engine.metrics import METRICS_VERSION
from evaluation.models import Evaluation
from leaderboard.scores.models import Board, Standing, TaskResult, shown_in

# Kinds of changed tasks: its results differ, or it counts no longer, or again.
VERDICTS, LEFT_OUT, TAKEN_IN = "verdicts", "left out", "taken in"


def changes_of(board: Board, fitting: Sequence[Evaluation]) -> dict[str, Any]:
    """The `changes` of an Edition, without rows: how the results of `fitting` evaluations differ
    from those that the board shows. Of ratings only the metrics: new marks are no change, and marks
    by task are not public. Call it before the order is replaced."""
    settled = Standing.objects.filter(board=board, has_results=True, place__isnull=False)
    before = {row.submission_id: row for row in settled.select_related("evaluation")}
    metrics, changes = board.facts.get("metrics", METRICS_VERSION), dict[str, Any]()
    if before and metrics != METRICS_VERSION:
        changes["metrics"] = [metrics, METRICS_VERSION]
    pairs = [
        (row, evaluation)
        for evaluation in fitting
        if (row := before.get(evaluation.submission_id))
        and (row.replaced or row.evaluation_id != evaluation.pk)
    ]
    if not pairs or board.revision.benchmark.family.is_rated:
        return changes
    engines = {(row.evaluation.engine_version, new.engine_version) for row, new in pairs}
    if versions := sorted(pair for pair in engines if pair[0] != pair[1]):
        changes["engine"] = list(versions[-1])
    older = _by_task(board, shown_in(TaskResult.with_replaced.all(), [row for row, _ in pairs]))
    newer = _by_task(board, TaskResult.objects.filter(evaluation__in=[new for _, new in pairs]))
    kinds = Counter[tuple[int, str]]()
    for row, new in pairs:
        old_tasks, new_tasks = older[row.evaluation_id], newer[new.pk]
        for task in old_tasks.keys() | new_tasks.keys():
            if task not in new_tasks:
                kinds[task, LEFT_OUT] += 1
            elif task not in old_tasks:
                kinds[task, TAKEN_IN] += 1
            elif old_tasks[task] != new_tasks[task]:
                kinds[task, VERDICTS] += 1
    if kinds:
        changes["tasks"] = [[*of_kind, number] for of_kind, number in sorted(kinds.items())]
    return changes


def _by_task(
    board: Board, results: QuerySet[TaskResult]
) -> Mapping[int, Mapping[int, Sequence[Any]]]:
    """By evaluation and task: the results in the board's metric, in one order."""
    rows = results.filter(metric=board.result_metric, overall=True)
    tasks: dict[int, dict[int, list[Any]]] = defaultdict(lambda: defaultdict(list))
    columns = ("evaluation", "task", "category", "turn", "n", "c", "open", "value")
    for row in map(dict[str, Any], rows.order_by("category", "turn").values(*columns)):
        tasks[row.pop("evaluation")][row.pop("task")].append(row)
    return tasks
