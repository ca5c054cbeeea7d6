"""Words for the flags of verdicts."""

from __future__ import annotations

from evaluation.engine.texts import gettext_noop as _

FLAGS = {
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
