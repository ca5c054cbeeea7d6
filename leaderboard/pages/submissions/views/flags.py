"""Words for the engine's flags on a verdict."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

WORDS: dict[str, str | Promise] = {
    "ended_early": _("the program ended before its tests did"),
    "bad_report": _("the report of the run is inconsistent"),
    "one_process": _("the tests ran in the program's own process"),
    "near_limit": _("ended near a limit and was run again exclusively"),
    "signature_dropped": _("the repeated signature was dropped"),
    "reindented": _("indented to match the body's position"),
    "closing_brace_added": _("a missing closing brace was added"),
    "unsound_requirement": _("this instruction's test cannot be used for judging"),
    "cut": _("cut where the function ends"),
    "static_dropped": _(
        "static was removed from the method, because a static method overrides nothing"
    ),
    "final_dropped": _("final was removed from the method"),
    "synchronized_dropped": _("synchronized was removed from the method"),
    "public_set": _("the method was made public"),
    "superclass_added": _("the benchmark's class was added as the superclass"),
    "subclass_added": _("a class of ours extends the class, so that it can be found by name"),
    "denied_access_checks": _("access to private members was denied"),
    "denied_class_loader": _("a class loader of its own was denied"),
    "denied_exit": _("ending the program was denied"),
    "denied_file": _("a file outside its directories was denied"),
    "denied_library": _("loading a native library was denied"),
    "denied_other": _("a permission was denied"),
    "denied_process": _("starting a process was denied"),
    "denied_security": _("changing the security manager was denied"),
}


def flag_words(flag: str) -> str:
    """The flag in words; an unknown flag with spaces for its underscores."""
    name, _colon, rest = flag.partition(":")
    words = WORDS.get(flag) or WORDS.get(name)
    if words is None:
        return flag.replace("_", " ")
    return f"{words} ({rest})" if rest and flag not in WORDS else str(words)
