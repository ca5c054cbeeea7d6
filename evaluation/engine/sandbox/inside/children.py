"""The processes in which a run goes on: the zygote that they are forked from, and their pipes."""

import json
import os
import socket
import sys
from typing import Any

from . import frames


class Irregular(Exception):
    """The container can no longer be trusted; the host must replace it."""


class Zygote:
    def __init__(self, first: "dict[str, Any]") -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        source_r, source_w = os.pipe()
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": "/nonexistent",
            "PYTHONHASHSEED": "0",
            "PYTHONSAFEPATH": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        interpreter = first["interpreter"] or [sys.executable, "-s"]
        self.pid = os.posix_spawn(
            interpreter[0],
            [*interpreter, "-c", first["bootstrap"], "zygote", "3"],
            environment,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, theirs.fileno(), 0),
                (os.POSIX_SPAWN_DUP2, source_r, 3),
                (os.POSIX_SPAWN_DUP2, 2, 1),
            ],
        )
        theirs.close()
        os.close(source_r)
        frames.write(source_w, frames.dump(first["sources"]))
        told = {"warm": first["warm"], "limits": first["limits"]}
        frames.write(source_w, frames.dump(told))
        os.close(source_w)
        self._socket = ours
        self._answer()

    def _answer(self) -> "dict[str, Any]":
        message = self._socket.recv(65536)
        if not message:
            raise Irregular("the zygote has ended")
        answer: dict[str, Any] = json.loads(message)
        return answer

    def ask(self, request: "dict[str, Any]", fds: "list[int] | None" = None) -> "dict[str, Any]":
        socket.send_fds(self._socket, [frames.dump(request)], fds or [])
        return self._answer()


class Part:
    """One child of a run: its pipes and what it wrote to them."""

    def __init__(
        self, zygote: Zygote, request: "dict[str, Any]", channels: "list[int]", apart: bool
    ) -> None:
        """`apart`: stderr has its own pipe and is also stored separately."""
        program_r, self.program = os.pipe()
        self.report_fd, report_w = os.pipe()
        self.output_fd, output_w = os.pipe()
        self.errors_fd, errors_w = os.pipe() if apart else (-1, output_w)
        fds = [program_r, report_w, output_w, errors_w, *channels]
        answer = zygote.ask(request, fds)
        for fd in set(fds):
            os.close(fd)
        if "error" in answer:
            raise Irregular(answer["error"])
        self.pid: int = answer["pid"]
        self.pidfd = os.pidfd_open(self.pid)
        self.report, self.output, self.errors = bytearray(), bytearray(), bytearray()
        self.written = 0
        for fd in self._pipes():
            os.set_blocking(fd, False)

    def _pipes(self) -> "list[int]":
        ours = (self.report_fd, self.output_fd, self.errors_fd, self.program)
        return [fd for fd in ours if fd >= 0]

    def close(self) -> None:
        for fd in (*self._pipes(), self.pidfd):
            os.close(fd)
