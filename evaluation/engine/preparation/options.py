"""What an operator decides about preparing projects; the same for all benchmarks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Formatter

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.preparation.network import NetworkOptions, options_from
from evaluation.engine.sandbox.bases import SETTING, parse_mapping
from evaluation.engine.sandbox.state import state_directory

DEFAULT_REPOSITORIES = ("https://github.com/{repository}.git",)
GIB = 2**30
NETWORKS = ("bridge", "host")


def _default_directory() -> Path:
    return state_directory() / "projects"


@dataclass(frozen=True, slots=True)
class Options:
    """Where sources come from, how they are built and where what was made is kept.

    repositories: tried in order; URLs for git, or local git directories, with {repository},
        {owner} and {name} for the parts of "owner/name".
    source_trees: holds the trees of projects without a commit, by the project's name.
    bases: what image names of datasets stand for; see sandbox.bases.
    directory: what is kept of prepared projects beside their images; this host's alone.
    most_bytes: how much disk the images may take together, beside the bases that they share.
    Times in seconds, sizes in bytes.
    """

    repositories: tuple[str, ...] = DEFAULT_REPOSITORIES
    source_trees: Path | None = None
    bases: Mapping[str, str] = field(default_factory=dict)
    network: NetworkOptions = field(default_factory=NetworkOptions)
    build_network: str = "bridge"
    directory: Path = field(default_factory=_default_directory)
    most_bytes: int = 50 * GIB
    build_seconds: float = 3000
    build_memory: int = 8 * GIB
    test_seconds: float = 1800
    parallel: int = 2

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Options:
        """As the ASSAY_ variables say, defaults elsewhere. Raises BenchmarkError."""
        trees = environ.get("ASSAY_SOURCE_TREES")
        directory = environ.get("ASSAY_PROJECTS_DIR")
        return cls(
            repositories=_templates(environ.get("ASSAY_REPOSITORIES", "")),
            source_trees=Path(trees) if trees else None,
            bases=parse_mapping(environ.get(SETTING, "")),
            network=options_from(environ),
            build_network=_build_network(environ.get("ASSAY_BUILD_NETWORK") or "bridge"),
            directory=Path(directory) if directory else _default_directory(),
            most_bytes=_gigabytes(environ.get("ASSAY_PROJECTS_GB") or "50"),
        )


def _templates(words: str) -> tuple[str, ...]:
    """URLs and paths apart by white space."""
    templates = tuple(words.split()) or DEFAULT_REPOSITORIES
    for template in templates:
        if not _can_be_filled(template):
            raise BenchmarkError(
                f"ASSAY_REPOSITORIES: {template!r} must hold {{repository}} or {{name}}, may hold "
                "{owner}, and nothing else in braces."
            )
    return templates


def _can_be_filled(template: str) -> bool:
    try:
        parts = list(Formatter().parse(template))
    except ValueError:
        return False
    plain = all(not form and not conversion for _, _, form, conversion in parts)
    names = {name for _, name, _, _ in parts if name is not None}
    tells_apart = bool(names & {"repository", "name"})
    return plain and tells_apart and names <= {"repository", "owner", "name"}


def _build_network(name: str) -> str:
    if name not in NETWORKS:
        raise BenchmarkError(f"ASSAY_BUILD_NETWORK must be one of {', '.join(NETWORKS)}.")
    return name


def _gigabytes(word: str) -> int:
    try:
        bytes_ = int(float(word) * GIB)
    except (ValueError, OverflowError):
        bytes_ = 0
    if bytes_ <= 0:
        raise BenchmarkError("ASSAY_PROJECTS_GB must be a number of gigabytes above 0.")
    return bytes_
