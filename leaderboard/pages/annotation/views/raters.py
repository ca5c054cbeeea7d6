"""A campaign's raters and their marks, which organisers who rate in it do not see."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.safestring import SafeString
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from leaderboard.accounts.audit import record_access
from leaderboard.annotation.assigning import APART, scales_to_settle
from leaderboard.annotation.campaigns import add_rater, move_rater
from leaderboard.annotation.disagreements import (
    STRETCH,
    Disagreement,
    Stretch,
    disagreements,
    drift,
)
from leaderboard.annotation.models import (
    Assignment,
    Campaign,
    Item,
    MarkChange,
    Rater,
    RaterAgreement,
    RaterState,
)
from leaderboard.annotation.rating import distances
from leaderboard.benchmarks.models import Task
from leaderboard.boards.exports import as_csv
from leaderboard.pages.annotation import queries
from leaderboard.pages.annotation.forms import RaterForm, ReasonForm
from leaderboard.pages.annotation.views.access import (
    CampaignPage,
    campaign_page,
    changeable,
    for_organisers,
    organised,
    part_of,
    rates_in,
    refusals_on,
    unblinded,
)
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.code import coloured
from leaderboard.pages.shared.public import Field, fields_in
from leaderboard.submissions.models import Submission

COLUMNS = (
    *("item", "kind", "task", "rater", "rater_state", "criterion", "value", "top", "comment"),
    *("changed", "rubric"),
)


@for_organisers
@require_safe
def campaign_raters(request: HttpRequest, pk: int) -> HttpResponse:
    return _list(request, organised(pk), RaterForm())


@dataclass(frozen=True, kw_only=True)
class RatersPage(CampaignPage):
    """A rater is followed by items per hour and the agreement with the others on each scale."""

    blind: bool
    lines: list[tuple[Rater, float | None, list[RaterAgreement | None]]]


def _list(request: HttpRequest, campaign: Campaign, form: RaterForm) -> HttpResponse:
    lines, blind = [], rates_in(request, campaign)
    for rater in queries.rater_lines(campaign):
        agreements = {} if blind else {row.criterion: row for row in rater.agreements.all()}
        cells = [agreements.get(criterion.name) for criterion in campaign.criteria]
        lines.append((rater, queries.items_per_hour(rater.timed, rater.seconds), cells))
    page = RatersPage(campaign=campaign, form=form, blind=blind, lines=lines)
    return campaign_page(request, "campaign_raters", page)


@for_organisers
@require_POST
def rater_add(request: HttpRequest, pk: int) -> HttpResponse:
    """Adds a person with an account. For a current rater only `adjudicates` changes."""
    campaign = changeable(request, pk)
    form = RaterForm(request.POST)
    if form.is_valid():
        person, settles = form.cleaned_data["person"], form.cleaned_data["adjudicates"]
        with refusals_on(form):
            rater = add_rater(campaign=campaign, user=person, adjudicates=settles)
            words = {"name": person.username, "number": rater.number}
            messages.success(request, _("%(name)s is rater %(number)d.") % words)
            return redirect("campaign-raters", pk)
    return _list(request, campaign, form)


@for_organisers
@require_safe
def campaign_rater(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    return _rater_page(request, _rater(organised(pk), number), ReasonForm())


def _rater(campaign: Campaign, number: int) -> Rater:
    return get_object_or_404(campaign.raters.select_related("user", "campaign"), number=number)


@dataclass(frozen=True, kw_only=True)
class RaterPage(CampaignPage):
    """Without what organisers who are `blind` do not see. `drift` has bias and distance on each
    scale."""

    blind: bool
    rater: Rater
    days: QuerySet[Any, Any]
    skips: QuerySet[Assignment]
    agreements: list[RaterAgreement]
    apart: list[dict[str, Any]]
    drift: list[tuple[Stretch, list[tuple[float | None, float | None]]]]
    stretch: int = STRETCH


def _rater_page(request: HttpRequest, rater: Rater, form: ReasonForm) -> HttpResponse:
    campaign, blind = rater.campaign, rates_in(request, rater.campaign)
    names = [criterion.name for criterion in campaign.criteria]
    agreements = {} if blind else {row.criterion: row for row in rater.agreements.all()}
    apart = {} if blind else {row["criterion"]: row for row in distances(rater)}
    page = RaterPage(
        campaign=campaign,
        form=form,
        blind=blind,
        rater=rater,
        days=queries.pace_by_day(campaign).filter(rater=rater),
        skips=queries.skips(campaign).filter(rater=rater).select_related("item__task"),
        agreements=[agreements[name] for name in names if name in agreements],
        apart=[apart[name] for name in names if name in apart],
        drift=[
            (part, [(part.bias.get(name), part.distance.get(name)) for name in names])
            for part in ([] if blind else drift(rater))
        ],
    )
    return campaign_page(request, "campaign_rater", page)


@for_organisers
@require_POST
def rater_decide(request: HttpRequest, pk: int, number: int, state: RaterState) -> HttpResponse:
    rater = _rater(changeable(request, pk), number)
    if rater.user_id == signed_in(request).pk:
        raise PermissionDenied(
            _("You cannot decide about yourself as a rater. Ask another organiser.")
        )
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return _rater_page(request, rater, form)
    if move_rater(rater=rater, state=state, reason=form.cleaned_data["reason"]):
        sentence = (
            _("Rater %(number)d rates; the marks count.")
            if state == RaterState.RATING
            else _("Rater %(number)d is dismissed; the marks no longer count but stay on record.")
        )
        messages.success(request, sentence % {"number": number})
    return redirect("campaign-rater", pk, number)


@dataclass(frozen=True, kw_only=True)
class DifferencesPage(CampaignPage):
    """An item has for each scale its marks, whether they are apart, and the outcome."""

    adjudicators: bool
    lines: list[tuple[Item, list[tuple[str, list[int], bool, int | None]]]]


@for_organisers
@require_safe
def campaign_differences(request: HttpRequest, pk: int) -> HttpResponse:
    """Items with marks two or more apart, and the adjudicators' outcomes."""
    campaign = unblinded(request, pk)
    items = part_of(request, queries.items_that_differ(campaign))
    lines = []
    for item in items:
        outcomes = {outcome.criterion: outcome.value for outcome in item.outcomes.all()}
        marks: dict[str, list[int]] = {criterion.name: [] for criterion in campaign.criteria}
        for assignment in item.lone_assignments:
            for rating in assignment.ratings.all():
                marks.setdefault(rating.criterion, []).append(rating.value)
        scales = [
            (name, values, bool(values) and max(values) - min(values) >= APART, outcomes.get(name))
            for name, values in marks.items()
        ]
        lines.append((item, scales))
    adjudicators = campaign.raters.filter(adjudicates=True).exists()
    page = DifferencesPage(campaign=campaign, page=items, adjudicators=adjudicators, lines=lines)
    return campaign_page(request, "campaign_differences", page)


@for_organisers
@require_safe
def campaign_skips(request: HttpRequest, pk: int) -> HttpResponse:
    campaign = organised(pk)
    rows = part_of(request, queries.skips(campaign).select_related("item__task", "rater"))
    return campaign_page(request, "campaign_skips", CampaignPage(campaign=campaign, page=rows))


@dataclass(frozen=True, kw_only=True)
class DisagreementsPage(CampaignPage):
    lines: list[tuple[Disagreement, Task, Submission]]


@for_organisers
@require_safe
def campaign_disagreements(request: HttpRequest, pk: int) -> HttpResponse:
    campaign = unblinded(request, pk)
    rows = part_of(request, disagreements(campaign))
    tasks = Task.objects.in_bulk({row.verdict.generation.task_id for row in rows})
    visible = Submission.objects.visible_to(signed_in(request)).select_related("entrant")
    submissions = visible.in_bulk({row.verdict.generation.submission_id for row in rows})
    lines = []
    for row in rows:
        generation = row.verdict.generation
        lines.append((row, tasks[generation.task_id], submissions[generation.submission_id]))
    page = DisagreementsPage(campaign=campaign, page=rows, lines=lines)
    return campaign_page(request, "campaign_disagreements", page)


@for_organisers
@require_safe
def campaign_items(request: HttpRequest, pk: int) -> HttpResponse:
    campaign = unblinded(request, pk)
    rows = part_of(request, queries.items_by_task(campaign))
    return campaign_page(request, "campaign_items", CampaignPage(campaign=campaign, page=rows))


@dataclass(frozen=True, kw_only=True)
class ItemPage(CampaignPage):
    item: Item
    assignments: QuerySet[Assignment]
    to_settle: list[str]
    changes: QuerySet[MarkChange]

    @property
    def fields(self) -> list[Field]:
        return fields_in(self.item.task.public)

    @property
    def code(self) -> SafeString:
        return coloured(self.item.shown, self.item.task.language)


@for_organisers
@require_safe
def campaign_item(request: HttpRequest, pk: int, item: int) -> HttpResponse:
    """An item whose marks the organiser may see."""
    rows = Item.objects.known_to(signed_in(request))
    rows = rows.select_related("task", "campaign__revision__benchmark", "generation")
    row = get_object_or_404(rows, campaign=pk, pk=item)
    record_access(request, row.campaign)
    assignments = row.assignments.select_related("rater__user").order_by("rater__number")
    changes = MarkChange.objects.filter(assignment__item=row)
    page = ItemPage(
        campaign=row.campaign,
        item=row,
        assignments=assignments.prefetch_related("ratings", "outcomes"),
        to_settle=sorted(scales_to_settle(row)),
        changes=changes.select_related("assignment__rater", "user"),
    )
    return campaign_page(request, "campaign_item", page)


@for_organisers
@require_safe
def campaign_marks(request: HttpRequest, pk: int) -> HttpResponse:
    """A CSV file of the marks that the organiser may see, without entrants."""
    campaign = organised(pk)
    record_access(request, campaign)
    items = Item.objects.known_to(signed_in(request))
    rows = queries.marks_to_export(campaign).filter(assignment__item__in=items)
    lines = (
        [row[name].isoformat() if name == "changed" else row[name] for name in COLUMNS]
        for row in rows.iterator(2000)
    )
    name = f"{slugify(campaign.title) or 'campaign'}-{campaign.pk}-marks.csv"
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Cache-Control": "private, no-store",
    }
    return HttpResponse(as_csv([COLUMNS, *lines]), "text/csv; charset=utf-8", headers=headers)
