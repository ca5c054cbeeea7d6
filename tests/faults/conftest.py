"""A run that nothing disturbed, and a Docker daemon that may be killed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import docker
import pytest

from evaluation.engine.sandbox import images
from tests.support import daemon, predictions
from tests.support.commands import Fate, command, fates


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """A prediction file and what becomes of it when nothing happens."""

    predictions: Path
    fates: list[Fate]

    def words(self, report: Path) -> list[str | Path]:
        return predictions.words(self.predictions, report)


@pytest.fixture(scope="session")
def engine() -> Iterator[docker.DockerClient]:
    client = docker.from_env()
    yield client
    client.close()


def _undisturbed(folder: Path, count: int) -> Undisturbed:
    file, report = folder / "predictions.jsonl", folder / "report.jsonl"
    expected = predictions.write(file, count)
    done = command(*predictions.words(file, report), seconds=600)
    assert done.code == 0, done.err
    assert fates(report) == expected
    return Undisturbed(file, expected)


@pytest.fixture(scope="session")
def few(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """60 generations."""
    return _undisturbed(tmp_path_factory.mktemp("few"), 60)


@pytest.fixture(scope="session")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """1,000 generations."""
    return _undisturbed(tmp_path_factory.mktemp("thousand"), 1000)


@pytest.fixture(scope="session")
def second_daemon(engine: docker.DockerClient) -> Iterator[daemon.Daemon]:
    """A Docker daemon of the tests' own, with the sandbox image in it."""
    if reason := daemon.why_not():
        pytest.skip(reason)
    with daemon.second_daemon() as second:
        second.load(images.ensure(engine).reference, engine)
        yield second
