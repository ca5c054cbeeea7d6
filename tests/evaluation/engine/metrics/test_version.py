"""Tests that the version of the metrics changes whenever their numbers do."""

from hashlib import sha256

import numpy as np

from evaluation.engine.metrics import METRICS_VERSION
from evaluation.engine.metrics.agreement import Item, ordinal_alpha, weighted_kappa
from evaluation.engine.metrics.differences import compare
from evaluation.engine.metrics.intervals import error_parts, mean_interval, places_interval
from evaluation.engine.metrics.paired import Showing
from evaluation.engine.metrics.panel import panel_mean
from evaluation.engine.metrics.ranking import rank
from evaluation.engine.metrics.raters import Raters, variance_between, weights_of

# The digest of the numbers of `_computed`, by version. A changed number needs a new version.
DIGESTS = {"3": "8cd4065e210fc608"}


def test_the_numbers_are_those_of_the_version() -> None:
    found = repr(_computed())
    digest = sha256(found.encode()).hexdigest()[:16]
    assert DIGESTS[METRICS_VERSION] == digest, f"other numbers, digest {digest}: {found}"


def _computed() -> list[object]:
    random = np.random.default_rng(2026)
    rates = np.clip(random.normal(np.linspace(0.2, 0.8, 24)[:, None], 0.2, (24, 30)), 0, 1)
    passes = random.binomial(10, rates)
    values = passes / 10
    groups = [group.tolist() for group in np.split(values[0], [5, 6, 12, 20, 22, 25])]
    noisy = [[(value, value * (1 - value) / 9) for value in group] for group in groups]
    talks = [[[value, value / 2][: 1 + n % 2]] for n, value in enumerate(values[1].tolist())]
    marks = np.clip(np.rint(values[:, :, None] * 3 + random.normal(1, 0.5, (24, 30, 3))), 1, 4)
    items = [
        [
            Item(task, {str(n): int(mark) for n, mark in enumerate(own)})
            for task, own in enumerate(every)
        ]
        for every in marks
    ]
    showings = [
        Showing(n, {task: [value] for task, value in enumerate(own.tolist())})
        for n, own in enumerate(values)
    ]
    joined = [item for own in items[:4] for item in own]
    panels = [Raters(weights_of(own), *variance_between(joined, 4)) for own in items[:4]]
    return _rounded(
        [
            mean_interval(groups),
            mean_interval([[value * 1.75] for value in values[3].tolist()]),
            mean_interval([[float(value > 0.5)] for value in values[2].tolist()]),
            error_parts(noisy),
            places_interval(talks),
            panel_mean(items[0], 4),
            ordinal_alpha(joined),
            weighted_kappa(joined),
            compare(showings[:3]),
            rank(showings),
            rank(showings[:4], panels=panels),
        ]
    )


def _rounded(found: object) -> list[object]:
    """All numbers in order, rounded to nine digits so that they are equal on any processor."""
    if isinstance(found, bool | str | None):
        return [found]
    if isinstance(found, int | float):
        return [f"{found:.9g}"]
    if isinstance(found, np.ndarray):
        found = found.tolist()
    parts = found if isinstance(found, list | tuple) else _fields(found)
    return [number for part in parts for number in _rounded(part)]


def _fields(found: object) -> list[object]:
    names = getattr(found, "__dataclass_fields__")  # noqa: B009  # objects have none in general
    return [getattr(found, name) for name in names]
