"""Marks for organisers who do not rate in the campaign: lists, single items, and a CSV file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from leaderboard.annotation.adjudication import scales_to_settle
from leaderboard.annotation.disagreements import disagreements
from leaderboard.annotation.models import Campaign, Item, MarkChange
from leaderboard.benchmarks.models import Task
from leaderboard.boards.exports import as_csv
from leaderboard.pages.annotation.entry import scale_name
from leaderboard.pages.annotation.overview import items_by_task, items_that_differ, named
from leaderboard.pages.annotation.queries import marks_to_export, skips
from leaderboard.pages.annotation.views.access import (
    for_organisers,
    known_item,
    organised,
    unblinded,
)
from leaderboard.pages.annotation.views.words import campaign_crumbs
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.code import coloured, shown_text
from leaderboard.pages.shared.public import fields_in, task_title

PER_PAGE = 30
COLUMNS = (
    *("item", "kind", "task", "rater", "rater_state", "criterion", "value", "top", "comment"),
    *("changed", "rubric"),
)


@for_organisers
@require_safe
def campaign_differences(request: HttpRequest, pk: int) -> HttpResponse:
    """Items with marks two or more apart, and the adjudicators' outcomes."""
    found = unblinded(request, pk)
    page = _page(request, items_that_differ(found))
    context = {
        **_paged(found, page),
        "adjudicators": found.raters.filter(adjudicates=True).count(),
        "lines": [_difference(found, item) for item in page],
    }
    return render(request, "annotation/campaign_differences.html", context)


def _difference(found: Campaign, item: Any) -> dict[str, object]:
    outcomes = {one.criterion: one.value for one in item.outcomes.all()}
    marks: dict[str, list[int]] = {one.name: [] for one in found.criteria}
    for assignment in item.given:
        for rating in assignment.ratings.all():
            marks.setdefault(rating.criterion, []).append(rating.value)
    return {
        "item": item,
        "title": _title(item.task),
        "scales": [
            {
                "name": scale_name(name),
                "marks": given,
                "apart": max(given) - min(given) >= 2 if given else False,
                "outcome": outcomes.get(name),
            }
            for name, given in marks.items()
        ],
    }


@for_organisers
@require_safe
def campaign_skips(request: HttpRequest, pk: int) -> HttpResponse:
    found = organised(pk)
    page = _page(request, skips(found).select_related("item__task", "rater"))
    lines = [(row, _title(row.item.task)) for row in page]
    context = {**_paged(found, page), "lines": lines}
    return render(request, "annotation/campaign_skips.html", context)


@for_organisers
@require_safe
def campaign_disagreements(request: HttpRequest, pk: int) -> HttpResponse:
    found = unblinded(request, pk)
    page = _page(request, disagreements(found))
    lines = named(found, list(page), signed_in(request))
    context = {
        **_paged(found, page),
        "scale": found.criteria[0],
        "scale_name": scale_name(found.criteria[0].name),
        "lines": [(one, _title(one.task)) for one in lines],
    }
    return render(request, "annotation/campaign_disagreements.html", context)


@for_organisers
@require_safe
def campaign_items(request: HttpRequest, pk: int) -> HttpResponse:
    found = unblinded(request, pk)
    page = _page(request, items_by_task(found))
    context = {**_paged(found, page), "lines": [(one, _title(one.task)) for one in page]}
    return render(request, "annotation/campaign_items.html", context)


def _page(request: HttpRequest, rows: Any) -> Page[Any]:
    return Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))


def _paged(found: Campaign, page: Page[Any]) -> dict[str, Any]:
    return {"campaign": found, "crumbs": campaign_crumbs(found), "page": page}


def _title(task: Task) -> str:
    return task_title(task) or task.external_id


@for_organisers
@require_safe
def campaign_item(request: HttpRequest, pk: int, item: int) -> HttpResponse:
    found = known_item(request, pk, item)
    rows = found.assignments.select_related("rater__user").order_by("rater__number")
    changes = MarkChange.objects.filter(assignment__item=found)
    changes = changes.select_related("assignment__rater", "user")
    fields = fields_in(found.task.public)
    context = {
        "campaign": found.campaign,
        "crumbs": campaign_crumbs(found.campaign),
        "item": found,
        "fields": [field for field in fields if field.kind != "fact"],
        "facts": [field for field in fields if field.kind == "fact"],
        "code": coloured(shown_text(found.shown), found.task.language),
        "assignments": [_given(row) for row in rows.prefetch_related("ratings", "outcomes")],
        "to_settle": [scale_name(name) for name in sorted(scales_to_settle(found))],
        "changes": [{"row": row, "scale": scale_name(row.criterion)} for row in changes],
    }
    return render(request, "annotation/campaign_item.html", context)


def _given(row: Any) -> dict[str, Any]:
    marks = [*row.ratings.all(), *row.outcomes.all()]
    return {"row": row, "marks": [(scale_name(one.criterion), one) for one in marks]}


@for_organisers
@require_safe
def campaign_marks(request: HttpRequest, pk: int) -> HttpResponse:
    """A CSV file of the marks that the organiser may see, without entrants."""
    found = organised(pk)
    seen = Item.objects.known_to(signed_in(request))
    rows = marks_to_export(found).filter(assignment__item__in=seen)
    name = f"{slugify(found.title) or 'campaign'}-{found.pk}-marks.csv"
    return HttpResponse(
        as_csv([COLUMNS, *_lines(rows)]),
        content_type="text/csv; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "Cache-Control": "private, no-store",
        },
    )


def _lines(rows: Any) -> Iterator[list[Any]]:
    for row in rows.iterator(2000):
        row["changed"] = row["changed"].isoformat()
        yield [row[name] for name in COLUMNS]
