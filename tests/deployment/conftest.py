"""Assay's image, built on a base made on this machine if no registry answers."""

import io
import os
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

import docker
import pip
import pytest
from docker.errors import DockerException, ImageNotFound
from docker.utils.build import create_archive, exclude_paths

from evaluation.engine.sandbox import debootstrap, images
from evaluation.engine.sandbox import docker as engine
from evaluation.engine.sandbox.image_packages import CA_BUNDLE
from tests.support.commands import ROOT

SLIM = "python:3.11-slim-bookworm"
BUILT = "assay-test:built"
BUILD_SECONDS = 900
WITH_PIP = b"FROM %s\nCOPY pip /usr/local/lib/python3.11/dist-packages/pip\n"


def base(client: docker.DockerClient) -> str:
    """The Dockerfile's own base if available, else the sandboxes' base with pip added."""
    try:
        return str(client.images.get(SLIM).tags[0])
    except ImageNotFound:
        made, origin = images._base(client, print)
    if origin != "debootstrap":
        client.images.pull(*SLIM.split(":"))
        return SLIM
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        # The pip of these tests is as good as any: it is pure Python.
        tar.add(Path(pip.__file__).parent, "pip")
        text = WITH_PIP % made.encode()
        entry = tarfile.TarInfo("Dockerfile")
        entry.size = len(text)
        tar.addfile(entry, io.BytesIO(text))
    buffer.seek(0)
    return build(client, buffer, "assay-test:base", {})


def build(
    client: docker.DockerClient, context: IO[bytes], tag: str, arguments: dict[str, str]
) -> str:
    """Builds as the classic builder does. Raises BuildError with Docker's words."""
    client.images.build(
        fileobj=context,
        custom_context=True,
        tag=tag,
        buildargs=arguments,
        network_mode="host",
        rm=True,
        forcerm=True,
        timeout=BUILD_SECONDS,
    )
    return tag


def project() -> IO[bytes]:
    """The build context as `docker build .` sends it, with this machine's certificates."""
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    found = exclude_paths(str(ROOT), patterns, dockerfile="Dockerfile")
    extra = [("ca-bundle.crt", CA_BUNDLE.read_text())] if CA_BUNDLE.exists() else []
    archive: IO[bytes] = create_archive(str(ROOT), sorted(found), extra_files=extra)
    return archive


@pytest.fixture(scope="session")
def assay() -> Iterator[str]:
    """The image as `docker build` makes it of this tree."""
    client = engine.client(BUILD_SECONDS)
    proxies = {name: os.environ[name] for name in debootstrap.PROXIES if name in os.environ}
    index = {name: os.environ[name] for name in ("PIP_INDEX_URL",) if name in os.environ}
    yield build(client, project(), BUILT, {"BASE": base(client), **proxies, **index})
    for tag in (BUILT, "assay-test:base"):
        # The image may never have been made, or another session may use it.
        with suppress(DockerException):
            client.images.remove(tag, force=True)
