"""pass@k of one task, and its like for values."""

from collections.abc import Sequence
from math import comb, fsum


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


def expected_largest(values: Sequence[float], k: int) -> float | None:
    """The expected largest of `k` of the values, drawn without replacement: of n values in order,
    the i-th smallest is the largest in C(i - 1, k - 1) of the C(n, k) draws. For k = 1 it is the
    mean, for k = n the largest, which the script of DevEval's Recall@k takes of the first k samples
    (arXiv 2405.19856, section 3.2); for values 0 and 1 it is `pass_at_k`. Returns None if n < k.
    Raises ValueError if k < 1."""
    if k < 1:
        raise ValueError(f"no largest of {k} values")
    if len(values) < k:
        return None
    weighted = (comb(i, k - 1) * value for i, value in enumerate(sorted(values)))
    return fsum(weighted) / comb(len(values), k)


def run_variance(n: int, c: int, k: int) -> float | None:
    """The variance of `pass_at_k` over other samples of the same task, estimated without bias (one
    estimate may be below 0). Returns None if n < 2k: no two draws of k samples are independent. The
    estimate is q^2 - C(n - c, 2k) / C(n, 2k) with q = C(n - c, k) / C(n, k). The second term is the
    unbiased estimate of the square of the chance that k samples fail (W. Hoeffding, Annals of
    Mathematical Statistics 19 (1948) 293-325)."""
    if n < 2 * k:
        return None
    wrong = n - c
    return (comb(wrong, k) / comb(n, k)) ** 2 - comb(wrong, 2 * k) / comb(n, 2 * k)
