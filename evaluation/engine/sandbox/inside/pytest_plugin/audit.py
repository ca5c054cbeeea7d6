"""Evidence of what honest code seldom does: audit events. PYTEST_DONT_REWRITE

An event is [kind, detail, asker, owner, line]: the asker is the function that caused it, the owner
the nearest function of the project's files, the line is the owner's, and no part of what is
compared. Nothing removes an audit hook.
"""

import collections
import enum
import logging
import os
import sys
import threading
import traceback
import types
import typing
from typing import Any

# Events that are told with no look at their arguments.
_ALWAYS = frozenset(
    (
        *("sys._getframe", "sys._current_frames", "sys._current_exceptions"),
        *("gc.get_objects", "gc.get_referrers", "gc.get_referents"),
        *("sys.settrace", "sys.setprofile", "sys.addaudithook", "sys.monitoring.register_callback"),
        *("code.__new__", "ctypes.dlopen", "ctypes.dlsym", "ctypes.dlsym/handle"),
        *("ctypes.cdata", "ctypes.cdata/buffer", "ctypes.string_at", "ctypes.call_function"),
    )
)
_COMMANDS = frozenset(("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"))
_FILES = frozenset(
    ("open", "os.chdir", "os.listdir", "os.scandir", "os.link", "os.symlink", "os.rename")
)
_ATTRIBUTES = frozenset(("object.__getattr__", "object.__setattr__"))
_SOURCES = frozenset(("compile",))
_LOOKED_AT = _ALWAYS | _COMMANDS | _FILES | _ATTRIBUTES | _SOURCES
# Names that honest code run from text has no use for.
_WORDS = ("f_back", "f_locals", "gi_frame", "cr_frame", "tb_frame", "__closure__", "_getframe")
_OF_TYPING = ("_caller", "_make_nmtuple", "NamedTuple", "NamedTupleMeta", "NewType", "TypeVar")
_IMPORTLIB = "<frozen importlib"
_MOST = 3000
_DEPTH = 200
_getframe, _get_ident = sys._getframe, threading.get_ident
_join, _basename = os.path.join, os.path.basename


def installed(send: Any, root: str, place: str, is_test: Any) -> Any:
    """Sends each event once. is_test(path) -> whether a file holds tests. Returns `send` for our
    own use, which causes no event."""
    known: Any = set()
    busy: Any = set()
    innocent, project = _Innocent(), _Project(root, place, is_test)

    def hook(event: str, arguments: Any) -> None:
        if event not in _LOOKED_AT:
            return
        thread = _get_ident()
        if thread in busy or len(known) > _MOST:
            return
        busy.add(thread)
        try:
            look(event, arguments, _getframe(1))
        except Exception:  # noqa: S110  an error here would become the program's
            pass
        finally:
            busy.discard(thread)

    def look(event: str, arguments: Any, frame: Any) -> None:
        detail = _detail(event, arguments, project.is_private, frame)
        if detail is None or innocent.asks(event, frame):
            return
        owner, line = project.owner_of(frame)
        told = (event, detail, project.named(frame), owner)
        if owner is not None and told not in known:
            known.add(told)
            send({"event": [*told, line]})

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
        """Whether a file is the judge's, or holds tests."""
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if not isinstance(path, str):
            return False
        in_tests = path.endswith(".py") and self._is_test(_join(self._root, path))
        return bool(in_tests) or self._place in path

    def owner_of(self, frame: Any) -> Any:
        """The nearest function of the project, and its line. The owner is None if a module that is
        no candidate's is being imported."""
        depth, installed = 0, not _is_own(frame.f_code.co_filename)
        while frame is not None and depth < _DEPTH:
            if self._has(frame.f_code.co_filename):
                return self.named(frame), frame.f_lineno
            if installed and frame.f_code.co_filename.startswith(_IMPORTLIB):
                return None, 0
            frame, depth = frame.f_back, depth + 1
        return "", 0

    def _has(self, path: str) -> bool:
        """Before Python 3.9 names may be relative."""
        return path.startswith(self._inside) or not path.startswith(("/", "<"))

    def named(self, frame: Any) -> str:
        path = frame.f_code.co_filename
        if path.startswith(self._inside):
            path = path[len(self._inside) :]
        return f"{path}:{frame.f_code.co_name}"


def _is_own(path: str) -> bool:
    """Whether this process's user may have written it: the project's files are another's."""
    if path.startswith(_IMPORTLIB):
        return False
    try:
        return os.stat(path).st_uid == os.getuid()
    except (OSError, ValueError):
        return True


def _detail(event: str, arguments: Any, private: Any, frame: Any) -> Any:
    """The part of an event that is sent in addition to its kind; None if it is harmless."""
    if event in _ALWAYS:
        return ""
    if event in _FILES:
        paths = [_basename(str(each)) for each in arguments[:2] if private(each)]
        return paths[0] if paths else None
    if event in _COMMANDS:
        words = str(arguments[:2])
        return "tests" if "/judge" in words or "assay" in words or "test_" in words else None
    if event in _SOURCES:
        return _of_source(str(arguments[0]), arguments[1], frame)
    owner, name = arguments[0], str(arguments[1])
    if name in ("__code__", "gi_code", "cr_code", "ag_code", "f_code"):
        code = getattr(owner, name, None)
        reads = event == "object.__getattr__"
        if reads and code is not None and not _is_private(code.co_filename, private):
            return None
        return name
    return name if name.endswith("_frame") else None


def _of_source(text: str, name: Any, frame: Any) -> Any:
    """The name of a file, which compiled text could hide behind, or a word of that text."""
    path = os.fsdecode(name) if isinstance(name, (str, bytes)) else ""
    if frame.f_code.co_filename.startswith(_IMPORTLIB) and not _is_own(path):
        return None
    if path.startswith("<frozen") or not path.startswith("<"):
        return f"as {_basename(path)}"
    return next((word for word in _WORDS if word in text), None)


def _is_private(path: str, private: Any) -> bool:
    return private(path) or "_pytest" in path or "/pytest/" in path or "/pluggy/" in path


class _Innocent:
    """The functions that ask for frames and give none away, by their code."""

    def __init__(self) -> None:
        self._frames = _codes(
            *(collections.namedtuple, enum.EnumMeta, enum.Enum),
            *(getattr(typing, name, None) for name in _OF_TYPING),
        )
        self._logging = _codes(logging.Logger.findCaller)
        self._of_logging = _codes(getattr(logging, "_is_internal_frame", None))
        self._logs = _codes(logging.Logger._log)
        self._for_logging = _codes(logging.currentframe)
        self._tracebacks = _codes(traceback)

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
            return code in self._tracebacks and caller in self._tracebacks
        return False


def _codes(*owners: Any) -> Any:
    """The code of functions, and of those of classes and modules, with what is inside of them."""
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
