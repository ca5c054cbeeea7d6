"""Runner `names`: the names of a project that pieces of code use, found by static analysis.

Executes nothing of a candidate: jedi, which is next to our own Python, parses the project's files
with a piece in its place. A name is the module's path from the root of the sources, the class, the
member. The pieces of one file are analysed by forks of a process that has parsed what the file
needs, each within its own limits; what was found before a limit counts."""

import ast
import gc
import importlib
import os
import resource
import signal
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from . import loading

# Bytes of names of a piece; what follows is left out.
NAMES_MOST = 1 << 16


class Late(BaseException):
    """No Exception, which jedi might catch."""


def _late(*_: object) -> None:
    raise Late


class Piece:
    """A text of a module; lines `first` to `last` of it define the function `name`."""

    def __init__(self, jedi: Any, task: "dict[str, Any]", code: str) -> None:
        text = task["before"] + code + task["after"]
        first = task["before"].count("\n") + 1
        self._lines, self._name = range(first, first + code.count("\n") + 1), task["name"]
        self._path = Path.cwd() / task["path"]
        self._roots = (Path.cwd() / task["sources"], Path.cwd())
        paths = [*map(str, self._roots)]
        project = jedi.Project(Path.cwd(), sys_path=paths, smart_sys_path=False)
        # Another environment would run the project's Python.
        environment = jedi.api.environment.InterpreterEnvironment()
        self._script = jedi.Script(text, path=self._path, project=project, environment=environment)
        self._public_name = jedi.api.classes.Name

    def names(self) -> "Iterator[str]":
        """Yields the project's names, some repeatedly. Those of the function's signature, which the
        task gives, follow if there are others."""
        used = self._script._module_node.get_used_names().values()
        leaves = [leaf for leaves in used for leaf in leaves if leaf.line in self._lines]
        leaves.sort(key=lambda leaf: leaf.start_pos)
        heads = [leaf.parent for leaf in leaves if leaf.value == self._name and _defines(leaf)]
        start, end = (0, 0), (0, 0)
        if heads:
            start, end = heads[0].start_pos, heads[0].children[-2].start_pos
        signature, empty = [leaf for leaf in leaves if start <= leaf.start_pos < end], True
        for leaf in leaves:
            if leaf not in signature:
                for path in self._paths(leaf):
                    empty = False
                    yield path
        for leaf in () if empty else signature:
            yield from self._paths(leaf)

    def _paths(self, leaf: Any) -> "Iterator[str]":
        parent, dot = leaf.parent, leaf.get_previous_leaf()
        if parent.type == "argument" and parent.children[0] is leaf and parent.children[1] == "=":
            return
        # A definition uses no name of the project, and jedi takes longest to look it up.
        if _defines(leaf) or (parent.type == "param" and parent.name is leaf):
            return
        is_attribute = parent.type == "trailer" and dot == "."
        owner = self._own_class(dot.get_previous_leaf()) if is_attribute else None
        if owner:
            yield f"{owner}.{leaf.value}"
        # A fault of jedi on a name costs this name only.
        with suppress(Exception):
            targets = self._script.goto(*leaf.end_pos, follow_imports=True)
            paths = {target: path for target in targets if (path := self._path_of(target))}
            yield from paths.values()
            whole = parent.parent.children if is_attribute else []
            if whole[2:3] == [parent] and getattr(whole[0], "value", "") == "super":
                yield from (path.rpartition(".")[0] for path in paths.values())
            is_alias = any(target.type == "statement" for target in paths)
            called = leaf.get_next_leaf() == "("
            called &= any(target.type in ("statement", "param", "class") for target in targets)
            # Inference takes longest.
            for value in self._script.infer(*leaf.end_pos) if is_alias or called else ():
                if is_alias and value.type in ("function", "class", "module"):
                    yield from filter(None, [self._path_of(value)])
                if value.type == "class" and called:
                    # The constructor, which may be a parent's.
                    for member in value._name.infer().py__getattribute__("__init__"):
                        made = self._public_name(self._script._inference_state, member.name)
                        yield from filter(None, [self._path_of(made)])

    def _own_class(self, leaf: Any) -> "str | None":
        """The class of the method that has this name as its first parameter."""
        scope = leaf.parent if leaf is not None and leaf.type == "name" else None
        while scope is not None:
            if scope.type == "funcdef":
                params = scope.get_params()
                if params and params[0].name.value == leaf.value:
                    classes, inside = _scopes(scope.parent)
                    module = self._module(self._path)
                    is_method = classes and module and not inside
                    return ".".join([module or "", *classes]) if is_method else None
            scope = scope.parent
        return None

    def _path_of(self, target: Any) -> "str | None":
        """None for a name that is not the project's, that is local to a function, or that the piece
        itself defines."""
        module, node = self._module(target.module_path), target._name.tree_name
        if module is None or target.type == "module":
            return module
        if node is None or (target.module_path == self._path and target.line in self._lines):
            return None
        scope = node.parent.parent if _defines(node) else node.parent
        classes, inside = _scopes(scope)
        # Methods define attributes: self.name = ...
        if inside and not (classes and node.parent.type == "trailer"):
            return None
        return ".".join([module, *classes, node.value])

    def _module(self, path: "Path | None") -> "str | None":
        for root in self._roots:
            if path is not None and path.is_relative_to(root):
                parts = path.relative_to(root).with_suffix("").parts
                return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        return None


def _name_at(module: Any, position: "tuple[int, int]") -> Any:
    """The name that ends at the position. parso's own method goes through the whole file."""
    leaf = module.get_leaf_for_position(position)
    return leaf if leaf is not None and leaf.type == "name" else None


def _defines(leaf: Any) -> bool:
    return bool(leaf.parent.type in ("funcdef", "classdef") and leaf.parent.name is leaf)


def _scopes(scope: Any) -> "tuple[list[str], bool]":
    """The names of the classes around it, from the outermost, and whether a function is, too."""
    classes: list[str] = []
    inside = False
    while scope is not None:
        if scope.type == "classdef":
            classes.insert(0, scope.name.value)
        inside = inside or scope.type in ("funcdef", "lambdef")
        scope = scope.parent
    return classes, inside


def analysed(jedi: Any, task: "dict[str, Any]", code: str, limits: "dict[str, int]") -> "list[str]":
    """The names that a piece uses, found by a fork. Empty if it cannot be parsed."""
    output, output_w = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(output)
            resource.setrlimit(resource.RLIMIT_CPU, (limits["seconds"],) * 2)
            resource.setrlimit(resource.RLIMIT_AS, (limits["memory"],) * 2)
            ast.parse(textwrap.dedent(code))
            sent, size = set(), 0
            for name in Piece(jedi, task, code).names():
                if name not in sent and size < NAMES_MOST:
                    sent.add(name)
                    size += os.write(output_w, f"{name}\n".encode("utf-8", "replace"))
        finally:
            os._exit(0)
    os.close(output_w)
    with open(output, encoding="utf-8", errors="replace") as names:
        whole = [line[:-1] for line in names if line.endswith("\n")]
    os.waitpid(pid, 0)
    return whole


def main(payload: "dict[str, Any]", report_fd: int, channel_fd: int) -> None:
    jedi: Any = importlib.import_module("jedi")
    cache: Any = importlib.import_module("parso.cache")
    tree: Any = importlib.import_module("parso.python.tree")
    # No module of the project is imported, and no parsed file is written.
    jedi.settings.auto_import_modules = []
    # Looking through the project for a function's callers takes two fifths of the time, and finds
    # no name of a reference solution that is not found without.
    jedi.settings.dynamic_params = False
    cache._save_to_file_system = lambda *_, **__: None
    tree.Module.get_name_of_position = _name_at
    limits = payload["limits"]
    signal.signal(signal.SIGVTALRM, _late)
    used = []
    for task in payload["tasks"]:
        # Parses what the pieces need.
        with suppress(Late, Exception):
            signal.setitimer(signal.ITIMER_VIRTUAL, limits["seconds"])
            for _ in Piece(jedi, task, task["code"]).names():
                pass
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        # The collector would write to the pages that the forks share.
        gc.freeze()
        gc.disable()
        by_code = {
            code: analysed(jedi, task, code, limits) for code in dict.fromkeys(task["pieces"])
        }
        used.append([by_code[code] for code in task["pieces"]])
        gc.enable()
    loading.leave(report_fd, {"names": used})
