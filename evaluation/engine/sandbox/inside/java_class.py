"""Runner `java_class`: a fresh JVM in which an evaluation counts what a class gets right.

The JVM is told a word over its standard input before anything of a candidate's is loaded, and
puts it before what it says over the descriptor that was its standard output. Whatever else comes
there is a candidate's.
"""

import os
import re
import secrets
import select
import struct
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
    "-XX:+DisplayVMOutputToStderr",
    "-XX:-CreateCoredumpOnCrash",
    "-XX:ErrorFile=/dev/null",
    "-Djava.security.manager=disallow",
    "-Djava.awt.headless=true",
    "-Duser.home=/work",
    "-Duser.name=assay",
    "-Duser.timezone=UTC",
)
_ENVIRONMENT = {"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "HOME": "/work"}
# What is said comes last.
_KEPT = 4096


def copy_tree(tree: str, place: str) -> None:
    """Folders and files, as this user's own."""
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
    """Ends this process in a JVM with the options of all."""
    os.execve(JAVA, ["java", *_OPTIONS, *arguments], _ENVIRONMENT)  # noqa: S606  # no shell is wanted


class Machine:
    """A JVM that was started, and the end of what it wrote where its output was."""

    def __init__(self, payload: "dict[str, Any]") -> None:
        self._word = secrets.token_hex(16)
        told_r, told_w = os.pipe()
        self._said, said_w = os.pipe()
        self._kept = b""
        self._pid = os.posix_spawn(
            JAVA,
            ["java", *_OPTIONS, "-cp", payload["class_path"], "assay.harness.Start"],
            _ENVIRONMENT,
            file_actions=[(os.POSIX_SPAWN_DUP2, told_r, 0), (os.POSIX_SPAWN_DUP2, said_w, 1)],
        )
        os.close(told_r)
        os.close(said_w)
        words = (self._word, payload["evaluation"], payload["package"], payload["prefix"])
        told = [word.encode("utf-8", "replace") for word in words]
        os.write(told_w, b"".join(struct.pack(">H", len(word)) + word for word in told))
        os.close(told_w)
        os.set_blocking(self._said, False)

    def wait(self) -> int:
        """How it ended: its exit code, or its signal, negative."""
        end = os.pidfd_open(self._pid)
        poll = select.poll()
        for fd in (self._said, end):
            poll.register(fd, select.POLLIN)
        while True:
            ready = [fd for fd, _ in poll.poll()]
            if self._said in ready and self._take() == 0:
                poll.unregister(self._said)
            if end in ready:
                _, status = os.waitpid(self._pid, 0)
                while self._take() > 0:
                    pass
                return os.waitstatus_to_exitcode(status)

    def _take(self) -> int:
        """How many bytes it took: 0 where none will come any more, -1 where none are there."""
        try:
            data = os.read(self._said, 1 << 16)
        except BlockingIOError:
            return -1
        self._kept = (self._kept + data)[-_KEPT:]
        return len(data)

    def counted(self) -> "list[int] | None":
        """Passed and total."""
        found = re.search(rf"\n{self._word} counted (-?\d+) (-?\d+)\n".encode(), self._kept)
        return None if found is None else [int(found[1]), int(found[2])]

    def threw(self) -> str:
        """The class of what ended the evaluation before it had counted."""
        found = re.search(rf"\n{self._word} threw ([^\n]*)\n".encode(), self._kept)
        return "" if found is None else found[1].decode("utf-8", "replace")


def main(payload: "dict[str, Any]", report_fd: int, channel_fd: int) -> None:
    # The JVM gets none of what it is not given.
    os.set_inheritable(report_fd, False)
    if payload["tree"]:
        copy_tree(payload["tree"], "/work")
    machine = Machine(payload)
    exit_code = machine.wait()
    loading.leave(
        report_fd, {"exit": exit_code, "counted": machine.counted(), "threw": machine.threw()}
    )
