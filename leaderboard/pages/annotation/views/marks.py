"""Marks for organisers who do not rate in the campaign: lists, single items, and a CSV file."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from leaderboard.accounts.audit import record_access
from leaderboard.annotation.adjudication import APART, scales_to_settle
from leaderboard.annotation.disagreements import disagreements
from leaderboard.annotation.models import Item, MarkChange
from leaderboard.benchmarks.models import Task
from leaderboard.boards.exports import as_csv
from leaderboard.pages.annotation.entry import scale_name
from leaderboard.pages.annotation.queries import (
    items_by_task,
    items_that_differ,
    marks_to_export,
    skips,
)
from leaderboard.pages.annotation.views.access import (
    campaign_page,
    for_organisers,
    organised,
    unblinded,
)
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.code import coloured
from leaderboard.pages.shared.public import fields_in, task_title
from leaderboard.submissions.models import Submission

PER_PAGE = 30
COLUMNS = (
    *("item", "kind", "task", "rater", "rater_state", "criterion", "value", "top", "comment"),
    *("changed", "rubric"),
)


@for_organisers
@require_safe
def campaign_differences(request: HttpRequest, pk: int) -> HttpResponse:
    """Items with marks two or more apart, and the adjudicators' outcomes."""
    campaign = unblinded(request, pk)
    page = _page(request, items_that_differ(campaign))
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
        lines.append({"item": item, "title": _title(item.task), "scales": scales})
    adjudicators = campaign.raters.filter(adjudicates=True).count()
    return campaign_page(
        request, "campaign_differences", campaign, page=page, lines=lines, adjudicators=adjudicators
    )


@for_organisers
@require_safe
def campaign_skips(request: HttpRequest, pk: int) -> HttpResponse:
    campaign = organised(pk)
    page = _page(request, skips(campaign).select_related("item__task", "rater"))
    lines = [(row, _title(row.item.task)) for row in page]
    return campaign_page(request, "campaign_skips", campaign, page=page, lines=lines)


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
        task = tasks[row.verdict.generation.task_id]
        lines.append((row, task, _title(task), submissions[row.verdict.generation.submission_id]))
    return campaign_page(
        request,
        "campaign_disagreements",
        campaign,
        page=page,
        lines=lines,
        scale_name=scale_name(campaign.criteria[0].name),
    )


@for_organisers
@require_safe
def campaign_items(request: HttpRequest, pk: int) -> HttpResponse:
    campaign = unblinded(request, pk)
    page = _page(request, items_by_task(campaign))
    lines = [(item, _title(item.task)) for item in page]
    return campaign_page(request, "campaign_items", campaign, page=page, lines=lines)


def _page(request: HttpRequest, rows: Any) -> Page[Any]:
    return Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))


def _title(task: Task) -> str:
    return task_title(task) or task.external_id


@for_organisers
@require_safe
def campaign_item(request: HttpRequest, pk: int, item: int) -> HttpResponse:
    """An item whose marks the organiser may see."""
    rows = Item.objects.known_to(signed_in(request)).filter(campaign=pk)
    rows = rows.select_related("task", "campaign__revision__benchmark", "generation")
    row = get_object_or_404(rows, pk=item)
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
    return campaign_page(
        request,
        "campaign_item",
        row.campaign,
        item=row,
        fields=[field for field in fields if field.kind != "fact"],
        facts=[field for field in fields if field.kind == "fact"],
        code=coloured(row.shown, row.task.language),
        assignments=lines,
        to_settle=[scale_name(name) for name in sorted(scales_to_settle(row))],
        changes=[{"row": change, "scale": scale_name(change.criterion)} for change in changes],
    )


@for_organisers
@require_safe
def campaign_marks(request: HttpRequest, pk: int) -> HttpResponse:
    """A CSV file of the marks that the organiser may see, without entrants."""
    campaign = organised(pk)
    record_access(request, campaign)
    items = Item.objects.known_to(signed_in(request))
    rows = marks_to_export(campaign).filter(assignment__item__in=items)
    lines = (
        [row[name].isoformat() if name == "changed" else row[name] for name in COLUMNS]
        for row in rows.iterator(2000)
    )
    name = f"{slugify(campaign.title) or 'campaign'}-{campaign.pk}-marks.csv"
    return HttpResponse(
        as_csv([COLUMNS, *lines]),
        content_type="text/csv; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "Cache-Control": "private, no-store",
        },
    )
