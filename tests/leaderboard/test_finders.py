"""Tests that Plotly's script comes from the installed package unless set-up fetched the small one
(tests of both: tests/setup/test_plotly_bundle.py), and that nothing else of it is served."""

from collections.abc import Iterator
from pathlib import Path

import plotly
import pytest
from django.contrib.staticfiles import finders

from leaderboard.finders import PlotlyFinder

SCRIPT = Path(plotly.__file__).parent / "package_data/plotly.min.js"


@pytest.fixture(autouse=True)
def whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An environment without the small bundle. Clears the finders, because Django caches them."""
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    finders.get_finder.cache_clear()
    yield
    finders.get_finder.cache_clear()


def test_the_script_is_found_in_the_package() -> None:
    assert finders.find("plotly/plotly.min.js") == str(SCRIPT)
    assert PlotlyFinder().find("plotly/plotly.min.js", find_all=True) == [str(SCRIPT)]


@pytest.mark.parametrize(
    "path", ["plotly/widgetbundle.js", "plotly/../plotly.min.js", "plotly.min.js", "plotly/"]
)
def test_nothing_else_is_found(path: str) -> None:
    assert PlotlyFinder().find(path) is None
    assert PlotlyFinder().find(path, find_all=True) == []


def test_the_script_alone_is_listed_and_may_be_ignored() -> None:
    assert [path for path, _storage in PlotlyFinder().list([])] == ["plotly.min.js"]
    assert list(PlotlyFinder().list(["*.min.js"])) == []
