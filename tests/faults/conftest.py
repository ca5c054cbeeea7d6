"""Runs to disturb, and a Docker daemon that may be killed."""

import hashlib
import importlib.metadata
import io
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import docker
import pytest

from evaluation.engine.sandbox import bases, images, interpreter
from evaluation.engine.sandbox.bases import base_for
from tests.support import daemon, predictions
from tests.support.commands import Fate, command, fates


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """A prediction file, and the fates of its generations in an undisturbed run."""

    predictions: Path
    fates: list[Fate]

    def words(self, report: Path) -> list[str | Path]:
        return predictions.words(self.predictions, report)


@pytest.fixture(scope="session")
def engine() -> Iterator[docker.DockerClient]:
    client = docker.from_env()
    yield client
    client.close()


def _to_disturb(folder: Path, count: int) -> Undisturbed:
    file = folder / "predictions.jsonl"
    return Undisturbed(file, predictions.write(file, count))


@pytest.fixture(scope="session")
def few(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """60 generations. No undisturbed run checks their fates: a disturbed run that ends with them is
    proof enough."""
    return _to_disturb(tmp_path_factory.mktemp("few"), 60)


@pytest.fixture(scope="session")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """1,000 generations with their fates, which an undisturbed run has checked."""
    run = _to_disturb(tmp_path_factory.mktemp("thousand"), 1000)
    report = run.predictions.with_name("report.jsonl")
    done = command(*run.words(report), seconds=600)
    assert done.code == 0, done.err
    assert fates(report) == run.fates
    return run


@pytest.fixture(scope="session")
def second_daemon(engine: docker.DockerClient) -> Iterator[daemon.Daemon]:
    """A separate Docker daemon for the tests, with the sandbox image in it."""
    if reason := daemon.why_not():
        pytest.skip(reason)
    with daemon.second_daemon() as second:
        second.load(images.ensure(engine).reference, engine)
        yield second


# The base of projects without network: pytest with all that it needs.
DISTRIBUTIONS = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
PACKAGES = "/opt/venv/lib/python3.11/site-packages"


@pytest.fixture(scope="session")
def python_base(engine: docker.DockerClient) -> str:
    """The reference of an image with Python and with the pytest that runs these tests."""
    python = bases.ensure(engine, bases.PYTHON, print)
    packages = _packages()
    tag = hashlib.sha256(python.encode() + packages).hexdigest()[:16]
    reference = f"assay-test-pytest:{tag}"
    if not images.digest(engine, reference):
        _add(engine, python, packages, reference)
    return reference


def _packages() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for name in DISTRIBUTIONS:
            for path in importlib.metadata.distribution(name).files or ():
                if path.suffix != ".pyc" and ".." not in path.parts:
                    data = Path(str(path.locate())).read_bytes()
                    member = tarfile.TarInfo(str(path))
                    member.size = len(data)
                    tar.addfile(member, io.BytesIO(data))
    return stream.getvalue()


def _add(engine: docker.DockerClient, image: str, packages: bytes, reference: str) -> None:
    """Adds the packages to the image and names the result."""
    container = engine.containers.create(image, ["true"])
    try:
        container.put_archive(PACKAGES, packages)
        container.commit(*reference.split(":"))
    finally:
        container.remove(force=True, v=True)


@pytest.fixture(scope="session")
def building_daemon(
    second_daemon: daemon.Daemon, engine: docker.DockerClient, python_base: str
) -> daemon.Daemon:
    """The tests' own daemon, which can also prepare projects on `python_base`."""
    base = base_for(engine, python_base, {python_base: python_base})
    for reference in (python_base, interpreter.with_supervisor(engine, base)):
        second_daemon.load(reference, engine)
    return second_daemon
