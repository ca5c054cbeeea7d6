"""Finds copies of files with answers in a container's file system, and removes leftovers of a
build.

A separate program that runs as root while a project is prepared: python -c <this> <job>. The job is
a JSON file: "do" is one of "search", "take", "return" and "clean". It prints one line of JSON.
Files that are taken away are stored at "store", so that they can be returned."""

import hashlib
import io
import json
import os
import shutil
import struct
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

_Job = dict[str, Any]
_ZIPS = (".zip", ".whl", ".jar", ".egg", ".war", ".ear", ".aar", ".pyz")
_TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_READ, _ENTER = 0o444, 0o111


def normal(data: bytes) -> bytes:
    """Without newlines at the end, and with the same kind of newline everywhere."""
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").rstrip()


class Wanted:
    """The files to find: "sources" [{"path", "digest", "least", "most", "sizes"}] by content,
    "classes" ["package/Type", ...] by name."""

    def __init__(self, job: _Job) -> None:
        self.digests = {source["digest"] for source in job["sources"]}
        self.least = min((source["least"] for source in job["sources"]), default=1)
        self.most = max((source["most"] for source in job["sources"]), default=0)
        self.stems: dict[str, set[int]] = {}
        for source in job["sources"]:
            stem, suffix = os.path.splitext(os.path.basename(source["path"]))
            if suffix == ".py":
                self.stems.setdefault(stem, set()).update(source["sizes"])
        self.classes = set(job["classes"])
        self.simple = {name.rpartition("/")[2] for name in self.classes}

    def is_copy(self, path: str, size: int, read: Callable[[int], bytes]) -> bool:
        """`read(n)` returns the first n bytes of the file. Few are read if possible."""
        folder, base = os.path.split(path)
        if base.endswith(".class"):
            simple = base[: -len(".class")].split("$")[0]
            full = os.path.join("/", folder, simple)
            return simple in self.simple and any(full.endswith(f"/{name}") for name in self.classes)
        if base.endswith(".pyc"):
            # PEP 3147 and PEP 552: magic, flags, then the source's time and size, unless a flag is
            # set.
            sizes, head = self.stems.get(base.split(".")[0]), b""
            if sizes is not None:
                head = read(16)
            if sizes is None or len(head) < 16:
                return False
            flags, _, code_size = struct.unpack("<III", head[4:16])
            return bool(flags) or code_size in sizes
        if not self.least <= size <= self.most:
            return False
        return hashlib.sha256(normal(read(size))).hexdigest() in self.digests


def search(job: _Job) -> list[list[Any]]:
    """[[group, path, members], ...]: copies of a group are taken together. `members` are those of
    an archive that can do without them."""
    wanted = Wanted(job)
    copies: list[list[Any]] = []
    for path, size in _files(job["root"], set(job["apart"]) | {job["store"]}):
        low = path.lower()
        try:
            if low.endswith(_ZIPS):
                with zipfile.ZipFile(path) as archive:
                    members = [
                        info.filename
                        for info in archive.infolist()
                        if not info.is_dir()
                        and wanted.is_copy(
                            info.filename, info.file_size, partial(_start, archive.open, info)
                        )
                    ]
                if members:
                    copies.append([path, path, members])
            elif low.endswith(_TARS):
                with tarfile.open(path) as tar:
                    files = (
                        (member.name, member.size, (tar.extractfile(member) or io.BytesIO()).read)
                        for member in tar
                        if member.isfile()
                    )
                    if any(wanted.is_copy(*file) for file in files):
                        copies.append([path, path, []])
            if wanted.is_copy(path, size, partial(_start, partial(open, mode="rb"), path)):
                copies.append([_group(path), path, []])
        except (OSError, EOFError, zipfile.BadZipFile, tarfile.TarError, ValueError, RuntimeError):
            continue  # not of the kind that its name says, so no program can read answers from it
    return copies


def _files(top: str, apart: set[str]) -> Iterator[tuple[str, int]]:
    """Every regular file with its size, except in the paths `apart`. Links are not followed."""
    todo = [top]
    while todo:
        folder = todo.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.path in apart or entry.path in ("/proc", "/sys", "/dev"):
                continue
            if entry.is_dir(follow_symlinks=False):
                todo.append(entry.path)
            elif entry.is_file(follow_symlinks=False):
                yield entry.path, entry.stat(follow_symlinks=False).st_size


def _start(opened: Any, path: Any, most: int) -> bytes:
    with opened(path) as file:
        start: bytes = file.read(most)
    return start


def _group(path: str) -> str:
    """A source, its byte code and a class's inner classes have the same group."""
    folder, base = os.path.split(path)
    if os.path.basename(folder) == "__pycache__":
        folder = os.path.dirname(folder)
    return os.path.join(folder, base.split(".")[0].split("$")[0])


def take(job: _Job) -> list[str]:
    """Moves each of "copies" [[path, members], ...] into the store. An archive that can do without
    its members is replaced by one without them."""
    os.makedirs(job["store"], mode=0o700, exist_ok=True)
    for path, members in job["copies"]:
        stored = _place(job, path)
        _copy(path, stored)
        if not members:
            os.unlink(path)
            continue
        with zipfile.ZipFile(stored) as old, zipfile.ZipFile(path, "w") as new:
            new.comment = old.comment
            for info in old.infolist():
                if info.filename not in members:
                    new.writestr(info, old.read(info), compress_type=info.compress_type)
    return []


def _copy(path: str, other: str) -> None:
    shutil.copy2(path, other)
    owner = os.stat(path)
    os.chown(other, owner.st_uid, owner.st_gid)


def give_back(job: _Job) -> list[str]:
    """Puts each of "copies" back unchanged."""
    for path, _ in job["copies"]:
        _copy(_place(job, path), path)
        os.unlink(_place(job, path))
    return []


def _place(job: _Job, path: str) -> str:
    return os.path.join(job["store"], hashlib.sha256(os.fsencode(path)).hexdigest())


def clean(job: _Job) -> list[str]:
    """Removes "paths" if they exist, the content of the folders "emptied", and, for each of
    "sweeps" [[folder, names, ends]], the files below the folder with one of the names or ends.
    Makes all below the folders "readable" readable for everyone."""
    for path in job["paths"]:
        _remove(path)
    for emptied in job["emptied"]:
        for name in os.listdir(emptied) if os.path.isdir(emptied) else []:
            _remove(os.path.join(emptied, name))
    for top, names, ends in job["sweeps"]:
        for folder, folders, files in os.walk(top):
            for name in [*folders, *files]:
                path = os.path.join(folder, name)
                if name in names or path.endswith(tuple(ends)):
                    _remove(path)
            folders[:] = [name for name in folders if os.path.lexists(os.path.join(folder, name))]
    for top in job["readable"]:
        # The same as chmod -R a+rX.
        for folder, _, files in os.walk(top):
            os.chmod(folder, os.stat(folder).st_mode | _READ | _ENTER)
            for path in (os.path.join(folder, name) for name in files):
                if not os.path.islink(path):
                    mode = os.stat(path).st_mode
                    os.chmod(path, mode | _READ | (_ENTER if mode & _ENTER else 0))
    return []


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


_DO: dict[str, Callable[[_Job], object]]
_DO = {"search": search, "take": take, "return": give_back, "clean": clean}


def main(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        job = json.load(file)
    print(json.dumps(_DO[job["do"]](job)))


if __name__ == "__main__":
    main(sys.argv[1])
