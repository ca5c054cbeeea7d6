"""What everyone may read: benchmarks, tasks, boards, entrants, results, comparisons."""

from functools import partial
from gzip import GzipFile
from io import BytesIO
from typing import Any, Literal, TypeVar
from urllib.parse import urlencode

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, F, Model, OuterRef, Prefetch, QuerySet, Subquery
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseNotModified,
    StreamingHttpResponse,
)
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.http import parse_etags, quote_etag
from ninja import Query, Router, Schema
from pydantic import Field

from evaluation.models import EvaluationState
from evaluation.state.rights import Rights, verdict_lines
from leaderboard.api import records
from leaderboard.api.problems import REFUSALS
from leaderboard.benchmarks.models import Benchmark, Task
from leaderboard.boards import comparing, queries
from leaderboard.boards.every_eval_ever import aggregate_record
from leaderboard.boards.exports import as_document, means_document, rechecks
from leaderboard.boards.scores import WHOLE, read_on
from leaderboard.boards.selection import Selection, Site
from leaderboard.scores.models import Edition, EditionRow, Receipt, Score, Standing, shown_in
from leaderboard.submissions.models import Submission, Visibility
from leaderboard.text import storable

router = Router(tags=["reading"])
PAGE, MOST_ITEMS = 100, 500
VISITOR = AnonymousUser()
_Row = TypeVar("_Row", bound=Model)
_ON_SCALE = ("value", "low", "high", "least", "most")


class SelectionQuery(Schema):
    """Without a revision the current one, without a setting the benchmark's first one."""

    revision: str = ""
    setting: str = ""


class BoardQuery(SelectionQuery):
    weights: str = ""
    size: str = ""
    organisation: str = ""
    provenance: str = ""
    since: str = ""
    q: str = ""
    slice: str = ""
    value: str = ""
    sort: str = ""


class MeansQuery(Schema):
    by: Literal["", "language", "natural_language", "skill"] = ""


class PairQuery(SelectionQuery):
    first: str
    second: str
    slice: str = ""
    value: str = ""


class TasksQuery(SelectionQuery):
    level: str = ""
    category: str = ""
    cursor: int = Field(-1, ge=-1, lt=2**31)
    limit: int = Field(PAGE, ge=1, le=MOST_ITEMS)


class EditionsQuery(SelectionQuery):
    cursor: str = ""
    limit: int = Field(10, ge=1, le=50)


class TextPage(Schema):
    cursor: str = ""
    limit: int = Field(PAGE, ge=1, le=MOST_ITEMS)


@router.get("/benchmarks", response={200: list[records.BenchmarkRecord], **REFUSALS})
def benchmarks(request: HttpRequest) -> QuerySet[Benchmark]:
    return queries.benchmark_list(VISITOR)


@router.get("/benchmarks/{slug:slug}", response={200: records.BenchmarkDetail, **REFUSALS})
def benchmark(request: HttpRequest, slug: str) -> dict[str, Any]:
    selected = Selection.of_query(VISITOR, slug, {})
    record = records.BenchmarkRecord.model_validate(selected.benchmark)
    return dict(record) | {"revisions": selected.revisions, "rechecks": rechecks(selected)}


def first_of(rows: QuerySet[_Row], missing: str) -> _Row:
    """Raises Http404 with the sentence `missing` if there is no row."""
    if (row := rows.first()) is None:
        raise Http404(missing)
    return row


def page_of(request: HttpRequest, rows: QuerySet[Any], limit: int, cursor: str) -> dict[str, Any]:
    """A page of at most `limit` rows. `cursor` names the attribute after whose value the next page
    begins."""
    items, following = list(rows[: limit + 1]), None
    if len(items) > limit:
        query = request.GET.dict() | {"cursor": str(getattr(items[limit - 1], cursor))}
        following = request.build_absolute_uri(f"{request.path}?{urlencode(query)}")
    return {"items": items[:limit], "next": following}


@router.get(
    "/benchmarks/{slug:slug}/tasks", response={200: records.Page[records.TaskRecord], **REFUSALS}
)
def tasks(request: HttpRequest, slug: str, query: Query[TasksQuery]) -> dict[str, Any]:
    """In the dataset's order; `cursor` is the number of the task before the first one."""
    selected = Selection.of_query(VISITOR, slug, query.model_dump(include={"revision", "setting"}))
    chosen = {"level": storable(query.level), "category": storable(query.category)}
    rows = Task.objects.filter(revision=selected.revision, number__gt=query.cursor)
    rows = rows.filter(**{name: value for name, value in chosen.items() if value})
    # A mean mark by task could tell a rater what others gave.
    rated = queries.with_solve_rates(rows, None if selected.scales else selected.board)
    shown = rated.annotate(excluded=F("exclusion__reason")).order_by("number")
    return page_of(request, shown, query.limit, "number")


def _require_slice(selected: Selection, name: str, value: str) -> None:
    if (name or value) and selected.part != (name, value):
        slices = [f"{name} ({', '.join(values)})" for name, values in selected.slices.items()]
        listed = "; ".join(slices) or "none"
        raise Http404(f"There is no such slice on this board. Its slices: {listed}.")


@router.get("/benchmarks/{slug:slug}/board", response={200: records.BoardRecord, **REFUSALS})
def board(request: HttpRequest, slug: str, query: Query[BoardQuery]) -> dict[str, Any]:
    """The rows that match the filters, in the board's order or sorted by a column. Filters are
    those of the page: weights (open, closed, unknown), size (small, middle, large, unknown),
    organisation, provenance (upload, endpoint), since (30, 90, 365 days), q (a part of a name).
    With slice and value the scores are those of this part, and nobody has a rank."""
    selected = Selection.of_query(VISITOR, slug, query.model_dump())
    _require_slice(selected, query.slice, query.value)
    document, table = as_document(selected), selected.table
    shown = queries.published(VISITOR).filter(pk__in=[r["submission"] for r in document["rows"]])
    ids = dict(shown.values_list("pk", "public_id"))
    # One may be withdrawn meanwhile.
    document["rows"] = [row for row in document["rows"] if row["submission"] in ids]
    for row in document["rows"]:
        assert table is not None
        row["submission"] = ids[row["submission"]]
        row["metrics"] = {metric: row[metric] for metric in table.others}
        row["slices"] = {v: row[f"{table.slice}: {v}"] for v in table.slice_values}
    return document | {"marks_to": selected.top, "slice": table.slice if table else ""}


@router.get("/means", response={200: records.MeansRecord, **REFUSALS})
def means(request: HttpRequest, query: Query[MeansQuery]) -> dict[str, Any]:
    """The front page's table: scores by benchmark, or means by language, language of the
    instructions, or skill. Full means come first, best first."""
    return means_document(Site(VISITOR), query.by)


@router.get(
    "/benchmarks/{slug:slug}/editions",
    response={200: records.Page[records.EditionRecord], **REFUSALS},
)
def editions(request: HttpRequest, slug: str, query: Query[EditionsQuery]) -> dict[str, Any]:
    """The orders that the board had, newest first; `cursor` is the id of the one before. Of earlier
    days the last is kept, and each that scoring again changed."""
    selected = Selection.of_query(VISITOR, slug, query.model_dump(include={"revision", "setting"}))
    public = EditionRow.objects.filter(submission__in=queries.published(VISITOR))
    public = public.select_related("submission__entrant")
    public = public.order_by("rank_low", "rank_high", "-value", "pk")
    rows = Edition.objects.filter(board__isnull=False, board=selected.board)
    if query.cursor:
        # It may be thinned out since it was sent.
        last = get_object_or_404(rows, public_id=storable(query.cursor))
        rows = rows.filter(made_at__lt=last.made_at)
    shown = rows.filter(thinned=False).prefetch_related(Prefetch("rows", public, "public"))
    page = page_of(request, shown, query.limit, "public_id")
    for edition in page["items"]:
        top = selected.scales.get(edition.metric)
        for row in edition.public:
            shares = (row.value, row.low, row.high)
            row.value, row.low, row.high = (read_on(share, top) for share in shares)
    return page


@router.get("/benchmarks/{slug:slug}/matrix", response={302: None, **REFUSALS})
def matrix(request: HttpRequest, slug: str, query: Query[SelectionQuery]) -> HttpResponse:
    """Leads to the zip with a line for each task and entrant, which is made while it is sent."""
    Selection.of_query(VISITOR, slug, query.model_dump())
    address = reverse("board-matrix", args=[slug])
    return redirect(f"{address}?{request.GET.urlencode()}" if request.GET else address)


@router.get(
    "/benchmarks/{slug:slug}/comparison", response={200: records.ComparisonRecord, **REFUSALS}
)
def comparison(request: HttpRequest, slug: str, query: Query[PairQuery]) -> dict[str, Any]:
    """Compares two entrants, named by their slugs."""
    selected = Selection.of_query(VISITOR, slug, query.model_dump())
    first, second = query.first, query.second
    rows = {row.entrant.slug: row for row in selected.rows}
    if missing := [name for name in (first, second) if name not in rows]:
        raise Http404(f"No published result on this board: {', '.join(missing)}.")
    part = WHOLE if selected.scales else selected.part
    if first == second:
        raise Http404("The two entrants are the same.")
    _require_slice(selected, query.slice, query.value)
    entries = [rows[first], rows[second]]
    assert selected.board is not None
    # Of the board's own metric: others of a conversation are better lower.
    scores = [row.scores.get((selected.board.metric, *WHOLE)) for row in entries]
    lower = any(score.lower_is_better for score in scores if score)
    compared = comparing.comparison_of(selected.board, entries, part, lower=lower)
    if compared is None:
        raise Http404("The two have no settled results on the same tasks.")
    (pair,) = compared.pairs
    span = selected.top - 1 if selected.top else 1
    sign = 1 if (int(pair.first) == entries[0].evaluation) != lower else -1
    ends = sorted(end * sign * span for end in (pair.low, pair.high) if end is not None)
    whole = part == WHOLE
    return {
        "first": first,
        "second": second,
        "metric": selected.metric,
        "slice": part[0],
        "slice_value": part[1],
        "difference": pair.value * sign * span,
        "low": ends[0] if ends else None,
        "high": ends[1] if ends else None,
        "p": comparing.board_p(selected.board, *entries) if whole else pair.adjusted,
        "tasks": compared.tasks,
        "clusters": compared.clusters,
    }


@router.get("/entrants", response={200: records.Page[records.EntrantRecord], **REFUSALS})
def entrants(request: HttpRequest, query: Query[TextPage]) -> dict[str, Any]:
    """Entrants with published results, by slug; `cursor` is the slug before the first one."""
    rows = queries.entrant_list(VISITOR).filter(slug__gt=storable(query.cursor)).order_by("slug")
    return page_of(request, rows, query.limit, "slug")


@router.get("/entrants/{slug:slug}", response={200: records.EntrantDetail, **REFUSALS})
def entrant(request: HttpRequest, slug: str) -> dict[str, Any]:
    rows = queries.entrant_list(VISITOR).filter(slug=slug)
    row, site = first_of(rows, ""), Site(VISITOR)
    results = [
        {
            "benchmark": standing.board.revision.benchmark.slug,
            "revision": standing.board.revision.label,
            "setting": standing.board.setting,
            "submission": standing.submission.public_id,
            "rank_low": standing.rank_low,
            "rank_high": standing.rank_high,
            "ranked": site.ranked_on(standing.board_id),
        }
        for standing in site.standings_of([row])
    ]
    return dict(records.EntrantRecord.model_validate(row)) | {"results": results}


def _visible(request: HttpRequest, public_id: str) -> Submission:
    """Raises Http404. Tokens are never those of staff, whose looks at private rows are recorded."""
    rows = Submission.objects.visible_to(request.user).filter(public_id=storable(public_id))
    rows = rows.select_related("entrant", "revision__benchmark")
    return first_of(rows, "There is no result of this id that you may see.")


@router.get("/submissions/{public_id}", response={200: records.SubmissionRecord, **REFUSALS})
def submission(request: HttpRequest, public_id: str) -> dict[str, Any]:
    """A result with all of its scores: a published one or, with a token, one of its team. Without
    a row on its board it has no rank."""
    row = _visible(request, public_id)
    evaluation = row.evaluations.filter(current=True).first()
    ranked = Standing.objects.filter(board=OuterRef("board"), place__isnull=False).order_by()
    shown = Standing.objects.visible_to(request.user).filter(submission=row)
    shown = shown.select_related("submission", "evaluation", "board__revision__benchmark")
    counts = Subquery(ranked.values("board").annotate(of=Count("pk")).values("of"))
    standing = shown.annotate(of=counts).first()
    scores = Score.objects.none()
    if standing is not None:
        evaluation = standing.evaluation
        scores = shown_in(Score.with_replaced.all(), [standing])
    elif evaluation is not None and evaluation.state == EvaluationState.DONE:
        scores = Score.objects.filter(evaluation=evaluation)
    return {
        "benchmark": row.revision.benchmark.slug,
        "revision": row.revision.label,
        "setting": row.setting,
        "submission": row.public_id,
        "rank_low": standing.rank_low if standing else None,
        "rank_high": standing.rank_high if standing else None,
        "ranked": standing.of if standing else None,  # type: ignore[attr-defined]
        "entrant": row.entrant.slug,
        "published": row.published,
        "state": evaluation.state if evaluation else "",
        "judged": evaluation.finished if evaluation else None,
        "engine_version": evaluation.engine_version if evaluation else "",
        "image": evaluation.image if evaluation else "",
        "generations": row.generations_count,
        "passes_outside": standing.passes_outside if standing else None,
        "passes_shared": standing.passes_shared if standing else None,
        "scores": [
            vars(score) | {name: read_on(getattr(score, name), score.top) for name in _ON_SCALE}
            for score in scores.filter(is_variant=False, of_references=False)
        ],
    }


@router.get("/submissions/{public_id}/every-eval-ever", response={200: dict[str, Any], **REFUSALS})
def every_eval_ever(request: HttpRequest, public_id: str) -> dict[str, Any]:
    """A published result as an aggregate record of Every Eval Ever (schema 0.3.0)."""
    shown = Standing.objects.visible_to(VISITOR).filter(submission__public_id=storable(public_id))
    shown = shown.select_related("submission__entrant", "evaluation", "board__revision__benchmark")
    standing = first_of(shown, "There is no published result of this id.")
    scores = shown_in(Score.with_replaced.all(), [standing])
    scores = scores.filter(is_variant=False, of_references=False)
    site = request.build_absolute_uri("/").rstrip("/")
    address = site + standing.submission.get_absolute_url()
    # The same answer each time.
    made = standing.submission.published or standing.submission.created
    return aggregate_record(standing, scores, site=site, address=address, made=made)


@router.get("/submissions/{public_id}/receipt", response={200: dict[str, Any], **REFUSALS})
def receipt(request: HttpRequest, public_id: str) -> dict[str, Any]:
    """The receipt of a published result: an in-toto statement in a DSSE envelope."""
    rows = Receipt.objects.valid().filter(submission__public_id=storable(public_id))
    row = first_of(rows.defer("verdicts"), "There is no receipt of a published result of this id.")
    envelope: dict[str, Any] = row.envelope
    return envelope


@router.get("/receipts/{digest}", response={200: records.ReceiptRecord, **REFUSALS})
def receipt_state(request: HttpRequest, digest: str) -> dict[str, Any]:
    """What became of a receipt, named by the SHA-256 of its payload."""
    rows = Receipt.objects.defer("envelope", "verdicts")
    rows = rows.select_related("submission__revision__benchmark")
    rows = rows.filter(digest=storable(digest))
    row = first_of(rows, "This site has made no such receipt, or its result was deleted.")
    submission = row.submission
    valid = Receipt.objects.valid().filter(submission=submission)
    present = valid.values_list("digest", flat=True).first()
    state = "valid" if row.digest == present else "superseded"
    if submission.visibility != Visibility.PUBLISHED:
        state = "withdrawn"
    elif not submission.revision.benchmark.listed:
        state = "unlisted"
    return {"state": state, "submission": submission.public_id, "made": row.made, "valid": present}


@router.get("/receipts/{digest}/verdicts", response={200: None, **REFUSALS})
def receipt_verdicts(request: HttpRequest, digest: str) -> HttpResponseBase:
    """The file that a receipt names, from which its scores are computed, as JSON Lines."""
    shown = Receipt.objects.readable().filter(submission__in=queries.published(VISITOR))
    missing = "There is no such receipt of a published result, or tests are hidden now."
    row = first_of(shown.filter(digest=storable(digest)), missing)
    is_packed = "gzip" in request.headers.get("Accept-Encoding", "")
    # The digest of a statement determines the file that it names.
    etag = quote_etag(f"{row.digest}-gzip" if is_packed else row.digest)
    headers = {"ETag": etag, "Vary": "Accept-Encoding"}
    if etag in parse_etags(request.headers.get("If-None-Match", "")):
        return HttpResponseNotModified(headers=headers)
    headers["Content-Type"] = "application/jsonl; charset=utf-8"
    if is_packed:
        return HttpResponse(bytes(row.verdicts), headers=headers | {"Content-Encoding": "gzip"})
    # The decoded file may be large, so it is never held as a whole.
    file = GzipFile(fileobj=BytesIO(bytes(row.verdicts)))
    return StreamingHttpResponse(iter(partial(file.read, 2**16), b""), headers=headers)


@router.get("/submissions/{public_id}/verdicts", response={200: None, **REFUSALS})
def verdicts(request: HttpRequest, public_id: str) -> StreamingHttpResponse:
    """The verdicts as JSON Lines, in the order of the file. Hidden tests hide how many passed."""
    row = _visible(request, public_id)
    evaluation = first_of(row.evaluations.filter(current=True), "It is not judged yet.")
    lines = verdict_lines(evaluation, details=Rights.of(request, row).details)
    return StreamingHttpResponse(lines, content_type="application/jsonl; charset=utf-8")
