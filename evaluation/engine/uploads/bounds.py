"""How large an upload, and what is in it, may be."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.engine.texts import Message
from evaluation.engine.uploads import texts

KIB = 2**10
MIB = 2**20


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a file is refused for exceeding.

    `file_bytes` counts after decompression. A compressed file is refused too once
    more than `ratio_free_bytes` came out of it and that is more than `ratio` times
    its size on disk. `record_bytes` bounds one line or element, `generation_chars`
    one model output, `records` the lines or elements of a file, `members` the files
    in a zip and `problems` the problems that a report lists before it only counts.
    """

    file_bytes: int = 2048 * MIB
    ratio: int = 200
    ratio_free_bytes: int = 10 * MIB
    record_bytes: int = 16 * MIB
    generation_chars: int = MIB
    generations_per_slot: int = 1000
    records: int = 5_000_000
    members: int = 1000
    problems: int = 100


BOUNDS = Bounds()


def in_words(size: int) -> Message:
    """A number of bytes as people read it."""
    if size >= MIB and size % MIB == 0:
        return texts.MEBIBYTES(number=size // MIB)
    return texts.BYTES(number=f"{size:,}")
