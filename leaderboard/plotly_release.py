"""The release of plotly.js with only the traces that charts use, a third of the whole one's size.
`make setup` fetches it (scripts/plotly_bundle.py). Standard library only."""

from hashlib import sha256
from pathlib import Path

PACKAGE, MEMBER = "plotly.js-cartesian-dist-min", "package/plotly-cartesian.min.js"
# The release that the Python package plotly makes figures for.
RELEASE = "4.1.1"
SHA256 = "79542150855a52c567260e3137095dbe2b744e6d702a5cabe67da246942fba7a"
BUNDLE = "plotly.min.js"


def folder(environment: Path) -> Path:
    """The bundle's folder in a virtual environment."""
    return environment / "share/assay/plotly"


def is_there(environment: Path) -> bool:
    try:
        return is_pinned((folder(environment) / BUNDLE).read_bytes())
    except OSError:
        return False


def is_pinned(bundle: bytes) -> bool:
    return sha256(bundle).hexdigest() == SHA256
