"""The three scales and the meaning of each mark. The benchmark names the scales and describes their
marks; the wording is ours. A changed meaning is another rubric and needs new ratings."""

from evaluation.engine.family import Criterion, Metric
from evaluation.engine.texts import gettext_noop as _

CORRECTNESS = Criterion(
    _("correctness"),
    4,
    (
        _("The function described is missing."),
        _(
            "Only the skeleton of the function is present: most of what the description asks "
            "for is missing, and considerable changes are needed."
        ),
        _(
            "The main function is present. Some details are missing, but the overall logic is "
            "sound; a small change is enough."
        ),
        _(
            "The function described is fully present. Where the description is vague, code "
            "that does everything it says is enough."
        ),
    ),
    (_("function missing"), _("only a skeleton"), _("small change needed"), _("fully present")),
)
CODE_QUALITY = Criterion(
    _("code quality"),
    3,
    (
        _("A solution with clearly better performance exists, or the code has severe smells."),
        _("Slight omissions of detail, or smells of low severity."),
        _(
            "Details are handled, no solution with clearly better performance exists, "
            "resources are released where there are any, and no smell is evident."
        ),
    ),
    (_("severe smells or slow"), _("slight omissions or smells"), _("no evident flaw")),
)
MAINTAINABILITY = Criterion(
    _("maintainability"),
    5,
    (
        _("The code is chaotic: it has no logic at all and is hard to understand."),
        _(
            "The style is confused and follows no single convention; many names mean nothing, "
            "code is repeated or superfluous, and it is very hard to read."
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
    (
        *(_("chaotic"), _("confused, very hard to read"), _("some convention, some flaws")),
        *(_("fairly regular, reads well"), _("very regular, clearly layered")),
    ),
)
CRITERIA = (CORRECTNESS, CODE_QUALITY, MAINTAINABILITY)
METRICS = tuple(Metric(criterion.name) for criterion in CRITERIA)
