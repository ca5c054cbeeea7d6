"""Files that commands are given to read or to write."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from evaluation.engine.errors import UploadError


def require_writable(*places: Path | None) -> None:
    """Raises UploadError now, where the end of a long run would fail otherwise."""
    for path in places:
        if path is not None and (path.is_dir() or not os.access(path.parent, os.W_OK)):
            raise UploadError(f"{path} cannot be written; name a file in a folder that exists.")


def sha256(path: Path) -> str:
    """Of the file, or of the files below a folder but for what is hidden there."""
    if path.is_dir():
        found = [f for f in sorted(path.iterdir()) if not f.name.startswith(".")]
        digests = [f"{f.name} {sha256(f)}" for f in found if f.is_file() or f.is_dir()]
        return hashlib.sha256("\n".join(digests).encode("utf-8", "surrogateescape")).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
