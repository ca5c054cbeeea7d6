"""Stand-ins for the images that datasets name, for hosts where no registry can be reached.
`assay-base-python` has Python 3.11 in a virtual environment and a C compiler, `assay-base-java`
OpenJDK 17 and Maven."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluation.engine.errors import SandboxError
from evaluation.engine.records import Json
from evaluation.engine.sandbox import debootstrap, image_packages, images, texts
from evaluation.engine.sandbox.images import Client, Say

SCRIPT = Path(__file__).with_name("base_build.sh")
USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
COMMON = ("ca-certificates", "git", "netbase", "tzdata")


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


def recipe(stand_in: StandIn) -> dict[str, Json]:
    """All inputs of the image, except for the versions of Debian's packages."""
    return {
        "image": stand_in.name,
        "base": images.base_image(),
        "debootstrap": [*debootstrap.OPTIONS, debootstrap.SUITE],
        "packages": [*stand_in.packages],
        "environment": dict(stand_in.environment),
        "build": SCRIPT.read_text(),
    }


def reference(stand_in: StandIn) -> str:
    return f"{stand_in.name}:{images.content_hash(recipe(stand_in))}"


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
        if not images.present(client, wanted):
            raise SandboxError(texts.IMAGE_NOT_LISTED(image=wanted))

    return images.made_once(client, wanted, make)
