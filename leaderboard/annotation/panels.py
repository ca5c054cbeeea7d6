"""A campaign's marks as the engine's records, their means and intervals, and whether these may be
published. Raters are identified by their number."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property

from evaluation.engine import records
from evaluation.engine.family import Criterion
from evaluation.engine.metrics.agreement import Agreement, Item, Lack, items_of, ordinal_alpha
from evaluation.engine.metrics.panel import Hold, PanelMean, holds_of, panel_mean
from evaluation.engine.metrics.raters import Raters, variance_between, weights_of
from evaluation.engine.metrics.summary import SLICES
from evaluation.engine.records import Key, Rating
from leaderboard.annotation import models
from leaderboard.annotation.models import Campaign, PanelScore, RaterState
from leaderboard.benchmarks.models import Task
from leaderboard.benchmarks.public import public_record
from leaderboard.submissions.models import generation_key

OPEN, CONSTANT = "unrated_generations", "constant_marks"
_OF_TASK = ("natural_language", "level", "domain", "category")


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
    items = campaign.items.filter(task__in=tasks, kind=models.Item.Kind.GENERATION)
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


class CampaignMarks:
    """A campaign's marks as of now, read once for all its submissions."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        # Read before the tasks: a decision between the two reads is then noticed at the end.
        self.left_out = campaign.revision.left_out()
        rows = Task.objects.filter(revision=campaign.revision, exclusion=None).order_by("number")
        # The tasks that are not excluded, by id, in the dataset's order, and their primary keys.
        self.tasks = {row.id_in_dataset: public_record(row) for row in rows}
        self.keys = {row.id_in_dataset: row.pk for row in rows}
        self.by_submission = marked(campaign, left_out=self.left_out)
        self._scores: dict[int, list[PanelScore]] = {}

    @cached_property
    def items(self) -> dict[Criterion, list[Item]]:
        """Of all submissions: agreement is a property of the panel, not of an entrant."""
        every = self.by_submission.values()
        return {
            scale: [item for m in every for item in items_of(m.ratings, scale, m.outcomes)]
            for scale in self.campaign.criteria
        }

    @cached_property
    def alphas(self) -> dict[Criterion, Agreement]:
        return {scale: ordinal_alpha(items) for scale, items in self.items.items()}

    @cached_property
    def between(self) -> dict[Criterion, tuple[float | None, int]]:
        """The variance between raters and its degrees of freedom by scale, from all submissions."""
        return {scale: variance_between(items, scale.top) for scale, items in self.items.items()}

    @cached_property
    def people(self) -> dict[str, str]:
        """The person by the rater's number; one person may rate in several campaigns."""
        rows = self.campaign.raters.values_list("number", "user")
        return {str(n): f"user {user}" if user else f"{self.campaign.pk}/{n}" for n, user in rows}

    def marks_of(self, submission: int) -> Marked:
        return self.by_submission.get(submission, Marked())

    def raters_of(self, submission: int, scale: Criterion, missing: int) -> Raters:
        """The raters of the submission's marks over all tasks, with `missing` generations."""
        marks, (variance, degrees) = self.marks_of(submission), self.between[scale]
        weights = weights_of(items_of(marks.ratings, scale, marks.outcomes), missing)
        return Raters({self.people[n]: w for n, w in weights.items()}, variance, degrees)

    def scores_of(self, submission: int) -> list[PanelScore]:
        """A submission's unsaved means on each scale, overall and by slices of the tasks.

        The overall mean decides for its slices too whether they are provisional."""
        if submission in self._scores:
            return self._scores[submission]
        slices = [("overall", "", self.tasks)]
        for name in filter(_OF_TASK.__contains__, SLICES):
            values = {getattr(task, name) for task in self.tasks.values()} - {None, ""}
            slices += [
                (name, value, {k: t for k, t in self.tasks.items() if getattr(t, name) == value})
                for value in sorted(values)
            ]
        scores: list[PanelScore] = []
        for scale in self.campaign.criteria:
            holds: list[str] = []
            for name, value, tasks in slices:
                mean, missing, unrated = _mean(scale, self.marks_of(submission), tasks)
                if name == "overall":
                    # Resolving the first often resolves the others.
                    holds = ([OPEN] if unrated else []) + self._holds(scale, mean)
                scores.append(
                    PanelScore(
                        campaign=self.campaign,
                        submission_id=submission,
                        criterion=scale.name,
                        slice=name,
                        slice_value=value,
                        missing=missing,
                        open=unrated,
                        holds=holds,
                        **asdict(mean),
                    )
                )
        self._scores[submission] = scores
        return scores

    def _holds(self, scale: Criterion, mean: PanelMean) -> list[str]:
        campaign, agreement = self.campaign, self.alphas[scale]
        gate = campaign.fewest_ratings, campaign.least_agreement
        holds = [str(hold) for hold in holds_of(mean, agreement, *gate)]
        # If nearly all marks are the same, alpha has a value but no interval. It may be low.
        constant = agreement.lack == Lack.VARIATION and agreement.value is None
        if constant and Hold.UNKNOWN_AGREEMENT in holds:
            # More marks would not make alpha known, so the organisers decide.
            holds.remove(Hold.UNKNOWN_AGREEMENT)
            holds += [] if campaign.constant_marks else [CONSTANT]
        return holds


def _mean(
    scale: Criterion, marks: Marked, tasks: Mapping[records.TaskId, records.Task]
) -> tuple[PanelMean, int, int]:
    """The mean on a scale, the number of missing generations, and that of generations without a
    mark. The mean has a mark of 1 for each missing one, which its counts leave out."""
    keys = {key for key in marks.generations if key.task_id in tasks}
    ratings = [rating for rating in marks.ratings if rating.key in keys]
    outcomes = [outcome for outcome in marks.outcomes if outcome.key in keys]
    items = items_of(ratings, scale, outcomes)
    # The number of samples of the task that has most, as in the ranking.
    most = max(Counter(key.task_id for key in marks.generations).values(), default=1)
    present = {key.task_id for key in keys}
    missing = [task for task in tasks if task not in present for _sample in range(most)]
    mean = panel_mean(items, scale.top)
    if missing and items:
        # Each such mark has its own fictitious rater.
        nobody = [
            Item(task, {f"none {n}": 1}, Rating(Key(task, 0), f"none {n}", scale.name, 1))
            for n, task in enumerate(missing)
        ]
        whole = panel_mean([*items, *nobody], scale.top)
        mean = replace(whole, ratings=mean.ratings, raters=mean.raters, items=mean.items)
    return mean, len(missing), len(keys) - len(items)
