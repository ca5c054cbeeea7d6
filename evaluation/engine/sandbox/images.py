"""The sandbox's own images: made on this machine and named by the hash of their recipe. `python -m
evaluation.engine.sandbox.images` makes the missing ones. An image is a Debian base, Python 3.11 and
a few pinned packages or Debian's JDK, flattened into a single layer. Runs no candidate's code."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias

import docker
from docker.errors import DockerException, ImageNotFound, NotFound
from urllib3.exceptions import HTTPError

from evaluation.engine.errors import SandboxError
from evaluation.engine.records import Json
from evaluation.engine.sandbox import debootstrap, image_packages, texts
from evaluation.engine.sandbox.state import machine_lock
from evaluation.engine.variables import Variables

DEFAULT_BASE = "debian:bookworm-slim"
NAMES = ("python", "java")
# The build of the image for Java, and our programs in it: a compiler that stays warm and the
# harness that starts a candidate's JVM. They are compiled while the image is made, so that archives
# of loaded classes hold them.
JAVA_BUILD = Path(__file__).with_name("java_image_build.sh")
JAVA_SOURCES = Path(__file__).with_name("java")
REGISTRY_SECONDS = 10
BUILD_SECONDS = 900

# docker-py raises its own errors, and those of lower layers if a connection breaks or stalls.
FAILURES = (DockerException, OSError, HTTPError)

Say = Callable[[str], None]
Client: TypeAlias = docker.DockerClient


@dataclass(frozen=True, slots=True)
class Image:
    """A sandbox image that exists. `reference` names the recipe and is the same on every host;
    `digest` is Docker's id of this host's build. `origin` is the source of the base: "debootstrap"
    or the registry's digest."""

    reference: str
    digest: str
    origin: str
    recipe: Mapping[str, Json]


def recipe(name: str = "python") -> dict[str, Json]:
    """All inputs that decide the contents of the image `name`."""
    if name not in NAMES:
        raise SandboxError(texts.NO_SUCH_IMAGE(name=repr(name), names=", ".join(NAMES)))
    # Without the versions of Debian's packages.
    return {
        "image": name,
        "base": base_image(),
        "debootstrap": [*debootstrap.OPTIONS, debootstrap.SUITE],
        **(
            {"build": JAVA_BUILD.read_text(), "sources": dict(_java_sources())}
            if name == "java"
            else image_packages.recipe()
        ),
    }


def _java_sources() -> dict[str, str]:
    files = (path for path in JAVA_SOURCES.rglob("*.*") if path.suffix in (".java", ".txt", ".py"))
    return {path.relative_to(JAVA_SOURCES).as_posix(): path.read_text() for path in sorted(files)}


def base_image() -> str:
    return Variables().text("ASSAY_BASE_IMAGE", DEFAULT_BASE)


def reference(name: str = "python") -> str:
    return f"assay-sandbox-{name}:{content_hash(recipe(name))}"


def ensure(client: Client, name: str = "python", say: Say | None = None) -> Image:
    """Makes a missing image (a minute or two); one process builds, others wait. Raises
    SandboxError, with the remedy."""
    wanted = reference(name)
    with _plain_errors():
        found = _find(client, wanted, name)
        if found is None:
            with machine_lock("images"):
                found = _find(client, wanted, name) or _build(client, wanted, name, say or _silent)
    return found


def content_hash(value: Json) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def _silent(_line: str) -> None:
    """Say nothing."""


@contextlib.contextmanager
def _plain_errors() -> Iterator[None]:
    try:
        yield
    except FAILURES as error:
        raise SandboxError(texts.DOCKER_FAILED_MAKING(reason=str(error))) from error


def _find(client: Client, wanted: str, name: str) -> Image | None:
    try:
        attributes: dict[str, Any] = client.images.get(wanted).attrs
    except ImageNotFound:
        return None
    labels = attributes["Config"]["Labels"] or {}
    return Image(wanted, attributes["Id"], labels.get("org.assay.origin", "unknown"), recipe(name))


def _build(client: Client, wanted: str, name: str, say: Say) -> Image:
    base, origin = _base(client, say)
    say(f"installing the image's packages into {base}")
    changes = ['CMD ["python3"]', *labels(wanted, origin)]
    if name == "java":
        # The texts of the build directory by path.
        sources = {f"java/{path}": text for path, text in _java_sources().items()}
        build(
            client,
            base,
            wanted,
            image_packages.packed({"build.sh": JAVA_BUILD.read_text(), **sources}),
            changes,
        )
    else:
        network = "none" if _has_python(client, base) else "host"
        build(client, base, wanted, _python_files(), changes, network)
    image = _find(client, wanted, name)
    if image is None:
        raise SandboxError(texts.IMAGE_NOT_LISTED(image=wanted))
    return image


def _python_files() -> bytes:
    with tempfile.TemporaryDirectory(prefix="assay-image-") as directory:
        packages = Path(directory) / "packages"
        image_packages.fetch_packages(packages)
        return image_packages.build_files(image_packages.BUILD_SCRIPT.read_text(), packages)


def debian(client: Client, say: Say) -> tuple[str, str]:
    with machine_lock("images"):
        return _base(client, say)


def _base(client: Client, say: Say) -> tuple[str, str]:
    named = base_image()
    made = f"assay-sandbox-base:{debootstrap.SUITE}-{content_hash([*debootstrap.OPTIONS])}"
    if present(client, named) or _pull(client, named, say):
        attributes: dict[str, Any] = client.images.get(named).attrs
        digests: list[str] = attributes["RepoDigests"] or [attributes["Id"]]
        return named, digests[0].rpartition("@")[2]
    if not present(client, made):
        theirs = client.version()["Arch"]
        if theirs != debootstrap.architecture():
            ours = debootstrap.architecture()
            raise SandboxError(texts.OTHER_ARCHITECTURE(theirs=theirs, ours=ours))
        debootstrap.require()
        say("making a Debian base system with debootstrap (about a minute)")
        _make_base(client, made)
    return made, "debootstrap"


def _make_base(client: Client, made: str) -> None:
    # Named only when complete: Docker also accepts half a tar.
    with debootstrap.base_system(Variables().text("ASSAY_DEBIAN_MIRROR")) as stream:
        _import(client, iter(functools.partial(stream.read, 2**20), b""), f"{made}-unfinished", [])
    client.images.get(f"{made}-unfinished").tag(*made.split(":"))
    client.images.remove(f"{made}-unfinished")


def present(client: Client, named: str) -> bool:
    try:
        client.images.get(named)
    except ImageNotFound:
        return False
    return True


def _pull(client: Client, named: str, say: Say) -> bool:
    """Raises SandboxError if no registry has the operator's own base."""
    error = try_pull(client, named, say)
    if error is not None and named != DEFAULT_BASE:
        raise SandboxError(texts.BASE_NOT_PULLED(image=named, reason=str(error))) from error
    if error is not None:
        say("no registry provides it")
    return error is None


def try_pull(client: Client, named: str, say: Say) -> Exception | None:
    """Pulls the image if a registry answers within REGISTRY_SECONDS; returns the error if not."""
    say(f"pulling {named}")
    try:
        # Query the registry first: a pull in docker-py has no timeout.
        with _patience(client, REGISTRY_SECONDS):
            client.images.get_registry_data(named)
        client.images.pull(*_name_and_tag(named))
    except FAILURES as error:
        return error
    return None


def _name_and_tag(named: str) -> tuple[str, str | None]:
    """A colon before the last slash belongs to the registry's port."""
    if "@" in named or ":" not in named.rpartition("/")[2]:
        return named, None if "@" in named else "latest"
    name, _, tag = named.rpartition(":")
    return name, tag


@contextlib.contextmanager
def _patience(client: Client, seconds: int) -> Iterator[None]:
    usual = client.api.timeout
    client.api.timeout = seconds
    try:
        yield
    finally:
        client.api.timeout = usual


def build(
    client: Client,
    base: str,
    wanted: str,
    files: bytes,
    changes: Sequence[str],
    network: str = "host",
) -> None:
    """Runs the build script of `files` in `base`, as root, and flattens the result into `wanted`,
    so that deleted files are gone. Keeps only the settings in `changes`, in Dockerfile syntax.
    Raises SandboxError with the end of the script's output."""
    container = _build_container(client, base, network)
    try:
        client.api.put_archive(container, "/var", files)
        _run(client, container)
        _import(client, client.api.export(container), wanted, changes)
    finally:
        client.api.remove_container(container, force=True, v=True)


def labels(wanted: str, origin: str) -> list[str]:
    values = {"recipe": wanted.partition(":")[2], "origin": origin}
    return [f"LABEL org.assay.{key}={json.dumps(value)}" for key, value in values.items()]


def _build_container(client: Client, base: str, network: str) -> str:
    mirror = Variables().text("ASSAY_DEBIAN_MIRROR")
    made: dict[str, str] = client.api.create_container(
        base,
        ["sh", f"{image_packages.BUILD_DIRECTORY}/build.sh"],
        entrypoint=[],
        user="0",
        environment={
            **debootstrap.proxies(),
            **({"ASSAY_DEBIAN_MIRROR": mirror} if mirror else {}),
        },
        labels={"org.assay.build": "image"},
        host_config=client.api.create_host_config(network_mode=network),
    )
    return made["Id"]


def _has_python(client: Client, base: str) -> bool:
    probe: dict[str, str] = client.api.create_container(base, ["true"])
    try:
        return any(_has_file(client, probe["Id"], f"/usr/{d}bin/python3") for d in ("", "local/"))
    finally:
        client.api.remove_container(probe["Id"], force=True, v=True)


def _has_file(client: Client, container: str, path: str) -> bool:
    try:
        chunks, _ = client.api.get_archive(container, path)
    except NotFound:
        return False
    chunks.close()
    return True


def _run(client: Client, container: str) -> None:
    client.api.start(container)
    status = client.api.wait(container, timeout=BUILD_SECONDS)["StatusCode"]
    if status != 0:
        words = client.api.logs(container, tail=3).decode(errors="replace")
        raise SandboxError(texts.IMAGE_NOT_BUILT(said=" ".join(words.split())))


def _import(
    client: Client, tar: Iterator[bytes] | IO[bytes], wanted: str, changes: Sequence[str]
) -> None:
    name, _, tag = wanted.partition(":")
    said = client.api.import_image_from_data(tar, name, tag, [*changes])
    if '"error"' in str(said):
        raise SandboxError(texts.IMAGE_NOT_STORED(image=wanted, said=str(said)))


def main() -> int:
    try:
        client = docker.from_env()
        for name in NAMES:
            started = time.monotonic()
            image = ensure(client, name, lambda line: print(f"    {line}", flush=True))
            print(f"{image.reference}  {image.digest}  {time.monotonic() - started:.1f} s")
    except (SandboxError, DockerException) as error:
        print(error, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
