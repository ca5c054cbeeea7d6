"""Checks files that commands read or write."""

from __future__ import annotations

import os
from pathlib import Path

from evaluation.engine.errors import UploadError


def require_writable(*places: Path | None) -> None:
    """Raises UploadError before a long run that could not write its output."""
    for path in places:
        if path is not None and (path.is_dir() or not os.access(path.parent, os.W_OK)):
            raise UploadError(f"{path} cannot be written; name a file in an existing folder.")
