"""Java judged from outside: the evaluation runs in a warm JVM of ours, the generation's class in a
fresh one, each as its own user.

The judging process passes the evaluation's classes to the judge's JVM in memory. No file and no
process of a candidate holds them.
"""

import binascii
import json
import os
import time
from typing import Any

from . import frames, workshop
from .children import Irregular
from .places import Answer, Run
from .workshop import framed_text

OWN, SHARED = f"{workshop.RUN}/own/", f"{workshop.RUN}/shared/"
_Told = dict[str, Any]


class _Judge(workshop.Compiler):
    """The judge's JVM. Starting raises Starved."""

    runner = "java_judge"

    def start(self) -> None:
        super().start()
        self._spent, self._began = self._cpu(), time.monotonic()
        try:
            # It sends an empty frame when it is ready.
            self._exactly(frames.PREFIX.size)
        except (EOFError, OSError, workshop.Refusal):
            raise workshop.Starved from None

    def descriptor(self) -> int:
        return os.dup(self._socket.fileno())


_NOT_RUN = {
    "status": 0, "memory": 0, "stop": None, "wall": 0.0, "cpu": 0.0, "output": "", "errors": "",
    "oom_kills": 0,
}  # fmt: skip


class Workshop(workshop.Workshop):
    """Prepares runs that are judged from outside, too."""

    def __init__(self, packed: bytes, zygote: Any, uids: "tuple[int, int]") -> None:
        super().__init__(packed, zygote, uids)
        # Higher than the compiler's.
        self._zygote, self._uid = zygote, uids[1] + 8
        self._judge: _Judge | None = None

    def prepare(self, programs: "list[bytes]") -> "tuple[_Told, list[bytes] | None]":
        """Like `make`, for the processes of a run. Raises Starved."""
        if len(programs) == 2:
            return self._apart(*map(json.loads, programs))
        told, runnable = self.make(*programs)
        return told, None if runnable is None else [runnable]

    def _apart(self, candidate: Any, judge: Any) -> "tuple[_Told, list[bytes] | None]":
        told, path = self._shared(judge)
        tests = self._compiled(path, judge["tests"], shared=judge["shared"])
        if told["tests"] or not tests.done:
            return {"tests": told["tests"] or tests.diagnostics, "compiled": False}, None
        made = self._compiled(path, candidate["units"], shared=judge["shared"])
        told |= {"diagnostics": made.diagnostics, "compiled": made.done}
        if not made.done:
            return told, None
        self._write(OWN, made)
        self._judge = self._judge or _Judge(self._zygote, self._uid)
        # A jar's class of the same name would be used instead of the generation's.
        place = {"class_path": f"{OWN}:{path}", **candidate["run"]}
        request = binascii.b2a_base64(_request(path, judge["run"], tests.classes)).decode()
        return told, [frames.dump(place), frames.dump({"request": request})]

    def _shared(self, judge: Any) -> "tuple[_Told, str]":
        """The diagnostics of the sources that evaluation and class share, and the class path."""
        if judge["kit"]:
            return {"tests": []}, self._class_path
        shared = self._compiled("", judge["shared"])
        self._write(SHARED, shared)
        return {"tests": shared.diagnostics}, SHARED

    def channels(self, processes: int) -> "list[list[int]]":
        ends = super().channels(processes)
        if processes == 2:
            assert self._judge is not None, "a run is prepared before it begins"
            ends[1].append(self._judge.descriptor())
        return ends

    def answer(self, run: Run, header: "dict[str, Any]", programs: "list[bytes]") -> Answer:
        """Compiles, then runs. Our part of the report has the compiler's messages."""
        try:
            told, runnable = self.prepare(programs)
            if runnable is None:
                self.clear()
                return dict(_NOT_RUN), frames.framed(frames.dump(told))
        except OSError as error:
            raise Irregular(f"classes cannot be written: {error.strerror}") from None
        except workshop.Starved:
            raise Irregular("a JVM of ours that gets no processor time") from None
        facts, framed = run(header, runnable)
        try:
            report = json.loads(framed[frames.PREFIX.size :])
        except (ValueError, RecursionError):
            report = None
        if len(programs) == 2 and report is None and self._judge is not None:
            # A JVM that has not finished its evaluation gets no other run.
            self._judge.end()
            self._judge = None
        return facts, frames.framed(frames.dump({**told, "run": report}))


def _request(path: str, run: "dict[str, Any]", classes: "dict[str, bytes]") -> bytes:
    """See java/outside/Run.java."""
    names = ("evaluation", "package", "prefix", "class", "base")
    body = b"".join(map(framed_text, [path, *(run[name] for name in names)]))
    body += frames.PREFIX.pack(len(run["fields"])) + b"".join(map(framed_text, run["fields"]))
    body += frames.PREFIX.pack(len(classes))
    for name, content in classes.items():
        body += framed_text(name) + frames.framed(content)
    return body
