"""Tests of the audit hook: no program finds a moment at which it does not see or refuses."""

# Programs read best in a line each.
# ruff: noqa: E501

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.engine.sandbox.inside import pytest_plugin

# Installs the hook as the plugin does. Each event opens the channel, as a report to the runner does.
BEGINS = """
import os
from pytest_plugin import audit
place = os.path.dirname(os.path.dirname(audit.__file__))
def send(value):
    fd = os.open("channel", os.O_WRONLY | os.O_APPEND)
    os.write(fd, f"{value['event']}\\n".encode())
    os.close(fd)
open("channel", "w").close()
if "INSTALLED" in os.environ:
    audit._getuid = lambda: -1  # as if another user had installed all files
pools = os.environ.get("POOLS") == "told"
audit.Audit(send, os.getcwd(), place, lambda path: "/tests/" in path, pools)
import program
"""
# Programs that look for an object of the interpreter's while the hook is busy or cannot report, and
# then say how many they found.
FOUND = "\nopen('found.txt', 'w').write(str(len(found)))\n"
BLINDING = {
    "no descriptor left": "import gc, os\nused, found = [], []\ntry:\n    while True: used.append(os.dup(2))\nexcept OSError: pass\ntry: found = gc.get_objects()\nexcept OSError: pass\nfor each in used: os.close(each)",
    "an event of its own": "import gc, sys\nfound = []\nclass Code: co_filename = 'x'\nclass Holder:\n    @property\n    def ag_code(self):\n        found.extend(gc.get_objects())\n        return Code()\nsys.audit('object.__getattr__', Holder(), 'ag_code')",
    "a text of its own": "import gc, sys\nfound = []\nclass Text(str):\n    def startswith(self, *_): found.extend(gc.get_objects())\n    __str__ = __contains__ = endswith = startswith\nsys.audit('open', Text('x'), Text('r'), 0)\nsys.audit('compile', Text('x'), Text('x'))\nsys.audit('object.__getattr__', found, Text('gi_code'))",
    "a path": "import gc, pathlib, subprocess, sys\nfound = []\nclass Drive:\n    def __bool__(self):\n        found.extend(gc.get_objects())\n        return False\n    def __str__(self):\n        found.extend(gc.get_objects())\n        return 'x'\npath = pathlib.Path('x')\nfor name in ('_drv', '_raw_paths', '_str', '_parts', '_tail_cached'):\n    try: setattr(path, name, Drive())\n    except AttributeError: pass\nfor event in ('subprocess.Popen', 'open'):\n    sys.audit(event, path, [path], None, None)",
    "a file's name of code": "import gc, sys\nfound = []\nclass Text(str):\n    def startswith(self, *_): found.extend(gc.get_objects())\n    __str__ = __contains__ = startswith\ncode = (lambda: sys._getframe()).__code__\nexec(code.replace(co_filename=Text('x'), co_name=Text('y')))",
    "a handler of signals": "import gc, os, signal, time\nfound, errors = [], []\ndef handle(*_):\n    try: found.append(len(gc.get_objects()))\n    except RuntimeError: pass\nsignal.signal(signal.SIGALRM, handle)\nsignal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)\nend = time.monotonic() + 0.3\nwhile time.monotonic() < end:\n    try: open('channel').close()\n    except Exception as error: errors.append(error)\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)",
}  # fmt: skip
# Programs that get a frame in place of a library function that may ask for it.
HANDED_ON = {
    "what a log asks of a frame": "import logging\nfound = []\nlogging._is_internal_frame = lambda frame: bool(found.append(frame))\nlogging.getLogger().findCaller()",
    "what a log shows of a stack": "import logging, types\nfound = []\nlogging.traceback = types.SimpleNamespace(print_stack=lambda frame, file: (found.append(frame), file.write('x')))\nlogging.getLogger().findCaller(stack_info=True)",
    "what a log shows, by the library's own": "import logging, traceback\nfound = []\ntraceback.walk_stack = lambda frame: [(found.append(frame), 1)][:0]\nlogging.getLogger().findCaller(stack_info=True)",
    "what a list of callers asks": "import traceback\nfound = []\ntraceback.walk_stack = lambda frame: [(found.append(frame), 1)][:0]\ntraceback.extract_stack()",
    "what shows a line of a caller": "import linecache, traceback\nfound = []\nlinecache.lazycache = lambda _, names: found.append(names)\ntraceback.print_stack()",
    "what shows a line, for a library": "import traceback, types\nfound = []\ntraceback.linecache = types.SimpleNamespace(lazycache=lambda _, names: found.append(names), checkcache=len, getline=lambda *_: '')\ntraceback.extract_stack()",
    "a summary of its own": "import traceback\nfound = []\nclass Summary(traceback.StackSummary):\n    @classmethod\n    def _extract_from_extended_frame_gen(cls, frames, **_): found.extend(frames)\ntry: raise ValueError\nexcept ValueError as error: Summary.extract(traceback.walk_tb(error.__traceback__))",
}  # fmt: skip
# The begin of programs with a frame and a function of a test.
OF_TESTS = """
import asyncio, functools, inspect, operator, os, traceback, types, unittest
hidden, found = {}, []
exec(compile("def test(value): return value", os.path.abspath("tests/test_x.py"), "exec"), hidden)
test = hidden["test"]
try: raise ValueError
except ValueError as error: trace = error.__traceback__
def reading(owner, name):
    "An attribute that functions in C read of the owner and keep."
    keep = map(found.append, map(operator.attrgetter(name), [owner]))
    return property(functools.partial(next, keep))
def made(**names):
    return type("It", (), names)()
"""
# Library functions that read the code or the frame of an object of the program's.
READ_FOR_IT = {
    "of a function": "inspect.iscoroutinefunction(made(__class__=property(lambda _: types.FunctionType), __code__=reading(test, '__code__')))",
    "of a generator": "inspect.getgeneratorstate(made(gi_running=False, gi_suspended=False, gi_frame=reading(trace, 'tb_frame')))",
    "of a traceback": "traceback.clear_frames(made(tb_frame=reading(trace, 'tb_frame')))",
    "of a traceback that is shown": "traceback.format_tb(made(tb_frame=reading(trace, 'tb_frame')))",
}  # fmt: skip
# Library functions that read code and frames, and hand them to nobody.
INNOCENT = (
    *("inspect.signature(test)", "inspect.signature(types.MethodType(test, 1))"),
    *("inspect.getfullargspec(test)", "inspect.isgeneratorfunction(test)"),
    *("asyncio.iscoroutinefunction(functools.partial(test))", "traceback.clear_frames(trace)"),
    *("inspect.getgeneratorstate(each for each in [])", "traceback.format_tb(trace)"),
    *("traceback.extract_stack()", "traceback.print_stack(limit=1)"),
    "unittest.TestCase().assertRaises(ValueError, int, 'x')",
)


def seen_of(folder: Path, program: str, **variables: str) -> tuple[int, str]:
    """How many objects the program found, and the events that were sent."""
    shutil.copytree(Path(pytest_plugin.__path__[0]), folder / "judge" / "pytest_plugin")
    (folder / "judge" / "begins.py").write_text(BEGINS)
    (folder / "program.py").write_text(f"{program}\n{FOUND}")
    path = {**os.environ, "PYTHONPATH": str(folder), **variables}
    command = [sys.executable, str(folder / "judge" / "begins.py")]
    done = subprocess.run(
        command, cwd=folder, env=path, capture_output=True, text=True, check=False
    )
    assert (folder / "found.txt").exists(), done.stderr
    return int((folder / "found.txt").read_text()), (folder / "channel").read_text()


@pytest.mark.parametrize("way", BLINDING)
def test_what_a_program_finds_is_told(tmp_path: Path, way: str) -> None:
    found, events = seen_of(tmp_path, BLINDING[way])
    assert found == 0 or "gc.get_objects" in events or "unseen" in events


def test_handlers_of_signals_get_no_frame_of_a_caller(tmp_path: Path) -> None:
    program = """
import _signal, signal
found, calls = [], []
def handle(number, frame):
    calls.append(number)
    while (frame := frame.f_back):
        found.append(frame)
def add(signals):
    assert signals.signal(signal.SIGUSR1, handle) in (signal.SIG_DFL, handle)
    assert signals.getsignal(signal.SIGUSR1) is handle
    signal.raise_signal(signal.SIGUSR1)
add(signal)
add(_signal)
assert calls == [signal.SIGUSR1] * 2
signal.signal(signal.SIGINT, signal.default_int_handler)
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
assert signal.signal(signal.SIGUSR1, signal.SIG_IGN) is handle
assert signal.signal(signal.SIGUSR1, signal.SIG_DFL) == signal.SIG_IGN
"""
    assert seen_of(tmp_path, program) == (0, "")


@pytest.mark.parametrize("way", HANDED_ON)
def test_a_frame_that_a_library_hands_on_is_told(tmp_path: Path, way: str) -> None:
    found, events = seen_of(tmp_path, HANDED_ON[way])
    assert found == 0 or "sys._getframe" in events or "tb_frame" in events


@pytest.mark.parametrize("way", READ_FOR_IT)
def test_what_a_library_reads_of_an_object_of_the_programs_is_told(
    tmp_path: Path, way: str
) -> None:
    program = f"{OF_TESTS}\ntry: {READ_FOR_IT[way]}\nexcept Exception: pass"
    found, events = seen_of(tmp_path, program)
    assert found == 1
    assert "'object.__getattr__'" in events


def test_libraries_read_code_and_frames_that_they_hand_to_nobody(tmp_path: Path) -> None:
    _, events = seen_of(tmp_path, "\n".join((OF_TESTS, *INNOCENT)))
    assert "'object.__getattr__'" not in events


def test_a_process_that_a_program_forks_is_told(tmp_path: Path) -> None:
    program = "import os, pty\nfound = []\nfor fork in (os.fork, lambda: os.forkpty()[0]):\n    child = fork()\n    if not child: os._exit(0)\n    os.waitpid(child, 0)"
    _, events = seen_of(tmp_path, program)
    assert "'os.fork'" in events
    assert "'os.forkpty'" in events


@pytest.mark.parametrize("pools", ["told", "innocent"])
def test_a_pool_of_processes_is_told_where_it_shows_that_tests_fork(
    tmp_path: Path, pools: str
) -> None:
    program = "import multiprocessing\nwith multiprocessing.get_context('fork').Pool(1) as pool:\n    found = pool.map(abs, [1])"
    _, events = seen_of(tmp_path, program, POOLS=pools, INSTALLED="all")
    assert ("'os.fork'" in events) is (pools == "told")


@pytest.mark.parametrize(
    ("source", "place", "told"),
    [
        *(("text", "other.py", False), ("text.encode()", "other.py", False)),
        *(("'1'", "other.py", True), ("text + '1'", "other.py", True)),
        ("text", "judge/other.py", True),  # the hook trusts code of the judge's
    ],
)
def test_code_is_told_that_is_not_the_text_of_the_file_whose_name_it_bears(
    tmp_path: Path, source: str, place: str, told: bool
) -> None:
    program = f"""
import linecache, shutil
found, place = [], shutil.copy(linecache.__file__, {place!r})
with open(place) as file: text = file.read()
compile({source}, place, "exec")
"""
    _, events = seen_of(tmp_path, program, INSTALLED="all")
    assert ("'compile'" in events) is told


def test_code_that_is_made_under_a_librarys_name_is_told(tmp_path: Path) -> None:
    program = "import marshal\nfound = []\nfor name in ('<frozen os>', __file__, '<string>'):\n    compile('1', name, 'exec')\nmarshal.loads(marshal.dumps(1))"
    program += "\ncompile('1', '', 'exec')"
    _, events = seen_of(tmp_path, program)
    assert "unseen" not in events
    told = [line.split("'")[1:4:2] for line in events.splitlines() if "program.py" in line]
    assert told == [["compile", "<frozen os>"], ["marshal.loads", ""]]
