"""Campaigns for organisers: the list, creation, the page with results, opening and closing."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import product

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from leaderboard.accounts.models import Membership
from leaderboard.annotation.campaigns import close_campaign, open_campaign
from leaderboard.annotation.errors import NotNow
from leaderboard.annotation.models import (
    Campaign,
    CampaignState,
    Item,
    PanelAgreement,
    PanelScore,
    RaterState,
    Trial,
)
from leaderboard.annotation.results import choose_campaign, counting_elsewhere
from leaderboard.pages.annotation import queries
from leaderboard.pages.annotation.forms import CampaignForm, ReasonForm
from leaderboard.pages.annotation.views.access import (
    OrganisersPage,
    campaign_page,
    changeable,
    for_organisers,
    organised,
    part_of,
    posted,
    rates_in,
)
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.submissions.views.steps import DONE, STOPPED, TODO, Step
from leaderboard.submissions.models import Submission


@for_organisers
@require_safe
def campaigns(request: HttpRequest) -> HttpResponse:
    page = part_of(request, queries.all_campaigns())
    return render(request, "annotation/campaigns.html", {"page": page})


@for_organisers
def campaign_new(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    if not user.has_perm("annotation.add_campaign"):
        raise PermissionDenied(_("Your account can view campaigns but not create them."))
    form = CampaignForm(posted(request))
    if request.method == "POST" and form.is_valid() and (made := form.made(user)):
        return redirect("campaign", made.pk)
    return campaign_page(request, "campaign_new", OrganisersPage(form=form))


@dataclass(frozen=True, kw_only=True)
class ProgressPage(OrganisersPage):
    """A campaign's own page. `scores` are the overall means on each scale, by submission."""

    campaign: Campaign
    progress: queries.CampaignProgress
    known_items: int
    adjudicators: bool
    agreements: list[PanelAgreement]
    scores: list[tuple[Submission, list[PanelScore | None]]]
    blind: bool
    steps: list[Step]
    elsewhere: str
    choose_form: ReasonForm

    @property
    def out_of_reach(self) -> bool:
        return any(step.state == STOPPED for step in self.steps)


@for_organisers
@require_safe
def campaign(request: HttpRequest, pk: int) -> HttpResponse:
    campaign = organised(pk)
    names = [criterion.name for criterion in campaign.criteria]
    agreements = {(row.criterion, row.measure): row for row in campaign.agreements.all()}
    measures = PanelAgreement.Measure.values
    rows = campaign.scores.filter(slice="overall").select_related("submission__entrant")
    scores: dict[Submission, dict[str, PanelScore]] = defaultdict(dict)
    for row in rows.order_by("submission__entrant__name", "submission"):
        scores[row.submission][row.criterion] = row
    page = ProgressPage(
        campaign=campaign,
        progress=queries.campaign_progress(campaign),
        known_items=campaign.items.filter(kind=Item.Kind.KNOWN).count(),
        adjudicators=campaign.raters.filter(adjudicates=True).exists(),
        agreements=[agreements[key] for key in product(names, measures) if key in agreements],
        scores=[(row, [means.get(name) for name in names]) for row, means in scores.items()],
        blind=rates_in(request, campaign),
        steps=_checklist(campaign) if campaign.is_staffable else [],
        elsewhere=_elsewhere(campaign),
        choose_form=ReasonForm(),
    )
    return campaign_page(request, "campaign", page)


def _checklist(campaign: Campaign) -> list[Step]:
    """A step is stopped if no mean can be published without it, and to do if it is only advised.
    Runs four queries."""
    sizes, known_items, fewest_raters, most_marks, settles = _capacity(campaign)
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
    if known_items:
        trial = ngettext("%(number)d known item", "%(number)d known items", known_items)
        trial %= {"number": known_items}
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

    names = ("submissions", "raters", "known", "terms")
    pages = {name: reverse(f"campaign-{name}", args=[campaign.pk]) for name in names}
    return [
        Step(_("Submissions"), holds, DONE if sizes else STOPPED, pages["submissions"]),
        Step(_("Raters"), can_rate, DONE if enough else STOPPED, pages["raters"]),
        Step(_("Known items"), trial, DONE if known_items else TODO, pages["known"]),
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


def _elsewhere(campaign: Campaign) -> str:
    """How many results come from another campaign, and what choosing this one changes; "" if all
    come from here."""
    if campaign.state == CampaignState.PREPARING:
        return ""
    keys = set(counting_elsewhere(campaign).values_list("pk", flat=True))
    if not keys:
        return ""
    words = ngettext(
        "%(number)d submission of this campaign has its results from another one.",
        "%(number)d submissions of this campaign have their results from another one.",
        len(keys),
    ) % {"number": len(keys)}
    if count := len(queries.taken_over(campaign, keys)):
        sentence = ngettext(
            "If you choose this campaign, %(number)d published result becomes provisional, without "
            "a rank on its board, until it has enough marks here.",
            "If you choose this campaign, %(number)d published results become provisional, without "
            "a rank on their board, until they have enough marks here.",
            count,
        )
        words = f"{words} {sentence % {'number': count}}"
    return words


@for_organisers
@require_POST
def campaign_open(request: HttpRequest, pk: int) -> HttpResponse:
    try:
        open_campaign(campaign=changeable(request, pk))
    except NotNow as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The campaign is open: its raters are given items."))
    return redirect("campaign", pk)


@for_organisers
@require_POST
def campaign_choose(request: HttpRequest, pk: int) -> HttpResponse:
    campaign, form = changeable(request, pk), ReasonForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Give a reason: it stays on record."))
        return redirect("campaign", pk)
    try:
        reason = form.cleaned_data["reason"]
        choose_campaign(campaign=campaign, user=signed_in(request), reason=reason)
    except NotNow as error:
        messages.error(request, str(error))
    else:
        words = _("Results come from this campaign. To go back, choose the other one on its page.")
        messages.success(request, words)
    return redirect("campaign", pk)


@for_organisers
@require_POST
def campaign_close(request: HttpRequest, pk: int) -> HttpResponse:
    if close_campaign(campaign=changeable(request, pk)):
        messages.success(request, _("The campaign is closed. Drafts are kept."))
    return redirect("campaign", pk)
