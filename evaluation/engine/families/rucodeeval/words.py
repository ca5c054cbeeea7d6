"""Words for the flags of verdicts."""

from __future__ import annotations

from evaluation.engine.texts import gettext_noop as _

FLAGS = {
    "bad_report": _("the report of the run is inconsistent"),
}
