"""How much a team may store on this site, and how many of its generations may wait for judging."""

from __future__ import annotations

from django.conf import settings
from django.db.models import Exists, Max, OuterRef, Q, Sum

from evaluation.engine.errors import UploadError
from leaderboard import messages
from leaderboard.accounts.models import Team
from leaderboard.submissions.models import Submission, Upload, UploadState

# Bytes that the rows of a generation and of its verdict take besides its text.
ROW_BYTES = 512


def stored_bytes(team: Team) -> int:
    """Bytes of its prediction files and generations, those that are to be stored included."""
    uploads = Upload.objects.filter(entrant__team=team).order_by()
    # The uploads of a zip share its file.
    files = uploads.exclude(file="").values("file").annotate(bytes=Max("size"))
    submissions = Submission.with_unfinished.filter(upload=OuterRef("pk"))
    submitted = uploads.filter(Q(state__in=UploadState.submitted()) | Exists(submissions))
    sums = files.aggregate(sum=Sum("bytes")), submitted.aggregate(sum=Sum("generations_bytes"))
    return sum(row["sum"] or 0 for row in sums)


def require_room(*, team: Team, more: int = 0) -> None:
    """Raises UploadError if the team would store too many bytes with `more`."""
    stored, most = stored_bytes(team) + more, settings.TEAM_MOST_BYTES
    if stored > most:
        raise UploadError(messages.TEAM_STORES(stored=-(-stored // 2**20), most=most // 2**20))


def require_turn(*, waiting: int) -> None:
    """Raises UploadError if a team may not have that many generations that wait for judging."""
    if waiting > settings.TEAM_WAITING:
        most = settings.TEAM_WAITING
        raise UploadError(messages.TEAM_WAITS(waiting=f"{waiting:,}", most=f"{most:,}"))
