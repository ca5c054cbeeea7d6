"""The page of a submission that people judge: progress of the rating, and its results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, F, Q, Sum
from django.db.models.functions import Coalesce, Greatest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evaluation.engine.family import ByPeople
from evaluation.models import Evaluation, EvaluationState
from evaluation.state.expected_end import living_workers
from evaluation.state.progress import SCORING
from leaderboard.annotation.adjudication import ratings_done
from leaderboard.annotation.models import (
    Campaign,
    CampaignState,
    Item,
    Outcome,
    PanelAgreement,
    PanelScore,
    Rating,
)
from leaderboard.annotation.scoring import campaign_of
from leaderboard.boards.panels import missing_share, panels_of
from leaderboard.pages.shared.panel_words import gate_words, holds_words
from leaderboard.pages.submissions.views.steps import (
    DONE,
    NOW,
    TODO,
    Step,
    checked_step,
    held_step,
)
from leaderboard.submissions.models import Generation, Submission, Visibility

if TYPE_CHECKING:
    from leaderboard.accounts.models import Person


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
    found = panels_of([submission.pk])
    own = [s for s in found.scores.get(submission.pk, ()) if s.campaign_id == campaign.pk]
    gates = [
        (one.criterion, gate_words(one.low, campaign.least_agreement))
        for one in found.agreements
        if one.campaign_id == campaign.pk and one.measure == PanelAgreement.Measure.ALPHA
    ]
    return Rated(campaign, scores=tuple(own), gates=tuple(gates), **counts)


def rated_words(submissions: Sequence[int]) -> Mapping[int, str]:
    """By submission, the progress of its campaign, which is the one that `campaign_of` returns. At
    most one query."""
    items = Item.objects.filter(
        generation__submission__in=submissions,
        task__exclusion=None,
        campaign__family_slug=F("campaign__revision__benchmark__family_slug"),
    )
    rows = (
        items.exclude(campaign__state=CampaignState.PREPARING)
        .annotate(done=ratings_done(), submission=F("generation__submission"))
        .order_by("campaign__opened", "campaign")
        .values("submission", "campaign__opened", "campaign")
        .annotate(
            items=Count("pk"), complete=Count("pk", filter=Q(done__gte=F("campaign__per_item")))
        )
    )
    told = {row["submission"]: _("%(complete)d of %(items)d rated") % row for row in rows}
    waits = _("waits to be opened for rating")
    return {submission: told.get(submission, waits) for submission in submissions}


def rated_steps(
    submission: Submission, evaluation: Evaluation, rated: Rated, *, held: bool
) -> list[Step]:
    """The steps from the file to the board, like `steps.steps_of` for executed code."""
    return [
        checked_step(submission),
        _opened(rated),
        _rating(rated),
        _scored(evaluation, rated),
        held_step() if held else _published(submission, rated),
    ]


def _opened(rated: Rated) -> Step:
    title = _("Opened for rating")
    if rated.campaign is None:
        return Step(title, _("by the site's organisers"), NOW)
    return Step(title, _("raters do not see who wrote it"), DONE)


def _rating(rated: Rated) -> Step:
    title = _("Rating")
    if rated.campaign is None:
        return Step(title, _("by people, one generation at a time"), TODO)
    words = {"complete": rated.complete, "items": rated.items}
    so_far = _("%(complete)d of %(items)d have all their raters") % words
    over = rated.complete == rated.items or rated.campaign.state == CampaignState.CLOSED
    if over:
        return Step(title, so_far, DONE)
    needed = ngettext(
        "%(number)d rating is still needed", "%(number)d ratings are still needed", rated.needed
    ) % {"number": rated.needed}
    unknown = _("the end depends on the raters and is not predicted")
    return Step(title, f"{so_far} · {needed} · {unknown}", NOW)


def _scored(evaluation: Evaluation, rated: Rated) -> Step:
    title = _("Scored")
    if evaluation.state in EvaluationState.moving():
        if not living_workers(SCORING):
            return Step(title, _("no worker that computes scores is running"), NOW)
        return Step(title, _("being computed"), NOW)
    if not rated.scores:
        return Step(title, _("when there are marks"), TODO)
    if rated.provisional:
        return Step(title, _("provisional"), NOW)
    return Step(title, _("with intervals and agreement"), DONE)


def _published(submission: Submission, rated: Rated) -> Step:
    title = _("Published")
    if submission.visibility == Visibility.PUBLISHED:
        return Step(title, _("on the board"), DONE)
    return Step(title, _("when you publish it"), NOW if rated.begun else TODO)


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


def mean_lines(rated: Rated, submission: Submission, *, own: bool) -> list[MeanLine]:
    """The mean of each scale, in the family's order. Only the team and staff (`own`) see a
    provisional mean."""
    judged = submission.revision.benchmark.family.judged
    assert isinstance(judged, ByPeople), "only what people judge has scales"
    by_scale = {score.criterion: score for score in rated.scores}
    return [
        _line(by_scale[one.name], one.top, own=own)
        for one in judged.criteria
        if one.name in by_scale
    ]


def _line(score: PanelScore, top: int, *, own: bool) -> MeanLine:
    shown = own or score.published
    return MeanLine(
        criterion=score.criterion,
        top=top,
        mean=score.value if shown else None,
        low=score.low if shown else None,
        high=score.high if shown else None,
        of=_of(score),
        holds=holds_words(score.holds),
        shares=tuple(enumerate(_shares(score), 1)) if shown else (),
        missing=missing_share(score),
    )


def _shares(score: PanelScore) -> list[float]:
    first, *others = score.shares or [missing_share(score)]
    return [max(0.0, first - missing_share(score)), *others]


def _of(score: PanelScore) -> str:
    ratings = ngettext("%(n)d mark", "%(n)d marks", score.ratings) % {"n": score.ratings}
    raters = ngettext("%(n)d rater", "%(n)d raters", score.raters) % {"n": score.raters}
    return f"{ratings} · {raters}"


def single_marks(
    user: Person, generations: Iterable[Generation], campaign: Campaign | None
) -> Mapping[int, list[str]]:
    """By generation: each rater's marks and the settled ones, in words.

    Only staff see single marks next to an entrant's name, for items of `Item.objects.known_to`.
    """
    if campaign is None or not user.is_staff:
        return {}
    known = Item.objects.known_to(user).filter(
        campaign=campaign, generation__in=[one.pk for one in generations]
    )
    items = dict(known.values_list("pk", "generation"))
    found: dict[int, list[str]] = defaultdict(list)
    for item, told in (*_given(items), *_settled(items)):
        found[items[item]].append(told)
    return found


def _given(items: Iterable[int]) -> list[tuple[int, str]]:
    rows = Rating.objects.filter(assignment__item__in=list(items)).order_by(
        "assignment__rater__number", "pk"
    )
    marks: dict[tuple[int, int], list[str]] = defaultdict(list)
    for item, rater, criterion, value in rows.values_list(
        "assignment__item", "assignment__rater__number", "criterion", "value"
    ):
        marks[item, rater].append(f"{_(criterion)} {value}")
    return [
        (item, _("rater %(number)d: %(marks)s") % {"number": rater, "marks": ", ".join(told)})
        for (item, rater), told in marks.items()
    ]


def _settled(items: Iterable[int]) -> list[tuple[int, str]]:
    rows = Outcome.objects.filter(item__in=list(items)).order_by("pk")
    return [
        (item, _("settled: %(mark)s") % {"mark": f"{_(criterion)} {value}"})
        for item, criterion, value in rows.values_list("item", "criterion", "value")
    ]
