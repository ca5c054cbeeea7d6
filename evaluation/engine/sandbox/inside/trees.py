"""A project's tree in its container, and what its tests report by.

All of it is the supervisor's work, done before anything of a candidate runs here."""

import json
import os
import stat
from contextlib import AbstractContextManager, suppress
from typing import Any

from . import cleanup, frames, packing
from .places import Place, Refused

# A directory of the guardian's, which a candidate can read but not write.
PLACE = "/judge"
PLUGIN = "assay_report"
# A named pipe: it reaches pytest through any program that starts it, even one that closes
# descriptors.
CHANNEL = f"{PLACE}/report"
# Another one, for our runner's answers: a candidate can read it, but not write to it.
ANSWER = f"{PLACE}/answer"
# Finds a path of the tests: pytest's usual names, every conftest, all in a folder named for tests.
OF_TESTS = (
    r"(?i)(?:^|/)(?:conftest|test_[^/]*|[^/]*_test)\.py$"
    r"|(?:^|[^a-z])(?:tests?|testing|unittests?)(?:[^a-z/][^/]*)?/"
)


class Tree(Place):
    """Unpacked on creation. Raises OSError, ValueError."""

    report_most = 16 * 2**20
    for_one_run = True

    def __init__(self, told: "dict[str, Any]", uids: "tuple[int, int]") -> None:
        super().__init__(uids)
        candidate, self._guardian = uids
        self.root = self.work = told["root"]
        fd = os.open(told["pack"], os.O_RDONLY)
        try:
            packing.unpack(fd, self.root, cleanup.acting_as, self._guardian, candidate)
        finally:
            os.close(fd)
        with self._as_guardian():
            os.mkdir(f"{PLACE}/{PLUGIN}", 0o755)
            for name, text in told["plugin"].items():
                _write(None, f"{PLACE}/{PLUGIN}/{name}.py", text, 0o444)
            _write(None, f"{PLACE}/lock", "", 0o444)
            os.mkfifo(CHANNEL, 0o622)
            os.mkfifo(ANSWER, 0o644)

    def _as_guardian(self) -> "AbstractContextManager[None]":
        return cleanup.acting_as(self._guardian, umask=0)

    def channels(self, processes: int) -> "list[list[int]]":
        """Descriptors to read the channel and to write answers."""
        with self._as_guardian():
            # For reading and writing, so that no stream ends while no other process has it open.
            return [[os.open(path, os.O_RDWR) for path in (CHANNEL, ANSWER)]]

    def receive(self, header: "dict[str, Any]", programs: "list[bytes]") -> "list[bytes]":
        """Writes the files below the root, as the guardian's; None removes one."""
        files: dict[str, str | None] = json.loads(frames.read(0))
        with self._as_guardian():
            for path, text in files.items():
                try:
                    self._put(path, text)
                except (OSError, ValueError) as error:
                    raise Refused(f"{path!r}: {error}") from None
        if not header["hidden"]:
            return programs
        texts = self.hide(header["hidden"])
        return [frames.dump({**json.loads(programs[0]), "sources": texts})]

    def hide(self, paths: "list[str]") -> "dict[str, str]":
        """Lets only the guardian read these files. Returns their texts by path, except of those
        that a build has removed or replaced by links."""
        texts = {}
        with self._as_guardian():
            for path in paths:
                with suppress(OSError):
                    fd = os.open(f"{self.root}/{path}", os.O_RDONLY | os.O_NOFOLLOW)
                    with open(fd, encoding="utf-8", errors="surrogateescape", newline="") as file:
                        os.fchmod(fd, 0o600)
                        texts[path] = file.read()
        return texts

    def _put(self, path: str, text: "str | None") -> None:
        *folders, name = _parts(path)
        parent = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for folder in folders:
                if text is not None:
                    with suppress(FileExistsError):
                        os.mkdir(folder, 0o1777, dir_fd=parent)
                # No link to a folder.
                flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
                below = os.open(folder, flags, dir_fd=parent)
                os.close(parent)
                parent = below
            mode = 0o644
            with suppress(FileNotFoundError):
                status = os.stat(name, dir_fd=parent, follow_symlinks=False)
                if stat.S_ISREG(status.st_mode):
                    mode = status.st_mode & 0o755 | 0o444
                os.unlink(name, dir_fd=parent)
            if text is not None:
                _write(parent, name, text, mode)
                if name.endswith(b".py"):
                    packing.shut_cache(b"", parent)
        except FileNotFoundError:
            if text is not None:
                raise
        finally:
            os.close(parent)


def _parts(path: str) -> "list[bytes]":
    """A path's names. Raises ValueError if it could lead out of the tree."""
    parts = path.encode("utf-8", "surrogateescape").split(b"/")
    if any(part in (b"", b".", b"..") or b"\0" in part for part in parts):
        raise ValueError("not a plain path below the root")
    return parts


def _write(parent: "int | None", name: "bytes | str", text: str, mode: int) -> None:
    data = memoryview(text.encode("utf-8", "surrogateescape"))
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    fd = os.open(name, flags, mode, dir_fd=parent)
    try:
        while data:
            data = data[os.write(fd, data) :]
    finally:
        os.close(fd)
