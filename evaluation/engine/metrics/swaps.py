"""The tests of pairs of results, kept from one board for the next."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evaluation.engine.metrics.intervals import Floats

Counts = NDArray[np.int16]
# Bytes of a result's digest.
DIGEST = 16
# The count of a pair that was not tested.
UNKNOWN = -1


@dataclass(slots=True)
class Swaps:
    """`counts` has, by pair, the number of draws of the swap test that reach its difference, or
    UNKNOWN. It is symmetric. `digests` identify the results. A pair's count does not depend on the
    other entrants of a board. `maxima` are those of the joint test, in the order of its draws, over
    all pairs of the results whose digests are `joined`; empty if there are none."""

    digests: tuple[bytes, ...] = ()
    counts: Counts = field(default_factory=lambda: np.empty((0, 0), dtype=np.int16))
    maxima: Floats = field(default_factory=lambda: np.zeros(0))
    joined: frozenset[bytes] = frozenset()

    def limit_to(self, digests: Sequence[bytes]) -> None:
        """Keeps the pairs of these results, in this order, and the maxima if none has gone."""
        if not self.joined <= set(digests):
            self.maxima, self.joined = np.zeros(0), frozenset()
        places = {digest: place for place, digest in enumerate(self.digests)}
        there = [place for place, digest in enumerate(digests) if digest in places]
        before = [places[digests[place]] for place in there]
        counts = np.full((len(digests), len(digests)), UNKNOWN, dtype=np.int16)
        if there:
            counts[np.ix_(there, there)] = self.counts[np.ix_(before, before)]
        self.digests, self.counts = tuple(digests), counts

    def packed(self) -> bytes:
        """Only with maxima of all results, or with none."""
        number = len(self.digests).to_bytes(4, "little")
        arrays = self.counts.tobytes(), self.maxima.tobytes()
        return zlib.compress(b"".join((number, *self.digests, *arrays)), 1)

    @classmethod
    def unpacked(cls, packed: bytes) -> "Swaps":
        """Reads what `packed` wrote; empty bytes give an empty result."""
        if not packed:
            return cls()
        raw = zlib.decompress(packed)
        results = int.from_bytes(raw[:4], "little")
        ends = [4 + DIGEST * place for place in range(results + 1)]
        counts = np.frombuffer(raw, np.int16, results * results, ends[-1])
        maxima = np.frombuffer(raw[ends[-1] + counts.nbytes :], np.float64).copy()
        digests = tuple(raw[end : end + DIGEST] for end in ends[:-1])
        joined = frozenset(digests if len(maxima) else ())
        return cls(digests, counts.reshape(results, results), maxima, joined)
