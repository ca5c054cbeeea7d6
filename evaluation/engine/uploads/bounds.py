"""Size limits of an upload and its contents."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.engine.texts import Message
from evaluation.engine.uploads import texts

MIB = 2**20


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits above which a file is rejected. Sizes are bytes.

    file_bytes: the file after decompression.
    ratio, ratio_free_bytes: a compressed file may unpack to the larger of `ratio_free_bytes` and
        `ratio` times its size on disk.
    record_bytes: one line or element.
    problems: listed in a report; further ones are only counted.
    """

    file_bytes: int = 2048 * MIB
    ratio: int = 50
    ratio_free_bytes: int = 10 * MIB
    record_bytes: int = 16 * MIB
    generation_chars: int = MIB
    generations_per_slot: int = 1000
    records: int = 5_000_000
    members: int = 1000
    problems: int = 100


BOUNDS = Bounds()


def in_words(size: int) -> Message:
    if size >= MIB and size % MIB == 0:
        return texts.MEBIBYTES(number=size // MIB)
    return texts.BYTES(number=f"{size:,}")
