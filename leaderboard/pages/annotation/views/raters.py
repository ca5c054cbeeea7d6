"""A campaign's raters and their marks, which organisers who rate in it do not see."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from leaderboard.accounts.audit import record_access
from leaderboard.annotation.assigning import APART, scales_to_settle
from leaderboard.annotation.campaigns import add_rater, move_rater
from leaderboard.annotation.disagreements import STRETCH, disagreements, drift
from leaderboard.annotation.models import (
    Campaign,
    Item,
    MarkChange,
    Rater,
    RaterState,
)
from leaderboard.annotation.rating import distances
from leaderboard.benchmarks.models import Task
from leaderboard.boards.exports import as_csv
from leaderboard.pages.annotation import queries
from leaderboard.pages.annotation.entry import scale_name
from leaderboard.pages.annotation.forms import RaterForm, ReasonForm
from leaderboard.pages.annotation.views.access import (
    campaign_page,
    changeable,
    for_organisers,
    organised,
    rates_in,
    refusals_on,
    unblinded,
)
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.code import coloured
from leaderboard.pages.shared.panel_words import lack_words
from leaderboard.pages.shared.public import fields_in
from leaderboard.submissions.models import Submission

PER_PAGE = 30
COLUMNS = (
    *("item", "kind", "task", "rater", "rater_state", "criterion", "value", "top", "comment"),
    *("changed", "rubric"),
)


@for_organisers
@require_safe
def campaign_raters(request: HttpRequest, pk: int) -> HttpResponse:
    return _list(request, organised(pk), RaterForm())


def _list(request: HttpRequest, campaign: Campaign, form: RaterForm) -> HttpResponse:
    names = [criterion.name for criterion in campaign.criteria]
    blind = rates_in(request, campaign)
    lines = []
    for rater in queries.rater_lines(campaign):
        agreements = {} if blind else {row.criterion: row for row in rater.agreements.all()}
        rows = [agreements.get(name) for name in names]
        cells = [{"row": row, "lack": lack_words(row.lack) if row else ""} for row in rows]
        lines.append((rater, queries.items_per_hour(rater.timed, rater.seconds), cells))
    context = {"scales": [*map(scale_name, names)], "lines": lines, "blind": blind}
    return campaign_page(request, "campaign_raters", campaign, form=form, **context)


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


def _rater_page(request: HttpRequest, rater: Rater, form: ReasonForm) -> HttpResponse:
    campaign = rater.campaign
    names = {criterion.name: scale_name(criterion.name) for criterion in campaign.criteria}
    context: dict[str, Any] = {
        "blind": rates_in(request, campaign),
        "rater": rater,
        "scales": [*names.values()],
        "days": queries.pace_by_day(campaign).filter(rater=rater),
        "skips": queries.skips(campaign).filter(rater=rater).select_related("item__task"),
        "stretch": STRETCH,
    }
    if not context["blind"]:
        agreements = {row.criterion: row for row in rater.agreements.all()}
        apart = {distance["criterion"]: distance for distance in distances(rater)}
        context |= {
            "agreements": [
                {"scale": shown, "row": row, "lack": lack_words(row.lack)}
                for name, shown in names.items()
                if (row := agreements.get(name))
            ],
            "apart": [
                {"scale": shown, "row": far, "far": far["apart"] > campaign.most_apart}
                for name, shown in names.items()
                if (far := apart.get(name))
            ],
            "drift": [
                (part, [(part.bias.get(name), part.distance.get(name)) for name in names])
                for part in drift(rater)
            ],
        }
    return campaign_page(request, "campaign_rater", campaign, form=form, **context)


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


@for_organisers
@require_safe
def campaign_differences(request: HttpRequest, pk: int) -> HttpResponse:
    """Items with marks two or more apart, and the adjudicators' outcomes."""
    campaign = unblinded(request, pk)
    page = _page(request, queries.items_that_differ(campaign))
    lines = []
    for item in page:
        outcomes = {outcome.criterion: outcome.value for outcome in item.outcomes.all()}
        marks: dict[str, list[int]] = {criterion.name: [] for criterion in campaign.criteria}
        for assignment in item.lone_assignments:
            for rating in assignment.ratings.all():
                marks.setdefault(rating.criterion, []).append(rating.value)
        scales = [
            {
                "name": scale_name(name),
                "marks": values,
                "apart": bool(values) and max(values) - min(values) >= APART,
                "outcome": outcomes.get(name),
            }
            for name, values in marks.items()
        ]
        lines.append({"item": item, "scales": scales})
    context: dict[str, Any] = {"lines": lines}
    context["adjudicators"] = campaign.raters.filter(adjudicates=True).count()
    return campaign_page(request, "campaign_differences", campaign, page=page, **context)


@for_organisers
@require_safe
def campaign_skips(request: HttpRequest, pk: int) -> HttpResponse:
    campaign = organised(pk)
    page = _page(request, queries.skips(campaign).select_related("item__task", "rater"))
    return campaign_page(request, "campaign_skips", campaign, page=page)


@for_organisers
@require_safe
def campaign_disagreements(request: HttpRequest, pk: int) -> HttpResponse:
    campaign = unblinded(request, pk)
    page = _page(request, disagreements(campaign))
    tasks = Task.objects.in_bulk({row.verdict.generation.task_id for row in page})
    rows = Submission.objects.visible_to(signed_in(request)).select_related("entrant")
    submissions = rows.in_bulk({row.verdict.generation.submission_id for row in page})
    lines = []
    for row in page:
        generation = row.verdict.generation
        lines.append((row, tasks[generation.task_id], submissions[generation.submission_id]))
    context: dict[str, Any] = {"lines": lines, "scale_name": scale_name(campaign.criteria[0].name)}
    return campaign_page(request, "campaign_disagreements", campaign, page=page, **context)


@for_organisers
@require_safe
def campaign_items(request: HttpRequest, pk: int) -> HttpResponse:
    campaign = unblinded(request, pk)
    page = _page(request, queries.items_by_task(campaign))
    return campaign_page(request, "campaign_items", campaign, page=page)


def _page(request: HttpRequest, rows: Any) -> Page[Any]:
    return Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))


@for_organisers
@require_safe
def campaign_item(request: HttpRequest, pk: int, item: int) -> HttpResponse:
    """An item whose marks the organiser may see."""
    rows = Item.objects.known_to(signed_in(request))
    rows = rows.select_related("task", "campaign__revision__benchmark", "generation")
    row = get_object_or_404(rows, campaign=pk, pk=item)
    record_access(request, row.campaign)
    assignments = row.assignments.select_related("rater__user").order_by("rater__number")
    lines = []
    for assignment in assignments.prefetch_related("ratings", "outcomes"):
        marks = (*assignment.ratings.all(), *assignment.outcomes.all())
        named_marks = [(scale_name(mark.criterion), mark) for mark in marks]
        lines.append({"row": assignment, "marks": named_marks})
    changes = MarkChange.objects.filter(assignment__item=row)
    changes = changes.select_related("assignment__rater", "user")
    fields = fields_in(row.task.public)
    context: dict[str, Any] = {
        "item": row,
        "fields": [field for field in fields if field.kind != "fact"],
        "facts": [field for field in fields if field.kind == "fact"],
        "code": coloured(row.shown, row.task.language),
        "assignments": lines,
        "to_settle": [scale_name(name) for name in sorted(scales_to_settle(row))],
        "changes": [{"row": change, "scale": scale_name(change.criterion)} for change in changes],
    }
    return campaign_page(request, "campaign_item", row.campaign, **context)


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
