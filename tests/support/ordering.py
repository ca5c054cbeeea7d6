"""Runs at a model's endpoint for tests, ordered as teams order them."""

from dataclasses import asdict
from typing import Any

from evaluation.engine.family import Sampling
from leaderboard.generation import runs
from leaderboard.generation.models import Run
from tests.support.cast import Cast

KEY = "sk-veiled-key-0123456789abcdef"
ENDPOINT = "https://veiled-endpoint.example/v1"


def ordered(cast: Cast, *, key: str = KEY, setting: str = "base", **more: Any) -> Run:
    """A waiting run of Northwood's, with one sample for each of ruCodeEval's sample tasks."""
    benchmark = more.pop("benchmark", None) or cast.rucodeeval
    entrant = more.pop("entrant", None) or cast.entrant()
    assert benchmark.current is not None
    sampling = asdict(more.pop("sampling", Sampling(samples=1)))
    sent, answered = more.pop("price", (None, None))
    columns = {"endpoint": ENDPOINT, "model": "veiled-model", "sampling": sampling, **more}
    columns |= {"price_sent": sent, "price_answered": answered}
    revision = benchmark.current
    run = Run(user=cast.alice, entrant=entrant, revision=revision, setting=setting, **columns)
    return runs.order_run(run=run, key=key)
