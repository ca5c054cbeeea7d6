"""A page's record becomes the context of its template. Long lists are shown in part."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def context_of(page: Any) -> dict[str, Any]:
    """The public fields and properties of the page's record, by name."""
    return {name: getattr(page, name) for name in dir(page) if not name.startswith("_")}


def render_page(
    request: HttpRequest, template: str, page: Any, *, status: int = 200
) -> HttpResponse:
    """`page` is a frozen dataclass: all that the template reads, in its fields and properties."""
    return render(request, template, context_of(page), status=status)


@dataclass(frozen=True, slots=True)
class Short:
    """The beginning of a list, and the number of `more` rows."""

    rows: Sequence[Any]
    more: int

    @classmethod
    def of(cls, rows: Sequence[Any] | QuerySet[Any], most: int) -> Self:
        shown = list(rows[:most])
        if len(shown) < most:
            return cls(shown, 0)
        return cls(shown, (rows.count() if isinstance(rows, QuerySet) else len(rows)) - most)
