"""Finds names and texts that count wherever they stand."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from evaluation.engine.projects.mentions.python.program import Program

_NAMES = frozenset(
    {
        # Frames, what functions hold, import hooks, and the last exception.
        *("f_back", "f_locals", "f_globals", "f_builtins", "f_code", "tb_frame", "gi_frame"),
        *("cr_frame", "ag_frame", "gi_code", "cr_code", "_getframe", "_current_frames"),
        *("__closure__", "cell_contents", "__globals__", "__builtins__", "__subclasses__"),
        *("meta_path", "path_hooks", "settrace", "setprofile", "_pytestfixturefunction"),
        *("findCaller", "funcName", "last_value", "last_type", "last_traceback", "last_exc"),
        *("co_consts", "__code__", "__self__"),
        # With these, numpy reads any memory.
        *("__array_interface__", "__array_struct__"),
        # The stack that made a coroutine, and frames' names, lines and locals in a traceback.
        *("cr_origin", "set_coroutine_origin_tracking_depth", "capture_locals", "walk_stack"),
        *("TracebackException", "StackSummary", "walk_tb", "getclosurevars"),
        # Objects that lead to others: a bound method's reduction has its object.
        *("getmodule", "get_type_hints", "eval_str", "global_enum"),
        *("persistent_id", "reducer_override"),
        # C code that opens files without an event: readline's, and Tcl's interpreter.
        *("read_history_file", "read_init_file", "useTk"),
        # What loads a module that a program wrote to disk, or an object by its name.
        *("path_importer_cache", "SourceFileLoader", "SourcelessFileLoader", "zipimporter"),
        *("ExtensionFileLoader", "spec_from_file_location", "load_module", "load_source"),
        *("exec_module", "__loader__", "__spec__", "addsitedir", "EntryPoint"),
        *("BaseConfigurator", "DictConfigurator", "dictConfigClass"),
    }
)
_TEXTS = (
    *("PYTEST", "pytest", "/judge", "assay", "/proc/", "conftest", "unittest", "sys.modules"),
    *("tmp_path", "sitecustomize", "usercustomize"),
    *_NAMES,
)


def of_node(program: Program, node: ast.AST) -> Iterator[str]:
    match node:
        case ast.ImportFrom(names=names, level=0):
            yield from {alias.name for alias in names} & _NAMES
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.keyword(arg=str(name)):
            yield from {name} & _NAMES
        case ast.MatchClass(kwd_attrs=names):
            yield from _NAMES.intersection(names)
        case ast.FunctionDef(name="persistent_id" | "reducer_override" as name):
            yield name
        case ast.Constant() | ast.BinOp():
            text = program.text(node)
            yield from (word for word in _TEXTS if word in text)
