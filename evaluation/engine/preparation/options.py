"""An operator's settings for preparing projects, common to all benchmarks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Formatter
from typing import Self

from evaluation.engine.preparation.network import NetworkOptions, options_from
from evaluation.engine.sandbox.bases import mapping_in
from evaluation.engine.sandbox.state import state_directory
from evaluation.engine.variables import Variables, matching

DEFAULT_REPOSITORIES = ("https://github.com/{repository}.git",)
GIB = 2**30


@dataclass(frozen=True, slots=True)
class Options:
    """Sources, build limits and storage of projects. Times in seconds, sizes in bytes.

    repositories: URLs for git, or local git directories, with {repository}, {owner} and {name} for
        the parts of "owner/name"; tried in order.
    source_trees: the folder with the trees of projects without a commit, by the project's name.
    bases: maps image names of datasets to base images; see sandbox.bases.
    most_bytes: maximum disk use of all images, without their shared bases.
    registry: prefix of the names of images in a registry, through which a site's hosts share their
        builds; "" if each host uses its own.
    benchmark_limits: runs have the benchmark's limits of time; the dry run does not bound them."""

    repositories: tuple[str, ...] = DEFAULT_REPOSITORIES
    source_trees: Path | None = None
    bases: Mapping[str, str] = field(default_factory=dict)
    network: NetworkOptions = field(default_factory=NetworkOptions)
    build_network: str = "bridge"
    directory: Path = field(default_factory=lambda: state_directory() / "projects")
    most_bytes: int = 50 * GIB
    build_seconds: float = 3000
    build_memory: int = 8 * GIB
    test_seconds: float = 1800
    parallel: int = 2
    registry: str = ""
    benchmark_limits: bool = False

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Self:
        """Reads the ASSAY_ variables. Raises SettingError."""
        variables = Variables(environ)
        return cls(
            repositories=tuple(
                variables.each(
                    "ASSAY_REPOSITORIES",
                    _template,
                    "a URL or path with {repository} or {name}, perhaps {owner}, and nothing else "
                    "in braces",
                    default=DEFAULT_REPOSITORIES,
                    separator=None,
                )
            ),
            source_trees=variables.path("ASSAY_SOURCE_TREES"),
            bases=mapping_in(variables),
            network=options_from(variables),
            build_network=variables.one_of(
                "ASSAY_BUILD_NETWORK", {"bridge": "bridge", "host": "host"}, "bridge"
            ),
            directory=variables.path("ASSAY_PROJECTS_DIR") or state_directory() / "projects",
            most_bytes=int(
                variables.number("ASSAY_PROJECTS_GB", 50, "GiB", least=0.1, most=10**6) * GIB
            ),
            registry=variables.parsed(
                "ASSAY_PROJECT_REGISTRY",
                matching(r"[a-z0-9][a-z0-9.-]*(:\d{1,5})?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*"),
                "",
                "a registry and perhaps a path in it, such as registry.example.org/assay",
            ),
            benchmark_limits=variables.switch("ASSAY_BENCHMARK_LIMITS", default=False),
        )

    @classmethod
    def as_named(cls, environ: Mapping[str, str]) -> Self:
        """As from_environment(), without a slow query to pip or a new directory."""
        named = {name: value for name, value in environ.items() if value.strip()}
        unnamed = {"ASSAY_PIP_INDEX": "https://not-asked.invalid", "ASSAY_PROJECTS_DIR": "not-made"}
        return cls.from_environment(unnamed | named)


def _template(text: str) -> str:
    """Raises ValueError if it cannot be filled, also if a brace is not closed."""
    parts = list(Formatter().parse(text))
    names = {name for _, name, _, _ in parts if name is not None}
    is_plain = not any(form or conversion for _, _, form, conversion in parts)
    if is_plain and names & {"repository", "name"} and names <= {"repository", "owner", "name"}:
        return text
    raise ValueError
