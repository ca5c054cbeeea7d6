"""Runner `java_class`: a fresh JVM in which an evaluation counts what a class gets right.

The JVM's standard input is a socket. Before any class of the candidate's is loaded it delivers a
secret word and the evaluation's classes, which no file holds. The JVM writes the word and then its
result back through the socket. Other output there is the candidate's.
"""

import os
import re
import secrets
import select
import socket
import struct
from base64 import b64decode
from contextlib import suppress
from typing import Any

from . import loading

JAVA = "/opt/assay/java/bin/java"
_OPTIONS = (
    "-Xshare:auto",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Xms32m",
    "-Xmx256m",
    "-XX:MaxMetaspaceSize=96m",
    "-XX:MaxDirectMemorySize=64m",
    "-XX:ReservedCodeCacheSize=32m",
    "-XX:-UsePerfData",
    "-XX:+DisableAttachMechanism",
    "-XX:-CreateCoredumpOnCrash",
    "-XX:ErrorFile=/dev/null",
    "-Djava.security.manager=allow",
    "--add-exports=java.base/jdk.internal.module=assay.harness",
    "-Djava.awt.headless=true",
    "-Duser.home=/work",
    "-Duser.name=assay",
    "-Duser.timezone=UTC",
)
_ENVIRONMENT = {"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "HOME": "/work"}
# The end, because the result comes last.
_KEPT = 4096
# Kinds of permissions, by the names that the guard of the JVM uses.
KINDS = (
    *("access_checks", "class_loader", "exit", "file", "library", "other", "process", "security"),
)


def copy_tree(tree: str, place: str) -> None:
    """Copies folders and files, so that they belong to this user."""
    for folder, folders, names in os.walk(tree):
        below = place + folder[len(tree) :]
        for name in folders:
            os.mkdir(f"{below}/{name}")
        for name in names:
            with open(f"{folder}/{name}", "rb") as file:
                content = file.read()
            with open(f"{below}/{name}", "wb") as file:
                file.write(content)


def become(arguments: "list[str]") -> None:
    """Replaces this process by a JVM with the options that all of these JVMs have."""
    os.execve(JAVA, ["java", *_OPTIONS, *arguments], _ENVIRONMENT)  # noqa: S606  # no shell is wanted


def _request(word: str, payload: "dict[str, Any]") -> bytes:
    texts = (word, payload["evaluation"], payload["package"], payload["prefix"])
    request = b"".join(map(_text, texts))
    request += _number(len(payload["permitted"])) + b"".join(map(_text, payload["permitted"]))
    request += _number(len(payload["classes"]))
    for name, encoded in payload["classes"].items():
        content = b64decode(encoded)
        request += _text(name) + _number(len(content)) + content
    return request


def _text(text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    return struct.pack(">H", len(data)) + data


def _number(number: int) -> bytes:
    return struct.pack(">I", number)


class Machine:
    """A JVM that was started, and the end of its output on its socket."""

    def __init__(self, payload: "dict[str, Any]") -> None:
        self._word = secrets.token_hex(16)
        self._socket, theirs = socket.socketpair()
        nothing = os.open("/dev/null", os.O_RDWR)
        self._kept = b""
        self._pid = os.posix_spawn(
            JAVA,
            ["java", *_OPTIONS, "-cp", payload["class_path"], "assay.harness.Start"],
            _ENVIRONMENT,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, theirs.fileno(), 0),
                (os.POSIX_SPAWN_DUP2, 2, 1),
                # The JVM warns on stderr that it has a security manager.
                (os.POSIX_SPAWN_DUP2, nothing, 2),
            ],
        )
        theirs.close()
        os.close(nothing)
        with suppress(OSError):  # a JVM that has exited reads nothing
            self._socket.sendall(_request(self._word, payload))
        self._socket.setblocking(False)

    def wait(self) -> int:
        """Returns the exit code, or the negative number of the signal."""
        end = os.pidfd_open(self._pid)
        poll = select.poll()
        for fd in (self._socket.fileno(), end):
            poll.register(fd, select.POLLIN)
        while True:
            ready = [fd for fd, _ in poll.poll()]
            if self._socket.fileno() in ready and self._take() == 0:
                poll.unregister(self._socket)
            if end in ready:
                _, status = os.waitpid(self._pid, 0)
                while self._take() > 0:
                    pass
                return os.waitstatus_to_exitcode(status)

    def _take(self) -> int:
        """The number of bytes read; 0 at the end of the stream, -1 if none are there yet."""
        try:
            data = self._socket.recv(1 << 16)
        except BlockingIOError:
            return -1
        except OSError:
            return 0
        self._kept = (self._kept + data)[-_KEPT:]
        return len(data)

    def result(self) -> "dict[str, Any]":
        """`counted`: passed and total. `threw`: the class of the exception that ended the
        evaluation before. `deciding`: the class of a result that decides itself what it equals.
        `changed`: whether the method has changed the copy of an argument. `denied`: the kinds of
        permissions that the candidate requested and did not get."""
        counted = re.search(rf"\n{self._word} counted (-?\d+) (-?\d+)\n".encode(), self._kept)
        return {
            "counted": None if counted is None else [int(counted[1]), int(counted[2])],
            "threw": self._said("threw"),
            "deciding": self._said("deciding"),
            "changed": f"\n{self._word} changed\n".encode() in self._kept,
            "denied": [kind for kind in KINDS if kind in self._said("denied").split(",")],
        }

    def _said(self, what: str) -> str:
        found = re.search(rf"\n{self._word} {what} ([^\n]*)\n".encode(), self._kept)
        return "" if found is None else found[1].decode("utf-8", "replace")


def main(payload: "dict[str, Any]", report_fd: int, channel_fd: int) -> None:
    # The JVM inherits no descriptor by accident.
    os.set_inheritable(report_fd, False)
    if payload["tree"]:
        copy_tree(payload["tree"], "/work")
    machine = Machine(payload)
    exit_code = machine.wait()
    loading.leave(report_fd, {"exit": exit_code, **machine.result()})
