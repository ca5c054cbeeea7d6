"""The process that children are forked from: warm imports and one socket.

It never holds a task's data: a child reads the memory of what it came from. A child
gets its program over a pipe of its own, after it has become another user.

Requests over the socket, one answer each, by the supervisor alone:
    {"fork": runner, "uid": n, "cwd": path, "limits": {...}, "quiet": bool} with the
        descriptors program, report, output (and channel) -> {"pid": n} or {"error": text}
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

from . import calls, frames, judge, script, serve

RUNNERS = {"calls": calls.main, "script": script.main, "serve": serve.main, "judge": judge.main}
_LIMITS = {
    "core": resource.RLIMIT_CORE,
    "cpu": resource.RLIMIT_CPU,
    "files": resource.RLIMIT_NOFILE,
    "file_size": resource.RLIMIT_FSIZE,
    "queues": resource.RLIMIT_MSGQUEUE,
    "locked": resource.RLIMIT_MEMLOCK,
}


def _place_descriptors(fds: "list[int]", quiet: bool) -> None:
    """0 nothing, 1 and 2 the output, 3 program, 4 report, 5 channel; nothing else open."""
    program, report, output, *channel = (os.dup2(fd, 100 + i, False) for i, fd in enumerate(fds))
    nothing = os.open("/dev/null", os.O_RDWR)
    out = nothing if quiet else output
    for target, fd in enumerate([nothing, out, out, program, report, *channel]):
        os.dup2(fd, target, inheritable=target < 3)
    os.closerange(3 + 2 + len(channel), 1024)


def _become(request: "dict[str, Any]") -> None:
    """Limits first, then another user for good."""
    with open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")
    for name, value in request["limits"].items():
        resource.setrlimit(_LIMITS[name], (value, value))
    os.setgroups([])
    os.setresgid(request["uid"], request["uid"], request["uid"])
    os.setresuid(request["uid"], request["uid"], request["uid"])
    os.chdir(request["cwd"])
    os.environ["HOME"] = os.environ["TMPDIR"] = request["cwd"]


def _child(request: "dict[str, Any]", fds: "list[int]") -> None:
    try:
        os.setsid()
        os.umask(0o077)
        _place_descriptors(fds, request["quiet"])
        _become(request)
        payload = json.loads(frames.read(3))
        os.close(3)
        RUNNERS[request["fork"]](payload, 4, 5)
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode("utf-8", "replace"))
    finally:
        os._exit(70)


def _fork(request: "dict[str, Any]", fds: "list[int]", keep: socket.socket) -> "dict[str, Any]":
    try:
        pid = os.fork()
    except OSError as error:
        return {"error": f"fork: {error.strerror}"}
    if pid == 0:
        keep.close()
        _child(request, fds)
    return {"pid": pid}


def _reap(pid: int) -> "dict[str, Any]":
    _, status, usage = os.wait4(pid, 0)
    return {"status": status, "cpu": usage.ru_utime + usage.ru_stime, "memory": usage.ru_maxrss}


def main(first: "dict[str, Any]") -> None:
    keep = socket.socket(fileno=0)
    for name in first["warm"]:
        importlib.import_module(name)
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
        request = json.loads(message)
        answer = _fork(request, fds, keep) if "fork" in request else _reap(request["reap"])
        for fd in fds:
            os.close(fd)
        keep.send(json.dumps(answer).encode())
