"""The supervisor's part for Java: files that tasks share, and classes compiled for each run.

The compiler is a warm process of its own user. It never sees a running candidate, and runs no
compiled code. Its classes are in the guardian's directory, where candidates can read and not write.
"""

import io
import json
import os
import select
import shutil
import signal
import socket
import time
from base64 import b64encode
from collections import OrderedDict
from contextlib import AbstractContextManager
from typing import Any

from . import cleanup, frames
from .places import JUDGE, Place, Unfit

KIT, RUN = f"{JUDGE}/kit", f"{JUDGE}/run"
# Seconds of processor time for one compilation, and of wall time; after these the host counts as
# too busy to judge the compilation.
MOST_CPU, MOST_WALL = 10.0, 25.0
_LOOK_SECONDS = 0.25
_TICKS = os.sysconf("SC_CLK_TCK")
ANSWER_MOST = 16 * 2**20
# Limits of a generation's classes: a text of a few KiB can compile to any size, and the guardian's
# directory holds the kit too. A file's name is as long as Linux allows.
CLASSES_MOST, CLASSES_BYTES, NAME_MOST = 500, 2 * 2**20, 255
# Runs of one task follow each other, and a run that was disturbed is repeated.
REMEMBERED = 16
_NOTHING = bytes(9)
_GAVE_UP = [["", 0, "the compiler took too long"]]
_DIED = [["", 0, "the compiler ran out of memory"]]
_TOO_MUCH = [["", 0, "it compiles to more or larger classes than are allowed"]]
_TOO_LONG = [["", 0, "the name of a class is longer than that of a file can be"]]


class Garbled(Exception):
    """Not a compiler's answer."""


class Compiled:
    """A compiler's answer. Raises Garbled unless it is exactly one answer."""

    def __init__(self, answer: bytes) -> None:
        self._bytes, self._at = answer, 0
        self.done = self._byte()
        self.diagnostics = [[self._text(), self._int(), self._text()] for _ in range(self._int())]
        self.classes = {self._text(): self._part() for _ in range(self._int())}
        if self._at != len(answer):
            raise Garbled

    def faults(self) -> "list[list[Any]]":
        """Why the classes cannot be used, as diagnostics; empty if they can."""
        if any(len(name.rpartition("/")[2].encode()) + 6 > NAME_MOST for name in self.classes):
            return _TOO_LONG
        if len(self.classes) > CLASSES_MOST or sum(map(len, self.classes.values())) > CLASSES_BYTES:
            return _TOO_MUCH
        return []

    def _take(self, size: int) -> bytes:
        self._at += size
        if self._at > len(self._bytes):
            raise Garbled
        return self._bytes[self._at - size : self._at]

    def _byte(self) -> bool:
        return self._take(1) == b"\x01"

    def _int(self) -> int:
        return int.from_bytes(self._take(4), "big")

    def _part(self) -> bytes:
        return self._take(self._int())

    def _text(self) -> str:
        return self._part().decode("utf-8", "replace")


def framed_text(text: str) -> bytes:
    return frames.framed(text.encode("utf-8", "replace"))


def request(class_path: str, units: "dict[str, str]", copied: "dict[str, Any]") -> bytes:
    """The bytes of a request to a compiler; see java/compiler/Compiler.java."""
    body = framed_text(class_path) + frames.PREFIX.pack(len(units))
    for path, text in units.items():
        body += framed_text(path) + framed_text(text)
    body += framed_text(copied.get("method", ""))
    return body + frames.PREFIX.pack(copied.get("parameters", 0))


class Refusal(Exception):
    """The compiler gave no answer. `diagnostics` replaces the missing ones."""

    def __init__(self, diagnostics: "list[list[Any]]") -> None:
        super().__init__(diagnostics[0][2])
        self.diagnostics = diagnostics


class Starved(Exception):
    """The compiler got too little of the processor to answer."""


class Compiler:
    """The warm process. If it had to be ended, another one takes its place."""

    runner = "java_compiler"

    def __init__(self, zygote: Any, uid: int) -> None:
        self._zygote, self._uid = zygote, uid
        self._pid, self._socket = 0, socket.socket(socket.AF_UNIX)
        self._spent = self._began = 0.0
        self.start()

    def start(self) -> None:
        self._socket.close()
        self._socket, theirs = socket.socketpair()
        program_r, program_w = os.pipe()
        report_r, report_w = os.pipe()
        nothing = os.open("/dev/null", os.O_RDWR)
        asked = {
            "fork": self.runner, "uid": self._uid, "quiet": True, "cwd": "/", "ours": True,
            "cpu": 10**6,
        }  # fmt: skip
        fds = [program_r, report_w, nothing, nothing, theirs.detach()]
        self._pid = self._zygote.ask(asked, fds)["pid"]
        frames.write(program_w, b"{}")
        for fd in {*fds, program_w, report_r}:
            os.close(fd)

    def ask(self, body: bytes) -> Compiled:
        """Raises Refusal, Starved. After either, another process gets the next request."""
        self._spent, self._began = self._cpu(), time.monotonic()
        try:
            self._socket.settimeout(MOST_WALL)
            self._socket.sendall(frames.framed(body))
            (size,) = frames.PREFIX.unpack(self._exactly(frames.PREFIX.size))
            if size > ANSWER_MOST:
                raise Refusal(_TOO_MUCH)
            return Compiled(self._exactly(size))
        except (Refusal, Starved):
            self._again()
            raise
        except (EOFError, OSError, Garbled):
            self._again()
            raise Refusal(_DIED) from None

    def _exactly(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            if not select.select([self._socket], [], [], _LOOK_SECONDS)[0]:
                if self._cpu() - self._spent > MOST_CPU:
                    raise Refusal(_GAVE_UP)
                if time.monotonic() - self._began > MOST_WALL:
                    raise Starved
                continue
            part = self._socket.recv(min(size - len(data), 1 << 20))
            if not part:
                raise EOFError
            data += part
        return bytes(data)

    def _cpu(self) -> float:
        """Processor seconds that the process has used."""
        try:
            with open(f"/proc/{self._pid}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def _again(self) -> None:
        self.end()
        self.start()

    def end(self) -> None:
        os.kill(self._pid, signal.SIGKILL)
        self._zygote.ask({"reap": self._pid})


class Workshop(Place):
    """Compiles for runs. Each run finds its classes in RUN and the tasks' shared files in KIT."""

    grows = True

    def __init__(self, packed: bytes, zygote: Any, uids: "tuple[int, int]") -> None:
        super().__init__(uids)
        self._guardian = uids[1]
        # Higher than the two users, and than the real user of `cleanup`.
        self._compiler = Compiler(zygote, uids[1] + 7)
        # By the shared classes of the run and the request.
        self._known: OrderedDict[tuple[str, bytes], Compiled] = OrderedDict()
        self._class_path = ""
        with self._as_guardian():
            os.chmod(JUDGE, 0o755)  # noqa: S103  # candidates read there, and only they are there
        if packed:
            self._class_path = self._unpacked(packed)

    def _as_guardian(self) -> "AbstractContextManager[None]":
        """Files written meanwhile are readable by all."""
        return cleanup.acting_as(self._guardian, umask=0o022)

    def _unpacked(self, packed: bytes) -> str:
        """Unpacks files of the working directory, below tree/, and jars, and compiles sources to
        one jar. Returns the class path. Raises Unfit."""
        import zipfile

        sources, jars = {}, []
        with self._as_guardian(), zipfile.ZipFile(io.BytesIO(packed)) as archive:
            for name in archive.namelist():
                kind, _, path = name.partition("/")
                place = f"{KIT}/jars/{path}" if kind == "jars" else f"{KIT}/tree/{path}"
                content = archive.read(name)
                if kind == "sources":
                    sources[path] = content.decode()
                elif kind == "jars":
                    jars.append(place)
                _write(place, content)
        try:
            made = self._compiler.ask(request(":".join(jars), sources, {}))
        except (Refusal, Starved) as refusal:
            raise Unfit(str(refusal) or "the compiler got no processor time") from None
        if not made.done:
            raise Unfit("; ".join(f"{path}:{at}: {text}" for path, at, text in made.diagnostics))
        with self._as_guardian(), zipfile.ZipFile(f"{KIT}/classes.jar", "w") as archive:
            for name, content in made.classes.items():
                archive.writestr(f"{name}.class", content)
        return ":".join([f"{KIT}/classes.jar", *jars])

    def make(self, program: bytes) -> "tuple[dict[str, Any], bytes | None]":
        """The report on the compilation and the runner's input; None if there is nothing to
        run."""
        asked = json.loads(program)
        class_path = self._class_path if asked["kit"] else ""
        told: dict[str, Any] = {"tests": [], "compiled": False}
        if asked["shared"]:
            shared = self._compiled(class_path, asked["shared"])
            if not shared.done:
                return told | {"tests": shared.diagnostics}, None
            self._write(f"{RUN}/shared", shared)
            class_path = ":".join(filter(None, (f"{RUN}/shared", class_path)))
        tests = self._compiled(class_path, asked["tests"], asked["copied"], asked["shared"])
        if not tests.done:
            return told | {"tests": tests.diagnostics}, None
        made = self._compiled(class_path, asked["units"], shared=asked["shared"])
        told |= {"diagnostics": made.diagnostics, "compiled": made.done}
        if not made.done:
            return told, None
        self._write(f"{RUN}/own", made)
        place = {
            # In this order: a candidate's class replaces none of the benchmark's.
            "class_path": ":".join(filter(None, (class_path, f"{RUN}/own"))),
            "tree": f"{KIT}/tree" if asked["kit"] else "",
            # No file ever holds an evaluation.
            "classes": {name: b64encode(one).decode() for name, one in tests.classes.items()},
        }
        return told, frames.dump(asked["run"] | place)

    def _write(self, folder: str, made: Compiled) -> None:
        with self._as_guardian():
            for name, content in made.classes.items():
                _write(f"{folder}/{name}.class", content)

    def _compiled(
        self,
        class_path: str,
        units: "dict[str, str]",
        copied: "dict[str, Any] | None" = None,
        shared: "dict[str, str] | None" = None,
    ) -> Compiled:
        body = request(class_path, units, copied or {})
        known = json.dumps(shared), body
        if known not in self._known:
            try:
                made = self._compiler.ask(body)
                faults = made.faults()
            except Refusal as refusal:
                faults = refusal.diagnostics
            if faults:
                made = Compiled(_NOTHING)
                made.diagnostics = faults
            self._known[known] = made
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        self._known.move_to_end(known)
        return self._known[known]

    def empty(self, processes: int) -> None:
        """The judging process of a run writes nothing, so the shared classes stay."""
        super().empty(1)
        self.clear()

    def clear(self) -> None:
        """Removes the files of the last run."""
        with cleanup.acting_as(self._guardian):
            if os.path.exists(RUN):
                shutil.rmtree(RUN)


def _write(place: str, content: bytes) -> None:
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "wb") as file:
        file.write(content)
