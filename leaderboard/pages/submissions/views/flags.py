"""Words for the engine's flags on a verdict."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

WORDS: dict[str, str | Promise] = {
    "ended_early": _("the program ended before its tests did"),
    "bad_report": _("what was reported of the run makes no sense"),
    "one_process": _("the tests ran in the program's own process"),
    "near_limit": _("ended near a limit and was run again alone"),
    "signature_dropped": _("the repeated signature was dropped"),
    "reindented": _("indented to where the body belongs"),
    "closing_brace_added": _("a closing brace that was missing was added"),
    "unsound_requirement": _("this instruction's test cannot be judged by"),
    "cut": _("cut where the function ends"),
    "static_dropped": _("static was taken from the method, which overrides none otherwise"),
    "final_dropped": _("final was taken from the method"),
    "synchronized_dropped": _("synchronized was taken from the method"),
    "public_set": _("the method was made public"),
    "superclass_added": _("the class was made one of the benchmark's methods"),
    "subclass_added": _("a class of ours extends it, by whose name it is found"),
    "no_control": _("there is no control, since nothing can extend the class"),
}


def flag_words(flag: str) -> str:
    """The flag in words; an unknown flag with spaces for its underscores."""
    name, _colon, rest = flag.partition(":")
    words = WORDS.get(flag) or WORDS.get(name)
    if words is None:
        return flag.replace("_", " ")
    return f"{words} ({rest})" if rest and flag not in WORDS else str(words)
