"""Messages about preparing projects on a host."""

from __future__ import annotations

from evaluation.engine.texts import Text
from evaluation.engine.texts import gettext_noop as _

STEP_FAILED = Text(
    "preparation.step_failed",
    _("A step of preparing %(repository)s failed (%(how)s)."),
)
GIT_MISSING = Text("preparation.git_missing", _("git is not installed; install it and try again."))
SOURCES_NOT_KEPT = Text(
    "preparation.sources_not_kept",
    _("git could not store a project's sources: %(reason)s."),
)
GIT_SLOW = Text("preparation.git_slow", _("git took longer than %(seconds)s s"))
GIT_EXITED = Text("preparation.git_exited", _("git exited with %(code)s"))
NOT_KEPT = Text(
    "preparation.not_kept",
    _(
        "The prepared project cannot be stored in %(directory)s (%(error)s). Free some space, "
        "or set ASSAY_PROJECTS_DIR to another directory."
    ),
)
CERTIFICATES_UNFIT = Text(
    "preparation.certificates_unfit",
    _(
        "The certificates in %(file)s cannot be used: %(reason)s. Set ASSAY_CA_BUNDLE to a PEM "
        "file (docs/operators/proxies.md)."
    ),
)
NO_CERTIFICATE = Text("preparation.no_certificate", _("it contains no certificate"))
NO_BASE64 = Text("preparation.no_base64", _("a certificate is not valid base64 (%(error)s)"))
NO_PROXY_ADDRESS = Text(
    "preparation.no_proxy_address",
    _("%(variable)s is not the address of a proxy."),
)
