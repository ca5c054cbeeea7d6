"""The pages of the user documentation."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from leaderboard.pages.boards import docs
from leaderboard.pages.shared.crumbs import Crumb


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    return render(request, "boards/docs.html", {"docs": docs.docs()})


@require_safe
def page(request: HttpRequest, slug: str) -> HttpResponse:
    doc = docs.doc_of(slug)
    if doc is None:
        raise Http404(gettext("There is no such page."))
    body, sections = docs.rendered(doc)
    context = {
        "doc": doc,
        "docs": docs.docs(),
        "body": body,
        "sections": sections,
        "crumbs": [Crumb(gettext("Docs"), reverse("docs")), Crumb(doc.title)],
    }
    return render(request, "boards/doc.html", context)
