"""Tells by their names which modules, and which attributes of modules, lead to tests."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

# No other kind of object has an attribute of such a name.
RUNNERS = frozenset({"pytest", "_pytest", "pluggy", "unittest"})
# Modules that lead to tests, to the judge or to files without an event. A name counts with
# underscores before it, too.
_MODULES = RUNNERS | frozenset(
    {
        *("assay_report", "builtins", "ctypes", "cffi", "cffi_backend", "faulthandler"),
        *("tracemalloc", "_tkinter"),
        # Other interpreters and processes, where the audit sees no events, and the interpreter's
        # internals.
        *("xxsubinterpreters", "interpreters", "posixsubprocess", "testcapi", "testinternalcapi"),
    }
)
# Attributes of modules that count.
OF_MODULES = frozenset(
    {
        *("sys.modules", "sys.argv", "sys.orig_argv", "sys.flags", "signal.signal"),
        *("signal.setitimer", "signal.alarm", "signal.sigwait", "threading.settrace"),
        *("threading.setprofile", "resource.getrlimit", "inspect.stack", "inspect.currentframe"),
        *("pkgutil.resolve_name", "pydoc.locate", "pydoc.safeimport"),
        *("pydoc.resolve", "pydoc.importfile", "pydoc.render_doc"),
        # With these, a program can act between two steps of the judge's.
        *("gc.callbacks", "gc.set_threshold", "gc.set_debug", "sys.getrefcount"),
        *("sys.setswitchinterval", "sys.audit", "sys.monitoring", "resource.setrlimit"),
        *("gc.get_objects", "gc.get_referrers", "gc.get_referents"),
        *("traceback.extract_stack", "traceback.format_stack", "traceback.print_stack"),
        # C code that opens files without an event.
        "tkinter.Tcl",
        # State that the program shares with its tests.
        *("decimal.setcontext", "copyreg.pickle", "codecs.register", "codecs.register_error"),
        *("runpy.run_path", "runpy.run_module", "marshal.loads", "importlib.reload"),
    }
)
# Attributes that share a module's name but are another object or a submodule, such as `os.path`.
_OTHERS = frozenset(
    {
        *("abc", "copy", "datetime", "decimal", "dis", "gettext", "html", "io", "keyword"),
        *("operator", "path", "pickle", "platform", "re", "select", "socket", "stat", "sys"),
        *("cmd", "fnmatch", "glob", "readline", "subprocess", "symtable", "sysconfig", "time"),
        *("trace", "types", "unicodedata"),
    }
)
# These lead on to all others, whichever module has them.
LEADING = frozenset({"codecs", "gc", "importlib", "os"})
# The modules of these attributes.
OWNERS = frozenset(each.partition(".")[0] for each in OF_MODULES)
STDLIB = frozenset(sys.stdlib_module_names) - _OTHERS
IMPORTING = ("__import__", "import_module", "_gcd_import")


def own_name(module: str) -> str:
    """The name of a module that is an attribute of another: "sys" of `collections._sys`."""
    return module.rpartition(".")[2].lstrip("_")


def is_sys(module: str) -> bool:
    return own_name(module) == "sys"


def of_sys(owner: str) -> str:
    """The attribute of sys that it is, or ""."""
    module, _, name = owner.rpartition(".")
    return name if is_sys(module) else ""


def is_of_python(owner: str) -> bool:
    """Whether the owner is a module of the standard library other than sys, judging by its name."""
    top = owner.partition(".")[0]
    classes = any(part[:1].isupper() for part in owner.split("."))
    return top in sys.stdlib_module_names and top != "sys" and not classes


def is_owner(module: str, name: str) -> bool:
    """Whether the module's attribute is a module of OWNERS, judging by the names. Other packages
    have their own functions and modules with such names."""
    of_python = module.partition(".")[0] in sys.stdlib_module_names
    known = f"{own_name(module)}.{name}" in OF_MODULES
    return is_sys(name) or (of_python and not known and own_name(name) in OWNERS)


def named_modules(names: Iterable[str]) -> Iterator[str]:
    tops = (name.partition(".")[0] for name in names)
    yield from (f"import of {top}" for top in tops if {top, top.lstrip("_")} & _MODULES)
