"""Static files: those that come with installed packages, and the addresses of all."""

import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import BaseFinder
from django.contrib.staticfiles.utils import matches_patterns
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import FileSystemStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage

from leaderboard import plotly_release
from leaderboard.plotly_release import BUNDLE

PREFIX = "plotly"


class PlotlyFinder(BaseFinder):
    """Serves plotly's browser bundle, of the release that makes the figures, and nothing else: the
    small one if set-up fetched it, else the package's."""

    def __init__(self, *_args: object, **_options: object) -> None:
        # Does not import plotly, which would take longer than all other work of a finder.
        package = find_spec("plotly")
        if package is None or package.origin is None:
            raise ImproperlyConfigured("The package plotly is not installed.")
        whole, prefix = Path(package.origin).parent / "package_data", Path(sys.prefix)
        place = plotly_release.folder(prefix) if plotly_release.is_there(prefix) else whole
        self._storage = FileSystemStorage(location=place)
        # collectstatic puts the files of `list` below this prefix.
        self._storage.prefix = PREFIX  # type: ignore[attr-defined]

    def find(self, path: str, find_all: bool = False) -> Any:
        """Returns the file's path or None; with `find_all`, a list of paths."""
        paths = [self._storage.path(BUNDLE)] if path == f"{PREFIX}/{BUNDLE}" else []
        return paths if find_all else next(iter(paths), None)

    def list(
        self, ignore_patterns: Iterable[str] | None
    ) -> Iterator[tuple[str, FileSystemStorage]]:
        if not matches_patterns(BUNDLE, list(ignore_patterns or ())):
            yield BUNDLE, self._storage


class Storage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # has no types
    """Forms each file's address once: a page has twenty."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._urls: dict[str, str] = {}

    def url(self, name: str, force: bool = False) -> str:  # noqa: FBT001, FBT002 - Django's signature
        if name not in self._urls:
            self._urls[name] = super().url(name, force)
        return self._urls[name]
