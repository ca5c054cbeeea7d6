"""Static files that come with installed packages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import BaseFinder
from django.contrib.staticfiles.utils import matches_patterns
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import FileSystemStorage

BUNDLE = "plotly.min.js"
PREFIX = "plotly"


class PlotlyFinder(BaseFinder):
    """The browser's half of plotly, of the very release that makes the figures, as
    `plotly/plotly.min.js`. Nothing else of the package is served."""

    def __init__(self, *_args: object, **_options: object) -> None:
        self._storage = FileSystemStorage(location=_package_data())
        # Where collectstatic puts what `list` names.
        self._storage.prefix = PREFIX  # type: ignore[attr-defined]

    def find(self, path: str, find_all: bool = False) -> Any:
        """The file's place, or None; a list of places where all are asked for."""
        found = [self._storage.path(BUNDLE)] if path == f"{PREFIX}/{BUNDLE}" else []
        return found if find_all else next(iter(found), None)

    def list(
        self, ignore_patterns: Iterable[str] | None
    ) -> Iterator[tuple[str, FileSystemStorage]]:
        if not matches_patterns(BUNDLE, list(ignore_patterns or ())):
            yield BUNDLE, self._storage


def _package_data() -> Path:
    # Not imported: that takes longer than everything else a finder does.
    package = find_spec("plotly")
    if package is None or package.origin is None:
        raise ImproperlyConfigured("The package plotly is not installed.")
    return Path(package.origin).parent / "package_data"
