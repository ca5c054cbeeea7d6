"""Installations that may be damaged, and the results of an undisturbed submission."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import docker
import pytest

from tests.support import predictions
from tests.support.commands import Fate, wait_for
from tests.support.stack import Fared, Stack, running_stack

JUDGED_SECONDS = 600.0
INSTALLATION = "assay.installation"

MakeStack: TypeAlias = Callable[..., Stack]


@dataclass(frozen=True, slots=True)
class Outcome:
    """All stored results of a submission."""

    verdicts: list[Fared]
    results: list[tuple[Any, ...]]
    scores: list[tuple[Any, ...]]

    @classmethod
    def of(cls, stack: Stack) -> Outcome:
        return cls(stack.verdicts(), stack.results(), stack.scores())


@dataclass(frozen=True, slots=True)
class Sent:
    """A prediction file and the expected fates of its generations."""

    predictions: Path
    fates: list[Fate]


@dataclass(frozen=True, slots=True)
class Undisturbed(Sent):
    """The same, with the outcome of an undisturbed run."""

    outcome: Outcome


@pytest.fixture(scope="session")
def folders() -> Iterator[Callable[[], Path]]:
    """Makes directories with short paths: a Unix socket's path may have at most 107 characters."""
    with ExitStack() as made:
        yield lambda: Path(made.enter_context(tempfile.TemporaryDirectory(prefix="assay-stack-")))


@pytest.fixture(scope="session")
def prepared(folders: Callable[[], Path], migrated: Path | None) -> Path:
    """A data directory with the sample tasks and an entrant, to be copied."""
    stack = Stack(folders())
    stack.prepare(migrated=migrated)
    return stack.folder


@pytest.fixture(scope="session")
def make_stack(prepared: Path, folders: Callable[[], Path]) -> MakeStack:
    """Makes a prepared installation that is not running yet; its arguments are additional
    settings."""

    def make(**environment: str) -> Stack:
        folder = folders()
        shutil.copytree(prepared, folder, dirs_exist_ok=True)
        return Stack(folder, **environment)

    return make


@pytest.fixture
def stack(make_stack: MakeStack) -> Iterator[Stack]:
    with running_stack(make_stack()) as made:
        yield made


@pytest.fixture(scope="session")
def sent_few(tmp_path_factory: pytest.TempPathFactory) -> Sent:
    """100 generations."""
    return _written(tmp_path_factory.mktemp("few"), 100)


@pytest.fixture(scope="session")
def sent_thousand(
    make_stack: MakeStack, tmp_path_factory: pytest.TempPathFactory, engine: docker.DockerClient
) -> Undisturbed:
    """1,000 generations, with their outcome in an undisturbed installation."""
    return _undisturbed(make_stack, tmp_path_factory.mktemp("thousand"), 1000, engine)


@pytest.fixture(scope="session")
def sent_thousands(
    make_stack: MakeStack, tmp_path_factory: pytest.TempPathFactory, engine: docker.DockerClient
) -> Undisturbed:
    """4,000 generations, so that twenty workers still have enough to do after several losses."""
    return _undisturbed(make_stack, tmp_path_factory.mktemp("thousands"), 4000, engine)


def _undisturbed(
    make_stack: MakeStack, folder: Path, count: int, engine: docker.DockerClient
) -> Undisturbed:
    sent = _written(folder, count)
    with running_stack(make_stack()) as made:
        made.submit(sent.predictions)
        nothing_lost(made, sent, engine)
        return Undisturbed(sent.predictions, sent.fates, Outcome.of(made))


def _written(folder: Path, count: int) -> Sent:
    file = folder / "predictions.jsonl"
    return Sent(file, predictions.write(file, count))


def nothing_lost(stack: Stack, sent: Sent, engine: docker.DockerClient) -> None:
    """Waits for the end, which must be as if nothing had happened: each generation has exactly one
    verdict, there is one set of scores, and no sandbox is left."""
    wait_for(stack.over, JUDGED_SECONDS, pause=0.2)
    found = [(one.task_id, one.sample, one.status) for one in stack.verdicts()]
    assert found == [(fate.task_id, fate.sample, fate.status) for fate in sent.fates]
    if isinstance(sent, Undisturbed):
        assert Outcome.of(stack) == sent.outcome
    chunks = (
        "SELECT sum(judged), sum(size), count(DISTINCT state), min(state) FROM evaluation_chunk"
    )
    assert stack.rows(chunks) == [(len(found), len(found), 1, "done")]
    # The attempt rises with each claim to score: the scores were computed once.
    assert stack.rows("SELECT attempt FROM evaluation_evaluation") == [(1,)]
    wait_for(lambda: not sandboxes(stack, engine), pause=0.2)


def sandboxes(stack: Stack, engine: docker.DockerClient) -> list[dict[str, Any]]:
    """Containers of the installation, ended ones too."""
    label = f"{INSTALLATION}={stack.folder}"
    return list(engine.api.containers(all=True, filters={"label": label}))
