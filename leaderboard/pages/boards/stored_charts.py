"""Digests of the facts that the stored charts of a board show. Draws nothing: pandas and plotly
take a hundred megabytes, which the reconciler needs only after a change."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from django.db.models import F, Q
from django.db.models.functions import Now

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.metrics import METRICS_VERSION
from leaderboard.annotation.models import Campaign
from leaderboard.boards.queries import scales_of
from leaderboard.pages.models import BoardPart
from leaderboard.scores.models import Board, Standing
from leaderboard.submissions.models import Visibility


def made_of(board: Board) -> str:
    """A digest of everything that charts show and that can change without remaking the board:
    withdrawn results, entrants' names, the release; if people rate, the campaigns."""
    rows = Standing.objects.filter(board=board, submission__visibility=Visibility.PUBLISHED)
    shown = rows.order_by("pk").values_list(
        "pk",
        "submission__entrant__shown_name",
        "submission__entrant__slug",
        "submission__entrant__parameters",
        "submission__published",
        "submission__revision__benchmark__human_baseline",
    )
    versions = (ENGINE_VERSION, METRICS_VERSION)
    campaigns = []
    if scales_of(board.revision.benchmark):
        # `made` rises when a campaign's means and agreements are computed.
        of_board = Campaign.objects.filter(revision=board.revision_id).order_by("pk")
        columns = ("pk", "made", "state", "title", "opened", "least_agreement")
        campaigns = list(of_board.values_list(*columns))
    facts = (versions, board.made, board.wanted, board.metric, list(shown), campaigns)
    return sha256(repr(facts).encode("utf-8", "surrogatepass")).hexdigest()


def outdated_boards() -> Iterator[Board]:
    """Boards whose stored charts have another digest. Excludes boards that are to be remade, were
    never made, or are leased to a job: their job draws the charts at its end."""
    stored = set(BoardPart.objects.values_list("board", "made_of").distinct())
    made = Board.objects.filter(made=F("wanted"), made__gt=0).select_related("revision__benchmark")
    free = made.filter(Q(lease_until=None) | Q(lease_until__lt=Now()))
    for board in free.order_by("pk").defer("swaps", "pairs"):
        if (board.pk, made_of(board)) not in stored:
            yield board
