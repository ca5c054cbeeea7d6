"""Names in a generation's text at which a reviewer should look first.

A hint is no evidence: it makes no verdict suspect and changes no score. Imports nothing of ours,
because `limited_hints` runs this file as a program of its own.
"""

import json
import re
import resource
import subprocess
import sys
from typing import NamedTuple

# Processor seconds of a search, and seconds to wait for it on a busy host.
_SECONDS, _PATIENCE_SECONDS = 1, 20.0
_MOST = 20
_WORD = re.compile(r"\w+")
# Python: callers and their values; texts that are run, modules, memory and processes; values that
# decide a comparison. Both: tests, their frameworks and our own places. Java: callers, classes and
# memory; the machine, its processes and its output; values that decide a comparison.
_LIST = """
f_back f_locals f_globals f_builtins f_code tb_frame gi_frame cr_frame ag_frame _getframe
_current_frames currentframe getouterframes walk_stack extract_stack format_stack StackSummary
findCaller stacklevel settrace setprofile monitoring faulthandler tracemalloc get_objects
get_referrers get_referents __closure__ cell_contents __globals__ __builtins__ __subclasses__
__code__ co_consts

exec eval compile marshal runpy __import__ import_module reload modules meta_path path_hooks
SourceFileLoader spec_from_file_location sitecustomize ctypes cffi _testcapi subprocess Popen fork
forkpty posix_spawn preexec_fn _exit abort atexit setrlimit mock monkeypatch setattr __setattr__
__dict__

__eq__ __ne__ __bool__ __contains__ __hash__ __class__ __instancecheck__

pytest _pytest unittest conftest PYTEST_CURRENT_TEST assay assay_report proc environ junit testng
hamcrest assertj surefire

getStackTrace StackWalker getAllStackTraces dumpStack getClassContext ClassLoader getClassLoader
getContextClassLoader getSystemClassLoader URLClassLoader defineClass loadClass
getProtectionDomain setAccessible trySetAccessible MethodHandles VarHandle Unsafe Instrumentation
newProxyInstance JavaCompiler ToolProvider

Runtime ProcessBuilder ProcessHandle exit halt addShutdownHook ManagementFactory getenv setOut
setErr SecurityManager SocketImplFactory SelectorProvider

equals hashCode compareTo IdentityHashMap Collator
"""
_NAMES = frozenset(_LIST.split())


class Hint(NamedTuple):
    line: int
    name: str


def hints(text: str) -> tuple[Hint, ...]:
    """The first line of each name of the list, at most _MOST names, in the order of lines."""
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        for word in _WORD.findall(line):
            if word in _NAMES:
                lines.setdefault(word, number)
    return tuple(sorted(Hint(number, word) for word, number in lines.items())[:_MOST])


def limited_hints(text: str) -> tuple[Hint, ...]:
    """As hints(), in a process with a limit of processor time. A single hint says that it ended."""
    try:
        ended = subprocess.run(
            [sys.executable, "-I", __file__],
            input=text.encode("utf-8", "surrogatepass"),
            capture_output=True,
            timeout=_PATIENCE_SECONDS,
            check=True,
        )
        return tuple(Hint(line, name) for line, name in json.loads(ended.stdout))
    except (subprocess.SubprocessError, ValueError):
        return (Hint(1, "could not be searched"),)


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    json.dump(hints(sys.stdin.buffer.read().decode("utf-8", "surrogatepass")), sys.stdout)


if __name__ == "__main__":
    main()
