"""Runner `java_class`: a fresh JVM in which an evaluation counts what a class gets right.

The JVM's standard input is a socket. Before any class of the candidate's is loaded it delivers a
secret word and the evaluation's classes, which no file holds. The JVM writes the word and then its
result back through the socket. Other output there is the candidate's."""

import os
import re
import secrets
import select
import socket
import struct
from base64 import b64decode
from contextlib import suppress
from typing import Any

from . import java_jvm, loading

# The end, because the result comes last.
_KEPT = 4096
# Kinds of permissions, by the names that the guard of the JVM uses.
KINDS = (
    *("access_checks", "class_loader", "exit", "file", "library", "other", "process", "security"),
)


def _text(text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    return struct.pack(">H", len(data)) + data


def run_jvm(request: bytes, class_path: str) -> "tuple[int, bytes]":
    """Returns the exit code, or the negative number of the signal, and the end of what the JVM
    wrote to its socket."""
    ours, theirs = socket.socketpair()
    nothing = os.open("/dev/null", os.O_RDWR)
    pid = os.posix_spawn(
        java_jvm.JAVA,
        ["java", *java_jvm.OPTIONS, "-cp", class_path, "assay.harness.Start"],
        java_jvm.ENVIRONMENT,
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
        ours.sendall(request)
    ours.setblocking(False)
    end, written = os.pidfd_open(pid), b""
    poll = select.poll()
    for fd in (ours.fileno(), end):
        poll.register(fd, select.POLLIN)
    while True:
        ready = [fd for fd, _ in poll.poll()]
        status = os.waitpid(pid, 0)[1] if end in ready else None
        # No data yet, a reset by the JVM, or already unregistered.
        with suppress(OSError, KeyError):
            while part := ours.recv(1 << 16):
                written = (written + part)[-_KEPT:]
            poll.unregister(ours)
        if status is not None:
            return os.waitstatus_to_exitcode(status), written


def result(word: str, written: bytes) -> "dict[str, Any]":
    """`counted`: passed and total. `threw`: the class of the exception that ended the evaluation
    before. `deciding`: the class of a result that decides itself what it equals. `changed`: whether
    the method has changed the copy of an argument. `denied`: the kinds of permissions that the
    candidate requested and did not get."""

    def said(what: str) -> str:
        line = re.search(rf"\n{word} {what} ([^\n]*)\n".encode(), written)
        return "" if line is None else line[1].decode("utf-8", "replace")

    counted = re.search(rf"\n{word} counted (-?\d+) (-?\d+)\n".encode(), written)
    return {
        "counted": None if counted is None else [int(counted[1]), int(counted[2])],
        "threw": said("threw"),
        "deciding": said("deciding"),
        "changed": f"\n{word} changed\n".encode() in written,
        "denied": [kind for kind in KINDS if kind in said("denied").split(",")],
    }


def main(payload: "dict[str, Any]", report_fd: int, channel_fd: int) -> None:
    # The JVM inherits no descriptor by accident.
    os.set_inheritable(report_fd, False)
    tree, permitted, classes = payload["tree"], payload["permitted"], payload["classes"]
    # Copied, so that the folders and files belong to this user.
    for folder, folders, names in os.walk(tree) if tree else ():
        below = "/work" + folder[len(tree) :]
        for name in folders:
            os.mkdir(f"{below}/{name}")
        for name in names:
            with open(f"{folder}/{name}", "rb") as file:
                content = file.read()
            with open(f"{below}/{name}", "wb") as file:
                file.write(content)
    word = secrets.token_hex(16)
    texts = (word, payload["evaluation"], payload["package"], payload["prefix"])
    request = b"".join(map(_text, texts))
    request += struct.pack(">I", len(permitted)) + b"".join(map(_text, permitted))
    request += struct.pack(">I", len(classes))
    for name, encoded in classes.items():
        content = b64decode(encoded)
        request += _text(name) + struct.pack(">I", len(content)) + content
    exit_code, written = run_jvm(request, payload["class_path"])
    loading.leave(report_fd, {"exit": exit_code, **result(word, written)})
