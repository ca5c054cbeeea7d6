"""Why a score has no value."""

from __future__ import annotations

from evaluation.engine.texts import Text
from evaluation.engine.texts import gettext_noop as _

NOTHING_COUNTS = Text("metrics.nothing_counts", _("no result counts"))
FEW_SAMPLES = Text(
    "metrics.few_samples",
    _("needs %(number)s samples of every task, but a task has only %(fewest)s"),
)
UNSETTLED = Text("metrics.unsettled", _("%(number)s samples have no final verdict yet"))
