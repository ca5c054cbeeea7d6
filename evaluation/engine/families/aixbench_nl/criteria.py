"""The three scales and the meaning of each mark.

The benchmark names the scales and describes their marks; the wording is ours, and pages translate
every sentence. A changed meaning is another rubric and needs new ratings.
"""

from __future__ import annotations

from evaluation.engine.family import Criterion, Metric
from evaluation.engine.texts import gettext_noop as _

CORRECTNESS = Criterion(
    _("correctness"),
    4,
    (
        _("The function described is not there at all."),
        _(
            "Only the trunk of the function is there: most of what the description asks for is "
            "missing, and considerable changes would be needed."
        ),
        _(
            "The main function is there. Some details are missing, without harm to the overall "
            "logic; a small change would meet the need."
        ),
        _(
            "The function described is fully there. Where the description is vague, doing all that "
            "it says is enough."
        ),
    ),
)
CODE_QUALITY = Criterion(
    _("code quality"),
    3,
    (
        _("A plainly better solution in performance exists, or the code has severe smells."),
        _("Slight omissions of detail, or smells of low severity."),
        _(
            "Details are handled, no plainly better solution in performance exists, resources are "
            "released where there are any, and no smell is evident."
        ),
    ),
)
MAINTAINABILITY = Criterion(
    _("maintainability"),
    5,
    (
        _("The code is chaotic: it has no logic at all and is hard to understand."),
        _(
            "The style is confused and follows no one convention; many names mean nothing, code is "
            "repeated or superfluous, and reading it is very hard."
        ),
        _(
            "The code follows some convention, but some names mean nothing, or calls are flawed or "
            "deprecated."
        ),
        _("The code is fairly regular: names mostly say what they mean, and it reads quite well."),
        _(
            "The code is very regular: names say what they mean, nothing is bloated, it is short "
            "and readable, in clearly layered blocks."
        ),
    ),
)
CRITERIA = (CORRECTNESS, CODE_QUALITY, MAINTAINABILITY)
METRICS = tuple(Metric(criterion.name) for criterion in CRITERIA)
