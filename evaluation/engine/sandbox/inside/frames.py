"""Length-prefixed frames over a file descriptor: four bytes, big-endian, then the body."""

import json
import os
import struct
from typing import Any

PREFIX = struct.Struct(">I")
MOST = 64 * 2**20


class BadFrame(Exception):
    """The other side closed within a frame, or announced more than `MOST` bytes."""


def read_exactly(fd: int, size: int) -> bytes:
    parts = []
    while size:
        part = os.read(fd, min(size, 1 << 20))
        if not part:
            raise BadFrame("closed in the middle of a frame")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def read(fd: int, most: int = MOST) -> bytes:
    """The next frame's body. Raises BadFrame; EOFError if the stream ended before it."""
    first = os.read(fd, 1)
    if not first:
        raise EOFError
    (size,) = PREFIX.unpack(first + read_exactly(fd, PREFIX.size - 1))
    if size > most:
        raise BadFrame(f"a frame of {size} bytes")
    return read_exactly(fd, size)


def framed(body: bytes) -> bytes:
    return PREFIX.pack(len(body)) + body


def write(fd: int, body: bytes) -> None:
    view = memoryview(framed(body))
    while view:
        view = view[os.write(fd, view) :]


def dump(value: Any) -> bytes:
    """JSON in UTF-8. `json.loads` accepts its lone surrogates, too."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")
