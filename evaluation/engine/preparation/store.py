"""This host's records of prepared projects, in Options.directory.

    <key>/project.json   Prepared without its texts; written last
    <key>/texts.json     the texts
    <key>/failure.json   instead of both: the reason why the build failed
    <key>/dry_run.json   the times of its tests, measured on this host
    <key>/used           touched at each use of the project
    references/          results of references, by image and engine version

Locks are in the machine's state directory. Files are replaced atomically.
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
from evaluation.engine.records import DryRun, Prepared, Project, Reference, Status, Task
from evaluation.engine.sandbox import project_images
from evaluation.engine.sandbox.state import state_directory

Say = Callable[[str], None]
_UNCHANGED = (
    *("key", "image", "digest", "base", "root", "tree_bytes", "texts", "environment", "shared"),
)


@dataclass(frozen=True, slots=True)
class Kept:
    """`bytes_` excludes the image's base, `seconds` is the build's duration, `used` a
    time.time()."""

    prepared: Prepared
    bytes_: int
    seconds: float
    used: float


@dataclass(frozen=True, slots=True)
class Failure:
    """The record of a failed preparation; `tried` is its time.time()."""

    project: Project
    cause: str
    seconds: float
    tried: float


def find(options: Options, key: str) -> Prepared | None:
    """Returns None unless the record and the image are complete. Raises SandboxError."""
    folder = options.directory / key
    told = _read(folder / "project.json")
    if told is None or project_images.digest(told["digest"]) is None:
        return None
    texts = _read(folder / "texts.json")
    return None if texts is None else replace(prepared(told), texts=texts)


def bytes_of(options: Options, key: str) -> int:
    """The size of the project's image without its base; 0 if there is no record."""
    told = _read(options.directory / key / "project.json")
    return 0 if told is None else int(told["bytes"])


def save(options: Options, prepared: Prepared, *, bytes_: int, seconds: float) -> None:
    """Raises SandboxError."""
    folder = options.directory / prepared.key
    told = asdict(replace(prepared, texts={})) | {"bytes": bytes_, "seconds": seconds}
    _write(folder / "texts.json", dict(prepared.texts))
    _write(folder / "project.json", told)
    (folder / "failure.json").unlink(missing_ok=True)
    touch(options, prepared.key)


def note_shared(options: Options, key: str, shared: str) -> Mapping[str, Any]:
    """Stores the digest of the prepared project in the registry. Returns its record without the
    texts. Raises SandboxError."""
    path = options.directory / key / "project.json"
    told: dict[str, Any] = _read(path) | {"shared": shared}
    _write(path, told)
    return told


def save_failure(options: Options, key: str, failure: Failure) -> None:
    _write(options.directory / key / "failure.json", asdict(failure))


def failure(options: Options, key: str) -> Failure | None:
    told = _read(options.directory / key / "failure.json")
    if told is None:
        return None
    return Failure(_project(told["project"]), told["cause"], told["seconds"], told["tried"])


def load_dry_run(options: Options, key: str) -> tuple[bool, DryRun | None]:
    """Whether the project was measured, and its times, if a test passes."""
    told = _read(options.directory / key / "dry_run.json")
    if told is None:
        return False, None
    return True, DryRun(**told["slowest"]) if told["slowest"] else None


def save_dry_run(options: Options, key: str, dry_run: DryRun | None) -> None:
    """Raises SandboxError."""
    told = {"slowest": dry_run and asdict(dry_run)}
    _write(options.directory / key / "dry_run.json", told)


def touch(options: Options, key: str) -> None:
    (options.directory / key / "used").touch()


def listed(options: Options) -> list[Kept]:
    """All records without their texts, least recently used first."""
    found = []
    for path in options.directory.glob("*/project.json"):
        told = _read(path)
        if told is not None:
            used = path.parent / "used"
            when = used.stat().st_mtime if used.exists() else 0.0
            found.append(Kept(prepared(told), told["bytes"], told["seconds"], when))
    return sorted(found, key=lambda kept: kept.used)


@contextlib.contextmanager
def making(key: str) -> Iterator[None]:
    """Holds this host's exclusive lock for preparing the project; waits for it."""
    with _making(key, wait=True):
        yield


@contextlib.contextmanager
def in_use(options: Options, key: str) -> Iterator[None]:
    """Prevents the project's eviction, with a shared lock."""
    with _locked(f"{key}.use", fcntl.LOCK_SH):
        (options.directory / key).mkdir(parents=True, exist_ok=True)
        touch(options, key)
        yield


def evict(options: Options, say: Say = lambda _: None) -> int:
    """Removes images of interrupted preparations, and least recently used images until all fit into
    `most_bytes`, except those in use. Returns the number removed. Raises SandboxError."""
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
    return f"{project_images.NAME}-unfinished:{key}"


def finished(key: str) -> str:
    return f"{project_images.NAME}:{key}"


def _remove_unfinished() -> int:
    gone = 0
    for image in project_images.made():
        if all(name == unfinished(image.key) for name in image.names):
            with contextlib.suppress(BlockingIOError), _making(image.key, wait=False):
                gone += project_images.remove(image.digest)
    return gone


def load_references(
    options: Options, prepared: Prepared, task: Task
) -> dict[str, Reference] | None:
    """The task's stored references in this image; None if there are none."""
    told = _read(_references(options, prepared) / f"{_task_key(task)}.json")
    return None if told is None else {name: _reference(each) for name, each in told.items()}


def save_references(
    options: Options, prepared: Prepared, task: Task, references: Mapping[str, Reference]
) -> None:
    """Raises SandboxError."""
    told = {name: asdict(reference) for name, reference in references.items()}
    _write(_references(options, prepared) / f"{_task_key(task)}.json", told)


def _references(options: Options, prepared: Prepared) -> Path:
    image = prepared.digest.removeprefix("sha256:")
    return options.directory / "references" / f"{image}-{ENGINE_VERSION}"


def _task_key(task: Task) -> str:
    told = [type(task.id).__name__, task.id, dict(task.public), dict(task.hidden), task.language]
    return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()


def prepared(told: Mapping[str, Any]) -> Prepared:
    return Prepared(
        project=_project(told["project"]),
        remains=tuple(told["remains"]),
        # Records of other versions, which are only evicted, lack it.
        hidden=tuple(told.get("hidden", ())),
        **{name: told[name] for name in _UNCHANGED},
    )


def _project(told: Mapping[str, Any]) -> Project:
    lists = {name: tuple(told[name]) for name in ("test_commands", "withheld", "requires")}
    return Project(**{**told, **lists})


def _reference(told: Mapping[str, Any]) -> Reference:
    both = {"passed": tuple(told["passed"]), "status": Status(told["status"])}
    return Reference(**{**told, **both})


def _read(path: Path) -> Any:
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
    """Raises BlockingIOError if `how` has LOCK_NB and the lock is taken. Locks are per machine, as
    images are."""
    folder = state_directory() / "project-locks"
    folder.mkdir(exist_ok=True)
    with (folder / name).open("w") as lock:
        fcntl.flock(lock, how)
        yield
