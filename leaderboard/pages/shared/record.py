"""How a page hands its record to its template."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def context_of(page: Any) -> dict[str, Any]:
    """The public fields and properties of the page's record, by name."""
    return {name: getattr(page, name) for name in dir(page) if not name.startswith("_")}


def render_page(request: HttpRequest, template: str, page: Any) -> HttpResponse:
    """`page` is a frozen dataclass: all that the template reads, in its fields and properties."""
    return render(request, template, context_of(page))
