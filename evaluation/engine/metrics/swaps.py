"""The swap tests of pairs of results, kept from one board for the next."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int16]
# Bytes of a result's digest.
DIGEST = 16
# The count of a pair that was not tested.
UNKNOWN = -1


def _nothing() -> Counts:
    return np.empty((0, 0), dtype=np.int16)


@dataclass(slots=True)
class Swaps:
    """`counts` has, by pair, the number of draws of the swap test that reach its difference, or
    UNKNOWN. It is symmetric. `digests` identify the results. A pair's count does not depend on the
    other entrants of a board."""

    digests: tuple[bytes, ...] = ()
    counts: Counts = field(default_factory=_nothing)

    def limit_to(self, digests: Sequence[bytes]) -> None:
        """Keeps the pairs of these results, in this order."""
        places = {digest: place for place, digest in enumerate(self.digests)}
        there = [place for place, digest in enumerate(digests) if digest in places]
        before = [places[digests[place]] for place in there]
        counts = np.full((len(digests), len(digests)), UNKNOWN, dtype=np.int16)
        if there:
            counts[np.ix_(there, there)] = self.counts[np.ix_(before, before)]
        self.digests, self.counts = tuple(digests), counts

    def packed(self) -> bytes:
        return zlib.compress(b"".join((*self.digests, self.counts.tobytes())), 1)

    @classmethod
    def unpacked(cls, packed: bytes) -> Swaps:
        """Reads what `packed` wrote; empty bytes give an empty result."""
        raw = zlib.decompress(packed) if packed else b""
        # n digests and n * n counts of two bytes are 2 n (n + 8) bytes.
        results = round((len(raw) / 2 + (DIGEST / 4) ** 2) ** 0.5 - DIGEST / 4)
        ends = range(0, results * DIGEST, DIGEST)
        counts = np.frombuffer(raw, dtype=np.int16, offset=results * DIGEST) if raw else _nothing()
        digests = tuple(raw[end : end + DIGEST] for end in ends)
        return cls(digests, counts.reshape(results, results))
