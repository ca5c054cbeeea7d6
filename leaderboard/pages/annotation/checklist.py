"""Whether a campaign can reach its thresholds, as steps for its organisers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.accounts.models import Membership
from leaderboard.annotation.models import Campaign, Item, RaterState, Trial
from leaderboard.pages.submissions.views.steps import DONE, STOPPED, TODO, Step


@dataclass(frozen=True, slots=True)
class Readiness:
    """raters: those who may rate the submission with the fewest; nobody rates their own team.
    most_marks: the most marks on a scale that each submission can get."""

    submissions: int
    generations: int
    raters: int
    known: int
    most_marks: int
    adjudicates: bool


def readiness(campaign: Campaign) -> Readiness:
    """Runs four queries."""
    items = campaign.items.filter(kind=Item.Kind.GENERATION, task__exclusion=None)
    place = "generation__submission"
    sizes = Counter[tuple[int, int]](items.values_list(place, f"{place}__entrant__team"))
    raters = campaign.raters.filter(state__in=RaterState.at_work(), user__is_active=True)
    people = dict(raters.values_list("user", "adjudicates"))
    members = Membership.objects.filter(user__in=people).values_list("team", flat=True)
    own = Counter(members)
    able = {size: len(people) - own[size[1]] for size in sizes}
    marks = (number * min(campaign.per_item, able[size]) for size, number in sizes.items())
    return Readiness(
        submissions=len(sizes),
        generations=sizes.total(),
        raters=min(able.values(), default=len(people)),
        known=campaign.items.filter(kind=Item.Kind.KNOWN).count(),
        most_marks=min(marks, default=0),
        adjudicates=any(people.values()),
    )


def checklist(campaign: Campaign) -> list[Step]:
    """A step is stopped if no mean can be published without it, and to do if it is only advised."""
    found = readiness(campaign)
    steps = {
        _submissions(found): "submissions",
        _raters(campaign, found): "raters",
        _known(campaign, found): "known",
        _marks(campaign, found): "terms",
        _adjudicators(found): "raters",
    }
    pages = {name: reverse(f"campaign-{name}", args=[campaign.pk]) for name in steps.values()}
    return [replace(step, url=pages[name]) for step, name in steps.items()]


def _submissions(found: Readiness) -> Step:
    words = ngettext(
        "%(number)s submission with %(generations)s generations",
        "%(number)s submissions with %(generations)s generations",
        found.submissions,
    ) % {
        "number": number_format(found.submissions),
        "generations": number_format(found.generations),
    }
    return Step(_("Submissions"), words, DONE if found.submissions else STOPPED)


def _raters(campaign: Campaign, found: Readiness) -> Step:
    values = {"number": found.raters, "needed": campaign.per_item}
    words = _("%(number)d can rate every generation, %(needed)d needed") % values
    if campaign.per_item < 2:
        words = _("agreement needs two raters of each generation: change the terms")
        return Step(_("Raters"), words, STOPPED)
    return Step(_("Raters"), words, DONE if found.raters >= campaign.per_item else STOPPED)


def _known(campaign: Campaign, found: Readiness) -> Step:
    if found.known:
        words = ngettext("%(number)d known item", "%(number)d known items", found.known)
        return Step(_("Known items"), words % {"number": found.known}, DONE)
    if campaign.trial == Trial.BEFORE:
        return Step(_("Known items"), _("none: raters begin without a trial"), TODO)
    return Step(_("Known items"), _("none: raters are not compared with known answers"), TODO)


def _marks(campaign: Campaign, found: Readiness) -> Step:
    values = {"most": found.most_marks, "required": campaign.fewest_ratings}
    if found.most_marks >= campaign.fewest_ratings:
        words = _("%(most)d possible for each mean, %(required)d required")
        return Step(_("Marks"), words % values, DONE)
    words = _(
        "%(most)d possible for a mean, %(required)d required: add raters or generations, "
        "or change the terms"
    )
    return Step(_("Marks"), words % values, STOPPED)


def _adjudicators(found: Readiness) -> Step:
    if found.adjudicates:
        return Step(_("Disagreements"), _("a rater settles them"), DONE)
    return Step(_("Disagreements"), _("no rater settles them"), TODO)
