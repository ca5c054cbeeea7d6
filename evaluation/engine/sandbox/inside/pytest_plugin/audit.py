"""Sends the audit events that honest code seldom causes. PYTEST_DONT_REWRITE

An event is [kind, detail, asker, owner, line]: the asker is the function that caused it, the owner
the nearest function of the project's files, the line is the owner's and is not compared. No program
can remove an audit hook.
"""

import builtins
import collections
import enum
import gc
import logging
import os
import pathlib
import re
import sys
import threading
import traceback
import types
import typing
from typing import Any

from . import raw

# A program may replace builtins.
globals()["__builtins__"] = dict(vars(builtins))

# Events that are sent whatever their arguments are.
_ALWAYS = frozenset(
    (
        *("sys._getframe", "sys._current_frames", "sys._current_exceptions"),
        *("gc.get_objects", "gc.get_referrers", "gc.get_referents"),
        *("sys.settrace", "sys.setprofile", "sys.addaudithook", "sys.monitoring.register_callback"),
        *("code.__new__", "ctypes.dlopen", "ctypes.dlsym", "ctypes.dlsym/handle"),
        *("ctypes.cdata", "ctypes.cdata/buffer", "ctypes.string_at", "ctypes.call_function"),
        "ctypes.PyObj_FromPtr",
        # Another interpreter of the process has no hook.
        "cpython.PyInterpreterState_New",
    )
)
_COMMANDS = frozenset(("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"))
_FILES = frozenset(
    ("open", "os.chdir", "os.listdir", "os.scandir", "os.link", "os.symlink", "os.rename")
)
# Events of files in folders of tests, and the kind under which they are sent.
_READING, DATA = frozenset(("open", "os.link", "os.symlink")), "data of tests"
_ATTRIBUTES = frozenset(("object.__getattr__", "object.__setattr__"))
_SOURCES = frozenset(("compile",))
_NAMED = frozenset(("exec", "marshal.loads", "pickle.find_class"))
_LOOKED_AT = _ALWAYS | _COMMANDS | _FILES | _ATTRIBUTES | _SOURCES | _NAMED
# Names that honest code run from text does not need.
_WORDS = ("f_back", "f_locals", "gi_frame", "cr_frame", "tb_frame", "__closure__", "_getframe")
# The same as names in code compiled from text, and names that pickles may not look up.
_NAMES = frozenset(
    (
        *_WORDS,
        *("modules", "meta_path", "settrace", "setprofile", "signal", "_pytest", "pytest"),
        *("unittest", "builtins", "ctypes", "gc", "inspect", "__self__", "__globals__"),
        *("__loader__", "get_data", "get_source", "__builtins__", "__subclasses__", "co_consts"),
        *("__import__", "import_module", "sys"),
    )
)
_REACHING = ("sys", "gc", "inspect", "signal", "traceback", "_pytest", "pytest", "unittest")
_EXECUTING = ("exec", "eval", "compile", "getattr", "setattr", "open", "__import__", "vars")
_OF_TRACEBACK = (
    *("walk_tb", "_walk_tb_with_full_positions", "_get_code_position", "clear_frames"),
    *("extract", "_extract_from_extended_frame_gen"),
)
_OF_TYPING = ("_caller", "_make_nmtuple", "NamedTuple", "NamedTupleMeta", "NewType", "TypeVar")
_INTERPRETER = re.compile(r"([a-z]{0,4}sh|python[\d.]*|perl|ruby|node|php|lua|xargs)$")
_IMPORTLIB = "<frozen importlib"
# Events of the hook's own.
_OWN_EVENTS = ("sys._getframe", "object.__getattr__", "open")
# A module was imported from a file that the run made.
_OWN_MODULE = "module of its own"
# Objects of the interpreter's whose attributes cause events.
_OWNERS = (
    *(types.FunctionType, types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType),
    *(types.FrameType, types.TracebackType),
)
_MOST_NESTED = 3
# Replaces an unknown argument of a command, which then counts as one that names tests.
_ANYTHING = "test"
# Maximum events; then one says that there are more.
_MOST, UNSEEN = 3000, "unseen"
_DEPTH = 200
_getframe, _get_ident = sys._getframe, threading.get_ident
_join, _basename, _real = os.path.join, os.path.basename, os.path.realpath
_stat, _getuid = os.stat, os.getuid
_collects, _collect_no_more, _collect_again = gc.isenabled, gc.disable, gc.enable


def installed(send: Any, root: str, place: str, is_test: Any) -> Any:
    """Sends each event once. is_test(path) -> whether a file holds tests. Returns `send` for our
    own use, which causes no event."""
    known: Any = set()
    busy: Any = set()
    asking: Any = set()
    innocent, project = _Innocent(), _Project(root, place, is_test)

    def hook(event: str, arguments: Any) -> None:
        thread = _get_ident()
        if event not in _LOOKED_AT or len(known) > _MOST:
            return
        if thread in busy:
            look_inside(event, thread)
            return
        busy.add(thread)
        # Garbage collection may run a program's code.
        collects = _collects()
        _collect_no_more()
        try:
            look(event, arguments, _getframe(1))
        except (RecursionError, MemoryError):  # the event is not allowed without a look at it
            raise
        except Exception:
            # An error here would become the program's, unless even this cannot be sent.
            tell((UNSEEN, event, "", ""), 0)
        finally:
            busy.discard(thread)
            if collects:
                _collect_again()

    def look_inside(event: str, thread: int) -> None:
        """Tells if the program's own code runs while the hook looks, for example as a handler of
        signals. Raises an error if it even runs while that is told."""
        if thread in asking:
            if event not in _OWN_EVENTS:
                raise RuntimeError
            return
        asking.add(thread)
        try:
            if not project.is_judges(_getframe(2)):
                tell((UNSEEN, event, "", ""), 0)
        finally:
            asking.discard(thread)

    def tell(told: Any, line: int) -> None:
        if told not in known:
            more = len(known) >= _MOST
            send({"event": [UNSEEN, "events", "", "", 0] if more else [*told, line]})
            known.add(told)

    def look(event: str, arguments: Any, frame: Any) -> None:
        given = tuple(map(_exact, arguments))
        kind, detail = _kind_of(event, given, project, frame)
        if detail is None or innocent.asks(event, frame):
            return
        owner, line = project.owner_of(frame)
        if kind == _OWN_MODULE:
            owner = owner or ""
        if owner is None or (kind == DATA and project.is_of_tests(owner)):
            return
        tell((kind, detail, project.named(frame), owner), line)

    def unheard(value: Any) -> None:
        thread = _get_ident()
        inner = thread in busy
        busy.add(thread)
        try:
            send(value)
        finally:
            if not inner:
                busy.discard(thread)

    if hasattr(sys, "addaudithook"):  # from Python 3.8 on
        sys.addaudithook(hook)
    return unheard


class _Project:
    def __init__(self, root: str, place: str, is_test: Any) -> None:
        self._root, self._inside, self._place = root, root + os.sep, place
        self._is_test = is_test

    def is_private(self, path: Any) -> bool:
        """Whether a file belongs to the judge, holds tests, or is a process's memory."""
        if type(path) is not str:
            return False
        full = self._full(path)
        in_tests = path.endswith(".py") and (self._is_test(full) or self._is_test(path))
        return bool(in_tests) or self._place in full or _basename(full) == "mem"

    def is_data(self, path: Any) -> bool:
        """Whether a file lies with the tests, which may compare with its content, or is a folder of
        such files. False for files that the run made."""
        if type(path) is not str:
            return False
        full = self._full(path)
        is_folder = "." not in _basename(full) and self._is_test(_join(full, ""))
        return bool(is_folder or self._is_test(full)) and not _is_own(full)

    def is_of_tests(self, owner: str) -> bool:
        return bool(self._is_test(self._inside + owner.partition(":")[0]))

    def _full(self, path: str) -> str:
        try:
            return _real(path)
        except OSError:  # in a folder that was removed
            return _join(self._root, path)

    def is_judges(self, frame: Any) -> bool:
        return _file_of(frame).startswith(self._place)

    def owner_of(self, frame: Any) -> Any:
        """The nearest function of the project, and its line. The owner is None if a module that is
        no candidate's is being imported."""
        depth, installed = 0, not _is_own(_file_of(frame))
        while frame is not None and depth < _DEPTH:
            if self._has(_file_of(frame)):
                return self.named(frame), frame.f_lineno
            if installed and _is_import(frame):
                return None, 0
            frame, depth = frame.f_back, depth + 1
        return "", 0

    def _has(self, path: str) -> bool:
        """Paths may be relative before Python 3.9."""
        return path.startswith(self._inside) or not path.startswith(("/", "<"))

    def named(self, frame: Any) -> str:
        path = _file_of(frame)
        if path.startswith(self._inside):
            path = path[len(self._inside) :]
        return f"{path}:{str.__str__(frame.f_code.co_name)}"


def _file_of(frame: Any) -> str:
    """The file's name as the interpreter's own text: code may be made with another one."""
    return str.__str__(frame.f_code.co_filename)


def _is_importlibs(frame: Any) -> bool:
    return _file_of(frame).startswith(_IMPORTLIB)


def _is_import(frame: Any) -> bool:
    """Whether a module is being imported. A loader's other functions read any file, so they do not
    count."""
    return _is_importlibs(frame) and str.__str__(frame.f_code.co_name) == "_find_and_load"


def _is_own(path: str) -> bool:
    """Whether this process's user may have written it: the project's files belong to another
    user."""
    if path.startswith(_IMPORTLIB):
        return False
    try:
        return _stat(path).st_uid == _getuid()
    except (OSError, ValueError):
        return True


def _exact(value: Any, depth: int = _MOST_NESTED) -> Any:
    """The value in the interpreter's own types: a subclass of str would run a program's code."""
    kind = type(value)
    if issubclass(kind, str):
        return str.__str__(value)
    if issubclass(kind, bytes):
        return os.fsdecode(bytes.__getitem__(value, slice(None)))
    if kind is pathlib.PosixPath and all(_is_text(part) for _, part, _ in raw.attributes_of(value)):
        return str(value)
    for many in (list, tuple):
        if issubclass(kind, many) and depth:
            return [_exact(each, depth - 1) for each in many.__iter__(value)]
    # In a command it may stand for any file.
    return value if depth == _MOST_NESTED or value is None else _ANYTHING


def _is_text(part: Any) -> bool:
    """Whether a part of a path runs no code of a program's when the path becomes a text."""
    if type(part) in (list, tuple):
        return all(map(_is_text, part))
    return part is None or type(part) in (str, int)


def _kind_of(event: str, arguments: Any, project: Any, frame: Any) -> Any:
    """The kind under which an event is sent, and its detail; None for the detail of a harmless
    one."""
    if event == "open" and _is_importlibs(frame) and _is_own(arguments[0]):
        return _OWN_MODULE, _basename(arguments[0])
    detail = _detail(event, arguments, project, frame)
    if detail is None and event in _READING:
        return DATA, next(
            (_basename(each) for each in arguments[:2] if project.is_data(each)), None
        )
    return event, detail


def _detail(event: str, arguments: Any, project: Any, frame: Any) -> Any:
    """The part of an event that is sent in addition to its kind; None if it is harmless."""
    private = project.is_private
    if event in _ALWAYS:
        return ""
    if event in _FILES:
        # The second argument of "open" is a mode.
        named = arguments[: 1 if event == "open" else 2]
        paths = [_basename(each) for each in named if private(each)]
        return paths[0] if paths else None
    if event in _COMMANDS:
        # The third one of subprocess.Popen is the folder.
        words = " ".join(_texts(arguments[:3]))
        if any(word in words for word in ("/judge", "assay", "test")):
            return "tests"
        return "a text that it is given" if _reads_its_text(arguments[1:2]) else None
    if event in _SOURCES:
        return _of_source(" ".join(_texts(arguments[:1])), arguments[1], frame)
    if event in ("exec", "marshal.loads"):
        skipped = project.is_judges(frame) or _is_importlibs(frame)
        return None if skipped else _of_code(arguments[0], private) if event == "exec" else ""
    if event == "pickle.find_class":
        return _of_pickle(arguments[0], arguments[1], private)
    owner, name = arguments[0], arguments[1]
    if type(name) is not str:
        return ""  # no event of the interpreter's
    if name in ("__code__", "gi_code", "cr_code", "ag_code", "f_code"):
        code = getattr(owner, name, None) if type(owner) in _OWNERS else None
        reads = event == "object.__getattr__"
        if reads and code is not None and not _is_private(code.co_filename, private):
            return None
        return name
    return name if name.endswith("_frame") else None


def _texts(values: Any) -> Any:
    for each in values:
        if type(each) is str:
            yield each
        elif type(each) is list:
            yield from _texts(each)


def _reads_its_text(arguments: Any) -> bool:
    """Whether a command starts an interpreter that reads a program from its input."""
    words = [*_texts(arguments)]
    starts_one = words and _INTERPRETER.match(_basename(words[0]))
    return bool(starts_one) and all(word.startswith("-") for word in words[1:])


def _of_code(code: Any, private: Any) -> Any:
    """A name in the code that honest code run from text does not need, or a test file's."""
    names = _names_of(code) if type(code) is types.CodeType else set()
    found = [each for each in sorted(names) if each in _NAMES or _is_test_module(each, private)]
    return f"of a text with {found[0]}" if found else None


def _names_of(code: Any) -> Any:
    inner = [each for each in code.co_consts if type(each) is types.CodeType]
    parts = {part for name in code.co_names for part in (name, *name.split("."))}
    return parts.union(*map(_names_of, inner))


def _is_test_module(name: str, private: Any) -> bool:
    """Whether a loaded module is a test file's."""
    module = sys.modules.get(name)
    return type(module) is types.ModuleType and private(vars(module).get("__file__"))


def _of_pickle(module: Any, name: Any, private: Any) -> Any:
    top = module.partition(".")[0]
    found = top in _REACHING or (top in ("builtins", "operator") and name in _EXECUTING)
    found = found or _is_value_of_tests(module, name, private)
    return f"{module}.{name}" if found else None


def _is_value_of_tests(module: str, name: str, private: Any) -> bool:
    """Whether a name in a test file leads to anything except a class or a function."""
    found = sys.modules.get(module)
    if not _is_test_module(module, private):
        return False
    for part in name.split("."):
        holds = isinstance(found, (type, types.ModuleType))
        found = vars(found).get(part) if holds else None
    return not isinstance(found, (type, types.FunctionType))


def _of_source(text: str, name: Any, frame: Any) -> Any:
    """The name of a file that compiled text claims as its source, or a word of that text."""
    path = name if type(name) is str else ""
    if _is_importlibs(frame) and not _is_own(path):
        return None
    if path.startswith("<frozen") or not path.startswith("<"):
        return f"as {_basename(path)}"
    return next((word for word in _WORDS if word in text), None)


def _is_private(path: str, private: Any) -> bool:
    return private(path) or "_pytest" in path or "/pytest/" in path or "/pluggy/" in path


class _Innocent:
    """The library functions that request frames and give none to others, by their code."""

    def __init__(self) -> None:
        self._frames = _codes(
            *(collections.namedtuple, getattr(enum.EnumMeta, "_create_", None)),
            *(getattr(typing, name, None) for name in _OF_TYPING),
        )
        self._logging = _codes(logging.Logger.findCaller)
        self._of_logging = _codes(getattr(logging, "_is_internal_frame", None))
        self._logs = _codes(logging.Logger._log)
        self._for_logging = _codes(logging.currentframe)
        self._tracebacks = _codes(
            *(vars(traceback).get(name) for name in _OF_TRACEBACK),
            *(vars(traceback.StackSummary).get(name) for name in _OF_TRACEBACK),
        )
        self._of_tracebacks = _codes(traceback)

    def asks(self, event: str, frame: Any) -> bool:
        code = frame.f_code
        if event == "sys._getframe":
            if code in self._for_logging:
                return frame.f_back is not None and frame.f_back.f_code in self._logging
            return code in self._frames
        if event == "object.__getattr__" and frame.f_back is not None:
            caller = frame.f_back.f_code
            if code in self._of_logging and caller in self._logging:  # since Python 3.11
                code, caller = caller, getattr(frame.f_back.f_back, "f_code", None)
            if code in self._logging:
                return caller in self._logs
            return code in self._tracebacks and caller in self._of_tracebacks
        return False


def _codes(*owners: Any) -> Any:
    """The code of functions and of the members of classes and modules, with all nested code."""
    found: Any = set()
    for owner in owners:
        parts = vars(owner).values() if isinstance(owner, (type, types.ModuleType)) else [owner]
        for part in parts:
            if isinstance(part, type) and owner is traceback:
                found |= _codes(part)
            part = getattr(part, "__func__", part)
            _collect(getattr(part, "__code__", None), found)
    return found


def _collect(code: Any, found: Any) -> None:
    if isinstance(code, types.CodeType):
        found.add(code)
        for each in code.co_consts:
            _collect(each, found)
