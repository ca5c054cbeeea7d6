"""Imports of test files, whose code is changed in memory. PYTEST_DONT_REWRITE"""

import ast
import builtins
import inspect
import os
import re
import sys
from collections import Counter
from fnmatch import fnmatch
from functools import partial
from typing import Any

import _pytest.assertion.rewrite as pytest_rewrite

from . import audit, checks, comparisons, nodes, rewriting

globals()["__builtins__"] = dict(vars(builtins))  # a program may replace them

# Maximum notes of a kind; then one says that there are more.
_MOST_NOTES = 2000
_open, _exec = os.open, exec
_fnmatch, _basename, _realpath = fnmatch, os.path.basename, os.path.realpath


class Files:
    """The files that are changed: files of the tests below the root, except the candidate's. Files
    of the tests are those with tests, and those whose path below the root `of_tests` finds.
    `hidden` are those that only the guardian can read."""

    def __init__(self, root: str, but: Any, patterns: Any, of_tests: str, hidden: Any) -> None:
        self._root, self._but, self._patterns = root + os.sep, but, patterns
        self._of_tests, self._hidden = re.compile(of_tests).search, frozenset(hidden)

    def is_test(self, path: str) -> bool:
        return any(_fnmatch(_basename(path), pattern) for pattern in self._patterns)

    def are_of_tests(self, path: str) -> bool:
        if self.is_test(path) or _basename(path) == "conftest.py":
            return True
        inside = path.startswith(self._root)
        return inside and self._of_tests(self.relative(path)) is not None

    def relative(self, path: str) -> str:
        return path[len(self._root) :]

    def hidden_at(self, path: str) -> Any:
        """The hidden file to which a path leads, None if there is none."""
        for place in (path, _realpath(path)):
            if place.startswith(self._root) and self.relative(place) in self._hidden:
                return self.relative(place)
        return None

    def has(self, path: Any, rewritten: bool) -> bool:
        if not (isinstance(path, str) and path.endswith(".py") and path.startswith(self._root)):
            return False
        relative = self.relative(path)
        of_tests = rewritten or relative in self._hidden or self.are_of_tests(path)
        return of_tests and relative not in self._but


def begun() -> bool:
    return any(type(finder).__name__ == _Finder.__name__ for finder in sys.meta_path)


def begin(files: Files, control: bool, config: Any, send: Any, deciders: Any, check: Any) -> None:
    """Changes all files imported from now on, for a control or for the run before it. send(value)
    adds the answer to a question."""
    noted: Any = set()
    counts: Any = Counter()

    def code_of(path: str, rewritten: bool) -> Any:
        """Returns None for a file that cannot be changed, and that its loader can read."""
        hidden, relative = files.hidden_at(path), files.relative(path)
        source = content_of(path) if hidden is None else text_of(hidden)
        try:
            tree = ast.parse(source, filename=path)
            if control:
                rewriting.controlled(tree, helps=not files.is_test(path))
            else:
                if rewritten:
                    # As the installed pytest does, in any version.
                    options = {"mod": tree, "source": source, "module_path": path, "config": config}
                    wanted = inspect.signature(pytest_rewrite.rewrite_asserts).parameters
                    pytest_rewrite.rewrite_asserts(**{name: options[name] for name in wanted})
                comparisons.watched(tree)
            made = checks.Checks(partial(note, relative), deciders, check)
            return nodes.compiled(tree, path, made)
        except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
            send({"event": ["unchanged", "", relative, "", 0]})
            return None if hidden is None else compile(source, path, "exec", dont_inherit=True)

    def text_of(hidden: str) -> bytes:
        """Asks for it only now, and only once: nothing keeps it."""
        check()
        question: Any = {"source": hidden}
        send(question)
        if question["answer"] is None:
            raise ImportError(f"{hidden} was loaded before")
        return bytes(question["answer"].encode("utf-8", "surrogateescape"))

    def note(path: str, line: int, kind: str, detail: str) -> None:
        event = (kind, detail, f"{path}:{line}", "")
        if event in noted or counts[kind] > _MOST_NOTES:
            return
        last = counts[kind] == _MOST_NOTES
        send({"event": [*((audit.UNSEEN, kind, "", "") if last else event), 0]})
        noted.add(event)
        counts[kind] += 1

    sys.meta_path.insert(0, _Finder(files, code_of, deciders.remember))


def content_of(path: str) -> bytes:
    with open(_open(path, os.O_RDONLY | os.O_CLOEXEC), "rb") as file:
        return file.read()


class _Finder:
    """Asks the other finders, and changes the code of what they find."""

    def __init__(self, files: Files, code_of: Any, remember: Any) -> None:
        def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
            finders = [finder for finder in sys.meta_path if finder is not self]
            finds = (getattr(finder, "find_spec", lambda *_: None) for finder in finders)
            specs = (find(name, path, target) for find in finds)
            spec = next((spec for spec in specs if spec is not None), None)
            if spec is None or spec.loader is None:
                return spec
            rewritten = isinstance(spec.loader, pytest_rewrite.AssertionRewritingHook)
            if files.has(spec.origin, rewritten) and hasattr(spec.loader, "exec_module"):
                code = partial(code_of, spec.origin, rewritten)
                spec.loader = _Loader(
                    spec.loader, code, partial(remember, files.relative(spec.origin))
                )
            return spec

        self.find_spec = find_spec


class _Loader:
    """Like the original loader, except for the code."""

    def __init__(self, original: Any, code_of: Any, remember: Any) -> None:
        def exec_module(module: Any) -> None:
            code = code_of()
            if code is None:
                original.exec_module(module)
                return
            # pytest's rewritten code needs these names, also in a control.
            module.__dict__["@py_builtins"] = builtins
            module.__dict__["@pytest_ar"] = pytest_rewrite
            # Not the plugin's own, which the module's code would share with it and all tests.
            module.__dict__["__builtins__"] = dict(globals()["__builtins__"])
            _exec(code, module.__dict__)
            remember(module)

        self.exec_module = exec_module
        self._original = original

    def create_module(self, spec: Any) -> Any:
        return self._original.create_module(spec)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)
