"""The header of a predictions file: the run's inputs and its statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.generation.addresses import checked_url
from evaluation.engine.generation.asking import Tally
from evaluation.engine.generation.endpoint import Asked
from evaluation.engine.generation.price import Price
from evaluation.engine.records import Json


def identity(
    asked: Asked, *, family: str, setting: str, history: str, prompts: str, **files: str | None
) -> dict[str, Json]:
    """Everything that answers depend on. Omits the number of samples, because a later run may add
    some. `prompts` names the prompts' origin, `files` maps names of input files to hashes."""
    sampling = asdict(asked.sampling)
    del sampling["samples"]
    return {
        "made_by": f"Assay {ENGINE_VERSION}",
        "family": family,
        "setting": setting,
        "history": history,
        "endpoint": checked_url(asked.url),
        "model": asked.model,
        "sampling": sampling,
        "prompts": prompts,
        "files": dict(files),
    }


def header(
    identity: Mapping[str, Json],
    asked: Asked,
    tally: Tally,
    *,
    began: str,
    ended: str,
    width: int,
    tries: int,
    price: Price | None,
    judged: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """`judged` is the environment that judged dynamic turns, if any."""
    told: dict[str, Any] = {
        **identity,
        "samples": asked.sampling.samples,
        "stream": asked.stream,
        "at_a_time": width,
        "timeout": asked.seconds,
        "tries": tries,
        "began": began,
        "ended": ended,
        "answers": tally.answered + tally.kept,
        "unanswered": len(tally.lost),
        "cut_off": tally.cut_off,
        "answered_by": sorted(tally.models),
        "tokens": {
            "sent": tally.tokens_in,
            "answered": tally.tokens_out,
            "answers_uncounted": tally.uncounted,
        },
    }
    if price is not None:
        told["price"] = {**price._asdict(), "total": round(price.of(tally), 6)}
    if judged is not None:
        told["judged"] = dict(judged)
    return told
