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
    _("git could not keep a project's sources: %(reason)s."),
)
GIT_SLOW = Text("preparation.git_slow", _("git took longer than %(seconds)s s"))
GIT_EXITED = Text("preparation.git_exited", _("git exited with %(code)s"))
NOT_KEPT = Text(
    "preparation.not_kept",
    _(
        "What was prepared cannot be kept in %(directory)s (%(error)s); make room, or name another "
        "directory in ASSAY_PROJECTS_DIR."
    ),
)
CERTIFICATES_UNFIT = Text(
    "preparation.certificates_unfit",
    _(
        "The certificates %(file)s cannot be used: %(reason)s. Name a PEM file in ASSAY_CA_BUNDLE "
        "(docs/operators/proxies.md)."
    ),
)
NO_CERTIFICATE = Text("preparation.no_certificate", _("it holds no certificate"))
NO_BASE64 = Text("preparation.no_base64", _("a certificate is no base64 (%(error)s)"))
NO_PROXY_ADDRESS = Text(
    "preparation.no_proxy_address",
    _("%(variable)s is not the address of a proxy."),
)
