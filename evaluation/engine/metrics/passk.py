"""pass@k of one task."""

from __future__ import annotations

from math import comb


def pass_at_k(n: int, c: int, k: int) -> float | None:
    """The chance that at least one of `k` of the `n` samples is right, if `c` of the n are. The
    unbiased estimator 1 - C(n - c, k) / C(n, k) of Chen et al. 2021 (arXiv 2107.03374, section
    2.1), exact for any n. Returns None if n < k; published scripts return 1.0 there. Raises
    ValueError for impossible counts."""
    if k < 1 or not 0 <= c <= n:
        raise ValueError(f"no pass@{k} of {c} right among {n}")
    if n < k:
        return None
    subsets = comb(n, k)
    return (subsets - comb(n - c, k)) / subsets
