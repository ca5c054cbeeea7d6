"""How much a team may store on this site and have waiting for judging."""

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
    submissions = Submission.objects.filter(upload=OuterRef("pk"))
    submitted = uploads.filter(Q(state__in=UploadState.submitted()) | Exists(submissions))
    sums = ((files, "bytes"), (submitted, "generations_bytes"))
    return sum(rows.aggregate(sum=Sum(name, default=0))["sum"] for rows, name in sums)


def require_room(*, team: Team, more: int = 0, waiting: int = 0) -> None:
    """Raises UploadError if `more` bytes or so many `waiting` generations are too many."""
    stored = stored_bytes(team) + more
    if stored > settings.TEAM_MOST_BYTES:
        most = settings.TEAM_MOST_BYTES // 2**20
        raise UploadError(messages.TEAM_STORES(stored=-(-stored // 2**20), most=most))
    if waiting > (most := settings.TEAM_WAITING):
        raise UploadError(messages.TEAM_WAITS(waiting=f"{waiting:,}", most=f"{most:,}"))
