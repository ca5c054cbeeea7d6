"""SHA-256 digests of files and folders, to detect changes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path


def sha256_of(path: Path) -> str:
    """Returns the hex digest of a file, or of the names and digests of all files below a folder.
    Skips folders whose name begins with a dot, because tools change data there. Raises OSError."""
    if path.is_dir():
        below = sorted(_files_below(path), key=lambda file: file.relative_to(path).parts)
        told = "".join(f"{file.relative_to(path)}\0{sha256_of(file)}\0" for file in below)
        return hashlib.sha256(told.encode("utf-8", "surrogateescape")).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _files_below(folder: Path) -> Iterator[Path]:
    for above, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (file for name in names if (file := Path(above, name)).is_file())
