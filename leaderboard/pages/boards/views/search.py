"""The search over benchmarks, entrants and tasks, which answers while one types."""

import unicodedata

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.vary import vary_on_headers

from leaderboard.boards import queries
from leaderboard.pages.shared.access import is_polling
from leaderboard.text import storable

# Shown results of each kind.
MOST = 20


@vary_on_headers("HX-Request")
def search(request: HttpRequest) -> HttpResponse:
    """Only the results if a script asks."""
    text = storable(request.GET.get("q", "")).strip()[:100]
    # One letter is in most names; a digit can be the id of a task, a Chinese sign is a word.
    enough = (
        len(text) > 1 or text.isdecimal() or (bool(text) and unicodedata.category(text) == "Lo")
    )
    # By title: names, addresses, and what tells equal names apart.
    groups: dict[str, list[tuple[str, str, str]]] = {}
    if enough:
        benchmarks = queries.benchmark_list(request.user)
        named = Q(shown_name__icontains=text) | Q(organisation__icontains=text)
        entrants = queries.entrant_list(request.user).filter(named)
        groups = {
            gettext("Benchmarks"): [
                (benchmark.title, benchmark.get_absolute_url(), benchmark.summary)
                for benchmark in benchmarks.filter(title__icontains=text)[:MOST]
            ],
            gettext("Entrants"): [
                (entrant.shown_name, entrant.get_absolute_url(), entrant.organisation)
                for entrant in entrants.order_by("shown_name", "pk")[:MOST]
            ],
            gettext("Tasks"): [
                (
                    task.external_id,
                    reverse("task", args=[task.revision.benchmark.slug, task.number]),
                    f"{task.revision.benchmark.title} · {task.title}",
                )
                for task in queries.matching_tasks(benchmarks, text)[:MOST]
            ],
        }
    shown = [(title, results) for title, results in groups.items() if results]
    context = {"text": text, "enough": enough, "groups": shown}
    template = "boards/_found.html" if is_polling(request) else "boards/search.html"
    return render(request, template, context)
