"""Words for the flags of verdicts."""

from __future__ import annotations

from evaluation.engine.texts import gettext_noop as _

FLAGS = {
    "unsound_requirement": _("this instruction's test cannot be used for judging"),
}
