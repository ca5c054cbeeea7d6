"""Arguments that several commands share, and the check of files that they write."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from evaluation.engine.errors import UploadError
from evaluation.engine.variables import Variables


def at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def ids(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def workers(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--workers",
        type=at_least_one,
        default=os.cpu_count() or 1,
        metavar="N",
        help="concurrent sandboxes (default: one per processor)",
    )


def runtime(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--runtime",
        default=Variables().text("ASSAY_SANDBOX_RUNTIME") or None,
        help="Docker runtime of the sandboxes, such as runsc (ASSAY_SANDBOX_RUNTIME)",
    )


def require_writable(*places: Path | None) -> None:
    """Raises UploadError before a long run that could not write its output."""
    for path in places:
        if path is not None and (path.is_dir() or not os.access(path.parent, os.W_OK)):
            raise UploadError(f"{path} cannot be written; name a file in an existing folder.")
