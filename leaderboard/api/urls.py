"""The addresses of the API."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path
from ninja import NinjaAPI

from leaderboard.api.problems import answer_with_problems, only_known_parameters
from leaderboard.api.reading import router as reading

api = NinjaAPI(
    title="Assay",
    version="1",
    description=(
        "Benchmarks, boards and results, as the pages show them. Errors are problem documents"
        " (RFC 9457). Answers have an ETag; send it as If-None-Match."
    ),
    urls_namespace="api",
)
api.add_decorator(only_known_parameters)
answer_with_problems(api)
api.add_router("", reading)


def nothing(request: HttpRequest, rest: str = "") -> HttpResponse:
    return api.on_exception(request, Http404())


urlpatterns = [
    path("v1/", api.urls),
    path("v1/<path:rest>", nothing, name="api-nothing"),
    path("", nothing, name="api-start"),
]
