"""Results for other sites, papers and programs: a table to embed, tables in LaTeX and Markdown, a
badge (SVG), an Atom feed of the newest results, a zip with every result of a board, and the public
keys of receipts."""

import fcntl
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from unicodedata import east_asian_width
from xml.etree.ElementTree import Element, SubElement, tostring

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseNotModified,
    JsonResponse,
    StreamingHttpResponse,
)
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.http import parse_etags
from django.utils.translation import get_language, gettext
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.vary import vary_on_cookie

from leaderboard.accounts.models import Entrant
from leaderboard.boards import queries
from leaderboard.boards.matrix import Matrix, standings_of
from leaderboard.boards.rows import rows_without_scores
from leaderboard.boards.scores import WHOLE, scores_shown
from leaderboard.boards.selection import Site
from leaderboard.middleware import POLICY
from leaderboard.pages.boards.tables import TextTable
from leaderboard.pages.boards.views.board import as_file, board_page
from leaderboard.pages.boards.views.docs import docs
from leaderboard.pages.boards.views.selection import select
from leaderboard.pages.boards.words import setting_words
from leaderboard.pages.shared.score_words import metric_name, score_told
from leaderboard.scores.models import ReceiptKey

NEWEST = 50
# Entrants in the sitemap, which may have 50,000 addresses in all.
MOST_ADDRESSES = 40_000
ENDINGS = {"tex": "application/x-tex", "md": "text/markdown"}
# Other sites may frame the embedded board, and it runs no script.
EMBEDDED = POLICY.replace("script-src 'self'; ", "").replace(
    "frame-ancestors 'none'", "frame-ancestors *"
)
# Pixels of a character at 11 px, and around a text.
_WIDE, _NARROW, _AROUND = 11.5, 6.8, 14
# Seconds after which a reader may ask again while the file is being made for another reader.
RETRY = 30


def board_text(request: HttpRequest, slug: str, ending: str) -> HttpResponse:
    """The rows and columns of the screen, as LaTeX or Markdown. Raises Http404 without rows."""
    page = board_page(request, slug)
    if page.table is None:
        raise Http404(gettext("No published results."))
    table = TextTable.from_table(page.table)
    text = table.latex() if ending == "tex" else table.markdown()
    source = page.site + page.selected.permanent
    comment = f"% {source}\n" if ending == "tex" else f"<!-- {source} -->\n"
    response = HttpResponse(comment + text, content_type=f"{ENDINGS[ending]}; charset=utf-8")
    return as_file(response, page.selected, ending)


@xframe_options_exempt
@vary_on_cookie
def embedded(request: HttpRequest, slug: str) -> HttpResponse:
    """The board without a frame of ours, for an <iframe>. Everyone sees what visitors see; a cookie
    decides on the language alone."""
    request.user = AnonymousUser()
    page = board_page(request, slug)
    table = TextTable.from_table(page.table) if page.table else None
    context = {"selected": page.selected, "table": table, "page": page}
    response = render(request, "boards/embedded.html", context)
    response["Content-Security-Policy"] = EMBEDDED
    return response


def badge(request: HttpRequest, slug: str) -> HttpResponse:
    """Raises Http404 without a published result of the entrant on the selected board."""
    selected = select(request, slug)
    board = selected.board
    rows = rows_without_scores([board.pk], selected.user)[board.pk] if board else []
    row = next((row for row in rows if row.entrant.slug == request.GET.get("entrant")), None)
    if row is None:
        raise Http404(gettext("The entrant has no published result on this board."))
    score = scores_shown([row.standing], ())[row.evaluation].get((selected.metric, *WHOLE))
    left, right = selected.title, gettext("provisional")
    if row.rank:
        words = f"{metric_name(selected.metric, selected.top)} {score_told(score)}"
        right = gettext("%(score)s, rank %(rank)s") % {"score": words, "rank": row.rank}
    widths = [
        round(_AROUND + sum(_WIDE if east_asian_width(c) in "WF" else _NARROW for c in text))
        for text in (left, right)
    ]
    context = {"left": left, "right": right, "widths": widths, "width": sum(widths)}
    return render(request, "boards/badge.svg", context, content_type="image/svg+xml")


def feed(request: HttpRequest) -> HttpResponse:
    """The newest published results. The number of queries is constant."""
    standings = queries.latest_standings(Site(request.user).every_board, NEWEST)
    scores = scores_shown(standings, ())
    made = Atom1Feed(
        title=gettext("Assay: new results"),
        link=request.build_absolute_uri(reverse("home")),
        description="",
        language=get_language(),
        feed_url=request.build_absolute_uri(reverse("feed")),
    )
    for row in standings:
        board, submission = row.board, row.submission
        benchmark = board.revision.benchmark
        score = scores[row.evaluation_id].get((board.metric, *WHOLE))
        facts = {
            "entrant": submission.entrant.shown_name,
            "title": benchmark.title,
            "setting": setting_words(board.setting),
            "metric": metric_name(board.metric, queries.scales_of(benchmark).get(board.metric)),
            "score": score_told(score),
        }
        description = gettext("provisional, not ranked")
        if score and score.value is not None:
            description = gettext("%(metric)s %(score)s, %(setting)s setting") % facts
        link = request.build_absolute_uri(submission.get_absolute_url())
        made.add_item(
            title=gettext("%(entrant)s on %(title)s") % facts,
            link=link,
            unique_id=link,
            description=description,
            pubdate=submission.published,
            updateddate=submission.published,
        )
    return HttpResponse(made.writeString("utf-8"), content_type=made.content_type)


def receipt_keys(_request: HttpRequest) -> HttpResponse:
    rows = ReceiptKey.objects.all()
    keys = [
        {**row.described, "keyid": row.keyid, "since": row.since, "until": row.until}
        for row in rows
    ]
    return JsonResponse({"keys": keys})


@vary_on_cookie
def robots(request: HttpRequest) -> HttpResponse:
    """Search engines need no page twice: filters, orders and comparisons are only in queries."""
    lines = (
        "User-agent: *",
        *(f"Disallow: {path}" for path in ("/admin/", "/api/", "/account/", "/compare/", "/*?")),
        f"Sitemap: {request.build_absolute_uri(reverse('sitemap'))}",
    )
    return HttpResponse("\n".join((*lines, "")), content_type="text/plain")


@vary_on_cookie
def sitemap(request: HttpRequest) -> HttpResponse:
    """The pages that every visitor may read, without single tasks and results."""
    visitor = AnonymousUser()
    entrants = Entrant.objects.visible_to(visitor).order_by("pk")[:MOST_ADDRESSES]
    addresses = [reverse(name) for name in ("home", "benchmarks", "entrants", "docs")]
    addresses += [reverse("doc", args=[doc.slug]) for doc in docs()]
    records = (*queries.benchmark_list(visitor), *entrants)
    addresses += [record.get_absolute_url() for record in records]
    root = Element("urlset", xmlns="http://www.sitemaps.org/schemas/sitemap/0.9")
    for address in addresses:
        page = SubElement(SubElement(root, "url"), "loc")
        page.text = request.build_absolute_uri(address)
    content = tostring(root, encoding="utf-8", xml_declaration=True)
    return HttpResponse(content, content_type="application/xml")


def board_matrix(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Raises Http404 for a board without results."""
    selected = select(request, slug)
    standings = standings_of(selected) if selected.board else []
    if not standings:
        raise Http404(gettext("This board has no results yet."))
    matrix = Matrix(selected, standings)
    etag = f'"{matrix.key}"'
    if etag in parse_etags(request.headers.get("If-None-Match", "")):
        return HttpResponseNotModified(headers={"ETag": etag})
    response = _answer(request, matrix)
    if response.status_code == 200:
        response["ETag"] = etag
        response["Cache-Control"] = "no-cache"
        # A zip: the middleware has nothing to compress.
        response["Content-Encoding"] = "identity"
        as_file(response, selected, "zip", "matrix")
    return response


def _answer(request: HttpRequest, matrix: Matrix) -> HttpResponseBase:
    folder = Path(settings.DATA_DIR) / "matrices"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{matrix.board.pk}-{matrix.key}.zip"
    try:
        return FileResponse(path.open("rb"), content_type="application/zip")
    except FileNotFoundError:
        pass
    if request.method == "HEAD":
        return HttpResponse(content_type="application/zip")
    lock = (folder / f"{matrix.board.pk}.lock").open("wb")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        text = gettext("This file is being made for another reader. Try again in half a minute.")
        return HttpResponse(
            text, status=503, content_type="text/plain", headers={"Retry-After": str(RETRY)}
        )
    return StreamingHttpResponse(_pieces(matrix, path, lock), content_type="application/zip")


def _pieces(matrix: Matrix, path: Path, lock: IO[bytes]) -> Iterator[bytes]:
    """Sends the file while making it, and keeps it unless the board changed or the reader left."""
    part = path.with_suffix(".part")
    try:
        with part.open("wb") as copy:
            for piece in matrix.pieces():
                copy.write(piece)
                yield piece
        if matrix.complete:
            for older in path.parent.glob(f"{matrix.board.pk}-*.zip"):
                older.unlink(missing_ok=True)
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)
        lock.close()
