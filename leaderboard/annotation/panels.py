"""Means and intervals of a submission's marks, and whether they may be published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from evaluation.engine import records
from evaluation.engine.family import Criterion
from evaluation.engine.metrics.agreement import Agreement, Item, Lack, items_of, ordinal_alpha
from evaluation.engine.metrics.panel import Gate, Hold, PanelMean, panel_mean, publication
from evaluation.engine.metrics.raters import Raters, variance_between, weights_of
from evaluation.engine.metrics.summary import SLICES
from evaluation.engine.records import Key, Rating
from leaderboard.annotation.models import Campaign
from leaderboard.annotation.records import Marked, marked
from leaderboard.benchmarks.models import Revision, Task
from leaderboard.benchmarks.public import public_record

OPEN, CONSTANT = "unrated_generations", "constant_marks"
_OF_TASK = ("natural_language", "level", "domain", "category")


@dataclass(frozen=True, slots=True)
class Panel:
    """`missing` counts generations that were not submitted, `open` those without a mark."""

    criterion: Criterion
    slice: str
    slice_value: str
    mean: PanelMean
    missing: int
    open: int
    holds: tuple[str, ...]


class CampaignMarks:
    """A campaign's marks as of now, read once for all its submissions."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        # Read before the tasks: a decision between the two reads is then noticed at the end.
        self.left_out = campaign.revision.left_out()
        self.tasks = tasks_in_results(campaign.revision)
        self.found = marked(campaign, left_out=self.left_out)
        self._panels: dict[int, list[Panel]] = {}

    @cached_property
    def keys(self) -> dict[records.TaskId, int]:
        """The primary keys of the revision's tasks."""
        rows = Task.objects.filter(revision=self.campaign.revision_id)
        return {row.id_in_dataset: row.pk for row in rows.only("external_id", "id_is_number")}

    @cached_property
    def alphas(self) -> dict[Criterion, Agreement]:
        scales = self.campaign.criteria
        return {scale: ordinal_alpha(shared_items(self.found, scale)) for scale in scales}

    def of(self, submission: int) -> Marked:
        return self.found.get(submission, Marked())

    @cached_property
    def people(self) -> dict[str, str]:
        """The person by the rater's number; one person may rate in several campaigns."""
        rows = self.campaign.raters.values_list("number", "user")
        return {str(n): f"user {user}" if user else f"{self.campaign.pk}/{n}" for n, user in rows}

    @cached_property
    def between(self) -> dict[Criterion, tuple[float | None, int]]:
        """The variance between raters and its degrees of freedom by scale, from all submissions."""
        return {
            scale: variance_between(shared_items(self.found, scale), scale.top)
            for scale in self.campaign.criteria
        }

    def raters_of(self, submission: int, panel: Panel) -> Raters:
        """The raters of the panel's marks over all tasks."""
        marks, (variance, degrees) = self.of(submission), self.between[panel.criterion]
        items = items_of(marks.ratings, panel.criterion, marks.outcomes)
        weights = weights_of(items, panel.missing)
        return Raters({self.people[n]: w for n, w in weights.items()}, variance, degrees)

    def panels_of(self, submission: int) -> list[Panel]:
        if submission not in self._panels:
            marks = self.of(submission)
            self._panels[submission] = panels(self.campaign, marks, self.tasks, self.alphas)
        return self._panels[submission]


def panels(
    campaign: Campaign,
    marks: Marked,
    tasks: Mapping[records.TaskId, records.Task],
    agreements: Mapping[Criterion, Agreement],
) -> list[Panel]:
    """A submission's results on each scale, overall and by slices of the tasks.

    The overall result decides for its slices too whether they are provisional.
    """
    found = []
    for criterion in campaign.criteria:
        whole = _panel(criterion, "overall", "", marks, tasks)
        parts = [whole]
        for name in filter(_OF_TASK.__contains__, SLICES):
            for value in sorted({getattr(task, name) for task in tasks.values()} - {None, ""}):
                part = {key: task for key, task in tasks.items() if getattr(task, name) == value}
                parts.append(_panel(criterion, name, value, marks, part))
        holds = _holds(campaign, whole, agreements[criterion])
        found += [replace(part, holds=holds) for part in parts]
    return found


def _holds(campaign: Campaign, whole: Panel, agreement: Agreement) -> tuple[str, ...]:
    gate = Gate(campaign.fewest_ratings, campaign.least_agreement)
    holds = [str(hold) for hold in publication(whole.mean, agreement, gate).holds]
    # An alpha without an interval comes from marks of which nearly all are the same: it is known,
    # and may be low.
    constant = agreement.lack == Lack.VARIATION and agreement.value is None
    if constant and Hold.UNKNOWN_AGREEMENT in holds:
        # More marks would not make alpha known, so the organisers decide.
        holds.remove(Hold.UNKNOWN_AGREEMENT)
        holds += [] if campaign.constant_marks else [CONSTANT]
    return (*holds, *((OPEN,) if whole.open else ()))


def _panel(
    criterion: Criterion,
    name: str,
    value: str,
    marks: Marked,
    tasks: Mapping[records.TaskId, records.Task],
) -> Panel:
    """The mean has a mark of 1 for each missing generation, which its counts leave out."""
    keys = {key for key in marks.generations if key.task_id in tasks}
    ratings = [rating for rating in marks.ratings if rating.key in keys]
    outcomes = [outcome for outcome in marks.outcomes if outcome.key in keys]
    items = items_of(ratings, criterion, outcomes)
    # The number of samples of the task that has most, as in the ranking.
    most = max(Counter(key.task_id for key in marks.generations).values(), default=1)
    present = {key.task_id for key in keys}
    missing = [task for task in tasks if task not in present for _sample in range(most)]
    mean = panel_mean(items, criterion.top)
    if missing and items:
        # Each such mark has its own fictitious rater.
        nobody = [
            Item(task, {f"none {n}": 1}, Rating(Key(task, 0), f"none {n}", criterion.name, 1))
            for n, task in enumerate(missing)
        ]
        whole = panel_mean([*items, *nobody], criterion.top)
        mean = replace(whole, ratings=mean.ratings, raters=mean.raters, items=mean.items)
    return Panel(criterion, name, value, mean, len(missing), len(keys) - len(items), ())


def shared_items(found: Mapping[int, Marked], criterion: Criterion) -> list[Item]:
    """All submissions' items, because agreement is a property of the panel, not of an entrant."""
    return [
        item
        for marks in found.values()
        for item in items_of(marks.ratings, criterion, marks.outcomes)
    ]


def tasks_in_results(revision: Revision) -> dict[records.TaskId, records.Task]:
    """The tasks that are not excluded, by id, in the dataset's order."""
    rows = Task.objects.filter(revision=revision, exclusion=None).order_by("number")
    return {row.id_in_dataset: public_record(row) for row in rows}
