"""What the engine says of projects: of preparing them, and of sandboxes made for them.

What a project itself is to blame for is staff's to mend and stays in English (BenchmarkError).
"""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

CAUSES: tuple[str, ...] = (
    _("A file of a run cannot be written: %(refused)s."),
    _("The sandbox was ended."),
    _("The sandbox was ended while it was opened."),
    _("The prepared image %(image)s is missing; prepare it again."),
    _("%(doing)s: the container was ended from outside."),
    _("A step of preparing %(repository)s failed (%(how)s)."),
    _("Python could not be put together: %(said)s"),
    _("git is not installed; install it and try again."),
    _("git could not keep a project's sources: %(reason)s."),
    _(
        "What was prepared cannot be kept in %(directory)s (%(error)s); make room, or name another "
        "directory in ASSAY_PROJECTS_DIR."
    ),
    _(
        "The certificates %(file)s cannot be used: %(reason)s. Name a PEM file in ASSAY_CA_BUNDLE "
        "(docs/operators/proxies.md)."
    ),
    _("%(variable)s is not the address of a proxy."),
)
DOING: tuple[str, ...] = (
    _("looking at a prepared image"),
    _("looking for the base image %(image)s"),
    _("putting Python beside %(image)s"),
    _("starting a container to build in"),
    _("copying files into a container"),
    _("running a step of a project's build"),
    _("removing a container"),
    _("storing a prepared project"),
    _("looking for a prepared project"),
    _("measuring a prepared project"),
    _("naming a prepared project"),
    _("removing a prepared project"),
    _("listing prepared projects"),
)
REASONS: tuple[str, ...] = (
    _("it holds no certificate"),
    _("a certificate is no base64 (%(error)s)"),
    _("git took longer than %(seconds)s s"),
    _("git exited with %(code)s"),
)
