"""Messages about preparing projects on a host."""

from evaluation.engine.texts import Text as _
from evaluation.engine.texts import named_texts

STEP_FAILED = _("A step of preparing %(repository)s failed (%(how)s).")
GIT_MISSING = _("git is not installed; install it and try again.")
SOURCES_NOT_KEPT = _("git could not store a project's sources: %(reason)s.")
GIT_SLOW = _("git took longer than %(seconds)s s")
GIT_EXITED = _("git exited with %(code)s")
NOT_KEPT = _(
    "The prepared project cannot be stored in %(directory)s (%(error)s). Free some space, "
    "or set ASSAY_PROJECTS_DIR to another directory."
)
CERTIFICATES_UNFIT = _(
    "The certificates in %(file)s cannot be used: %(reason)s. Set ASSAY_CA_BUNDLE to a PEM "
    "file (docs/operators/proxies.md)."
)
NO_CERTIFICATE = _("it contains no certificate")
NO_BASE64 = _("a certificate is not valid base64 (%(error)s)")
NO_PROXY_ADDRESS = _("%(variable)s is not the address of a proxy.")

TEXTS = named_texts("preparation", globals())
