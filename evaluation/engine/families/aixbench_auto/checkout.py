"""Reads the files of a checkout within size limits; follows no links."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from evaluation.engine.datasets import Problems
from evaluation.engine.families.aixbench_auto.kit import MIB, MOST_BYTES, MOST_FILES
from evaluation.engine.records import Problem

# Maximum size of a source or tasks file; the benchmark's largest have 22 and 30 KB.
MOST_TEXT = 4 * MIB
_LINK = "a link; links are not followed"
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Checkout:
    """The regular files below some folders of a checkout. A missing folder counts as empty; faulty
    files are added to the problems."""

    def __init__(self, root: Path, folders: Iterable[str], problems: Problems) -> None:
        self._root = root
        self._problems = problems
        self._left = MOST_BYTES
        self.paths = frozenset(path for folder in folders for path in self._files(folder))

    def tell(self, path: str, sentence: str, line: int | None = None) -> None:
        self._problems.found.append(Problem(sentence, line, member=path))

    def below(self, folder: str, suffix: str = "") -> list[str]:
        return sorted(p for p in self.paths if p.startswith(f"{folder}/") and p.endswith(suffix))

    def directly_in(self, folder: str, suffix: str = "") -> list[str]:
        return [path for path in self.below(folder, suffix) if path.rpartition("/")[0] == folder]

    def text(self, path: str) -> str | None:
        content = self.content(path, MOST_TEXT)
        if content is None:
            return None
        try:
            # javac rejects a byte order mark.
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            self.tell(path, "not UTF-8", content.count(b"\n", 0, error.start) + 1)
            return None

    def content(self, path: str, most: int = MOST_BYTES) -> bytes | None:
        if path not in self.paths:
            self.tell(path, "the checkout does not contain this file")
            return None
        try:
            with os.fdopen(os.open(self._root / path, _FLAGS), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise ValueError("not a regular file")
                content = file.read(min(most, self._left) + 1)
            if len(content) > min(most, self._left):
                raise ValueError("too large, separately or together with the others")
        except (OSError, ValueError) as error:
            self.tell(path, f"it cannot be read: {getattr(error, 'strerror', None) or error}")
            return None
        self._left -= len(content)
        return content

    def _files(self, folder: str) -> Iterator[str]:
        parts = folder.split("/")
        for above in ("/".join(parts[:n]) for n in range(1, len(parts) + 1)):
            try:
                mode = (self._root / above).lstat().st_mode
            except OSError:
                return
            if stat.S_ISLNK(mode):
                self.tell(above, _LINK)
            if not stat.S_ISDIR(mode):
                return
        waiting, seen = [folder], 0
        while waiting:
            inside = waiting.pop()
            with os.scandir(self._root / inside) as entries:
                for entry in entries:
                    seen += 1
                    if seen > MOST_FILES:
                        self.tell(folder, f"it holds more than {MOST_FILES} files and folders")
                        return
                    path = f"{inside}/{entry.name}"
                    if "\\" in path or not path.isprintable():
                        sentence = "the path contains a character that is not allowed here"
                        self.tell(ascii(path)[1:-1], sentence)
                    elif entry.is_symlink():
                        self.tell(path, _LINK)
                    elif entry.is_dir():
                        waiting.append(path)
                    elif entry.is_file():
                        yield path
                    else:
                        self.tell(path, "neither a file nor a folder")
