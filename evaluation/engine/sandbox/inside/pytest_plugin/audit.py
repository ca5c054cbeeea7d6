"""Sends the audit events that honest code seldom causes. PYTEST_DONT_REWRITE

An event is [kind, detail, asker, owner, line]: the asker is the function that caused it, the owner
the nearest function of the project's files, the line is the owner's and is not compared. No program
can remove an audit hook."""

import builtins
import collections
import enum
import gc
import inspect
import linecache
import logging
import os
import stat
import sys
import threading
import tokenize
import traceback
import types
import typing
from typing import Any

globals()["__builtins__"] = dict(vars(builtins))  # a program may replace them

# Events that are sent whatever their arguments are.
_ALWAYS = frozenset(
    (
        *("sys._getframe", "sys._current_frames", "sys._current_exceptions"),
        *("gc.get_objects", "gc.get_referrers", "gc.get_referents"),
        *("sys.settrace", "sys.setprofile", "sys.addaudithook", "sys.monitoring.register_callback"),
        *("code.__new__", "ctypes.dlopen", "ctypes.dlsym", "ctypes.dlsym/handle"),
        *("ctypes.cdata", "ctypes.cdata/buffer", "ctypes.string_at", "ctypes.call_function"),
        *("ctypes.PyObj_FromPtr", "marshal.load", "marshal.loads"),
        # Another interpreter of the process has no hook, and another process is not the test.
        *("cpython.PyInterpreterState_New", "os.fork", "os.forkpty"),
    )
)
# The number of paths with which their arguments begin.
_FILES = {"open": 1, "os.chdir": 1, "os.listdir": 1, "os.scandir": 1}
_FILES.update({"os.link": 2, "os.symlink": 2, "os.rename": 2})
_LOOKED_AT = _ALWAYS.union(_FILES, ("compile", "object.__getattr__", "object.__setattr__"))
_OF_CODE = frozenset(("__code__", "gi_code", "cr_code", "ag_code", "f_code"))
# Objects of the interpreter's whose attributes cause events.
_OWNERS = (
    *(types.FunctionType, types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType),
    *(types.FrameType, types.TracebackType),
)
# Events of files in folders of tests, and the kind under which they are sent.
_READING = frozenset(("open", "os.link", "os.symlink"))
_PRIVATE, DATA = "private", "data of tests"
_IMPORTLIB = "<frozen importlib"
# Events of the hook's own.
_OWN_EVENTS = ("sys._getframe", "object.__getattr__", "open")
# Maximum events; then one says that there are more.
_MOST, UNSEEN, _DEPTH = 3000, "unseen", 200
_WALKING = (
    *("walk_tb", "_walk_tb_with_full_positions", "_get_code_position"),
    *("extract", "_extract_from_extended_frame_gen"),
)
_OF_TYPING = ("_caller", "_make_nmtuple", "NamedTuple", "NamedTupleMeta", "NewType", "TypeVar")
_getframe, _get_ident = sys._getframe, threading.get_ident
_join, _basename, _real = os.path.join, os.path.basename, os.path.realpath
_stat, _access, _getuid, _fsdecode = os.stat, os.access, os.getuid, os.fsdecode
_collects, _collect_no_more, _collect_again = gc.isenabled, gc.disable, gc.enable


def _codes(*owners: Any) -> Any:
    """The code of functions and of the members of classes and modules, with all nested code, by
    id."""
    codes: Any = {}
    for owner in owners:
        parts = vars(owner).values() if isinstance(owner, (type, types.ModuleType)) else [owner]
        for part in parts:
            if isinstance(part, type) and owner is traceback:
                codes.update(_codes(part))
            nested = [getattr(getattr(part, "__func__", part), "__code__", None)]
            while nested:
                code = nested.pop()
                if isinstance(code, types.CodeType):
                    codes[id(code)] = code
                    nested += code.co_consts
    return codes


# The library functions that request frames and give none to others.
_MAKERS = _codes(
    *(collections.namedtuple, getattr(enum.EnumMeta, "_create_", None)),
    *(getattr(typing, name, None) for name in _OF_TYPING),
)
_OF_TRACEBACK, _LOGS = _codes(traceback), _codes(logging.Logger._log)
_WALKS = _codes(*(vars(traceback).get(name) for name in _WALKING))
_WALKS.update(_codes(*(vars(traceback.StackSummary).get(name) for name in _WALKING)))
_STACKS = _codes(*(getattr(traceback, f"{act}_stack") for act in ("extract", "format", "print")))
_FINDS, _CURRENT = _codes(logging.Logger.findCaller), _codes(logging.currentframe)
_INTERNAL = _codes(getattr(logging, "_is_internal_frame", None))  # since Python 3.11
# The library functions that read code or frames, and hand them to nobody.
_READERS = _codes(
    *(getattr(inspect, name, None) for name in ("_signature_from_function", "_has_code_flag")),
    *(getattr(inspect, f"get{kind}state", None) for kind in ("generator", "coroutine", "asyncgen")),
    traceback.clear_frames,
)
# The variables of such functions that hold the object that is read.
_READ = ("f", "tb", "frame", "func", "coro", "generator", "coroutine", "agen")
_SHOWS, _OPENS = _codes(linecache.updatecache), _codes(tokenize.open)
# What a log or a list of callers hands a frame to, by its owner's names.
_HANDS_TO = [
    (vars(owner), name, vars(owner).get(name))
    for owner, *names in (
        (logging, "_is_internal_frame", "traceback"),
        (traceback, "print_stack", "extract_stack", "walk_stack", "StackSummary", "linecache"),
        (traceback.StackSummary, "extract", "_extract_from_extended_frame_gen"),
        (linecache, "lazycache"),
    )
    for name in names
]


# A frame without callers and names.
_NO_FRAME = eval("(lambda: (yield))()", {"__builtins__": {}}).gi_frame  # noqa: S307


class _Handler:
    """A handler of signals that does not get the frame that a signal interrupts: its callers are
    the tests, and no event tells of it."""

    __slots__ = ("original",)

    def __init__(self, original: Any) -> None:
        self.original = original

    def __call__(self, number: int, _frame: Any) -> Any:
        return self.original(number, _NO_FRAME)


def _hide_interrupted_frames() -> None:
    module: Any = sys.modules["_signal"]  # the one in C, which `signal` calls
    set_handler, handler_of, silent = module.signal, module.getsignal, module.default_int_handler

    def original(handler: Any) -> Any:
        return handler.original if type(handler) is _Handler else handler

    def signal(number: Any, handler: Any) -> Any:
        hidden = callable(handler) and handler is not silent
        return original(set_handler(number, _Handler(handler) if hidden else handler))

    def getsignal(number: Any) -> Any:
        return original(handler_of(number))

    module.signal, module.getsignal = signal, getsignal


class Audit:
    """Sends each event once. is_test(path) -> whether a file holds tests. With `of_pools`, also the
    forks of pools of processes, which are innocent."""

    def __init__(
        self, send: Any, root: str, place: str, is_test: Any, of_pools: bool = False
    ) -> None:
        self._send, self._is_test, self._of_pools = send, is_test, of_pools
        self._root, self._inside, self._place = root, root + os.sep, place
        self._events: Any = set()
        # The threads in which the hook looks at an event, and at one that occurred meanwhile.
        self._looking: Any = set()
        self._looking_inside: Any = set()
        _hide_interrupted_frames()
        if hasattr(sys, "addaudithook"):  # since Python 3.8
            sys.addaudithook(self._hook)

    def send(self, value: Any) -> None:
        """Sends what is no event of a program's, without causing one."""
        thread = _get_ident()
        inner = thread in self._looking
        self._looking.add(thread)
        try:
            self._send(value)
        finally:
            if not inner:
                self._looking.discard(thread)

    def _hook(self, event: str, arguments: Any) -> None:
        if event not in _LOOKED_AT or len(self._events) > _MOST:
            return
        thread = _get_ident()
        if thread in self._looking:
            self._look_inside(event, thread)
            return
        self._looking.add(thread)
        # Garbage collection may run a program's code.
        collects = _collects()
        _collect_no_more()
        try:
            frame = _getframe(1)
            of_pool = event == "os.fork" and self._of_pools
            innocent = not of_pool and _is_innocent(event, arguments, frame)
            if innocent or _file_of(frame).startswith(self._place):
                return
            kind, detail = self._described(event, arguments)
            owner, line = (None, 0) if detail is None else self._owner_of(frame)
            path = self._inside + (owner or "").partition(":")[0]
            if owner is not None and not (kind == DATA and self._is_test(path)):
                self._tell((kind, detail, self._named(frame), owner), line)
        except (RecursionError, MemoryError):  # the event is not allowed without a look at it
            raise
        except Exception:
            # An error here would become the program's, unless even this cannot be sent.
            self._tell((UNSEEN, event, "", ""), 0)
        finally:
            self._looking.discard(thread)
            if collects:
                _collect_again()

    def _look_inside(self, event: str, thread: int) -> None:
        """Tells if the program's own code runs while the hook looks, for example as a handler of
        signals. Raises an error if it even runs while that is told."""
        if thread in self._looking_inside:
            if event not in _OWN_EVENTS:
                raise RuntimeError
            return
        self._looking_inside.add(thread)
        try:
            if not _file_of(_getframe(2)).startswith(self._place):
                self._tell((UNSEEN, event, "", ""), 0)
        finally:
            self._looking_inside.discard(thread)

    def _tell(self, event: Any, line: int) -> None:
        if event not in self._events:
            more = len(self._events) >= _MOST
            self._send({"event": [UNSEEN, "events", "", "", 0] if more else [*event, line]})
            self._events.add(event)

    def _described(self, event: str, arguments: Any) -> Any:
        """The kind under which an event is sent, and a detail; None for that of a harmless one."""
        if event in _ALWAYS:
            return event, ""
        if event in _FILES:
            paths = [*map(_text, arguments[: _FILES[event]])]
            names = {self._nature(path): _basename(path) for path in reversed(paths)}
            if _PRIVATE in names or event not in _READING:
                return event, names.get(_PRIVATE)
            return DATA, names.get(DATA)
        owner, name = arguments[0], arguments[1]
        if event == "compile":  # under a library's name it would pass for the library's
            path = _text(name)
            if is_own(path):
                return event, None
            trusted = path[0] == "<" or self._nature(path) == _PRIVATE
            return event, None if not trusted and _is_text_of(path, owner) else _basename(path)
        if type(name) is not str:
            return event, ""  # no event of the interpreter's
        if name not in _OF_CODE:
            return event, name if name.endswith("_frame") else None
        code = getattr(owner, name, None) if type(owner) in _OWNERS else None
        path = "" if code is None else code.co_filename
        of_pytest = any(part in path for part in ("_pytest", "/pytest/", "/pluggy/"))
        secret = code is None or of_pytest or self._nature(path) == _PRIVATE
        return event, name if secret or event == "object.__setattr__" else None

    def _nature(self, path: str) -> str:
        """_PRIVATE for a file that belongs to the judge, holds tests, or is a process's memory.
        DATA for one that the run did not make and that lies with the tests, or its folder."""
        try:
            full = _real(path)
        except OSError:  # in a folder that was removed
            full = _join(self._root, path)
        name, holds_tests = _basename(full), self._is_test(full)
        of_tests = path.endswith(".py") and (holds_tests or self._is_test(path))
        if of_tests or self._place in full or name == "mem":
            return _PRIVATE
        of_tests = holds_tests or ("." not in name and self._is_test(_join(full, "")))
        return DATA if of_tests and not is_own(full) else ""

    def _owner_of(self, frame: Any) -> Any:
        """The nearest function of the project, and its line. The owner is None if a module that is
        no candidate's is being imported."""
        installed = not is_own(_file_of(frame))
        for caller in filter(None, _frames(frame, _DEPTH)):
            path = _file_of(caller)
            # Paths may be relative before Python 3.9.
            if path.startswith(self._inside) or not path.startswith(("/", "<")):
                return self._named(caller), caller.f_lineno
            # A loader's other functions read any file, so they do not count.
            is_import = path.startswith(_IMPORTLIB) and caller.f_code.co_name == "_find_and_load"
            if installed and is_import:
                return None, 0
        return "", 0

    def _named(self, frame: Any) -> str:
        path = _file_of(frame)
        if path.startswith(self._inside):
            path = path[len(self._inside) :]
        return f"{path}:{str.__str__(frame.f_code.co_name)}"


def _is_innocent(event: str, arguments: Any, frame: Any) -> bool:
    # Which code it is, by id: other code can equal it.
    code, caller, further = (f and id(f.f_code) for f in _frames(frame, 3))
    if event == "sys._getframe":
        whole = all(names.get(name) is function for names, name, function in _HANDS_TO)
        lists = code in _STACKS or (code in _CURRENT and caller in _FINDS)
        return code in _MAKERS or (lists and whole)
    if event == "open":  # a warning or a traceback fails to show a line of a hidden file
        return code in _OPENS and caller in _SHOWS and not _access(_text(arguments[0]), os.R_OK)
    path = _file_of(frame)
    if event == "os.fork":
        # Its child never returns to the program.
        return path.endswith("/multiprocessing/popen_fork.py") and not is_own(path)
    if event != "object.__getattr__":
        return False
    if code in _INTERNAL and caller in _FINDS:
        code, caller = caller, further
    # Tasks that are shown as text. asyncio is not imported here, because that takes long.
    if path.endswith("/asyncio/coroutines.py") and frame.f_code.co_name == "_format_coroutine":
        return not is_own(path) and _reads(frame, arguments[0])
    if caller in _OF_TRACEBACK and _OF_TRACEBACK[caller].co_flags & inspect.CO_GENERATOR:
        caller = further  # the generator passes the frame on
    if frame.f_locals.get("capture_locals"):
        return False  # The program gets the variables of its callers.
    finds = (code in _FINDS and caller in _LOGS) or (code in _WALKS and caller in _OF_TRACEBACK)
    return (finds or code in _READERS) and _reads(frame, arguments[0])


def _reads(frame: Any, owner: Any) -> bool:
    """Whether the function itself reads an attribute of the owner. Otherwise it reads one of an
    object of the program's, which calls functions in C that read the owner's and keep it."""
    for held in map(frame.f_locals.get, _READ):
        if held is owner or (type(held) is types.TracebackType and held.tb_frame is owner):
            return True
    return False


def is_own(path: str) -> bool:
    """Whether this process's user may have written it: the project's files belong to another
    user."""
    if path.startswith("<frozen "):
        return False
    try:
        return _stat(path).st_uid == _getuid()
    except (OSError, ValueError):
        return True


def _is_text_of(path: str, source: Any) -> bool:
    """Whether the source is the file's own text, whatever its line ends; True for a folder."""
    mode = _stat(path).st_mode
    if stat.S_ISDIR(mode):
        return True
    if type(source) is str:
        source = source.encode("utf-8", "replace")
    if type(source) is not bytes or not stat.S_ISREG(mode) or not _access(path, os.R_OK):
        return False
    with open(path, "rb") as file:
        return file.read().replace(b"\r\n", b"\n") == source.replace(b"\r\n", b"\n")


def _text(value: Any) -> str:
    """A path as the interpreter's own text. Code of the value's class would be seen."""
    is_path = value is not None and not issubclass(type(value), int)
    return str.__str__(_fsdecode(value)) if is_path else ""


def _frames(frame: Any, count: int) -> Any:
    """The frame and its callers; None for those that are missing."""
    for _ in range(count):
        yield frame
        frame = None if frame is None else frame.f_back


def _file_of(frame: Any) -> str:
    """The file's name as the interpreter's own text: code may be made with another one."""
    return str.__str__(frame.f_code.co_filename)
