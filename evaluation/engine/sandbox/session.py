"""A container that is ready to run executions: frames out, outcomes in.

Runs are sent a few at a time and answered in order, so that the container does not wait
for its host. A session that raised SandboxGone is over.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import select
import struct
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib.resources import files
from itertools import islice
from typing import Any, Self

import orjson

from evaluation.engine.errors import BenchmarkError, SandboxError, SandboxGone
from evaluation.engine.family import ByExecution
from evaluation.engine.records import Execution, Json, Limits, Outcome, Prepared, Stop
from evaluation.engine.sandbox import docker, layout
from evaluation.engine.sandbox.inside import frames

# In order of import. A runner's modules are sent only to where it is used: what forks is
# copied with each child, so it is kept small.
_INSIDE = {
    "frames": None,
    "plain": ("calls", "standins"),
    "cgroup": None,
    "cleanup": None,
    "loading": None,
    "annotations": ("standins",),
    "calls": ("calls",),
    "script": ("script", "standins"),
    "text": ("standins",),
    "serve": ("standins",),
    "judge": ("standins",),
    "packing": ("repository",),
    "trees": ("repository",),
    "surefire": ("repository",),
    "repository": ("repository",),
    "java_class": ("java_class",),
    "java_compiler": ("java_class",),
    "workshop": ("java_class",),
    "zygote": None,
    "supervisor": None,
}
# Which processes a runner takes: (name inside, which part of the payload, judging?).
# The last one is the one whose report counts.
_PROCESSES: dict[str, tuple[tuple[str, str | None, bool], ...]] = {
    "calls": (("calls", None, False),),
    "script": (("script", None, False),),
    "standins": (("serve", "candidate", False), ("judge", "judge", True)),
    "repository": (("repository", None, False),),
    "java_class": (("java_class", None, False),),
}
# What a container may hold of what a revision's tasks share: it is unpacked in memory.
KIT_MOST = 6 * 2**20
# Beyond the tree itself: what the tests write beside it.
TREE_ROOM = 2**30
START_SECONDS = 60.0
# Beyond a run's own wall limit: for the clean-up and a host that is busy elsewhere.
ANSWER_SECONDS = 30.0
# Few: what is sent ahead stays behind whatever never ends.
AHEAD_RUNS = 4
ANSWER_MOST = 32 * 2**20
_FLAGS = ("-I", "-S", "-B")
_PYTHON = ("python3", *_FLAGS)


def _source(name: str) -> str:
    return (files("evaluation.engine.sandbox.inside") / f"{name}.py").read_text("utf-8")


def _framed(*bodies: bytes) -> bytes:
    return b"".join(frames.PREFIX.pack(len(body)) + body for body in bodies)


def _run_frames(number: int, execution: Execution, project: Prepared | None) -> bytes:
    processes = _PROCESSES[execution.runner]
    limits = execution.limits
    header = {
        "n": number,
        "processes": [{"runner": name, "judge": judging} for name, _, judging in processes],
        "limits": {
            "cpu": limits.cpu_seconds,
            "wall": limits.wall_seconds,
            "output": limits.output,
        },
    }
    if project is not None:
        return _framed(*map(_dumped, [header, *_in_tree(execution.payload, project)]))
    parts = [
        execution.payload if part is None else execution.payload[part] for _, part, _ in processes
    ]
    return _framed(*map(_dumped, [header, *parts]))


def _in_tree(payload: Mapping[str, Json], project: Prepared) -> tuple[object, Json]:
    """What the runner is told, and the files, which it does not write itself."""
    program = {name: value for name, value in payload.items() if name != "files"}
    home = {"environment": dict(project.environment), "home": layout.HOME}
    return {**program, **home}, payload["files"]


def _dumped(value: object) -> bytes:
    """JSON; the slower writer for what the faster one refuses (lone surrogates)."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return frames.dump(value)


def _loaded(body: bytes) -> Any:
    """The value of some JSON; the slower reader for what the faster one refuses. ValueError."""
    try:
        return orjson.loads(body)
    except ValueError:
        return json.loads(body)


def _outcome(facts: dict[str, Any], report: bytes) -> Outcome:
    status = int(facts["status"])
    try:
        # The first frame is the report; whatever follows it was not asked for.
        size = frames.PREFIX.unpack(report[:4])[0]
        told = _loaded(report[4 : 4 + size]) if len(report) >= 4 + size else None
    except (ValueError, RecursionError, struct.error):
        told = None
    exited = status & 0x7F == 0
    return Outcome(
        exit_code=status >> 8 if exited else None,
        signal=None if exited else status & 0x7F,
        stop=Stop(facts["stop"]) if facts["stop"] else None,
        cpu_seconds=float(facts["cpu"]),
        wall_seconds=float(facts["wall"]),
        peak_memory_kib=int(facts["memory"]),
        oom_kills=int(facts["oom_kills"]),
        report=told if isinstance(told, dict) else None,
        output=str(facts["output"]),
        output_truncated=bool(facts["cut"]),
    )


def _first(limits: Limits, warm: Iterable[str], place: docker.Place | None) -> dict[str, Any]:
    """What the supervisor and the zygote are told before anything of a run."""
    largest = place.size if place else docker.TMPFS["/work"] * 2**20
    return {
        "bootstrap": _source("bootstrap"),
        "interpreter": [*layout.INTERPRETER, *_FLAGS] if place else None,
        "warm": list(warm),
        "limits": {"files": limits.open_files, "file_size": largest},
    }


def _place(project: Prepared) -> docker.Place:
    return docker.Place(project.root, project.tree_bytes + TREE_ROOM)


def _tree(place: docker.Place) -> dict[str, str]:
    """What the supervisor is told of it."""
    return {"root": place.root, "pack": layout.PACK, "plugin": _source("pytest_plugin")}


def opener(
    judged: ByExecution,
    image: str,
    limits: Limits,
    *,
    runtime: str | None = None,
    labels: dict[str, str] | None = None,
    kit: bytes = b"",
) -> Callable[[], Session]:
    """What opens sandboxes for a family's generations; `kit` is what the revision's tasks
    share. Opening raises SandboxError, and BenchmarkError where the kit is of no use."""
    return partial(
        Session,
        image,
        limits,
        runners=judged.runners,
        warm=judged.warm,
        runtime=runtime,
        labels=labels,
        kit=kit,
    )


class Session:
    """Use as a context manager. Starting raises SandboxError, BenchmarkError where the kit,
    which is what the tasks of a revision share, is of no use.

    In a container for a prepared project, whose image it then is, there is one run and no more.
    `born` is told of the container before anything in it is waited for.
    """

    def __init__(
        self,
        image: str,
        limits: Limits,
        *,
        runners: Iterable[str] = ("calls", "script", "standins"),
        warm: Iterable[str] = (),
        runtime: str | None = None,
        cpus: float = 1.0,
        labels: dict[str, str] | None = None,
        project: Prepared | None = None,
        kit: bytes = b"",
        born: Callable[[docker.Container], None] = lambda _: None,
    ) -> None:
        if len(kit) > KIT_MOST:
            raise BenchmarkError(
                f"What the tasks share is too large for a sandbox: {len(kit)} bytes."
            )
        place = None if project is None else _place(project)
        confinement = docker.Confinement(image, limits.memory, limits.pids, cpus, runtime, place)
        interpreter = _PYTHON if project is None else (*layout.INTERPRETER, *_FLAGS)
        command = [*interpreter, "-c", _source("bootstrap"), "supervisor", "0"]
        self._nonce = secrets.token_hex(16)
        self._received = bytearray()
        self._project = project
        self._kit = hashlib.sha256(kit).hexdigest() if kit else ""
        self.container = docker.Container(confinement, command, labels or {})
        self.runs = 0
        used = set(runners)
        names = [n for n, needed in _INSIDE.items() if needed is None or used & set(needed)]
        config = {
            "nonce": self._nonce,
            "uid": self.container.uid,
            "cores": cpus,
            "tree": None if place is None else _tree(place),
            "workshop": "java_class" in used,
        }
        told = [[[name, _source(name)] for name in names], _first(limits, warm, place), config]
        self._unsent = bytearray(_framed(*map(frames.dump, told)))
        if config["workshop"]:
            self._unsent += _framed(kit)
        try:
            born(self.container)
            self._started()
        except BaseException:
            self.close()
            raise

    def _started(self) -> None:
        told = self._told(START_SECONDS)
        if "unfit" in told:
            raise BenchmarkError(f"What the tasks share cannot be used: {told['unfit']}")

    @property
    def id(self) -> str:
        return self.container.id

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.container.remove()

    def abort(self) -> None:
        """Ends the container from another thread; whoever waits for it sees SandboxGone."""
        self.container.kill()

    def run(self, execution: Execution) -> Outcome:
        """One execution. Raises SandboxGone."""
        (outcome,) = self.run_all([execution])
        return outcome

    def run_all(self, executions: Iterable[Execution]) -> Iterator[Outcome]:
        """The outcomes in order; up to AHEAD_RUNS executions are taken and sent ahead.

        Raises SandboxGone, whose `position` was being run; SandboxError for one that needs what
        other tasks share.
        """
        numbered = enumerate(executions)
        sent: deque[tuple[int, Execution]] = deque()
        while True:
            if len(sent) < 2:
                for upcoming in islice(numbered, AHEAD_RUNS - len(sent)):
                    self._require_kit(upcoming[1])
                    self._unsent += _run_frames(*upcoming, self._project)
                    sent.append(upcoming)
            if not sent:
                return
            number, execution = sent.popleft()
            try:
                facts = self._facts(number, execution.limits.wall_seconds + ANSWER_SECONDS)
                report = self._frame(ANSWER_SECONDS)
            except SandboxGone as gone:
                gone.position = number
                raise
            self.runs += 1
            yield _outcome(facts, report)

    def _require_kit(self, execution: Execution) -> None:
        """What a run needs of a kit it names by its hash: another one would judge it wrongly.
        Raises SandboxError."""
        wanted = execution.payload.get("kit")
        if wanted and wanted != self._kit:
            raise SandboxError("The sandbox was opened with what the tasks of another file share.")

    def _facts(self, number: int, timeout: float) -> dict[str, Any]:
        facts = self._told(timeout)
        if facts.get("n") != number:
            raise SandboxGone("protocol", "The sandbox answered what it was not asked.")
        if "irregular" in facts:
            raise SandboxGone("irregular", f"The sandbox must be replaced: {facts['irregular']}.")
        if "refused" in facts:
            raise SandboxError(f"A file of a run cannot be written: {facts['refused']}.")
        return facts

    def _told(self, timeout: float) -> dict[str, Any]:
        """The next frame as JSON, from the supervisor and nobody else."""
        try:
            told = _loaded(self._frame(timeout))
        except ValueError:
            told = None
        if not isinstance(told, dict) or told.get("nonce") != self._nonce:
            raise SandboxGone("protocol", "The sandbox sent what its supervisor does not send.")
        return told

    def _frame(self, timeout: float) -> bytes:
        """The next frame. What is to be sent goes out meanwhile, so that nothing blocks."""
        deadline = time.monotonic() + timeout
        head = frames.PREFIX.size
        while True:
            if len(self._received) >= head:
                (size,) = frames.PREFIX.unpack_from(self._received)
                if size > ANSWER_MOST:
                    raise SandboxGone("protocol", f"The sandbox announced {size} bytes.")
                if len(self._received) >= head + size:
                    body = bytes(self._received[head : head + size])
                    del self._received[: head + size]
                    return body
            self._pump(deadline - time.monotonic())

    def _pump(self, timeout: float) -> None:
        """Moves bytes in whichever direction can. Raises SandboxGone at the stream's end."""
        if timeout <= 0:
            raise SandboxGone("silent", "The sandbox stopped answering.")
        sending = [self.container] if self._unsent else []
        try:
            readable, writable, _ = select.select([self.container], sending, [], timeout)
            if writable:
                del self._unsent[: self.container.send(self._unsent)]
            data = self.container.receive() if readable else None
        except OSError as error:
            raise SandboxGone("docker", f"The connection to the sandbox broke ({error}).") from None
        if data is None:
            return
        if not data and self.container.ended:
            how = self.container.how_it_ended()
            said = self.container.errors.decode("utf-8", "replace").strip()[-300:]
            raise SandboxGone(how, f"The sandbox went down ({how}). {said}".strip())
        self._received += data
