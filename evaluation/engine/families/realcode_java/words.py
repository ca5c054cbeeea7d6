"""Words for the flags of verdicts."""

from __future__ import annotations

from evaluation.engine.texts import gettext_noop as _

FLAGS = {
    "signature_dropped": _("the repeated signature was dropped"),
    "closing_brace_added": _("a missing closing brace was added"),
    "cut": _("cut where the function ends"),
}
