"""Errors as problem documents (RFC 9457), in English: programs read them."""

from collections.abc import Callable, Sequence
from functools import wraps
from http import HTTPStatus
from typing import Any, Self, get_args, get_type_hints

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from ninja import NinjaAPI, Schema
from ninja.errors import HttpError, ValidationError
from ninja.params.models import File, Form, Query

from evaluation.engine.errors import UploadError
from evaluation.engine.records import Problem as FileProblem
from evaluation.engine.texts import Message
from leaderboard.boards.selection import NotSelected

MEDIA_TYPE = "application/problem+json"
# Errors that answer before the API does.
_BEFORE = {
    404: "There is nothing at this address.",
    405: "This address does not answer this method.",
    413: "The body is too large. Only POST /api/v1/uploads with a valid token takes large ones.",
    429: "Too many requests. Wait for the seconds in Retry-After.",
}


class Fault(Schema):
    """One thing that is wrong. `code` keeps its meaning when the sentence is reworded; `line`,
    `task` and `file`, of a zip, say where."""

    detail: str
    code: str | None = None
    line: int | None = None
    task: int | str | None = None
    file: str | None = None

    @classmethod
    def from_problem(cls, problem: FileProblem) -> Self:
        code = problem.sentence.text.code if isinstance(problem.sentence, Message) else None
        line, task, file = problem.line, problem.task_id, problem.member or None
        return cls(detail=problem.sentence, code=code, line=line, task=task, file=file)


class Problem(Schema):
    """`title` names the status, `detail` says what was wrong and what to do."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    errors: list[Fault] = []


def problem(
    status: int, detail: str, errors: Sequence[Fault] = (), retry_after: int | None = None
) -> HttpResponse:
    """`retry_after` are seconds."""
    title = HTTPStatus(status).phrase
    document = Problem(title=title, status=status, detail=detail, errors=[*errors])
    response = HttpResponse(document.model_dump_json(), MEDIA_TYPE, status)
    if retry_after is not None:
        response["Retry-After"] = str(retry_after)
    return response


# The errors of an operation; a token may be sent to each.
REFUSALS = dict.fromkeys((400, 401, 403, 404, 409, 413, 422, 429), Problem)


class Refused(HttpError):
    """`retry_after` are the seconds after which the same request may be answered."""

    def __init__(
        self, status: int, detail: str, errors: Sequence[Fault] = (), retry_after: int | None = None
    ) -> None:
        super().__init__(status, detail)
        self.errors, self.retry_after = errors, retry_after


def only_known_parameters(view: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator for operations. Raises Refused for other parameters: the framework would ignore
    them, so that a misspelled filter would return every row, and a misspelled setting of an upload
    would submit it to another board."""
    allowed: set[str] = set()
    for name, hint in get_type_hints(view, include_extras=True).items():
        for source in getattr(hint, "__metadata__", ()):
            if isinstance(source, Query | Form):
                allowed |= get_args(hint)[0].model_fields.keys()
            elif isinstance(source, File):
                allowed.add(name)

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **values: Any) -> Any:
        if unknown := {*request.GET, *request.POST, *request.FILES} - allowed:
            names, others = ", ".join(sorted(unknown)), ", ".join(sorted(allowed)) or "none"
            raise Refused(422, f"Unknown parameters: {names}. This address knows: {others}.")
        return view(request, *args, **values)

    return checked


def answer_with_problems(api: NinjaAPI) -> None:
    @api.exception_handler(Http404)
    def not_found(request: HttpRequest, error: Http404) -> HttpResponse:
        return problem(404, str(error) or "There is nothing at this address.")

    @api.exception_handler(NotSelected)
    def not_selected(request: HttpRequest, error: NotSelected) -> HttpResponse:
        return problem(404, f"There is no such {error}.")

    @api.exception_handler(HttpError)
    def refused(request: HttpRequest, error: HttpError) -> HttpResponse:
        more = (error.errors, error.retry_after) if isinstance(error, Refused) else ()
        return problem(error.status_code, str(error), *more)

    @api.exception_handler(ValidationError)
    def invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
        errors = [
            Fault(detail=f"{'.'.join(map(str, fault['loc'][1:]))}: {fault['msg']}")
            for fault in error.errors
        ]
        return problem(422, "Some values are not valid.", errors)

    @api.exception_handler(UploadError)
    def file_refused(request: HttpRequest, error: UploadError) -> HttpResponse:
        faults = [*map(Fault.from_problem, error.problems)]
        return problem(422, faults[0].detail, faults)


def api_requests(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: takes the cookies off requests to the API, since a page of another site can make
    a browser send them. Answers in English, and makes problem documents of all errors, of limits
    and faults too."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if not request.path.startswith("/api/"):
            return get_response(request)
        request.COOKIES = {}
        request.META["HTTP_ACCEPT_LANGUAGE"] = "en"
        response = get_response(request)
        patch_vary_headers(response, ["Authorization"])
        if "Authorization" in request.headers:
            response["Cache-Control"] = "no-store"
        status = response.status_code
        if status >= 400 and response.get("Content-Type") != MEDIA_TYPE:
            detail = _BEFORE.get(status, "The request was not answered.")
            document = problem(status, detail)
            del response["Content-Encoding"]
            response["Content-Type"] = MEDIA_TYPE
            response["Content-Length"] = str(len(document.content))
            response.content = document.content
        return response

    return middleware
