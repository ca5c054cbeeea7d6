"""SHA-256 digests of files and folders, to detect changes."""

import hashlib
import os
from pathlib import Path


def sha256_of(path: Path) -> str:
    """Returns the hex digest of a file, or of the names and digests of all files below a folder.
    Skips folders whose name begins with a dot, because tools change data there. Raises OSError."""
    if path.is_dir():
        files = []
        for above, folders, names in os.walk(path):
            folders[:] = [name for name in folders if not name.startswith(".")]
            files += [file for name in names if (file := Path(above, name)).is_file()]
        files.sort(key=lambda file: file.relative_to(path).parts)
        listing = "".join(f"{file.relative_to(path)}\0{sha256_of(file)}\0" for file in files)
        return hashlib.sha256(listing.encode("utf-8", "surrogateescape")).hexdigest()
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
