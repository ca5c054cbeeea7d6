"""What this host keeps of prepared projects beside their images; see Options.directory.

    <key>/project.json   what Prepared says, but for the texts: written last
    <key>/texts.json     the texts
    <key>/failure.json   instead of both: why it cannot be built
    <key>/used           touched whenever the project is used
    references/          what the references came to, by image and engine

Locks lie in the machine's state directory. Files are written beside their place and renamed,
so that none is ever half there.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.errors import SandboxError
from evaluation.engine.preparation import texts
from evaluation.engine.preparation.options import Options
from evaluation.engine.records import Prepared, Project, Reference, Status, Task
from evaluation.engine.sandbox import project_images
from evaluation.engine.sandbox.state import state_directory

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Kept:
    """A prepared project as it is kept: `bytes_` are the image's beside its base's, `seconds`
    what preparing it took, `used` when it was last used, as time.time() has it."""

    prepared: Prepared
    bytes_: int
    seconds: float
    used: float


@dataclass(frozen=True, slots=True)
class Failure:
    """A project that could not be prepared, why, and when that was tried."""

    project: Project
    cause: str
    seconds: float
    tried: float


def find(options: Options, key: str) -> Prepared | None:
    """The prepared project if its record and its image are whole. Raises SandboxError."""
    folder = options.directory / key
    told = _read(folder / "project.json")
    if told is None or project_images.digest(told["digest"]) is None:
        return None
    texts = _read(folder / "texts.json")
    return None if texts is None else replace(_prepared(told), texts=texts)


def bytes_of(options: Options, key: str) -> int:
    """What the project's image takes beside its base; 0 where nothing is kept."""
    told = _read(options.directory / key / "project.json")
    return 0 if told is None else int(told["bytes"])


def save(options: Options, prepared: Prepared, *, bytes_: int, seconds: float) -> None:
    """Keeps the project in place of whatever was kept under its key. Raises SandboxError."""
    folder = options.directory / prepared.key
    told = asdict(replace(prepared, texts={})) | {"bytes": bytes_, "seconds": seconds}
    _write(folder / "texts.json", dict(prepared.texts))
    _write(folder / "project.json", told)
    (folder / "failure.json").unlink(missing_ok=True)
    touch(options, prepared.key)


def save_failure(options: Options, key: str, failure: Failure) -> None:
    _write(options.directory / key / "failure.json", asdict(failure))


def failure(options: Options, key: str) -> Failure | None:
    """Why the project could not be prepared when that was last tried."""
    told = _read(options.directory / key / "failure.json")
    if told is None:
        return None
    return Failure(_project(told["project"]), told["cause"], told["seconds"], told["tried"])


def touch(options: Options, key: str) -> None:
    """Notes that the project is used now."""
    (options.directory / key / "used").touch()


def listed(options: Options) -> list[Kept]:
    """All that is kept, least recently used first; texts left out."""
    found = []
    for path in options.directory.glob("*/project.json"):
        told = _read(path)
        if told is not None:
            used = path.parent / "used"
            when = used.stat().st_mtime if used.exists() else 0.0
            found.append(Kept(_prepared(told), told["bytes"], told["seconds"], when))
    return sorted(found, key=lambda kept: kept.used)


@contextlib.contextmanager
def making(key: str) -> Iterator[None]:
    """Waits until nobody of this host prepares the project, and keeps others from it."""
    with _making(key, wait=True):
        yield


@contextlib.contextmanager
def in_use(options: Options, key: str) -> Iterator[None]:
    """While it is open the project is not evicted. Any number may hold it."""
    with _locked(f"{key}.use", fcntl.LOCK_SH):
        (options.directory / key).mkdir(parents=True, exist_ok=True)
        touch(options, key)
        yield


def evict(options: Options, say: Say = lambda _: None) -> int:
    """Removes images, least recently used first, until they take no more than allowed; never
    one that is in use or being made. Also what interrupted preparations left. How many went.
    Raises SandboxError."""
    kept = listed(options)
    total = sum(each.bytes_ for each in kept)
    gone = _remove_unfinished()
    for each in kept:
        if total <= options.most_bytes:
            break
        if _evicted(options, each.prepared):
            say(f"{each.prepared.project.repository}: removed to make room")
            total -= each.bytes_
            gone += 1
    return gone


def _evicted(options: Options, prepared: Prepared) -> bool:
    key = prepared.key
    try:
        with _making(key, wait=False), _locked(f"{key}.use", fcntl.LOCK_EX | fcntl.LOCK_NB):
            if not project_images.remove(prepared.image):
                return False
            shutil.rmtree(options.directory / key, ignore_errors=True)
            shutil.rmtree(_references(options, prepared), ignore_errors=True)
            return True
    except BlockingIOError:
        return False


def unfinished(key: str) -> str:
    """What a project's image is called until it is known to be good."""
    return f"{project_images.NAME}-unfinished:{key}"


def finished(key: str) -> str:
    """What a project's image is called."""
    return f"{project_images.NAME}:{key}"


def _remove_unfinished() -> int:
    """What interrupted preparations left: images without a name, or called unfinished."""
    gone = 0
    for image in project_images.made():
        if all(name == unfinished(image.key) for name in image.names):
            with contextlib.suppress(BlockingIOError), _making(image.key, wait=False):
                gone += project_images.remove(image.digest)
    return gone


def load_references(
    options: Options, prepared: Prepared, task: Task
) -> dict[str, Reference] | None:
    """What was kept of the task's references in this image; None where nothing was."""
    told = _read(_references(options, prepared) / f"{_task_key(task)}.json")
    return None if told is None else {name: _reference(each) for name, each in told.items()}


def save_references(
    options: Options, prepared: Prepared, task: Task, references: Mapping[str, Reference]
) -> None:
    """Keeps them for this image and this engine's version. Raises SandboxError."""
    told = {name: asdict(reference) for name, reference in references.items()}
    _write(_references(options, prepared) / f"{_task_key(task)}.json", told)


def _references(options: Options, prepared: Prepared) -> Path:
    image = prepared.digest.removeprefix("sha256:")
    return options.directory / "references" / f"{image}-{ENGINE_VERSION}"


def _task_key(task: Task) -> str:
    """Of all that the references may depend on."""
    told = [type(task.id).__name__, task.id, dict(task.public), dict(task.hidden), task.language]
    return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()


def _prepared(told: Mapping[str, Any]) -> Prepared:
    return Prepared(
        project=_project(told["project"]),
        remains=tuple(told["remains"]),
        **{name: told[name] for name in ("key", "image", "digest", "base", "root", "tree_bytes")},
        texts=told["texts"],
        environment=told["environment"],
    )


def _project(told: Mapping[str, Any]) -> Project:
    lists = {name: tuple(told[name]) for name in ("test_commands", "withheld", "requires")}
    return Project(**{**told, **lists})


def _reference(told: Mapping[str, Any]) -> Reference:
    both = {"passed": tuple(told["passed"]), "status": Status(told["status"])}
    return Reference(**{**told, **both})


def _read(path: Path) -> Any:
    """The JSON in a file; None where there is none, or none that can be read."""
    try:
        return json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return None


def _write(path: Path, value: object) -> None:
    beside = path.with_name(f"{path.name}.{os.getpid()}.{time.monotonic_ns()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("w", encoding="ascii") as file:
            json.dump(value, file)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise SandboxError(
            texts.NOT_KEPT(directory=str(path.parent), error=str(error.strerror))
        ) from error


@contextlib.contextmanager
def _making(key: str, *, wait: bool) -> Iterator[None]:
    with _locked(f"{key}.make", fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB)):
        yield


@contextlib.contextmanager
def _locked(name: str, how: int) -> Iterator[None]:
    """Raises BlockingIOError where it is not to wait. Images are the machine's, and so are
    their locks, wherever the records lie."""
    folder = state_directory() / "project-locks"
    folder.mkdir(exist_ok=True)
    with (folder / name).open("w") as lock:
        fcntl.flock(lock, how)
        yield
