"""This host's records of prepared projects, in Options.directory.

    <key>/project.json   Prepared without its texts; written last
    <key>/texts.json     the texts
    <key>/failure.json   instead of both: the reason why the build failed
    <key>/dry_run.json   the times of its tests, measured on this host
    <key>/used           touched at each use of the project
    references/          results of references, by image and engine version

Locks are in the machine's state directory. Files are replaced atomically."""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.errors import SandboxError
from evaluation.engine.lines import write_whole
from evaluation.engine.preparation import texts
from evaluation.engine.preparation.options import Options
from evaluation.engine.records import DryRun, Prepared, Project, Reference, Status, Task
from evaluation.engine.sandbox import project_images
from evaluation.engine.sandbox.state import machine_lock

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class StoredImage:
    """`bytes_` excludes the image's base, `seconds` is the build's duration, `used` a
    time.time()."""

    prepared: Prepared
    bytes_: int
    seconds: float
    used: float


def find(options: Options, key: str) -> Prepared | None:
    """Returns None unless the record and the image are complete. Raises SandboxError."""
    folder = options.directory / key
    record = _read(folder / "project.json")
    if record is None or project_images.digest(record["digest"]) is None:
        return None
    texts = _read(folder / "texts.json")
    return None if texts is None else replace(prepared(record), texts=texts)


def save(options: Options, prepared: Prepared, *, bytes_: int, seconds: float) -> None:
    """Raises SandboxError."""
    folder = options.directory / prepared.key
    record = asdict(replace(prepared, texts={})) | {"bytes": bytes_, "seconds": seconds}
    _write(folder / "texts.json", dict(prepared.texts))
    _write(folder / "project.json", record)
    (folder / "failure.json").unlink(missing_ok=True)
    (folder / "used").touch()


def note_shared(options: Options, key: str, shared: str) -> Mapping[str, Any]:
    """Stores the digest of the prepared project in the registry. Returns its record without the
    texts. Raises SandboxError."""
    path = options.directory / key / "project.json"
    record: dict[str, Any] = _read(path) | {"shared": shared}
    _write(path, record)
    return record


def save_failure(options: Options, key: str, cause: str) -> None:
    _write(options.directory / key / "failure.json", {"cause": cause})


def failure(options: Options, key: str) -> str | None:
    """Why the preparation failed; None if it did not."""
    record = _read(options.directory / key / "failure.json")
    return None if record is None else str(record["cause"])


def load_dry_run(options: Options, key: str) -> tuple[bool, DryRun | None]:
    """Whether the project was measured, and its times, if a test passes."""
    record = _read(options.directory / key / "dry_run.json")
    times = record and record["slowest"]
    return record is not None, DryRun(**times) if times else None


def save_dry_run(options: Options, key: str, dry_run: DryRun | None) -> None:
    """Raises SandboxError."""
    _write(options.directory / key / "dry_run.json", {"slowest": dry_run and asdict(dry_run)})


def listed(options: Options) -> list[StoredImage]:
    """All records without their texts, least recently used first."""
    images = []
    for path in options.directory.glob("*/project.json"):
        record = _read(path)
        if record is not None:
            used = path.parent / "used"
            when = used.stat().st_mtime if used.exists() else 0.0
            images.append(StoredImage(prepared(record), record["bytes"], record["seconds"], when))
    return sorted(images, key=lambda image: image.used)


def making(key: str, *, wait: bool = True) -> contextlib.AbstractContextManager[None]:
    """Holds this host's exclusive lock for preparing the project. Raises BlockingIOError if it is
    taken and the caller does not wait."""
    return machine_lock(f"project-locks/{key}.make", fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


@contextlib.contextmanager
def in_use(options: Options, key: str) -> Iterator[None]:
    """Prevents the project's eviction, with a shared lock."""
    with machine_lock(f"project-locks/{key}.use", fcntl.LOCK_SH):
        folder = options.directory / key
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "used").touch()
        yield


def evict(options: Options, say: Say = lambda _: None) -> None:
    """Removes images of interrupted preparations, and least recently used images until all fit into
    `most_bytes`, except those in use. Raises SandboxError."""
    images = listed(options)
    total = sum(image.bytes_ for image in images)
    for made in project_images.made():
        if all(name == unfinished(made.key) for name in made.names):
            with contextlib.suppress(BlockingIOError), making(made.key, wait=False):
                project_images.remove(made.digest)
    for image in images:
        if total <= options.most_bytes:
            break
        key, name = image.prepared.key, image.prepared.image
        in_use = machine_lock(f"project-locks/{key}.use", fcntl.LOCK_EX | fcntl.LOCK_NB)
        with contextlib.suppress(BlockingIOError), making(key, wait=False), in_use:
            if project_images.remove(name):
                shutil.rmtree(options.directory / key, ignore_errors=True)
                shutil.rmtree(_references(options, image.prepared), ignore_errors=True)
                say(f"{image.prepared.project.repository}: removed to make room")
                total -= image.bytes_


def unfinished(key: str) -> str:
    return f"{project_images.NAME}-unfinished:{key}"


def finished(key: str) -> str:
    return f"{project_images.NAME}:{key}"


def load_references(
    options: Options, prepared: Prepared, task: Task
) -> dict[str, Reference] | None:
    """The task's stored references in this image; None if there are none."""
    records = _read(_references(options, prepared) / f"{_task_key(task)}.json")
    if records is None:
        return None
    return {
        name: Reference(
            **record | {"passed": tuple(record["passed"]), "status": Status(record["status"])}
        )
        for name, record in records.items()
    }


def save_references(
    options: Options, prepared: Prepared, task: Task, references: Mapping[str, Reference]
) -> None:
    """Raises SandboxError."""
    record = {name: asdict(reference) for name, reference in references.items()}
    _write(_references(options, prepared) / f"{_task_key(task)}.json", record)


def _references(options: Options, prepared: Prepared) -> Path:
    image = prepared.digest.removeprefix("sha256:")
    return options.directory / "references" / f"{image}-{ENGINE_VERSION}"


def _task_key(task: Task) -> str:
    record = [type(task.id).__name__, task.id, dict(task.public), dict(task.hidden), task.language]
    return hashlib.sha256(json.dumps(record, sort_keys=True, default=str).encode()).hexdigest()


def prepared(record: Mapping[str, Any]) -> Prepared:
    project = record["project"]
    lists = {name: tuple(project[name]) for name in ("test_commands", "withheld", "requires")}
    values = {field.name: record[field.name] for field in fields(Prepared) if field.name in record}
    values |= {name: tuple(record.get(name, ())) for name in ("remains", "hidden")}
    return Prepared(**values | {"project": Project(**{**project, **lists})})


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return None


def _write(path: Path, value: object) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, [json.dumps(value)], f"{os.getpid()}.{time.monotonic_ns()}.new")
    except OSError as error:
        raise SandboxError(
            texts.NOT_KEPT(directory=str(path.parent), error=str(error.strerror))
        ) from error
