"""Whether a campaign can reach its thresholds, as steps for its organisers."""

from __future__ import annotations

from collections import Counter

from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.accounts.models import Membership
from leaderboard.annotation.models import Campaign, Item, RaterState, Trial
from leaderboard.pages.submissions.views.steps import DONE, STOPPED, TODO, Step


def checklist(campaign: Campaign) -> list[Step]:
    """A step is stopped if no mean can be published without it, and to do if it is only advised.
    Runs four queries."""
    sizes, known, fewest_raters, most_marks, settles = _capacity(campaign)
    holds = ngettext(
        "%(number)s submission with %(generations)s generations",
        "%(number)s submissions with %(generations)s generations",
        len(sizes),
    ) % {"number": number_format(len(sizes)), "generations": number_format(sizes.total())}
    if campaign.per_item < 2:
        enough = False
        can_rate = _("agreement needs two raters of each generation: change the terms")
    else:
        enough = fewest_raters >= campaign.per_item
        can_rate = _("%(number)d can rate every generation, %(needed)d needed")
        can_rate %= {"number": fewest_raters, "needed": campaign.per_item}
    if known:
        trial = ngettext("%(number)d known item", "%(number)d known items", known)
        trial %= {"number": known}
    elif campaign.trial == Trial.BEFORE:
        trial = _("none: raters begin without a trial")
    else:
        trial = _("none: raters are not compared with known answers")
    reaches = most_marks >= campaign.fewest_ratings
    possible = (
        _("%(most)d possible for each mean, %(required)d required")
        if reaches
        else _(
            "%(most)d possible for a mean, %(required)d required: add raters or generations, "
            "or change the terms"
        )
    ) % {"most": most_marks, "required": campaign.fewest_ratings}
    settled = _("a rater settles them") if settles else _("no rater settles them")

    pages = {
        name: reverse(f"campaign-{name}", args=[campaign.pk])
        for name in ("submissions", "raters", "known", "terms")
    }
    return [
        Step(_("Submissions"), holds, DONE if sizes else STOPPED, pages["submissions"]),
        Step(_("Raters"), can_rate, DONE if enough else STOPPED, pages["raters"]),
        Step(_("Known items"), trial, DONE if known else TODO, pages["known"]),
        Step(_("Marks"), possible, DONE if reaches else STOPPED, pages["terms"]),
        Step(_("Disagreements"), settled, DONE if settles else TODO, pages["raters"]),
    ]


def _capacity(campaign: Campaign) -> tuple[Counter[tuple[int, int]], int, int, int, bool]:
    """Generations by submission and team, the number of known items, the raters and the marks on a
    scale that the submission with the fewest can get, and whether a rater settles."""
    items = campaign.items.filter(kind=Item.Kind.GENERATION, task__exclusion=None)
    place = "generation__submission"
    sizes = Counter[tuple[int, int]](items.values_list(place, f"{place}__entrant__team"))
    known_items = campaign.items.filter(kind=Item.Kind.KNOWN).count()
    raters = campaign.raters.filter(state__in=RaterState.at_work(), user__is_active=True)
    people = dict(raters.values_list("user", "adjudicates"))
    members = Counter(Membership.objects.filter(user__in=people).values_list("team", flat=True))
    # Nobody rates their own team's submissions.
    able = {(submission, team): len(people) - members[team] for submission, team in sizes}
    fewest = min(able.values(), default=len(people))
    marks = (number * min(campaign.per_item, able[key]) for key, number in sizes.items())
    return sizes, known_items, fewest, min(marks, default=0), any(people.values())
