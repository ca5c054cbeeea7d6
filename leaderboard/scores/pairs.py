"""The adjusted p of each pair of a board, as stored with the board."""

import zlib
from functools import lru_cache

import numpy as np

from evaluation.engine.metrics.intervals import Floats

# Every p of a board is a multiple of 1 / _PARTS: see the draws of engine.metrics.paired.
_PARTS = 10_000


def packed(p: Floats) -> bytes:
    """`p` is square, by place. Keeps the pairs above the diagonal, row by row."""
    above = p[np.triu_indices(len(p), 1)]
    return zlib.compress(np.rint(above * _PARTS).astype("<u2").tobytes(), 1)


def adjusted_p(pairs: bytes, places: int, first: int, second: int) -> float | None:
    """The p of the rows in two different places, from 1, on a board with `places` rows. None if
    a row has left the board since it was made."""
    low, high = sorted((first - 1, second - 1))
    p = unpacked(pairs)
    if len(p) != places * (places - 1) // 2:
        return None
    return float(p[low * places - low * (low + 1) // 2 + high - low - 1])


@lru_cache(maxsize=16)
def unpacked(pairs: bytes) -> Floats:
    """The p of all pairs, in the order of `packed`; not to be changed. Cached: a filtered board
    asks for a pair at a time."""
    p = np.frombuffer(zlib.decompress(pairs) if pairs else b"", dtype="<u2") / _PARTS
    p.setflags(write=False)
    return p
