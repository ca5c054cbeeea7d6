"""The addresses of the API."""

from itertools import chain
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe
from ninja import NinjaAPI
from ninja.openapi.docs import Swagger
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation

from leaderboard.api.access import readable_without
from leaderboard.api.once import once, once_in_parts
from leaderboard.api.own import router as own
from leaderboard.api.own import submissions
from leaderboard.api.problems import MEDIA_TYPE, answer_with_problems, only_known_parameters
from leaderboard.api.reading import router as reading
from leaderboard.api.uploads import files
from leaderboard.api.uploads import router as uploads


class DocumentPage(Swagger):
    """Swagger's page, with the files of the installed package."""

    def render_page(self, request: HttpRequest, api: NinjaAPI, **values: Any) -> HttpResponse:
        settings = {**self.settings, "url": self.get_openapi_url(api, values)}
        return render(request, "api/document.html", {"api": api, "settings": settings})


class DocumentedAPI(NinjaAPI):
    """Makes its document once in a process: that takes half a second."""

    document: OpenAPISchema | None = None

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """The view's name, by which generated clients name their functions."""
        return operation.view_func.__name__

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        """With the media type of errors, which the framework takes for that of other answers."""
        if self.document is None:
            document = super().get_openapi_schema(**options)
            for operation in chain.from_iterable(map(dict.values, document["paths"].values())):
                for status, answer in operation["responses"].items():
                    if int(status) >= 400:
                        answer["content"] = {MEDIA_TYPE: answer["content"].popitem()[1]}
            self.document = document
        return self.document


api = DocumentedAPI(
    title="Assay",
    version="1",
    description=(
        "Benchmarks, boards and results, as the pages show them. Errors are problem documents"
        " (RFC 9457). Answers have an ETag; send it as If-None-Match."
    ),
    urls_namespace="api",
    docs=DocumentPage(),
    docs_decorator=require_safe,
)
api.add_decorator(only_known_parameters)
answer_with_problems(api)
reading.add_decorator(readable_without)
files.add_decorator(once_in_parts)
for router in (own, submissions, uploads):
    router.add_decorator(once)
for router in (reading, own, files, uploads, submissions):
    api.add_router("", router)


def nothing(request: HttpRequest, rest: str = "") -> HttpResponse:
    return api.on_exception(request, Http404())


urlpatterns = [
    path("v1/", api.urls),
    path("v1/<path:rest>", nothing, name="api-nothing"),
    path("", nothing, name="api-start"),
]
