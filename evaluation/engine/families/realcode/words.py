"""Words for the flags of verdicts."""

from __future__ import annotations

from evaluation.engine.texts import gettext_noop as _

FLAGS = {
    "signature_dropped": _("the repeated signature was dropped"),
    "reindented": _("indented to match the body's position"),
    "cut": _("cut where the function ends"),
}
