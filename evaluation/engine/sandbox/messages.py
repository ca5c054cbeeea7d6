"""The contents of the frames that a container receives and sends."""

import ast
import json
import struct
from collections.abc import Collection, Iterable
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

import orjson

from evaluation.engine.parsing import parse
from evaluation.engine.records import Execution, Limits, Outcome, Prepared, Stop
from evaluation.engine.sandbox import docker, layout
from evaluation.engine.sandbox.inside import frames

_Process: TypeAlias = tuple[
    str, str | None, bool
]  # the name inside, a part of the payload, judging?
# The runners with more than one process. The report of the last one counts.
_PAIRS: dict[str, tuple[_Process, ...]] = {
    "standins": (("serve", "candidate", False), ("judge", "judge", True)),
    "java_outside": (("java_jvm", "candidate", False), ("java_outside", "judge", True)),
}
_INSIDE = files("evaluation.engine.sandbox.inside")
_FLAGS = ("-I", "-S", "-B")


def command(project: Prepared | None) -> list[str]:
    interpreter = ("python3",) if project is None else layout.INTERPRETER
    return [*interpreter, *_FLAGS, "-c", source("bootstrap"), "supervisor", "0"]


def opening(
    runners: Collection[str],
    limits: Limits,
    warm: Iterable[str],
    place: docker.TreeMount | None,
    *,
    nonce: str,
    uid: int,
    kit: bytes,
) -> bytes:
    """The bytes that precede the first run: the supervisor's modules, the zygote's modules and
    settings, and the settings that only the supervisor may see."""
    processes = {name for runner in runners for name, _, _ in _processes(runner)}
    ours = {"supervisor"}
    if place:
        ours.add("trees")
    if "java_class" in runners:
        ours.add("workshop")
        processes.add("java_jvm")
    config = {
        "nonce": nonce,
        "uid": uid,
        "tree": place and {"root": place.root, "pack": layout.PACK, "plugin": plugin()},
        "workshop": "java_class" in runners,
    }
    largest = place.size if place else docker.TMPFS["/work"] * 2**20
    settings = {
        "bootstrap": source("bootstrap"),
        "interpreter": [*layout.INTERPRETER, *_FLAGS] if place else None,
        "warm": list(warm),
        "limits": {"files": limits.open_files, "file_size": largest},
        "sources": _sources({"zygote", *processes}),
    }
    sent = _framed(*map(frames.dump, [_sources(ours), settings, config]))
    return sent + _framed(kit) if config["workshop"] else sent


def _processes(runner: str) -> tuple[_Process, ...]:
    return _PAIRS.get(runner, ((runner, None, False),))


def plugin() -> dict[str, str]:
    """The texts of the tests' plugin by module."""
    names = (path.name for path in (_INSIDE / "pytest_plugin").iterdir())
    modules = sorted(name.removesuffix(".py") for name in names if name.endswith(".py"))
    return {name: source(f"pytest_plugin/{name}") for name in modules}


def run(number: int, execution: Execution, project: Prepared | None) -> bytes:
    processes = _processes(execution.runner)
    limits = execution.limits
    header = {
        "n": number,
        "processes": [{"runner": name, "judge": judging} for name, _, judging in processes],
        "limits": {
            "cpu": limits.cpu_seconds,
            "wall": limits.wall_seconds,
            "idle": limits.idle_seconds,
            "output": limits.output,
        },
    }
    if project is not None:
        # The runner does not write the files itself, nor reads those of the tests.
        program = dict(execution.payload)
        files, header["hidden"] = program.pop("files"), program.pop("hidden", [])
        program |= {"environment": dict(project.environment), "home": layout.HOME}
        return _framed(*map(_dumped, [header, program, files]))
    parts = [
        execution.payload if part is None else execution.payload[part] for _, part, _ in processes
    ]
    return _framed(*map(_dumped, [header, *parts]))


def _dumped(value: object) -> bytes:
    """Falls back to the slower writer for lone surrogates, which orjson rejects."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return frames.dump(value)


def loaded(body: bytes) -> Any:
    """Falls back to the slower reader for input that orjson rejects. Raises ValueError."""
    try:
        return orjson.loads(body)
    except ValueError:
        return json.loads(body)


def outcome(facts: dict[str, Any], report: bytes) -> Outcome:
    """Leaves the report out if it is malformed."""
    status = int(facts["status"])
    try:
        # The first frame is the report; later frames are ignored.
        size = frames.PREFIX.unpack(report[:4])[0]
        content = loaded(report[4 : 4 + size]) if len(report) >= 4 + size else None
    except (ValueError, RecursionError, struct.error):
        content = None
    exited = status & 0x7F == 0
    return Outcome(
        exit_code=status >> 8 if exited else None,
        signal=None if exited else status & 0x7F,
        stop=Stop(facts["stop"]) if facts["stop"] else None,
        cpu_seconds=float(facts["cpu"]),
        wall_seconds=float(facts["wall"]),
        pause_seconds=float(facts.get("pause", 0.0)),
        delay_seconds=float(facts.get("delay", 0.0)),
        peak_memory_kib=int(facts["memory"]),
        oom_kills=int(facts["oom_kills"]),
        report=content if isinstance(content, dict) else None,
        output=str(facts["output"]),
        errors=str(facts["errors"]),
    )


def _sources(programs: Iterable[str]) -> list[tuple[str, str]]:
    """The programs' modules in order of import. A container gets no others, and a process in it
    only its own: it compiles them at its start, and a fork copies the zygote."""
    modules: dict[str, str] = {}

    def add(name: str) -> None:
        if name not in modules:
            text = source(name)
            for imported in _imports(text):
                add(imported)
            modules[name] = text

    for program in sorted(programs):
        add(program)
    return list(modules.items())


@cache
def _imports(text: str) -> list[str]:
    names = []
    for node in parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            names += [node.module] if node.module else [alias.name for alias in node.names]
    return names


def source(name: str) -> str:
    return (_INSIDE / f"{name}.py").read_text("utf-8")


def _framed(*bodies: bytes) -> bytes:
    return b"".join(frames.PREFIX.pack(len(body)) + body for body in bodies)
