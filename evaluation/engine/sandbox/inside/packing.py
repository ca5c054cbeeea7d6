"""A project's tree as one file: packed where it was prepared, unpacked where it is judged.

Imports none of our modules: the preparation gives its text to the interpreter in a container,

    python3.11 -c TEXT pack ROOT PATH
    python3.11 -c TEXT add-byte-code CACHE PATH

which print {"entries": n, "bytes": n}; the bytes are the disk space of the unpacked tree.

The file is MAGIC, the length of the index, the index as JSON, then the contents of all regular
files in the index's order. The index lists `Entry`s in the order in which they are created. All
files except a build's outputs are guarded: they belong to another user than the candidate, in
sticky folders of that user. The candidate can add files there, but can neither edit nor replace
sources, settings or the data that tests compare with. Python uses byte code in place of sources, so
each folder with sources gets a byte code folder to which the candidate cannot add files."""

import json
import mmap
import os
import stat
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from typing import NamedTuple

MAGIC = b"ASSAYTR1"
_LENGTH = struct.Struct(">Q")
FOLDER, GUARDED, LINK, FREE = range(4)
# The output folder of a build with such a file: the next build has to overwrite it.
_OUTPUTS = {b"pom.xml": b"target", b"build.gradle": b"build", b"build.gradle.kts": b"build"}
# Results of earlier runs, which must not count as this one's.
_RESULTS = b"surefire-reports"
_CACHE = b"__pycache__"
_STICKY, _SHUT = 0o1777, 0o755
_PAGE = 4096
_ONCE = 2**30


class Entry(NamedTuple):
    """`path` is relative to the root ("" is the root); bytes that are not UTF-8 are surrogates.
    `size` is used for regular files, `target` for links."""

    kind: int
    path: str
    mode: int
    mtime: int
    size: int
    target: str


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _entries(root: bytes) -> "Iterator[Entry]":
    """The root and everything below it that can be packed: no sockets, devices and pipes."""
    yield Entry(FOLDER, "", stat.S_IMODE(os.stat(root).st_mode), os.stat(root).st_mtime_ns, 0, "")
    # Each with whether a build creates it.
    folders = [(b"", False)]
    while folders:
        folder, made = folders.pop()
        if os.path.basename(folder) == _RESULTS:
            continue
        names = sorted(os.listdir(os.path.join(root, folder)))
        outputs = {_OUTPUTS[name] for name in names if name in _OUTPUTS}
        for name in names:
            path = os.path.join(folder, name)
            status = os.lstat(os.path.join(root, path))
            mode, mtime = stat.S_IMODE(status.st_mode), status.st_mtime_ns
            if stat.S_ISDIR(status.st_mode):
                folders.append((path, made or name in outputs))
                yield Entry(FOLDER, _text(path), mode, mtime, 0, "")
            elif stat.S_ISLNK(status.st_mode):
                target = _text(os.readlink(os.path.join(root, path)))
                yield Entry(LINK, _text(path), mode, mtime, 0, target)
            elif stat.S_ISREG(status.st_mode):
                kind = FREE if made else GUARDED
                yield Entry(kind, _text(path), mode, mtime, status.st_size, "")


def _copy(path: bytes, size: int, pack: int) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        done = 0
        while part := os.read(fd, 1 << 20):
            done += os.write(pack, part)
    finally:
        os.close(fd)
    if done != size:
        raise OSError(f"{os.fsdecode(path)} changed while it was packed")


def pack(root: str, path: str) -> "dict[str, int]":
    """Writes the tree below the root to a file of mode 0600. Raises OSError."""
    base = os.fsencode(root)
    entries = sorted(_entries(base))
    return _packed(path, [], memoryview(b""), entries, lambda path: os.path.join(base, path))


def add_byte_code(cache: str, path: str) -> "dict[str, int]":
    """Adds the byte code of the packed tree's sources. `cache` holds it in folders with the names
    of the sources' folders. Raises OSError, ValueError."""
    base = os.fsencode(cache)
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        view = memoryview(mmap.mmap(fd, 0, access=mmap.ACCESS_READ))
    finally:
        os.close(fd)
    entries, at = read_index(view)
    paths = {entry.path for entry in entries}
    sources = {_bytes(entry.path) for entry in entries if _python(entry)}
    added = sorted(entry for entry in _byte_code(base, sources) if entry.path not in paths)

    def place(path: bytes) -> bytes:
        folder, name = os.path.split(path)
        return os.path.join(base, os.path.dirname(folder), name)

    made = _packed(f"{path}.new", entries, view[at:], added, place)
    os.replace(f"{path}.new", path)
    return made


def _byte_code(cache: bytes, sources: "set[bytes]") -> "Iterator[Entry]":
    """The byte code of these files, and the folders in which Python looks for it."""
    for parent in {os.path.dirname(source) for source in sources}:
        place, folder = os.path.join(cache, parent), os.path.join(parent, _CACHE)
        if not os.path.isdir(place) or os.path.islink(place):
            continue
        yield Entry(FOLDER, _text(folder), _SHUT, os.lstat(place).st_mtime_ns, 0, "")
        for name in os.listdir(place):
            source = os.path.join(parent, name.split(b".")[0] + b".py")
            status = os.lstat(os.path.join(place, name))
            if source in sources and name.endswith(b".pyc") and stat.S_ISREG(status.st_mode):
                file = _text(os.path.join(folder, name)), 0o644, status.st_mtime_ns, status.st_size
                yield Entry(GUARDED, *file, "")


def _packed(
    path: str,
    known: "list[Entry]",
    contents: memoryview,
    added: "list[Entry]",
    place: "Callable[[bytes], bytes]",
) -> "dict[str, int]":
    """Writes a pack of the known entries with their contents, and of the added ones; place(path) is
    where an added file lies."""
    entries = [*known, *added]
    index = json.dumps(entries, separators=(",", ":")).encode("ascii")
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        os.fchmod(fd, 0o600)
        os.write(fd, MAGIC + _LENGTH.pack(len(index)))
        _write(fd, memoryview(index))
        _write(fd, contents)
        for entry in added:
            if entry.kind in (GUARDED, FREE):
                _copy(place(_bytes(entry.path)), entry.size, fd)
    finally:
        os.close(fd)
    taken = sum(-(-entry.size // _PAGE) * _PAGE for entry in entries)
    return {"entries": len(entries), "bytes": taken + _PAGE * len(entries)}


def _write(fd: int, view: memoryview) -> None:
    while view:
        view = view[os.write(fd, view[:_ONCE]) :]


def read_index(view: memoryview) -> "tuple[list[Entry], int]":
    """The entries of a pack, and the offset of its contents. Raises ValueError."""
    head = len(MAGIC) + _LENGTH.size
    if bytes(view[: len(MAGIC)]) != MAGIC:
        raise ValueError("this is no packed tree")
    (size,) = _LENGTH.unpack(view[len(MAGIC) : head])
    return [Entry(*fields) for fields in json.loads(bytes(view[head : head + size]))], head + size


def unpack(
    fd: int,
    root: str,
    acting_as: "Callable[[int], AbstractContextManager[None]]",
    guardian: int,
    candidate: int,
) -> None:
    """Makes the tree in the root, an empty folder of the guardian's. Raises OSError, ValueError.
    acting_as(uid) lets this process be that user for a while, since it has no right to give files
    away."""
    before = os.umask(0)
    try:
        # Unmapped with its last reference, which an error may hold.
        view = memoryview(mmap.mmap(fd, 0, access=mmap.ACCESS_READ))
        entries, at = read_index(view)
        places = {entry: os.fsencode(root) + b"/" + _bytes(entry.path) for entry in entries}
        folders = [entry for entry in entries if entry.kind == FOLDER]
        with acting_as(guardian):
            for entry in folders[1:]:
                os.mkdir(places[entry])
            for entry in folders:
                name = os.path.basename(_bytes(entry.path))
                os.chmod(places[entry], _SHUT if name == _CACHE else _STICKY)
            for place in {os.path.dirname(places[entry]) for entry in entries if _python(entry)}:
                shut_cache(place, None)
            for entry in entries:
                if entry.kind == LINK:
                    os.symlink(_bytes(entry.target), places[entry])
                    os.utime(places[entry], ns=(entry.mtime, entry.mtime), follow_symlinks=False)
                elif entry.kind == GUARDED:
                    # Everyone may read it, and run it if its owner may.
                    mode = entry.mode & 0o755 | (0o555 if entry.mode & 0o111 else 0o444)
                    at = _make(places[entry], entry, mode, view, at)
        with acting_as(candidate):
            for entry in entries:
                if entry.kind == FREE:
                    at = _make(places[entry], entry, entry.mode & 0o777 | 0o600, view, at)
        with acting_as(guardian):
            for entry in folders:
                os.utime(places[entry], ns=(entry.mtime, entry.mtime), follow_symlinks=False)
    finally:
        os.umask(before)


def _python(entry: Entry) -> bool:
    return entry.kind == GUARDED and entry.path.endswith(".py")


def shut_cache(place: bytes, parent: "int | None") -> None:
    """Makes the folder in which Python looks for byte code, so that the candidate cannot."""
    with suppress(FileExistsError):
        os.mkdir(os.path.join(place, _CACHE), _SHUT, dir_fd=parent)


def _make(place: bytes, entry: Entry, mode: int, view: memoryview, at: int) -> int:
    fd = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        _write(fd, view[at : at + entry.size])
        os.utime(fd, ns=(entry.mtime, entry.mtime))
    finally:
        os.close(fd)
    return at + entry.size


_DONE = {"pack": pack, "add-byte-code": add_byte_code}

if __name__ == "__main__" and sys.argv[1] in _DONE:
    print(json.dumps(_DONE[sys.argv[1]](sys.argv[2], sys.argv[3])))
