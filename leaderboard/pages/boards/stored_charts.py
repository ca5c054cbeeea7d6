"""Digests of the facts that the stored charts of a board show. Draws nothing: pandas and plotly
take a hundred megabytes, which the reconciler needs only after a change."""

from collections.abc import Iterator
from hashlib import sha256

from django.db.models import F, Q
from django.db.models.functions import Now

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.metrics import METRICS_VERSION
from leaderboard.annotation.models import Campaign
from leaderboard.boards.queries import scales_of, shown_on
from leaderboard.pages.models import BoardPart
from leaderboard.scores.models import Board

# Rises when the stored parts change their form.
_FORMAT = 2


def made_of(board: Board) -> str:
    """A digest of everything that charts show and that can change without remaking the board:
    withdrawn results, entrants' names, the release; if people rate, the campaigns."""
    of_submission = ("published", "revision__benchmark__human_baseline")
    of_entrant = (f"entrant__{name}" for name in ("shown_name", "slug", "parameters"))
    columns = (f"submission__{name}" for name in (*of_entrant, *of_submission))
    shown = list(shown_on([board]).order_by("pk").values_list("pk", *columns))
    versions = (_FORMAT, ENGINE_VERSION, METRICS_VERSION)
    campaigns = []
    if scales_of(board.revision.benchmark):
        # `made` rises when a campaign's means and agreements are computed.
        of_board = Campaign.objects.filter(revision=board.revision_id).order_by("pk")
        of_campaign = ("pk", "made", "state", "title", "opened", "least_agreement")
        campaigns = list(of_board.values_list(*of_campaign))
    facts = (versions, board.made, board.wanted, board.metric, shown, campaigns)
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
