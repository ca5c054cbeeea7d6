"""The file with every result of a board, kept until the board changes."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from django.conf import settings
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseNotModified,
    StreamingHttpResponse,
)
from django.http.response import HttpResponseBase
from django.utils.http import parse_etags
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from leaderboard.boards.matrix import Matrix, standings_of
from leaderboard.pages.boards.views.board import as_file
from leaderboard.pages.boards.views.selection import select

# Seconds after which a reader may ask again while the file is being made for another reader.
RETRY = 30


@require_safe
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
    kept = folder / f"{matrix.board.pk}-{matrix.key}.zip"
    try:
        return FileResponse(kept.open("rb"), content_type="application/zip")
    except FileNotFoundError:
        pass
    if request.method == "HEAD":
        return HttpResponse(content_type="application/zip")
    lock = (folder / f"{matrix.board.pk}.lock").open("wb")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        told = gettext("This file is being made for another reader. Try again in half a minute.")
        return HttpResponse(
            told, status=503, content_type="text/plain", headers={"Retry-After": str(RETRY)}
        )
    return StreamingHttpResponse(_made(matrix, kept, lock), content_type="application/zip")


def _made(matrix: Matrix, kept: Path, lock: IO[bytes]) -> Iterator[bytes]:
    """Sends the file while making it. Keeps it unless the board changed or the reader
    disconnected."""
    part = kept.with_suffix(".part")
    try:
        with part.open("wb") as copy:
            for piece in matrix.pieces():
                copy.write(piece)
                yield piece
        if matrix.complete:
            for older in kept.parent.glob(f"{matrix.board.pk}-*.zip"):
                older.unlink(missing_ok=True)
            part.replace(kept)
    finally:
        part.unlink(missing_ok=True)
        lock.close()
