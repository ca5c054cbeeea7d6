"""Names of metrics for people. Pure."""

from __future__ import annotations

from django.utils.translation import gettext


def metric_words(metric: str) -> str:
    """A metric written out, with its abbreviation if it has one; pass@k and unknown ones as they
    are."""
    words = {
        "pass_ratio": gettext("share of tests passed"),
        "partial": gettext("sum of shares of tests"),
        "exact": gettext("tasks with all tests passed"),
        "tasks": gettext("tasks"),
        "IA": gettext("instruction accuracy (IA)"),
        "CA": gettext("conversation accuracy (CA)"),
        "strict CA": gettext("strict conversation accuracy (strict CA)"),
        "IFR": gettext("instruction forgetting (IFR)"),
        "script IFR": gettext("instruction forgetting by the authors' script (script IFR)"),
        "IFE": gettext("instruction following efficiency (IFE)"),
    }
    return words.get(metric, metric)
