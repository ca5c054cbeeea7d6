"""Converts marks to the engine's records. Raters are identified by their number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field

from evaluation.engine.records import Key, Rating
from leaderboard.annotation import models
from leaderboard.annotation.models import Campaign, Item, RaterState
from leaderboard.benchmarks.models import Task
from leaderboard.submissions.models import generation_key


@dataclass(frozen=True, slots=True)
class Marked:
    generations: list[Key] = field(default_factory=list)
    ratings: list[Rating] = field(default_factory=list)
    outcomes: list[Rating] = field(default_factory=list)


def marked(campaign: Campaign, *, left_out: Collection[int] = ()) -> dict[int, Marked]:
    """The marks by submission. `left_out` are primary keys of tasks. Runs three queries."""
    tasks = {
        task.pk: task.id_in_dataset
        for task in Task.objects.filter(revision=campaign.revision_id).defer("public")
        if task.pk not in left_out
    }
    by_submission: dict[int, Marked] = defaultdict(Marked)
    keys: dict[int, tuple[int, Key]] = {}
    items = Item.objects.filter(campaign=campaign, kind=Item.Kind.GENERATION, task__in=tasks)
    place = [f"generation__{name}" for name in ("submission", "sample", "requirement", "turn")]
    for item, task, submission, *rest in items.order_by("pk").values_list("pk", "task", *place):
        key = generation_key(tasks[task], *rest)
        keys[item] = submission, key
        by_submission[submission].generations.append(key)
    ratings = models.Rating.objects.counting().filter(assignment__item__in=items)
    outcomes = models.Outcome.objects.filter(
        assignment__item__in=items, assignment__rater__state__in=RaterState.counting()
    )
    columns = ("assignment__item", "assignment__rater__number", "criterion", "value")
    for kind, rows in (("ratings", ratings), ("outcomes", outcomes)):
        for item, rater, criterion, value in rows.order_by("pk").values_list(*columns):
            submission, key = keys[item]
            mark = Rating(key, str(rater), criterion, value)
            getattr(by_submission[submission], kind).append(mark)
    return dict(by_submission)
