"""The command line's arguments."""

import argparse
import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from evaluation.cli import commands, receipts
from evaluation.cli.intake import KEY_VARIABLE
from evaluation.engine.instructions import DYNAMIC, SETTINGS
from evaluation.engine.registry import FAMILIES
from evaluation.engine.variables import Variables
from evaluation.making import sources
from evaluation.making.languages import LANGUAGES

# The fields of `family.Sampling` that may be set or left to the endpoint.
_SAMPLING: Mapping[str, type[float] | type[int]] = {
    "temperature": float,
    "top_p": float,
    "max_tokens": int,
    "repetition_penalty": float,
}
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}
_LIMITS: Mapping[str, tuple[str, type[float] | type[int]]] = {
    "cpu": ("cpu_seconds", float),
    "wall": ("wall_factor", float),
    "memory": ("memory", int),
    "output": ("output", int),
    "pids": ("pids", int),
    "files": ("open_files", int),
}


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="python -m evaluation", description="Judges generations without the website."
    )
    kinds = top.add_subparsers(required=True, metavar="COMMAND")
    workers = argparse.ArgumentParser(add_help=False)
    workers.add_argument(
        "--workers", type=_at_least_one, default=os.cpu_count() or 1, metavar="N",
        help="concurrent sandboxes (default: one per processor)",
    )  # fmt: skip
    runtime = argparse.ArgumentParser(add_help=False)
    runtime.add_argument(
        "--runtime", default=Variables().text("ASSAY_SANDBOX_RUNTIME") or None,
        help="Docker runtime of the sandboxes, such as runsc (ASSAY_SANDBOX_RUNTIME)",
    )  # fmt: skip
    predictions = _benchmark(
        FAMILIES,
        answers="the private answers, if the tasks file does not contain them",
        setting="default: the family's first",
        prompts="the wording of the transcripts, if it is not ours",
    )
    predictions.add_argument("--predictions", type=Path, required=True, metavar="FILE")

    sandboxes = [workers, runtime]
    run = kinds.add_parser(
        "run", help="judge a prediction file in sandboxes", parents=[predictions, *sandboxes]
    )
    run.add_argument(
        "--report", type=Path, required=True, metavar="OUT.jsonl",
        help="one line per verdict; a run resumes from an existing report",
    )  # fmt: skip
    run.add_argument("--summary", type=Path, metavar="OUT.json", help="the scores as JSON")
    run.add_argument(
        "--limit", type=limit, action="append", default=[], metavar="NAME=VALUE",
        help="cpu=4s, wall=3 (times cpu), memory=512m, output=8m, pids=128, files=256",
    )  # fmt: skip
    run.set_defaults(command=commands.run)

    validate = kinds.add_parser(
        "validate", help="check a prediction file without judging it", parents=[predictions]
    )
    validate.set_defaults(command=commands.validate)

    prompts = _benchmark(
        [slug for slug, family in FAMILIES.items() if family.asking is not None],
        answers="the private answers; only --setting dynamic of some files needs them",
        setting=f"the family's first one by default; also {DYNAMIC}",
        prompts="another wording of the prompts",
    )
    words = "generate predictions from a model endpoint"
    _add_generation(kinds.add_parser("generate", help=words, parents=[prompts, *sandboxes]))
    words = "make tasks from the functions of a repository that its tests reach"
    _add_building(kinds.add_parser("build-tasks", help=words, parents=sandboxes))
    words = "find the commits that a benchmark's tasks were cut from"
    sources.add_arguments(kinds.add_parser("locate-sources", help=words))

    check = kinds.add_parser(
        "check-sandbox", help="check that the sandbox isolates programs", parents=[runtime]
    )
    check.set_defaults(command=commands.check_sandbox)

    words = "compute the scores of a site's receipt from its file of verdicts"
    verify = kinds.add_parser("verify", help=words)
    verify.add_argument("receipt", type=Path, metavar="RECEIPT")
    verify.add_argument("--verdicts", type=Path, required=True, metavar="FILE.jsonl")
    verify.set_defaults(command=receipts.verify)

    words = "judge the sample predictions that ship with Assay"
    demo = kinds.add_parser("demo", help=words, parents=[workers])
    demo.set_defaults(command=partial(commands.demo, top.parse_args))
    return top


def _benchmark(
    families: Iterable[str], *, answers: str, setting: str, prompts: str
) -> argparse.ArgumentParser:
    """The options that name a benchmark's files; the texts are their help."""
    command, slugs = argparse.ArgumentParser(add_help=False), sorted(families)
    add = command.add_argument
    add("family", choices=slugs, metavar="FAMILY", help=", ".join(slugs))
    add("--tasks", type=Path, required=True, metavar="FILE")
    add("--answers", type=Path, metavar="FILE", help=answers)
    add("--setting", metavar="S", help=setting)
    add("--prompts", type=Path, metavar="FILE.json", help=prompts)

    def ids(text: str) -> list[str]:
        return [part.strip() for part in text.split(",") if part.strip()]

    add("--only", type=ids, metavar="ID,...", help="only these tasks")
    return command


def _add_generation(command: argparse.ArgumentParser) -> None:
    def generate(arguments: argparse.Namespace) -> int:
        from evaluation.cli import generation  # takes a second; the other commands don't need it

        return generation.generate(arguments)

    def prices(text: str) -> tuple[float, float]:
        sent, _, answered = text.partition(",")
        both = float(sent), float(answered)
        if not all(0 <= price < float("inf") for price in both):
            raise argparse.ArgumentTypeError("prices must not be negative")
        return both

    add = command.add_argument
    add(
        "--out", type=Path, required=True, metavar="PREDICTIONS.jsonl",
        help="answers are stored next to it as they arrive, and a later run resumes from them",
    )  # fmt: skip
    add(
        "--endpoint", required=True, metavar="URL",
        help="such as https://host/v1, with OpenAI's interface",
    )  # fmt: skip
    add("--model", required=True, metavar="NAME", help="the model's name at the endpoint")
    add(
        "--key-file", type=Path, metavar="FILE",
        help=f"holds the endpoint's key (default: the variable {KEY_VARIABLE})",
    )  # fmt: skip
    add(
        "--public", action="store_true",
        help="refuse an endpoint that is not a public https address, and use no proxy",
    )  # fmt: skip
    add("--stream", action="store_true", help="stream the answers")
    add(
        "--concurrency", type=_at_least_one, default=8, metavar="C",
        help="concurrent messages (default: 8)",
    )  # fmt: skip
    add(
        "--timeout", type=_number("a number above zero", least=1e-9), default=600.0,
        metavar="SECONDS", help="timeout of one answer (default: 600)",
    )  # fmt: skip
    add(
        "--tries", type=_at_least_one, default=8, metavar="N",
        help="tries of a message without an answer (default: 8)",
    )  # fmt: skip
    add(
        "--price", type=prices, metavar="SENT,ANSWERED",
        help="US dollars per million input and output tokens, such as 2.5,10; for the cost",
    )  # fmt: skip
    add(
        "--history", choices=("last", "full"), default="last",
        help="earlier turns shown to the model in Multi-Turn: the last answer, or all",
    )  # fmt: skip
    add(
        "--base", type=Path, metavar="PREDICTIONS",
        help=f"the model's {SETTINGS[0]} predictions, with which {', '.join(SETTINGS[2:])} begin",
    )  # fmt: skip
    add("--samples", type=_at_least_one, metavar="N", help="answers per prompt")
    for name, kind in _SAMPLING.items():
        add(
            f"--{name.replace('_', '-')}",
            type=_number("none or a number that is not negative", kind, none=True),
            # Absent and none differ: absent means the benchmark's value.
            default=argparse.SUPPRESS,
            metavar="X",
            help="default: the benchmark's value; none leaves it to the endpoint",
        )
    command.set_defaults(command=generate)


def _add_building(command: argparse.ArgumentParser) -> None:
    def commit(text: str) -> str:
        if not re.fullmatch("[0-9a-f]{40}", text):
            raise argparse.ArgumentTypeError("a commit must have all of its 40 hexadecimal digits")
        return text

    add = command.add_argument
    add(
        "--repository", required=True, metavar="URL_OR_PATH",
        help="a git URL or directory, or an OWNER/NAME that ASSAY_REPOSITORIES finds",
    )  # fmt: skip
    add(
        "--name", metavar="OWNER/NAME",
        help="the repository's name in the tasks (default: the last two parts of its location)",
    )  # fmt: skip
    add("--commit", type=commit, required=True, metavar="SHA", help="in full")
    add("--image", required=True, metavar="IMAGE", help="as python:3.11-slim-bookworm")
    add("--build-command", required=True, metavar="COMMAND")
    add("--test-command", required=True, metavar="COMMAND")
    add("--language", required=True, choices=sorted(LANGUAGES))
    add("--out", type=Path, required=True, metavar="TASKS.jsonl")
    add("--most", type=_at_least_one, metavar="N", help="the maximum number of tasks")
    add(
        "--report", type=Path, metavar="REPORT.jsonl",
        help="one line per function; a build resumes from an existing report (default: next to "
        "--out)",
    )  # fmt: skip
    command.set_defaults(command=commands.build_tasks)


def _number(
    what: str, kind: type[float] | type[int] = float, *, least: float = 0.0, none: bool = False
) -> Callable[[str], float | int | None]:
    def number(text: str) -> float | int | None:
        value = None if none and text == "none" else kind(text)
        if value is not None and not least <= value < float("inf"):
            raise argparse.ArgumentTypeError(f"must be {what}")
        return value

    return number


_at_least_one = _number("at least 1", int, least=1)


def limit(text: str) -> tuple[str, float | int]:
    """A field of `Limits` and its value: `cpu=4s`, `memory=512m`, `wall=3` (times the processor
    time), `output`, `pids`, `files`."""
    parts = re.fullmatch(r"(\w+)=(\d+(?:\.\d+)?)([a-z]?)i?b?", text.lower())
    if not parts or parts[1] not in _LIMITS:
        names = ", ".join(_LIMITS)
        raise argparse.ArgumentTypeError(
            f"{text!r} is not one of {names} with a value, such as cpu=4s"
        )
    (field, kind), unit = _LIMITS[parts[1]], parts[3]
    if unit not in ({"", "s"} if kind is float else _UNITS):
        raise argparse.ArgumentTypeError(
            f"{text!r}: the unit {unit!r} does not belong to {parts[1]}"
        )
    value = float(parts[2]) if kind is float else int(float(parts[2]) * _UNITS[unit])
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r}: a limit must be above zero")
    return field, value
