"""The arguments of `generate`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

from evaluation.cli import shared
from evaluation.engine.instructions import DYNAMIC, SETTINGS
from evaluation.engine.registry import FAMILIES

KEY_VARIABLE = "ASSAY_MODEL_KEY"
# The fields of `family.Sampling` that may be set or left to the endpoint.
SAMPLING: Mapping[str, type[float] | type[int]] = {
    "temperature": float,
    "top_p": float,
    "max_tokens": int,
    "repetition_penalty": float,
}


def add_arguments(command: argparse.ArgumentParser) -> None:
    asked = sorted(slug for slug, family in FAMILIES.items() if family.asking is not None)
    command.add_argument("family", choices=asked, metavar="FAMILY", help=", ".join(asked))
    command.add_argument("--tasks", type=Path, required=True, metavar="FILE")
    command.add_argument(
        "--answers",
        type=Path,
        metavar="FILE",
        help="the private answers; only --setting dynamic of some files needs them",
    )
    command.add_argument("--only", type=shared.ids, metavar="ID,...", help="only these tasks")
    command.add_argument(
        "--setting", metavar="S", help=f"the family's first one by default; also {DYNAMIC}"
    )
    command.add_argument(
        "--out", type=Path, required=True, metavar="PREDICTIONS.jsonl",
        help="answers are stored next to it as they arrive, and a later run resumes from them",
    )  # fmt: skip
    _model(command)
    _conversations(command)
    _sampling(command)
    shared.workers(command)
    shared.runtime(command)


def _model(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--endpoint",
        required=True,
        metavar="URL",
        help="such as https://host/v1, with OpenAI's interface",
    )
    command.add_argument(
        "--model", required=True, metavar="NAME", help="the model's name at the endpoint"
    )
    command.add_argument(
        "--key-file", type=Path, metavar="FILE",
        help=f"holds the endpoint's key (default: the variable {KEY_VARIABLE})",
    )  # fmt: skip
    command.add_argument(
        "--public", action="store_true",
        help="refuse an endpoint that is not a public https address, and use no proxy",
    )  # fmt: skip
    command.add_argument("--stream", action="store_true", help="stream the answers")
    command.add_argument(
        "--concurrency", type=shared.at_least_one, default=8, metavar="C",
        help="concurrent messages (default: 8)",
    )  # fmt: skip
    command.add_argument(
        "--timeout", type=_above_zero, default=600.0, metavar="SECONDS",
        help="timeout of one answer (default: 600)",
    )  # fmt: skip
    command.add_argument(
        "--tries", type=shared.at_least_one, default=8, metavar="N",
        help="tries of a message without an answer (default: 8)",
    )  # fmt: skip
    command.add_argument(
        "--price", type=_price, metavar="SENT,ANSWERED",
        help=
            "price per million input and output tokens, such as 2.5,10; the run reports the "
            "cost",
    )  # fmt: skip


def _conversations(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--history", choices=("last", "full"), default="last",
        help="earlier turns shown to the model in Multi-Turn: the last answer, or all",
    )  # fmt: skip
    command.add_argument(
        "--base", type=Path, metavar="PREDICTIONS",
        help=f"the model's {SETTINGS[0]} predictions, with which {', '.join(SETTINGS[2:])} begin",
    )  # fmt: skip
    command.add_argument(
        "--prompts", type=Path, metavar="FILE.json", help="another wording of the prompts"
    )


def _sampling(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--samples", type=shared.at_least_one, metavar="N", help="answers per prompt"
    )
    for name, kind in SAMPLING.items():
        command.add_argument(
            f"--{name.replace('_', '-')}",
            type=_or_none(kind),
            # Absent and none differ: absent means the benchmark's value.
            default=argparse.SUPPRESS,
            metavar="X",
            help="default: the benchmark's value; none leaves it to the endpoint",
        )


def _or_none(kind: type[float] | type[int]) -> Callable[[str], float | int | None]:
    def value(text: str) -> float | int | None:
        found = None if text == "none" else kind(text)
        if found is not None and not 0 <= found < float("inf"):
            raise argparse.ArgumentTypeError("must be none or a number that is not negative")
        return found

    value.__name__ = "number"
    return value


def _above_zero(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError("must be a number above zero")
    return number


def _price(text: str) -> tuple[float, float]:
    sent, _, answered = text.partition(",")
    found = float(sent), float(answered)
    if not all(0 <= price < float("inf") for price in found):
        raise argparse.ArgumentTypeError("prices must not be negative")
    return found
