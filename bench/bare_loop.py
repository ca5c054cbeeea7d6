"""The bare loop that the engine is compared to: no container, no isolation, no cleaning up.

    python3 bare_loop.py PROGRAMS.json WORKERS SECONDS

PROGRAMS.json is a list of [program, entry point, [arguments, ...]]. Each of WORKERS
processes forks a child per program from its warm interpreter, which calls the function
with every test's arguments and sends str(result) back over a pipe; SECONDS of wall time
end it. Prints how many children answered. Standard library only, so that any
interpreter runs it.
"""

import json
import multiprocessing
import os
import select
import signal
import sys
import types
from pathlib import Path
from typing import Any

# Its text, its entry point, and the arguments of each test by name.
Program = tuple[str, str, list[dict[str, Any]]]


def _child(program: str, entry_point: str, tests: list[dict[str, Any]], out: int) -> None:
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    results: list[str | None] = []
    try:
        module = types.ModuleType("candidate")
        sys.modules["candidate"] = module
        exec(compile(program, "program.py", "exec"), module.__dict__)
        function = module.__dict__[entry_point]
        for arguments in tests:
            try:
                results.append(str(function(**arguments)))
            except BaseException:
                results.append(None)
    except BaseException:
        pass
    os.write(out, json.dumps(results).encode())
    os._exit(0)


def _one(program: str, entry_point: str, tests: list[dict[str, Any]], seconds: float) -> bool:
    out_r, out_w = os.pipe()
    pid = os.fork()
    if pid == 0:
        _child(program, entry_point, tests, out_w)
    os.close(out_w)
    answered = bool(select.select([out_r], [], [], seconds)[0])
    if answered:
        while os.read(out_r, 1 << 16):
            pass
    else:
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(out_r)
    return answered


def _work(programs: list[Program], counter: Any, seconds: float) -> int:
    answered = 0
    while True:
        with counter.get_lock():
            number = counter.value
            counter.value += 1
        if number >= len(programs):
            return answered
        program, entry_point, tests = programs[number]
        answered += _one(program, entry_point, tests, seconds)


def main() -> None:
    programs = json.loads(Path(sys.argv[1]).read_text())
    counter = multiprocessing.Value("i", 0)
    for _ in range(int(sys.argv[2])):
        if os.fork() == 0:
            _work(programs, counter, float(sys.argv[3]))
            os._exit(0)
    for _ in range(int(sys.argv[2])):
        os.wait()
    print(len(programs))


if __name__ == "__main__":
    main()
