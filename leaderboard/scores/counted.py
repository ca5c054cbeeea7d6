"""What an evaluation's scores are computed from, as a canonical file: the same text for the same
results, with public ids only. `evaluation.cli.receipts` computes the scores from it."""

import json
from collections.abc import Mapping
from operator import itemgetter
from typing import Any, TypeAlias

from django.core.serializers.json import DjangoJSONEncoder

from evaluation.engine import records
from evaluation.engine.metrics.tally import PASS
from evaluation.engine.registry import result_metric
from evaluation.models import Evaluation
from leaderboard.benchmarks.models import Revision, Task
from leaderboard.benchmarks.public import public_record
from leaderboard.fields import stored_turn, turn_of
from leaderboard.scores.models import Score, TaskResult
from leaderboard.scores.scoring import judged
from leaderboard.submissions.models import Submission

Line: TypeAlias = dict[str, Any]
_SLICE = ("metric", "slice", "slice_value")
_OF_SCORE = (*_SLICE, "value", "low", "high", "least", "most", "n", "tasks", "top")
_OF_TASK = ("language", "natural_language", "level", "domain", "category")


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), cls=DjangoJSONEncoder)


def order_of(key: records.Key) -> tuple[Any, ...]:
    """The order of lines: tasks whose ids are numbers, then those with texts."""
    turn = stored_turn(key.turn)
    return isinstance(key.task_id, str), key.task_id, key.sample, key.requirement or "", turn


def score_lines(evaluation: Evaluation) -> list[Line]:
    """The scores that everyone may see, without those of the benchmark's own programs."""
    rows = Score.objects.filter(evaluation=evaluation, of_references=False)
    return sorted(rows.values(*_OF_SCORE), key=itemgetter(*_SLICE))


def metrics_of_tests(submission: Submission) -> set[str]:
    """Metrics whose results by task tell how many tests passed."""
    family = submission.revision.benchmark.family
    return {metric.name for metric in family.metrics_in(submission.setting) if metric.of_tests}


def counted_tasks(revision: Revision) -> dict[int, records.Task]:
    """The public part of the tasks that count, by primary key."""
    rows = Task.objects.filter(revision=revision, exclusion=None)
    return {row.pk: public_record(row) for row in rows.iterator(2000)}


def counted_lines(evaluation: Evaluation, tasks: Mapping[int, records.Task]) -> list[Line]:
    """A line for each of the counted `tasks`, then its slots ("missing" without a generation;
    `value` counts in pass@k), then its results in other metrics. Leaves out results that would tell
    how many hidden tests passed. For people's marks: the scores, as they are published."""
    submission, scores = evaluation.submission, score_lines(evaluation)
    benchmark, setting = submission.revision.benchmark, submission.setting
    family = benchmark.family
    if family.is_rated:
        return scores
    metrics = {result_metric(score["metric"]) for score in scores}
    if not benchmark.shows_output:
        metrics -= metrics_of_tests(submission)
    passes: dict[tuple[records.TaskId, str, int], TaskResult] = {}
    lines: list[tuple[Any, Line]] = []
    results = TaskResult.objects.filter(evaluation=evaluation, metric__in=metrics, task__in=tasks)
    for result in results.iterator(5000):
        task, turn = tasks[result.task_id].id, turn_of(result.turn)
        if result.metric == PASS:
            passes[task, result.category, result.turn] = result
            continue
        fields = {name: getattr(result, name) for name in ("metric", "n", "c", "open", "value")}
        line = {"task_id": task, **fields, "overall": result.overall, "turn": turn}
        line["category"] = result.category or None
        order = order_of(records.Key(task, 0))[:2]
        lines.append(((*order, 2, result.metric, result.category, result.turn), line))
    by_id = {task.id: task for task in tasks.values()}
    units: list[tuple[records.Unit, Line, int | None]] = []
    for verdict in judged(evaluation, tasks):
        facts: Line = {name: getattr(verdict, name) for name in ("status", "integrity", "tier")}
        units.append((verdict.unit, facts, None if verdict.open else int(verdict.passed)))
    filled = {(key.task_id, key.requirement) for (key, _test_set), *_ in units}
    for record in by_id.values():
        for slot in family.slots(record, setting):
            if slot.required and (record.id, slot.requirement) not in filled:
                key = records.Key(record.id, 0, slot.requirement, slot.turn)
                units.append((records.Unit(key), {"status": "missing"}, 0))
        line = {"task_id": record.id, **{name: getattr(record, name) for name in _OF_TASK}}
        line["cluster"] = family.clusters.of(record) if family.clusters else record.id
        lines.append(((*order_of(records.Key(record.id, 0))[:2], 0), line))
    counted = set()
    for (key, test_set), facts, value in units:
        line = {**key._asdict(), "test_set": test_set, **facts}
        for category in (key.requirement or "", by_id[key.task_id].category or ""):
            place = key.task_id, category, stored_turn(key.turn)
            if place in passes and not test_set:
                counted.add(place)
                line |= {"value": value, "category": category or None}
                line["overall"] = passes[place].overall
                break
        order = order_of(key)
        lines.append(((*order[:2], 1, *order[2:], test_set), line))
    assert counted == set(passes), "every result of pass@k is that of a slot"
    return [line for _order, line in sorted(lines, key=lambda entry: entry[0])]
