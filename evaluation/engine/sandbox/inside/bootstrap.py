"""Turns sources that arrive on a descriptor into modules, and runs one of them.

Sent as the command of the container's first process: it can import nothing of ours. Arguments: the
module to run, the descriptor to read from. First frame: the sources, [[name, source], ...] in order
of import; second frame: what the module is given."""

import json
import os
import struct
import sys
import types


def _exactly(fd: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = os.read(fd, size - len(data))
        if not part:
            os._exit(71)
        data += part
    return data


def _frame(fd: int) -> bytes:
    (size,) = struct.unpack(">I", _exactly(fd, 4))
    return _exactly(fd, size)


def _start(main: str, fd: int) -> None:
    sources, first = json.loads(_frame(fd)), json.loads(_frame(fd))
    package = types.ModuleType("inside")
    package.__path__ = []
    sys.modules["inside"] = package
    for name, source in sources:
        module = types.ModuleType("inside." + name)
        module.__package__ = "inside"
        sys.modules["inside." + name] = module
        setattr(package, name, module)
        exec(compile(source, "<inside." + name + ">", "exec"), module.__dict__)
    if fd:
        os.close(fd)
    sys.modules["inside." + main].main(first)


if __name__ == "__main__":
    _start(sys.argv[1], int(sys.argv[2]))
