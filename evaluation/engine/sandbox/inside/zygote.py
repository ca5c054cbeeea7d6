"""The process that children are forked from: warm imports and one socket.

It never holds a task's data: a child can read the memory of its parent. A child
gets its program over a pipe of its own, after it has become another user.

Only the supervisor sends requests over the socket; each has one answer:
    {"fork": runner, "uid": n, "cwd": path, "cpu": seconds, "quiet": bool, "ours": bool} with the
        descriptors program, report, output, errors (and channels) -> {"pid": n} or {"error": text}
    {"reap": pid} -> {"status": n, "cpu": seconds, "memory": kib}, once it has ended
"""

import gc
import importlib
import json
import os
import resource
import signal
import socket
import sys
from typing import Any

from . import frames

# Descriptors of a child: nothing, output, errors, program, report, up to two channels. This
# process's own have higher numbers than those that arrive, so that none has to be moved.
_PROGRAM, _REPORT, _CHANNEL, _FIRST_OTHER = 3, 4, 5, 7
_SOCKET, _NOTHING, _ARRIVING = 40, 41, 10
_OURS = 900


def _child(request: "dict[str, Any]", fds: "list[int]") -> None:
    """Becomes another user for good, and runs its program. The memory limit first kills processes
    that are not ours. Only ours have the group that may start the image's other programs."""
    try:
        os.setsid()
        program, report, output, errors, *channels = fds
        os.dup2(_NOTHING if request["quiet"] else output, 1)
        os.dup2(_NOTHING if request["quiet"] else errors, 2)
        os.dup2(program, _PROGRAM, False)
        os.dup2(report, _REPORT, False)
        for number, channel in enumerate(channels, _CHANNEL):
            os.dup2(channel, number, False)
        os.closerange(_CHANNEL + len(channels), _NOTHING + 1)
        if not request["ours"]:
            score = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
            os.write(score, b"1000")
            os.close(score)
        resource.setrlimit(resource.RLIMIT_CPU, (request["cpu"], request["cpu"]))
        uid, cwd = request["uid"], request["cwd"]
        gid = _OURS if request["ours"] else uid
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
        os.chdir(cwd)
        if cwd != "/work":
            os.environ["HOME"] = os.environ["TMPDIR"] = cwd
        payload = json.loads(frames.read(_PROGRAM))
        os.close(_PROGRAM)
        sys.modules[f"inside.{request['fork']}"].main(payload, _REPORT, _CHANNEL)
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode("utf-8", "replace"))
    finally:
        os._exit(70)


def main(first: "dict[str, Any]") -> None:
    # Before the candidate's environment is set: a module may read its settings from it.
    for name in first["warm"]:
        importlib.import_module(name)
    # What all children inherit.
    os.dup2(0, _SOCKET)
    os.dup2(os.open("/dev/null", os.O_RDWR), _NOTHING)
    for fd in (0, *range(_FIRST_OTHER, _ARRIVING), *range(3, _FIRST_OTHER)):
        os.dup2(_NOTHING, fd)
    for limit, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_MEMLOCK, 64 * 1024),
        (resource.RLIMIT_NOFILE, first["limits"]["files"]),
        (resource.RLIMIT_FSIZE, first["limits"]["file_size"]),
    ):
        resource.setrlimit(limit, (value, value))
    os.setgroups([])
    os.umask(0o077)
    os.environ["HOME"] = os.environ["TMPDIR"] = "/work"
    keep = socket.socket(fileno=_SOCKET)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    del first
    sys.argv = [""]
    gc.collect()
    gc.freeze()
    keep.send(b"{}")
    while True:
        message, fds, _, _ = socket.recv_fds(keep, 65536, 8)
        if not message:
            os._exit(0)
        request, answer = json.loads(message), dict[str, Any]()
        if "reap" in request:
            _, status, usage = os.wait4(request["reap"], 0)
            cpu = usage.ru_utime + usage.ru_stime
            answer = {"status": status, "cpu": cpu, "memory": usage.ru_maxrss}
        else:
            try:
                answer["pid"] = os.fork()
            except OSError as error:
                answer["error"] = f"fork: {error.strerror}"
            if answer.get("pid") == 0:
                _child(request, fds)
        for fd in fds:
            os.close(fd)
        keep.send(json.dumps(answer).encode())
