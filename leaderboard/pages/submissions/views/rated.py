"""The page of a submission that people judge: progress of the rating, and its results."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, F, Q, Sum
from django.db.models.functions import Coalesce, Greatest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evaluation.engine.family import ByPeople
from evaluation.models import Evaluation, EvaluationState
from evaluation.state.expected_end import living_workers
from evaluation.state.progress import SCORING
from leaderboard.accounts.models import Person, staff_may
from leaderboard.annotation.assigning import ratings_done
from leaderboard.annotation.models import (
    Campaign,
    CampaignState,
    Item,
    Outcome,
    PanelAgreement,
    PanelScore,
    Rating,
)
from leaderboard.annotation.results import campaign_of
from leaderboard.boards.panels import missing_share, panels_of
from leaderboard.pages.shared.panel_words import gate_words, holds_words
from leaderboard.pages.submissions.views.steps import (
    DONE,
    NOW,
    TODO,
    Step,
    checked_step,
    published_step,
)
from leaderboard.submissions.models import Generation, Submission


@dataclass(frozen=True, slots=True)
class Rated:
    """`complete` of the `items` generations have all their raters, `begun` at least one. `needed`
    ratings are missing until all have."""

    campaign: Campaign | None
    items: int
    complete: int
    begun: int
    scores: tuple[PanelScore, ...]
    # By scale, whether its alpha suffices, in words.
    gates: tuple[tuple[str, str], ...] = ()
    needed: int = 0

    @property
    def provisional(self) -> bool:
        """Whether any mean is not published yet."""
        return not self.scores or any(score.holds for score in self.scores)


def rated_of(submission: Submission) -> Rated:
    campaign = campaign_of(submission)
    if campaign is None:
        return Rated(None, 0, 0, 0, ())
    items = Item.objects.filter(
        campaign=campaign, generation__submission=submission, task__exclusion=None
    )
    counts = items.annotate(done=ratings_done()).aggregate(
        items=Count("pk"),
        complete=Count("pk", filter=Q(done__gte=F("campaign__per_item"))),
        begun=Count("pk", filter=Q(done__gte=1)),
        needed=Coalesce(Sum(Greatest(F("campaign__per_item") - F("done"), 0)), 0),
    )
    panels = panels_of([submission.pk])
    scores = panels.scores.get(submission.pk, ())
    gates = [
        (row.criterion, gate_words(row.low, campaign.least_agreement))
        for row in panels.agreements
        if row.campaign_id == campaign.pk and row.measure == PanelAgreement.Measure.ALPHA
    ]
    scores = tuple(score for score in scores if score.campaign_id == campaign.pk)
    return Rated(campaign, scores=scores, gates=tuple(gates), **counts)


def rated_words(submissions: Sequence[int]) -> Mapping[int, str]:
    """The progress of the campaign that `campaign_of` returns. At most one query."""
    items = Item.objects.filter(
        generation__submission__in=submissions,
        generation__submission__result_source__campaign=F("campaign"),
        task__exclusion=None,
    )
    rows = (
        items.annotate(done=ratings_done(), submission=F("generation__submission"))
        .values("submission")
        .annotate(
            items=Count("pk"), complete=Count("pk", filter=Q(done__gte=F("campaign__per_item")))
        )
    )
    words = {row["submission"]: _("%(complete)d of %(items)d rated") % row for row in rows}
    return {key: words.get(key) or _("waits to be opened for rating") for key in submissions}


def rated_steps(
    submission: Submission, evaluation: Evaluation, rated: Rated, *, held: bool
) -> list[Step]:
    """The steps from the file to the board, like `steps.steps_of` for executed code."""
    opened, rating = _("Opened for rating"), _("Rating")
    if rated.campaign is None:
        steps = [
            Step(opened, _("by the site's organisers"), NOW),
            Step(rating, _("by people, one generation at a time"), TODO),
        ]
    else:
        numbers = {"complete": rated.complete, "items": rated.items}
        line, state = _("%(complete)d of %(items)d have all their raters") % numbers, DONE
        if rated.complete != rated.items and rated.campaign.state != CampaignState.CLOSED:
            needed = ngettext(
                "%(number)d rating is still needed",
                "%(number)d ratings are still needed",
                rated.needed,
            ) % {"number": rated.needed}
            unknown = _("the end depends on the raters and is not predicted")
            line, state = f"{line} · {needed} · {unknown}", NOW
        steps = [Step(opened, _("raters do not see who wrote it"), DONE), Step(rating, line, state)]
    if evaluation.state in EvaluationState.moving():
        away = _("no worker that computes scores is running")
        scored = (_("being computed") if living_workers(SCORING) else away), NOW
    elif not rated.scores:
        scored = _("when there are marks"), TODO
    elif rated.provisional:
        scored = _("provisional"), NOW
    else:
        scored = _("with intervals and agreement"), DONE
    return [
        checked_step(submission.generations_count),
        *steps,
        Step(_("Scored"), *scored),
        published_step(submission, held=held, ready=rated.begun > 0),
    ]


@dataclass(frozen=True, slots=True)
class MeanLine:
    """A scale's mean as a reader may see it; provisional numbers only for the team and staff.

    `shares` are by mark from 1 up, without the share that is `missing`.
    """

    criterion: str
    top: int
    mean: float | None
    low: float | None
    high: float | None
    of: str
    holds: str
    shares: tuple[tuple[int, float], ...]
    missing: float


def mean_lines(rated: Rated, submission: Submission, *, provisional: bool) -> list[MeanLine]:
    """In the family's order. Only the team and staff see a `provisional` mean."""
    judged = submission.revision.benchmark.family.judged
    assert isinstance(judged, ByPeople), "only what people judge has scales"
    by_scale = {score.criterion: score for score in rated.scores}
    lines = []
    for criterion in judged.criteria:
        score = by_scale.get(criterion.name)
        if score is None:
            continue
        shown, missing = provisional or score.published, missing_share(score)
        first, *others = score.shares or [missing]
        ratings = ngettext("%(n)d mark", "%(n)d marks", score.ratings) % {"n": score.ratings}
        raters = ngettext("%(n)d rater", "%(n)d raters", score.raters) % {"n": score.raters}
        line = MeanLine(
            criterion=score.criterion,
            top=criterion.top,
            mean=score.value if shown else None,
            low=score.low if shown else None,
            high=score.high if shown else None,
            of=f"{ratings} · {raters}",
            holds=holds_words(score.holds),
            shares=tuple(enumerate((max(0.0, first - missing), *others), 1)) if shown else (),
            missing=missing,
        )
        lines.append(line)
    return lines


def single_marks(
    user: Person, generations: Iterable[Generation], campaign: Campaign | None
) -> Mapping[int, list[str]]:
    """By generation: each rater's marks and the settled ones, in words.

    Only staff may see single marks next to an entrant's name, for items of `Item.objects.known_to`.
    """
    if campaign is None or not staff_may(user, "annotation.view_rating"):
        return {}
    rows = Item.objects.known_to(user).filter(campaign=campaign, generation__in=list(generations))
    items = dict(rows.values_list("pk", "generation"))
    ratings = Rating.objects.filter(assignment__item__in=[*items]).order_by(
        "assignment__rater__number", "pk"
    )
    by_rater: dict[tuple[int, int], list[str]] = defaultdict(list)
    for item, rater, criterion, value in ratings.values_list(
        "assignment__item", "assignment__rater__number", "criterion", "value"
    ):
        by_rater[items[item], rater].append(f"{_(criterion)} {value}")
    lines: dict[int, list[str]] = defaultdict(list)
    for (generation, rater), marks in by_rater.items():
        words = {"number": rater, "marks": ", ".join(marks)}
        lines[generation].append(_("rater %(number)d: %(marks)s") % words)
    settled = Outcome.objects.filter(item__in=[*items]).order_by("pk")
    for item, criterion, value in settled.values_list("item", "criterion", "value"):
        words = {"mark": f"{_(criterion)} {value}"}
        lines[items[item]].append(_("settled: %(mark)s") % words)
    return lines
