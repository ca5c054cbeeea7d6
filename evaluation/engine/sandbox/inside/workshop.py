"""The supervisor's part for Java: files that tasks share, and classes compiled for each run.

Classes are in the guardian's directory, where candidates can read and not write. An evaluation's
classes are in no file: they are passed in memory, to the JVM of a run or, if it is judged from
outside, to the judge's JVM, which no process of a candidate can read."""

import binascii
import io
import json
import os
import shutil
from collections import OrderedDict
from contextlib import AbstractContextManager
from typing import Any

from . import cleanup, frames, java_jvm
from .cleanup import Irregular
from .places import JUDGE, Answer, Place, Run, Unfit
from .warm_jvms import Compiled, Compiler, Judge, Refusal, Starved, framed_text, request

KIT, CLASSES = f"{JUDGE}/kit", f"{JUDGE}/run"
OWN, SHARED = f"{CLASSES}/own/", f"{CLASSES}/shared/"
# Runs of one task follow each other, and a run that was disturbed is repeated.
REMEMBERED = 16
_NOT_RUN = {
    "status": 0, "memory": 0, "stop": None, "wall": 0.0, "cpu": 0.0, "output": "", "errors": "",
    "oom_kills": 0,
}  # fmt: skip


class Workshop(Place):
    """Compiles for runs. Each run finds its classes in CLASSES and the tasks' shared files in
    KIT."""

    grows = True

    def __init__(self, packed: bytes, zygote: Any, uids: "tuple[int, int]") -> None:
        super().__init__(uids)
        self._zygote = zygote
        # Higher than the two users, and than the real user of `cleanup`.
        self._compiler = Compiler(zygote, uids[1] + 7)
        self._judge: Judge | None = None
        # By the shared sources of the run and the request.
        self._answers: OrderedDict[tuple[str, bytes], Compiled] = OrderedDict()
        self._class_path: list[str] = []
        with self._as_guardian():
            os.chmod(JUDGE, 0o755)  # noqa: S103  # candidates read there, and only they are there
        if packed:
            self._class_path = self._unpacked(packed)

    def _as_guardian(self) -> "AbstractContextManager[None]":
        """Files written meanwhile are readable by all."""
        return cleanup.acting_as(self.uids[1], umask=0o022)

    def _unpacked(self, packed: bytes) -> "list[str]":
        """Unpacks files of the working directory, below tree/, and jars, and compiles sources to
        one jar. Returns the class path. Raises Unfit, Irregular."""
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
            compiled = self._compiler.ask(request(":".join(jars), sources, {}))
        except Refusal as error:
            raise Unfit(str(error)) from None
        except Starved:
            raise Irregular("a JVM of ours that gets no processor time") from None
        if not compiled.done:
            lines = [f"{path}:{line}: {text}" for path, line, _, text in compiled.diagnostics]
            raise Unfit("; ".join(lines))
        with self._as_guardian(), zipfile.ZipFile(f"{KIT}/classes.jar", "w") as archive:
            for name, content in compiled.classes.items():
                archive.writestr(f"{name}.class", content)
        return [f"{KIT}/classes.jar", *jars]

    def channels(self, processes: int) -> "list[list[int]]":
        ends = super().channels(processes)
        if processes == 2:
            assert self._judge is not None, "a run is prepared before it begins"
            ends[1].append(self._judge.descriptor())
        return ends

    def answer(self, run: Run, header: "dict[str, Any]", programs: "list[bytes]") -> Answer:
        """Compiles, then runs. Our part of the report has the compiler's messages."""
        try:
            compilation, runnable = self._prepared(*map(json.loads, programs))
            if not runnable:
                self._remove_classes()
                return dict(_NOT_RUN), frames.framed(frames.dump(compilation))
        except OSError as error:
            raise Irregular(f"classes cannot be written: {error.strerror}") from None
        except Starved:
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
        return facts, frames.framed(frames.dump({**compilation, "run": report}))

    def _prepared(self, candidate: Any, judge: Any = None) -> "tuple[dict[str, Any], list[bytes]]":
        """The report on the compilation, and the input of each process; no input if there is
        nothing to run. A run in one process has no `judge`. Raises Starved, OSError."""
        benchmark = judge or candidate
        sources: dict[str, str] = benchmark["shared"]
        path = self._class_path if benchmark["kit"] else []
        report: dict[str, Any] = {"tests": [], "compiled": False}
        if sources:
            shared = self._compiled(path, sources)
            if not shared.done:
                return report | {"tests": shared.diagnostics}, []
            self._write(SHARED, shared)
            path = [SHARED, *path]
        tests = self._compiled(path, benchmark["tests"], sources, benchmark.get("copied"))
        if not tests.done:
            return report | {"tests": tests.diagnostics}, []
        made = self._compiled(path, candidate["units"], sources, candidate.get("imports"))
        report |= {"diagnostics": made.diagnostics, "compiled": made.done}
        report |= {"imports_added": bool(made.imports_added)}
        if not made.done:
            return report, []
        self._write(OWN, made)
        if judge is None:
            program = {
                **candidate["run"],
                # In this order: a candidate's class replaces none of the benchmark's.
                "class_path": ":".join([*path, OWN]),
                "tree": f"{KIT}/tree" if candidate["kit"] else "",
                "classes": {name: _base64(content) for name, content in tests.classes.items()},
            }
            return report, [frames.dump(program)]
        # Higher than the compiler's user.
        self._judge = self._judge or Judge(self._zygote, self.uids[1] + 8)
        run = candidate["run"]
        # A jar's class of the same name would be used instead of the generation's.
        command = [java_jvm.JAVA, *java_jvm.OPTIONS, "-cp", ":".join([OWN, *path])]
        command += ["assay.outside.Candidate", run["class"], *run["fields"]]
        question = _base64(_run_request(":".join(path), judge["run"], tests.classes))
        inputs = [{"command": command, "prints_answers": False}, {"request": question}]
        return report, [*map(frames.dump, inputs)]

    def _compiled(
        self,
        class_path: "list[str]",
        units: "dict[str, str]",
        shared: "dict[str, str] | None" = None,
        further: "dict[str, Any] | None" = None,
    ) -> Compiled:
        body = request(":".join(class_path), units, further or {})
        key = json.dumps(shared), body
        if key not in self._answers:
            try:
                answer = self._compiler.ask(body)
                reason = answer.fault()
            except Refusal as refusal:
                reason = str(refusal)
            self._answers[key] = Compiled.failed(reason) if reason else answer
            if len(self._answers) > REMEMBERED:
                self._answers.popitem(last=False)
        self._answers.move_to_end(key)
        return self._answers[key]

    def _write(self, folder: str, compiled: Compiled) -> None:
        with self._as_guardian():
            for name, content in compiled.classes.items():
                _write(f"{folder}{name}.class", content)

    def empty(self, processes: int) -> None:
        """The judging process of a run writes nothing, so the shared classes stay."""
        super().empty(1)
        self._remove_classes()

    def _remove_classes(self) -> None:
        with cleanup.acting_as(self.uids[1]):
            if os.path.exists(CLASSES):
                shutil.rmtree(CLASSES)


def _write(place: str, content: bytes) -> None:
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "wb") as file:
        file.write(content)


def _base64(content: bytes) -> str:
    return binascii.b2a_base64(content, newline=False).decode()


def _run_request(class_path: str, run: "dict[str, Any]", classes: "dict[str, bytes]") -> bytes:
    """See java/outside/Run.java."""
    names = ("evaluation", "package", "prefix", "class", "base")
    body = b"".join(map(framed_text, [class_path, *(run[name] for name in names)]))
    body += frames.PREFIX.pack(len(run["fields"])) + b"".join(map(framed_text, run["fields"]))
    body += frames.PREFIX.pack(len(classes))
    for name, content in classes.items():
        body += framed_text(name) + frames.framed(content)
    return body
