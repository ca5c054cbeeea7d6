"""Row locks that several steps share."""

from __future__ import annotations

from django.utils.translation import gettext as _

from leaderboard.annotation.errors import TakenOut
from leaderboard.annotation.models import Item


def hold_item(pk: int) -> None:
    """Locks the item's row until the transaction ends, so that `remove_submission` waits. Raises
    TakenOut if the item is gone."""
    if not list(Item.objects.select_for_update(no_key=True).filter(pk=pk).values("pk")):
        raise TakenOut(_("This item was removed from the campaign in the meantime."))
