"""Resolves the image names of datasets on this host. In this order: the operator's mapping
(ASSAY_BASE_IMAGES="maven:*=my/maven, ..."), an image of that name in Docker, a registry, and, if
none can be reached, a stand-in made on this machine."""

import re
import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.records import Json
from evaluation.engine.sandbox import debootstrap, image_packages, images, texts
from evaluation.engine.sandbox.docker import engine_errors
from evaluation.engine.sandbox.images import Client, Say
from evaluation.engine.variables import Variables

SETTING = "ASSAY_BASE_IMAGES"
# Seconds before a registry that did not answer is tried again: a firewall makes calls hang.
SILENT_SECONDS = 300
_silent: dict[str, tuple[float, Exception]] = {}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/:@-]*")
_PATTERN = re.compile(rf"{_NAME.pattern}\*?|\*")
SCRIPT = Path(__file__).with_name("base_build.sh")
USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
COMMON = ("ca-certificates", "git", "netbase", "tzdata")


@dataclass(frozen=True, slots=True)
class Base:
    """An image in this host's Docker for an image name of a dataset. `image` is its name in Docker,
    `digest` Docker's id of it. `origin` is "mapped", "present", "pulled" or "stand-in".
    `environment` holds the image's own variables."""

    asked: str
    image: str
    digest: str
    origin: str
    environment: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.asked}: {self.image} ({self.origin}, {self.digest})"


def mapping_in(variables: Variables) -> dict[str, str]:
    """Maps names, or prefixes of names (`maven:*`), to images. Raises SettingError."""
    mapping: dict[str, str] = {}

    def enter(part: str) -> None:
        name, _, image = map(str.strip, part.partition("="))
        if not _PATTERN.fullmatch(name) or not _NAME.fullmatch(image) or name in mapping:
            raise ValueError
        mapping[name] = image

    variables.each(SETTING, enter, "name=image, where * may end the name, and each name once")
    return mapping


def mapped(name: str, mapping: Mapping[str, str]) -> str | None:
    """The entry of the name, else of its longest prefix."""
    if name in mapping:
        return mapping[name]
    fits = [key for key in mapping if key.endswith("*") and name.startswith(key[:-1])]
    return mapping[max(fits, key=len)] if fits else None


def base_for(
    client: Client, name: str, mapping: Mapping[str, str], say: Say = lambda _: None
) -> Base:
    """Pulls the image or makes a stand-in (minutes) if needed. Raises BenchmarkError, with the
    remedy, if there is none, and SandboxError if Docker or the network fails."""
    if not _NAME.fullmatch(name):
        raise BenchmarkError(f"{name!r} is not the name of an image.")
    with engine_errors(texts.LOOKING_FOR_BASE(image=name)):
        image = mapped(name, mapping)
        if image is not None:
            for stand_in in ALL:
                if stand_in.name == image:
                    return _read(client, name, ensure(client, stand_in, say), "mapped")
            if not images.digest(client, image):
                failure = images.try_pull(client, image, say)
                if failure is not None:
                    raise BenchmarkError(
                        f"The image {image}, which {SETTING} names for {name}, is not on this "
                        f"machine and cannot be pulled: {failure}. Load it into Docker, or correct "
                        f"{SETTING}."
                    ) from failure
            return _read(client, name, image, "mapped")
        if images.digest(client, name):
            return _read(client, name, name, "present")
        since, failure = _silent.get(name, (0.0, None))
        if failure is None or time.monotonic() - since > SILENT_SECONDS:
            failure = images.try_pull(client, name, say)
            if failure is None:
                return _read(client, name, name, "pulled")
            _silent[name] = time.monotonic(), failure
        replacement = stand_in_for(name)
        if replacement is None or _refused(failure):
            raise BenchmarkError(
                f"The image {name} is not on this machine and cannot be pulled: {failure}. Load it "
                f"into Docker, or name another for it in {SETTING}: {name}=IMAGE."
            ) from failure
        say(f"{replacement.offers} (our own image) replaces {name}, which no registry provides")
        return _read(client, name, ensure(client, replacement, say), "stand-in")


def _read(client: Client, name: str, image: str, origin: str) -> Base:
    attributes: dict[str, Any] = client.images.get(image).attrs
    variables = (line.partition("=") for line in attributes["Config"].get("Env") or [])
    environment = {name: value for name, _, value in variables}
    return Base(name, image, attributes["Id"], origin, environment)


def _refused(failure: Exception) -> bool:
    """Whether the registry was reached and refused (statuses 4xx; Docker's own is 500)."""
    return 400 <= (getattr(failure, "status_code", None) or 0) < 500


@dataclass(frozen=True, slots=True)
class StandIn:
    """`stands_for` lists names of official images; `size` is the disk space in MB."""

    name: str
    offers: str
    stands_for: tuple[str, ...]
    packages: tuple[str, ...]
    environment: Mapping[str, str]
    size: int


PYTHON = StandIn(
    name="assay-base-python",
    offers="Python 3.11",
    stands_for=("python",),
    packages=("build-essential", "python3-dev", "python3-venv", "python3-wheel-whl", *COMMON),
    environment={
        "PATH": f"/opt/venv/bin:{USUAL_PATH}",
        "VIRTUAL_ENV": "/opt/venv",
        "LANG": "C.UTF-8",
    },
    size=500,
)
JAVA = StandIn(
    name="assay-base-java",
    offers="OpenJDK 17 with Maven 3.8",
    stands_for=("maven", "eclipse-temurin", "openjdk"),
    packages=("openjdk-17-jdk-headless", "maven", "curl", *COMMON),
    environment={
        "PATH": f"/opt/java/openjdk/bin:{USUAL_PATH}",
        "JAVA_HOME": "/opt/java/openjdk",
        "MAVEN_HOME": "/usr/share/maven",
        "LANG": "C.UTF-8",
    },
    size=500,
)
ALL = (PYTHON, JAVA)


def stand_in_for(name: str) -> StandIn | None:
    plain = name.removeprefix("docker.io/").removeprefix("library/")
    repository = plain.partition("@")[0].partition(":")[0]
    return next((stand_in for stand_in in ALL if repository in stand_in.stands_for), None)


def reference(stand_in: StandIn) -> str:
    """Named by all inputs of the image, except for the versions of Debian's packages."""
    recipe: dict[str, Json] = {
        "image": stand_in.name,
        "base": images.base_image(),
        "debootstrap": [*debootstrap.OPTIONS, debootstrap.SUITE],
        "packages": [*stand_in.packages],
        "environment": dict(stand_in.environment),
        "build": SCRIPT.read_text(),
    }
    return f"{stand_in.name}:{images.content_hash(recipe)}"


def ensure(client: Client, stand_in: StandIn, say: Say) -> str:
    """Makes a missing image (minutes); one process builds, others wait. Raises SandboxError."""
    wanted = reference(stand_in)

    def make() -> None:
        base, origin = images.debian(client, say)
        say(f"making {wanted} with {stand_in.offers} (a minute or more, {stand_in.size} MB)")
        changes = [f"ENV {name}={value}" for name, value in stand_in.environment.items()]
        changes += ['CMD ["sh"]', *images.labels(wanted, origin)]
        packages = shlex.quote(" ".join(stand_in.packages))
        script = f"name={stand_in.name}\npackages={packages}\n{SCRIPT.read_text()}"
        files = image_packages.packed({"build.sh": script})
        images.build(client, base, wanted, files, changes)

    images.made_once(client, wanted, make)
    return wanted
