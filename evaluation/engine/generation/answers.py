"""Requests to an endpoint and its answers, without the large library that `endpoint` imports."""

from __future__ import annotations

from dataclasses import dataclass, field

from evaluation.engine.family import Sampling


@dataclass(frozen=True, slots=True)
class Asked:
    """Parameters of a run's requests. `seconds` is the timeout of one whole answer."""

    url: str
    model: str
    sampling: Sampling
    stream: bool = False
    seconds: float = 600.0
    key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """`finish` is the reason for the end ("stop", "length", "" if unknown). Tokens are None if the
    endpoint does not count them."""

    text: str
    finish: str = ""
    model: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None

    @property
    def cut_off(self) -> bool:
        return self.finish == "length"
