"""The baseline of the engine's runs in projects: one container that runs all the time.

It has the same prepared image and the same processors. The tree is unpacked in it once, nothing is
cleaned up between runs, and each run may use leftovers of the previous one.
"""

from __future__ import annotations

import io
import tarfile
import time
from importlib.resources import files
from typing import Any, Self

from evaluation.engine.records import Execution, Prepared
from evaluation.engine.sandbox import docker, layout

_PYTHON = (*layout.INTERPRETER, "-I", "-S", "-B", "-c")
_WAITS = "import signal\nwhile True: signal.pause()"
_UNPACKS = f"""
from contextlib import nullcontext
os.makedirs(sys.argv[1], exist_ok=True)
unpack(os.open({layout.PACK!r}, os.O_RDONLY), sys.argv[1], lambda uid: nullcontext(), 0, 0)
"""


class RunningContainer:
    """Use as a context manager. `unpack_seconds` is what unpacking the tree took."""

    def __init__(self, prepared: Prepared, *, cpus: float, memory: int) -> None:
        self._prepared = prepared
        self._api: Any = docker.client().api
        # The engine's own label, so that its sweeper removes what an interrupted run left.
        labels = {docker.LABEL: "1", docker.OWNER: docker.owner_mark()}
        host = self._api.create_host_config(
            network_mode="none", init=True, nano_cpus=int(cpus * 1e9), mem_limit=memory
        )
        self.id: str = self._api.create_container(
            prepared.digest,
            [*_PYTHON, _WAITS],
            entrypoint=[],
            user="0:0",
            host_config=host,
            labels=labels,
        )["Id"]
        try:
            self._api.start(self.id)
            began = time.perf_counter()
            self._unpack()
            self.unpack_seconds = time.perf_counter() - began
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._api.remove_container(self.id, force=True, v=True)

    def _unpack(self) -> None:
        source = (files("evaluation.engine.sandbox.inside") / "packing.py").read_text("utf-8")
        code = self._exec([*_PYTHON, source + _UNPACKS, self._prepared.root], "/")
        assert code == 0, "the tree cannot be unpacked"

    def run(self, execution: Execution) -> tuple[float, int]:
        """Writes the files of an execution, then runs its command. Returns the seconds of the
        command only, and its exit code."""
        self._write(execution)
        began = time.perf_counter()
        code = self._exec(["/bin/sh", "-c", str(execution.payload["command"])], self._prepared.root)
        return time.perf_counter() - began, code

    def _write(self, execution: Execution) -> None:
        given = execution.payload["files"]
        assert isinstance(given, dict), "an execution in a project has files"
        texts = {path: text for path, text in given.items() if isinstance(text, str)}
        removed = [f"{self._prepared.root}/{path}" for path in given if path not in texts]
        self._api.put_archive(self.id, self._prepared.root, _tar(texts))
        if removed:
            self._exec(["rm", "-f", "--", *removed], "/")

    def _exec(self, command: list[str], folder: str) -> int:
        environment = {**self._prepared.environment, "PYTHONPATH": "."}
        made = self._api.exec_create(
            self.id, command, workdir=folder, environment=environment, user="0:0"
        )["Id"]
        self._api.exec_start(made)
        return int(self._api.exec_inspect(made)["ExitCode"])


def _tar(texts: dict[str, str]) -> bytes:
    """A tar of the files, dated now, as if an editor had written them."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for path, text in texts.items():
            data = text.encode("utf-8", "surrogateescape")
            member = tarfile.TarInfo(path)
            member.size, member.mtime, member.mode = len(data), int(time.time()), 0o644
            tar.addfile(member, io.BytesIO(data))
    return stream.getvalue()
