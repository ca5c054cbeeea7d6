"""Files of JSON lines that survive a kill: grown line by line, or written whole."""

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Self


class GrowingFile:
    """A context manager. Lines are on disk when `write` returns."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("a+b")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def load(self, take: Callable[[int, bytes], None]) -> bool:
        """Passes the number and text of each line to `take`, and drops a last line that a process
        did not finish. Returns False if there is no line."""
        self.file.seek(0)
        size = 0
        try:
            for number, line in enumerate(self.file, 1):
                if not line.endswith(b"\n"):
                    break
                take(number, line)
                size += len(line)
        except BaseException:
            self.file.close()
            raise
        self.file.truncate(size)
        return size > 0

    def write(self, lines: Iterable[str]) -> None:
        self.file.write("".join(lines).encode("ascii"))
        self.file.flush()
        os.fsync(self.file.fileno())


def line(value: object) -> str:
    return json.dumps(value) + "\n"


def write_whole(path: Path, lines: Iterable[str], suffix: str = "new") -> None:
    """Replaces the file by these lines, all or none of them. Several writers at a time need
    different suffixes. Raises OSError."""
    new = path.with_name(f"{path.name}.{suffix}")
    try:
        with new.open("w", encoding="utf-8") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise
