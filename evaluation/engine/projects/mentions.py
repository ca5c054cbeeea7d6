"""Finds what a program's text mentions that could look at its tests, or at their judge.

A mention is evidence if the reference solution lacks it. The search covers what audit events do
not: existing objects, attributes, patches, and all of Java.
"""

from __future__ import annotations

import ast
import re
import sys
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache

import tree_sitter_java
from tree_sitter import Language, Node, Parser

from evaluation.engine.parsing import parse
from evaluation.engine.projects.python_names import Names, stores

_JAVA = Language(tree_sitter_java.language())
# A Unicode escape, with an even number of backslashes before it (JLS 3.3).
_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\u+([0-9A-Fa-f]{4})")
# javac reads such escapes where JLS 3.3 has none: after an escaped backslash or, before JDK 16,
# after an asterisk in a comment.
_ODD_ESCAPE = re.compile(r"(?:\\u+005[Cc]|\*)\\\\+u+[0-9A-Fa-f]{4}")
_LINE_END = re.compile(r"\r\n?")
# Characters that end tree-sitter's reading, or that UTF-8 does not have.
_UNREADABLE = re.compile("[\0\ud800-\udfff]")
_SPACES = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x1f")
_FRAMES = frozenset(
    {
        *("f_back", "f_locals", "f_globals", "f_builtins", "f_code", "tb_frame", "gi_frame"),
        *("cr_frame", "ag_frame", "gi_code", "cr_code", "_getframe", "_current_frames"),
        *("__closure__", "cell_contents", "__globals__", "__builtins__", "__subclasses__"),
        *("meta_path", "path_hooks", "settrace", "setprofile", "_pytestfixturefunction"),
        *(
            "findCaller",
            "funcName",
            "last_value",
            "last_type",
            "last_traceback",
            "last_exc",
            "co_consts",
            "__code__",
            "__self__",
        ),
        # With these, numpy reads any memory.
        *("__array_interface__", "__array_struct__"),
        # The stack that made a coroutine, and frames' names, lines and locals in a traceback.
        *("cr_origin", "set_coroutine_origin_tracking_depth", "capture_locals", "walk_stack"),
        *("TracebackException", "StackSummary", "walk_tb", "getclosurevars"),
        # Objects that lead to others: a bound method's reduction has its object.
        *("getmodule", "get_type_hints", "eval_str", "global_enum"),
        *("persistent_id", "reducer_override"),
        # What loads a module that a program wrote to disk, or an object by its name.
        *("path_importer_cache", "SourceFileLoader", "SourcelessFileLoader", "zipimporter"),
        *("ExtensionFileLoader", "spec_from_file_location", "load_module", "load_source"),
        *("exec_module", "__loader__", "__spec__", "addsitedir", "EntryPoint"),
    }
)
_MODULES = (
    *("pytest", "_pytest", "pluggy", "unittest", "assay_report", "builtins", "ctypes"),
    *("_ctypes", "cffi", "_cffi_backend"),
    *("faulthandler", "tracemalloc"),
    # Other interpreters and processes, where the audit sees no events, and the interpreter's
    # internals.
    *("_xxsubinterpreters", "_interpreters", "_posixsubprocess", "_testcapi", "_testinternalcapi"),
)
_PLAIN_MODULES = frozenset(name.lstrip("_") for name in _MODULES)
# Attributes of these modules.
_OF_MODULES = frozenset(
    {
        *("sys.modules", "sys.argv", "sys.orig_argv", "sys.flags", "signal.signal"),
        *("signal.setitimer", "signal.alarm", "signal.sigwait", "threading.settrace"),
        *("threading.setprofile", "resource.getrlimit", "inspect.stack", "inspect.currentframe"),
        *("pkgutil.resolve_name", "pydoc.locate", "pydoc.safeimport"),
        # With these, a program can act between two steps of the judge's.
        *("gc.callbacks", "gc.set_threshold", "gc.set_debug", "sys.getrefcount"),
        *("sys.setswitchinterval", "sys.audit", "sys.monitoring", "resource.setrlimit"),
        *("gc.get_objects", "gc.get_referrers", "gc.get_referents"),
        *("traceback.extract_stack", "traceback.format_stack", "traceback.print_stack"),
        # State that the program shares with its tests.
        *("decimal.setcontext", "copyreg.pickle", "codecs.register", "codecs.register_error"),
        *("runpy.run_path", "runpy.run_module", "marshal.loads", "importlib.reload"),
    }
)
# Functions that give an object which tests use, too.
_SHARED = frozenset({"decimal.getcontext"})
_CHANGING = frozenset(
    {
        *("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"),
        *("__setitem__", "__delitem__", "__iadd__", "__ior__", "update", "setdefault"),
        *("popitem", "add", "discard"),
    }
)
_SETTING = ("setattr", "__setattr__")
_ENVIRONMENT = frozenset({"os.environ", "os.environb", "posix.environ"})
_OF_ENVIRONMENT = frozenset({"get", "pop", "setdefault", "__contains__", "__getitem__"})
# Attributes of an object that decide what other code runs, or where its annotations are looked up.
_DECIDING = frozenset(
    {"__annotations__", "__module__", "__bases__", "__defaults__", "__kwdefaults__"}
)
# Private by their first letter only.
_DOCUMENTED = frozenset(
    {
        *("_asdict", "_fields", "_field_defaults", "_make", "_replace", "_meta", "_exit"),
        *("_MEIPASS", "_"),
    }
)
_SUNDER = re.compile(r"_[a-z0-9_]*[a-z0-9]_|__\w+__")
# Modules' attributes with the name of a module that they are not, or that is below them.
_OTHERS = frozenset(
    {
        *("abc", "copy", "datetime", "decimal", "dis", "gettext", "html", "io", "keyword"),
        *("operator", "path", "pickle", "platform", "re", "select", "socket", "stat", "sys"),
        *(
            "cmd",
            "glob",
            "readline",
            "subprocess",
            "symtable",
            "sysconfig",
            "time",
            "trace",
            "types",
            "unicodedata",
            "fnmatch",
        ),
    }
)
# These lead on to all others, whichever module has them.
_LEADING = frozenset({"codecs", "gc", "importlib", "os"})
_RUNNING = frozenset(
    {
        *("run", "Popen", "call", "check_call", "check_output", "system", "popen", "getoutput"),
        *("getstatusoutput", "create_subprocess_exec", "create_subprocess_shell"),
    }
)
_PRINTING_ENVIRONMENT = re.compile(r"(?<![\w.-])(?:env|printenv|export|declare)(?![\w=.-])")
_PRINTING = ("env", "printenv", "/usr/bin/env", "/usr/bin/printenv")
# A folder in a path or a command.
_FOLDERS = re.compile(r"(?<![\w.-])([\w.-]+)(?=[/\\])")
_LISTING = frozenset({"walk", "fwalk", "listdir", "scandir", "glob", "iglob", "rglob", "iterdir"})
_TEMPORARY = frozenset({"gettempdir", "gettempdirb", "tempdir"})
_ABOVE = frozenset({"/", "/tmp", "/tmp/"})  # noqa: S108
_MODULE_FILE = re.compile(r"(?:.*[/\\])?(\w+)\.(?:pyc?|pyi|pth|so|cpython.*)")
# Names that pass a warning or a log's record to the program, which then knows its caller's line.
_KEPT_WARNINGS = frozenset({"captureWarnings", "showwarning", "formatwarning", "redirect_stderr"})
_KEPT_LOGS = frozenset(
    {
        *("addHandler", "addFilter", "handlers", "filters", "setLogRecordFactory", "lastResort"),
        *("basicConfig", "dictConfig", "fileConfig", "callHandlers", "handle", "makeRecord"),
        *("StreamHandler", "redirect_stderr"),
    }
)
_LOGGING = frozenset(
    {
        *("debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log"),
        "warn_explicit",
    }
)
_IMPORTING = ("__import__", "import_module", "_gcd_import")
# Attributes of attributes. The search for a chain's owner takes time for each of them.
_LONGEST_CHAIN = 50
_OWNERS = frozenset(each.partition(".")[0] for each in _OF_MODULES)
_STDLIB = frozenset(sys.stdlib_module_names) - _OTHERS
# No other kind of object has an attribute of such a name.
_RUNNERS = frozenset({"pytest", "_pytest", "pluggy", "unittest"})
_TEXTS = (
    *("PYTEST", "pytest", "/judge", "assay", "/proc/", "conftest", "unittest", "sys.modules"),
    *("tmp_path", "sitecustomize", "usercustomize"),
    *_FRAMES,
)


# Files that pytest imports. They hold the values that tests expect.
_TEST_FOLDERS = frozenset({"test", "tests", "testing", "unittest", "unittests"})
_TEST_FILE = re.compile(r"test_.*|.*_test|conftest")
_NO_LETTERS = re.compile(r"[^a-z]+")


def of_python(text: str, path: str = "", paths: Collection[str] = ()) -> Mapping[str, int]:
    """Returns each mention and the line of its first occurrence; `paths` are the project's files,
    and `path` is that of the text."""
    try:
        tree = parse(text.encode("utf-8", "surrogateescape"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # The project's Python may read what this one cannot.
        return {"a text that cannot be read": 1}
    found: dict[str, int] = {}
    for mention, line in _Python(tree, path, frozenset(paths)).all():
        found.setdefault(mention, line)
    return found


@lru_cache(maxsize=8)
def _test_modules(paths: frozenset[str]) -> frozenset[str]:
    """The names by which tests and their helpers may be imported, and the names of their packages:
    from the project's folder, or, as pytest does, from the first folder without an __init__.py."""
    names, others = set(), set(sys.stdlib_module_names)
    for path in (each for each in paths if each.endswith(".py")):
        *folders, name = path.removesuffix(".py").removesuffix("/__init__").split("/")
        if _is_of_tests(path):
            first = len(folders)
            while first and "/".join([*folders[:first], "__init__.py"]) in paths:
                first -= 1
            names.add(".".join([*folders[first:], name]))
            parts = [*folders, name]
            inner = next((n for n, part in enumerate(parts) if _is_for_tests(part)), len(parts) - 1)
            names |= {".".join(parts[: end + 1]) for end in range(inner, len(parts))}
        else:
            others.add(".".join([*folders, name]).removeprefix("src."))
    return frozenset(names - others)


def _is_of_tests(path: str) -> bool:
    *folders, name = path.removesuffix(".py").split("/")
    return bool(_TEST_FILE.fullmatch(name)) or any(map(_is_for_tests, folders))


def _is_for_tests(folder: str) -> bool:
    return not _TEST_FOLDERS.isdisjoint(_NO_LETTERS.split(folder.lower()))


class _Python:
    def __init__(self, tree: ast.Module, path: str, paths: frozenset[str]) -> None:
        self._tree = tree
        self._tests = () if _is_of_tests(path) else _test_modules(paths)
        folders = {folder for each in paths for folder in each.split("/")[:-1]}
        own = () if _is_of_tests(path) else filter(_is_for_tests, folders)
        self._test_folders = frozenset(own)
        self._package = path.split("/")[:-1]
        parts = {part for each in paths for part in each.removesuffix(".py").split("/")[:2]}
        self._project = parts - sys.stdlib_module_names
        self._names = Names(tree)
        self._imported = dict(_imports(tree))
        others = (name for name in self._imported.values() if name != "sys")
        self._other_sys = any(map(_is_sys, others)) or any(map(_gives_sys, self._names.nodes))

    def all(self) -> Iterator[tuple[str, int]]:
        docstrings = {id(node) for node in _docstrings(self._tree)}
        if self._names.lost:
            yield "more calls than can be followed", 1
        yield from self._logged()
        yield from self._values()
        yield from self._searched_folders()
        for node in self._names.nodes:
            if id(node) not in docstrings:
                found = [*self._in(node), *self._stored(node), *self._of_environment(node)]
                yield from ((each, getattr(node, "lineno", 0)) for each in found)

    def _in(self, node: ast.AST) -> Iterator[str]:
        match node:
            case ast.Import(names=names):
                yield from _named_modules(alias.name for alias in names)
                yield from self._of_tests(alias.name for alias in names)
            case ast.ImportFrom(level=level, names=names) if level:
                yield from _named_modules(alias.name for alias in names)
                package = self._package[: len(self._package) - level + 1]
                yield from self._imports_from([*package, *(node.module or "").split(".")], names)
            case ast.ImportFrom(module=str(module), names=names):
                yield from _named_modules([module])
                yield from self._imports_from([module], names)
                for alias in names:
                    yield from self._reached(module, alias.name)
                    yield from self._private(module, alias.name)
                starred = any(alias.name == "*" for alias in names)
                if starred and module in (*_OWNERS, "os", "posix"):
                    yield f"everything of {module}"
                yield from {alias.name for alias in names} & _FRAMES
                if any(alias.name in _IMPORTING and alias.asname for alias in names):
                    yield "another name of an import"
            case ast.Attribute(attr=name, value=value, ctx=context):
                owner = self._owner(value)
                if _is_long(value):
                    yield "a long chain of attributes"
                if name in _FRAMES:
                    yield name
                yield from self._reached(owner or _name(value) * _is_sys(_name(value)), name)
                yield from self._private(owner, name)
                if name in _CHANGING and _of_sys(owner) == "path":
                    yield "a change of sys.path"
                if name == "_convert_":
                    yield name
                if name in ("__reduce__", "__reduce_ex__") and not _is_super(value):
                    yield name
                if name in _RUNNERS:
                    yield f"import of {name}"
                if name == "modules" and (self._other_sys or "sys" in self._imported.values()):
                    yield "sys.modules"
                if owner and (name == "__dict__" or not isinstance(context, ast.Load)):
                    yield f"a change of {owner}.{name}"
                if owner and name == "__getattribute__":
                    yield f"{name} of {owner}"
            case ast.MatchClass(kwd_attrs=names):
                yield from _FRAMES.intersection(names)
                yield from _named_modules(names)
                if "modules" in names and self._other_sys:
                    yield "sys.modules"
            case ast.Name(id=name) | ast.keyword(arg=str(name)) if name in _FRAMES:
                yield name
            case ast.FunctionDef(name="persistent_id" | "reducer_override" as name):
                yield name
            case ast.BinOp() if text := _joined(node):
                yield from (word for word in _TEXTS if word in text)
            case ast.List(elts=[first, *_]) | ast.Tuple(elts=[first, *_]) if (
                _constant(first) in _PRINTING
            ):
                yield "a program that prints the environment"
            case ast.keyword(arg="cwd", value=folder) if _constant(folder) in self._test_folders:
                yield "a folder of tests"
            case ast.Constant(value=str(text)):
                yield from (word for word in _TEXTS if word in text)
                if not self._test_folders.isdisjoint(_FOLDERS.findall(text)):
                    yield "a folder of tests"
                found = _MODULE_FILE.fullmatch(text)
                if found and found[1] in sys.stdlib_module_names:
                    yield "a file with the name of a module"
                if "." in text or _TEST_FILE.fullmatch(text):
                    yield from self._of_tests([text])
            case ast.Call(func=ast.Name(id="getattr" | "setattr" | "delattr" as how), args=args):
                yield from self._by_name(how, args)
                if self._other_sys and "modules" in _texts(node):
                    yield "sys.modules"
            case ast.Call(func=ast.Name(id="vars"), args=[of]):
                if self._owner(of):
                    yield f"vars of {self._owner(of)}"
                elif not isinstance(of, ast.Name) and not self._names.is_own(of):
                    yield from [] if _parses(of) else ["vars of an expression"]
            case ast.Call(func=function, args=args, keywords=named) if args or named:
                name = _name(function)
                if name == "catch_warnings" and not _never_records(args, named):
                    yield "recorded warnings"
                if name in ("__setattr__", "__delattr__", "__getattribute__"):
                    yield from (f"{name} of {own}" for own in map(self._owner, args[:1]) if own)
                if name in ("get_context", "set_start_method"):
                    yield "processes that begin anew"
                if name in _IMPORTING:
                    yield from self._imported_by_a_call(args, named)
                if name in _RUNNING and any(map(_PRINTING_ENVIRONMENT.search, _inner_texts(node))):
                    yield "a program that prints the environment"
                if self._other_sys and "modules" in _texts(node):
                    yield "sys.modules"

    def _reached(self, owner: str, name: str) -> Iterator[str]:
        """An attribute of an imported module. The modules that it imports are among its
        attributes."""
        full = f"{_own_name(owner)}.{name}"
        if full in _OF_MODULES:
            yield full
        yield from self._of_tests([f"{owner}.{name}"])
        if owner:
            yield from _named_modules([name, _own_name(name)])
            leading = _STDLIB if _is_of_python(owner) else _LEADING
            if _own_name(name) in leading - {_own_name(owner)}:
                yield f"the module {name} of {owner}"

    def _private(self, owner: str, name: str) -> Iterator[str]:
        """A private name of a module or class that is not the project's."""
        top = owner.partition(".")[0]
        private = name.startswith("_") and name not in _DOCUMENTED and not _SUNDER.fullmatch(name)
        if private and top and top not in self._project:
            yield f"{owner}.{name}"

    def _stored(self, node: ast.AST) -> Iterator[str]:
        """Code that becomes an attribute of an object which may be another module's, and changes
        of imported modules' collections."""
        for target, value in stores(node):
            match target:
                case ast.Attribute(value=place, attr=name):
                    if not self._names.is_own(place):
                        plain = isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign)
                        if not plain and value is None:
                            yield f"an attribute {name} as a target"
                        elif self._names.is_code(value) or (
                            name == "__dict__" and self._names.holds_code(value)
                        ):
                            yield f"code that becomes the attribute {name}"
                    if name in _DECIDING and not self._is_copied(place, name, value):
                        yield f"a change of {name}"
                case ast.Name(id=name) if name in _DECIDING:
                    yield f"a change of {name}"
                case ast.Subscript(value=place):
                    yield from self._stored_item(place, value)
                    yield from _deciding([target.slice], [value])
        match node:
            case ast.Name(id="setattr" | "delattr" | "vars" as name) if not self._is_called(node):
                if name != "vars" or not self._names.values(node):
                    yield f"{name} as a value"
            case ast.Call(func=how, args=[*_, place, named, new]) if _name(how) in _SETTING:
                yield from self._stored_by_name(place, named, new)
            case ast.Call(func=ast.Attribute(value=place, attr=how)) if how in _CHANGING:
                yield from self._changed_by_call(node, place)
            case ast.Dict(keys=keys, values=values):
                yield from _deciding(keys, values)

    def _is_called(self, node: ast.expr) -> bool:
        parent = self._names.parents[id(node)]
        return isinstance(parent, ast.Call) and parent.func is node

    def _stored_by_name(self, place: ast.expr, named: ast.expr, value: ast.expr) -> Iterator[str]:
        name = _constant(named) or "of a computed name"
        if self._names.is_code(value) and not self._names.is_own(place):
            yield f"code that becomes the attribute {name}"
        yield from _deciding([named], [value])

    def _stored_item(self, place: ast.expr, value: ast.AST | None) -> Iterator[str]:
        yield from self._shared(self._owner(place))
        of = self._names.attributes_of(place)
        if of is not None and self._names.is_code(value) and not self._names.is_own(of):
            yield "code that becomes an attribute"
        if isinstance(place, ast.Attribute) and place.attr in _DECIDING:
            yield f"a change of {place.attr}"

    def _changed_by_call(self, call: ast.Call, place: ast.expr) -> Iterator[str]:
        """A collection that is changed by its method: `vars(x).update(f=own)`."""
        args = call.args
        if isinstance(place, ast.Name) and place.id in ("list", "dict", "set") and args:
            place = args[0]
        owner, of = self._owner(place), self._names.attributes_of(place)
        given = [*args, *(each.value for each in call.keywords)]
        code = any(self._names.is_code(e) or self._names.holds_code(e) for e in given)
        if of is not None and code and not self._names.is_own(of):
            yield "code that becomes an attribute"
        # A module's own functions may have such names: os.remove().
        if "." in owner:
            yield from self._shared(owner)

    def _shared(self, owner: str) -> Iterator[str]:
        """A change of a collection of the standard library's."""
        if owner.partition(".")[0] in sys.stdlib_module_names and owner not in _ENVIRONMENT:
            yield f"a change of {owner}"

    def _is_copied(self, place: ast.expr, name: str, value: ast.AST | None) -> bool:
        """Whether a function gets another one's attribute, as wrappers do."""
        values = self._names.values(place) if isinstance(place, ast.Name) else []
        copied = isinstance(value, ast.Attribute) and value.attr == name
        return copied and bool(values) and all(map(_is_function, values))

    def _of_environment(self, node: ast.AST) -> Iterator[str]:
        """Uses of the environment other than one variable by its literal name."""
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return
        if not isinstance(node, ast.Name | ast.Attribute | ast.Call):
            return
        owner, parent = self._owner(node), self._names.parents[id(node)]
        if owner in _ENVIRONMENT and not self._has_literal_key(node, parent):
            yield f"all of {owner}"
        if owner in ("os.getenv", "os.getenvb"):
            match parent:
                case ast.Call(args=[ast.Constant(), *_]) if parent.func is node:
                    pass
                case _:
                    yield f"{owner} of a computed name"

    def _has_literal_key(self, node: ast.expr, parent: ast.AST) -> bool:
        match parent:
            case ast.Subscript(slice=ast.Constant()):
                return parent.value is node
            case ast.Compare(left=ast.Constant(), ops=[ast.In() | ast.NotIn()]):
                return True
            case ast.Assign(targets=[ast.Name()]) | ast.NamedExpr():
                # The name is another one of the environment.
                return True
            case ast.Attribute(attr=name) if name in _OF_ENVIRONMENT:
                match self._names.parents[id(parent)]:
                    case ast.Call(args=[ast.Constant(), *_]) as call:
                        return call.func is parent
        return False

    def _searched_folders(self) -> Iterator[tuple[str, int]]:
        """Searches of the folder that has those of pytest, which are named after tests."""
        nodes = self._names.nodes
        if _LISTING.isdisjoint(map(_name, nodes)):
            return
        for node in nodes:
            match node:
                case ast.Name() | ast.Attribute() if _name(node) in _TEMPORARY:
                    yield "a search of the temporary folder", node.lineno
                case ast.Call(func=how) if _name(how) in _LISTING and _texts(node) & _ABOVE:
                    yield "a search of the temporary folder", node.lineno

    def _imports_from(self, parts: list[str], names: list[ast.alias]) -> Iterator[str]:
        module = ".".join(filter(None, parts))
        yield from self._of_tests([module, *(f"{module}.{alias.name}" for alias in names)])

    def _of_tests(self, names: Iterable[str]) -> Iterator[str]:
        yield from (f"the tests' module {name}" for name in names if name in self._tests)

    def _imported_by_a_call(self, args: list[ast.expr], named: list[ast.keyword]) -> Iterator[str]:
        match [*(each.value for each in named if each.arg == "name"), *args]:
            case [ast.Constant(value=str(name)), *_]:
                yield from self._of_tests([name])
                yield from _named_modules([name])
                if _own_name(name) in _OWNERS:
                    yield f"import of {name} by a call"
            case _:
                yield "an import by a computed name"

    def _logged(self) -> Iterator[tuple[str, int]]:
        """Yields warnings and log records with a caller's place, in a program that reads such
        records."""
        nodes = self._names.nodes
        words = set(map(_name, nodes))
        for call in (node for node in nodes if isinstance(node, ast.Call)):
            warns = _name(call.func) in ("warn", "warn_explicit")
            kept = _KEPT_WARNINGS if warns else _KEPT_LOGS
            if words & kept and _is_placed(call, warns):
                yield "a log of its caller's place", call.lineno
        for each in (node for node in nodes if isinstance(node, ast.Attribute | ast.Constant)):
            hidden = _constant(each) in ("stacklevel", "stack_info")
            if isinstance(each, ast.Attribute) and each.attr in _LOGGING:
                hidden = not self._is_called(each)
            if hidden and words & (_KEPT_LOGS | _KEPT_WARNINGS):
                yield "a log of its caller's place", each.lineno

    def _values(self) -> Iterator[tuple[str, int]]:
        """Yields modules that are used as values: under another name, their use would stay
        hidden."""
        modules = dict(_modules(self._tree))
        nodes = self._names.nodes
        used = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
        used |= {id(node.args[0]) for node in nodes if isinstance(node, ast.Call) and _asks(node)}
        loaded = [node for node in nodes if isinstance(node, ast.Name) and _is_read(node)]
        for node in loaded:
            if node.id in modules and id(node) not in used:
                yield f"{modules[node.id]} as a value", node.lineno
        called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
        for each in (node for node in nodes if isinstance(node, ast.Attribute)):
            owner = self._owner(each.value)
            if id(each) not in used and owner and _is_owner(owner, each.attr):
                yield f"{owner}.{each.attr} as a value", each.lineno
        for other in (node for node in nodes if isinstance(node, ast.expr)):
            if _name(other) in _IMPORTING and id(other) not in called:
                yield f"{_name(other)} as a value", other.lineno

    def _by_name(self, how: str, arguments: list[ast.expr]) -> Iterator[str]:
        match arguments:
            case [owner, name, *_] if self._owner(owner):
                constant = isinstance(name, ast.Constant) and name.value not in _IMPORTING
                if how != "getattr" or not constant:
                    yield f"{how} of {self._owner(owner)}"
                else:
                    yield from self._reached(self._owner(owner), _constant(name))
                    yield from self._private(self._owner(owner), _constant(name))

    def _owner(self, node: ast.expr) -> str:
        """The full name of an imported module, class or attribute of one, or ""."""
        match node:
            case ast.Name(id=name):
                values = self._names.values(node)
                imported = "" if values and None not in values else self._imported.get(name, "")
                return imported or self._aliased(node)
            case ast.Attribute() if not _is_long(node) and (owner := self._owner(node.value)):
                return f"{owner}.{node.attr}"
            case ast.Call(func=how, args=[which, *_]) if _name(how) in _IMPORTING:
                return str(which.value) if isinstance(which, ast.Constant) else "a module"
            case ast.Call(
                func=ast.Name(id="getattr"), args=[value, ast.Constant(value=str(name)), *_]
            ) if owner := self._owner(value):
                return f"{owner}.{name}"
            case ast.Call(func=ast.Name() | ast.Attribute() as how):
                owner = self._owner(how)
                return f"{owner}()" if owner in _SHARED else ""
        return ""

    def _aliased(self, node: ast.Name) -> str:
        """What an imported object is called that a name holds: `other = json.decoder`."""
        values = (each for each in self._names.values(node) if isinstance(each, ast.expr))
        return self._names.ask(
            "owner",
            node,
            lambda: next(filter(None, map(self._owner, values)), ""),
            again="",
            lost="a name of a name",
        )


def _is_long(node: ast.expr) -> bool:
    """Whether it is a chain of more attributes than any program needs."""
    for _ in range(_LONGEST_CHAIN):
        if not isinstance(node, ast.Attribute):
            return False
        node = node.value
    return True


def _name(node: ast.AST) -> str:
    """The last name of an attribute or a variable."""
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _own_name(module: str) -> str:
    """The name of a module that is an attribute of another: "sys" of `collections._sys`."""
    return module.rpartition(".")[2].lstrip("_")


def _is_sys(module: str) -> bool:
    return _own_name(module) == "sys"


def _is_of_python(owner: str) -> bool:
    """Whether it may be a module of the standard library; sys has no modules as attributes."""
    top = owner.partition(".")[0]
    classes = any(part[:1].isupper() for part in owner.split("."))
    return top in sys.stdlib_module_names and top != "sys" and not classes


def _of_sys(owner: str) -> str:
    """The attribute of sys that it is, or ""."""
    module, _, name = owner.rpartition(".")
    return name if _is_sys(module) else ""


def _is_owner(module: str, name: str) -> bool:
    """Whether the module's attribute is a module of _OWNERS, judging by the names. Other packages
    have their own functions and modules with such names."""
    of_python = module.partition(".")[0] in sys.stdlib_module_names
    known = f"{_own_name(module)}.{name}" in _OF_MODULES
    return _is_sys(name) or (of_python and not known and _own_name(name) in _OWNERS)


def _gives_sys(node: ast.AST) -> bool:
    """Whether the node may be sys under another name than that of `import sys`."""
    match node:
        case ast.Attribute(attr=name):
            return _is_sys(name)
        case ast.MatchClass(kwd_attrs=names):
            return any(map(_is_sys, names))
        case ast.ImportFrom(module=str(module), names=[ast.alias(name="*")], level=0):
            return module.partition(".")[0] in sys.stdlib_module_names
        case ast.Call():
            return any(map(_is_sys, _texts(node)))
    return False


def _texts(call: ast.Call) -> set[str]:
    """The constant texts among a call's arguments."""
    values = [*call.args, *(each.value for each in call.keywords)]
    constants = (each.value for each in values if isinstance(each, ast.Constant))
    return {each for each in constants if isinstance(each, str)}


def _inner_texts(call: ast.Call) -> Iterator[str]:
    """The texts anywhere in a call's arguments."""
    for node in ast.walk(call):
        match node:
            case ast.Constant(value=str(text)):
                yield text


def _never_records(args: list[ast.expr], named: list[ast.keyword]) -> bool:
    others = [each for each in named if each.arg not in ("category", "action", "lineno", "append")]
    values = [*args, *(each.value for each in others)]
    return all(isinstance(each, ast.Constant) and each.value is False for each in values)


def _parses(node: ast.expr) -> bool:
    """Whether it is a program's arguments."""
    return isinstance(node, ast.Call) and _name(node.func) in ("parse_args", "parse_known_args")


def _constant(node: ast.AST | None) -> str:
    """The value of a text, or ""."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else ""


def _joined(node: ast.expr) -> str:
    """The text that literal texts are joined to, or ""."""
    match node:
        case ast.BinOp(left=ast.Constant(value=str(left)), op=ast.Add(), right=right):
            return left + _constant(right)
        case ast.BinOp(left=ast.BinOp() as left, op=ast.Add(), right=right):
            return _joined(left) + _constant(right)
    return ""


def _deciding(keys: Iterable[ast.expr | None], values: Iterable[ast.AST | None]) -> Iterator[str]:
    for name, value in zip(map(_constant, keys), values, strict=True):
        own = value is not None and _name(value) == "__name__"
        if name in _DECIDING and not own:
            yield f"a change of {name}"


def _is_super(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="super")):
            return True
    return False


def _is_function(node: ast.AST | None) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def _is_placed(call: ast.Call, warns: bool) -> bool:
    """Whether a log or warning may be given a number of callers to skip, or a stack."""
    named = {each.arg for each in call.keywords}
    if _name(call.func) == "_log" or {"stacklevel", "stack_info"} & named:
        return True
    if warns and (len(call.args) > 2 or any(isinstance(e, ast.Starred) for e in call.args)):
        return True
    return None in named and _name(call.func) in _LOGGING


def _is_read(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _asks(node: ast.Call) -> bool:
    """Whether it is hasattr(module, name), or getattr() with a constant name, which _by_name()
    checks."""
    match node:
        case ast.Call(func=ast.Name(id="hasattr"), args=[_, _]):
            return True
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(), *_]):
            return True
    return False


def _modules(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield alias.asname or alias.name.partition(".")[0], alias.name
            case ast.ImportFrom(module=module, names=names):
                for alias in names:
                    if _is_owner(module or "", alias.name):
                        yield alias.asname or alias.name, f"{module or ''}.{alias.name}"


def _named_modules(names: Iterable[str]) -> Iterator[str]:
    tops = (name.partition(".")[0] for name in names)
    yield from (f"import of {top}" for top in tops if top.lstrip("_") in _PLAIN_MODULES)


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    top = alias.name.partition(".")[0]
                    yield (alias.asname, alias.name) if alias.asname else (top, top)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                for alias in names:
                    yield alias.asname or alias.name, f"{module}.{alias.name}"
            case ast.ImportFrom(names=names):
                yield from (
                    (each.asname or each.name, "sys") for each in names if each.name == "sys"
                )
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=how, args=[which, *_]),
            ) if _name(how) in _IMPORTING:
                yield name, str(which.value) if isinstance(which, ast.Constant) else "a module"


def _docstrings(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str()) as text):
                yield text


_JAVA_NAMES = frozenset(
    {
        *("getStackTrace", "StackWalker", "getAllStackTraces", "dumpStack", "getClassLoader"),
        *("getContextClassLoader", "getSystemClassLoader", "URLClassLoader", "defineClass"),
        *("ClassLoader", "setAccessible", "trySetAccessible", "MethodHandles", "VarHandle"),
        *(
            "SecurityManager",
            "getClassContext",
            "Unsafe",
            "Instrumentation",
            "ManagementFactory",
            "ProcessHandle",
            "ProcessBuilder",
        ),
        *("Runtime", "exit", "halt", "addShutdownHook", "getenv", "setOut", "setErr", "setIn"),
        *("getResource", "getResourceAsStream", "loadClass", "loadLibrary", "getProtectionDomain"),
        # With these, a program could read what tests ask their runner.
        *("SocketImpl", "SocketImplFactory", "setSocketImplFactory", "SelectorProvider"),
        *("junit", "testng", "hamcrest", "assertj", "surefire", "JavaCompiler", "ToolProvider"),
        # A serialised exception holds its stack, a recording the stacks of all threads.
        *("ObjectOutputStream", "XMLEncoder", "jfr"),
        # An object of any interface, without a class in the text.
        *("newProxyInstance", "MethodHandleProxies"),
        # With these, a collection, an address or an order calls different values equal.
        *("IdentityHashMap", "newIdentityHashSet", "URLStreamHandler", "Collator"),
        "RuleBasedCollator",
    }
)
# With these, a value decides itself what equals it.
_JAVA_METHODS = ("equals", "hashCode", "compareTo")
# An expected collection asks another one for its size and its elements.
_JAVA_COLLECTION = re.compile(
    r"\w*(?:Collection|Set|List|Map|Queue|Deque|Vector|Stack|Table|Entry)"
)
# These hold what their order calls different, and compare by it.
_JAVA_SORTED = re.compile(r"\b(?:TreeSet|TreeMap|ConcurrentSkipListSet|ConcurrentSkipListMap)\b")
_JAVA_SORTING = ("newTreeSet", "newTreeMap")
# Methods that take a function without arguments, which makes their result.
_JAVA_SUPPLIED = frozenset({"toCollection", "toMap", "groupingBy", "collect"})
# Methods whose results are collections.
_JAVA_COLLECTED = frozenset(
    {
        *("keySet", "navigableKeySet", "entrySet", "values", "asList", "of", "copyOf", "toList"),
        *("subList", "subSet", "headSet", "tailSet", "subMap", "headMap", "tailMap"),
        *("descendingSet", "descendingMap", "singleton", "singletonList", "singletonMap"),
        *("emptySet", "emptyList", "emptyMap", "nCopies", "newArrayList", "newHashSet"),
    }
)
_JAVA_ORDERS = frozenset({"String.CASE_INSENSITIVE_ORDER", "Collections.reverseOrder()"})
# Collections whose names say nothing of it.
_JAVA_TABLES = frozenset({"Properties", "Attributes", "Dictionary"})
_TYPE_ARGUMENTS = re.compile(r"<[^<>]*>")
_JAVA_CREATION = "object_creation_expression"
_JAVA_TYPES = (
    *("class_declaration", "record_declaration", "enum_declaration", "interface_declaration"),
)
_JAVA_TYPED = (
    *("formal_parameter", "catch_formal_parameter", "enhanced_for_statement", "resource"),
    *("method_declaration", "instanceof_expression", "type_pattern", "record_pattern_component"),
)
# Parts of a text whose characters are none of a name.
_JAVA_OPAQUE = ("line_comment", "block_comment", "string_literal", "character_literal")
_JAVA_TEXTS = (
    "surefire",
    "target/",
    "test-classes",
    "TEST-",
    "junit",
    "/proc",
    "src/test",
    "assay",
    # Part of the names of test classes.
    "Test",
)


def of_java(text: str, _path: str = "", _paths: Collection[str] = ()) -> Mapping[str, int]:
    found: dict[str, int] = {}
    plain = _as_javac_reads(text)
    root = Parser(_JAVA).parse(plain.encode()).root_node
    nodes = [*_nodes(root)]
    declared = _Declared(nodes)
    for node in nodes:
        for mention in _in_java(node) if not node.child_count else _of_java(node, declared):
            found.setdefault(mention, node.start_point[0] + 1)
    for mention, line in _unread(plain, root, nodes):
        found.setdefault(mention, line)
    if odd := _ODD_ESCAPE.search(text):
        found["an escape that javac reads in its own way"] = text.count("\n", 0, odd.start()) + 1
    return found


def _as_javac_reads(text: str) -> str:
    """The text after javac's first steps: without Unicode escapes, each line ended by one line
    feed. A character that UTF-8 does not have becomes a control character."""
    plain = _ESCAPE.sub(lambda match: match[1] + chr(int(match[2], 16)), text)
    whole = plain.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return _UNREADABLE.sub("\x01", _LINE_END.sub("\n", whole))


def _unread(plain: str, root: Node, nodes: list[Node]) -> Iterator[tuple[str, int]]:
    """What this parser may read differently from javac, which drops some characters of names."""
    source = bytearray(plain.encode())
    for node in nodes:
        if node.type in _JAVA_OPAQUE:
            inside = source[node.start_byte : node.end_byte]
            source[node.start_byte : node.end_byte] = re.sub(rb"[^\n]", b" ", inside)
    code = source.decode()
    ignored = next((at for at, each in enumerate(code) if _is_ignored(each)), None)
    if ignored is not None:
        yield "a character that javac ignores", code.count("\n", 0, ignored) + 1
    if root.has_error:
        wrong = next((node for node in nodes if node.is_error or node.is_missing), root)
        yield "a text that cannot be read", wrong.start_point[0] + 1


def _is_ignored(character: str) -> bool:
    """As Java's Character.isIdentifierIgnorable."""
    return unicodedata.category(character) in ("Cc", "Cf") and character not in _SPACES


def _nodes(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        waiting += reversed(node.children)
        yield node


class _Declared:
    """The names that a text declares: those of its types, and whether each variable and method has
    a collection's type in all declarations of its name."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._types: set[str] = set()
        self._collections: dict[str, bool] = {}
        typed: list[tuple[str, Node | None]] = []
        for node in nodes:
            name = _text(node.child_by_field_name("name"))
            if node.type in _JAVA_TYPES:
                self._types.add(name)
            elif node.type == "type_parameter":
                self._types |= {*map(_text, node.named_children[:1])}
            elif node.type == "variable_declarator" and node.parent is not None:
                typed.append((name, node.parent.child_by_field_name("type")))
            elif node.type in _JAVA_TYPED:
                parts = (node.child_by_field_name(part) for part in ("type", "right"))
                name = name or _text(node.named_children[-1] if node.named_children else None)
                typed.append((name, next(filter(None, parts), None)))
            elif node.type == "lambda_expression":
                parameters = node.child_by_field_name("parameters")
                typed += ((each, None) for each in re.findall(r"\w+", _text(parameters)))
        for name, of in typed:
            known = self._collections.get(name, True)
            self._collections[name] = known and self.is_collection(of)

    def has(self, name: str) -> bool:
        return name in self._collections

    def is_collection(self, of: Node | None) -> bool:
        """Whether it is a collection's type that the text does not declare."""
        words = re.findall(r"\w+", _text(of).partition("<")[0]) or [""]
        return bool(_JAVA_COLLECTION.fullmatch(words[-1])) and words[-1] not in self._types

    def holds(self, value: Node) -> bool:
        """Whether the value is a collection, or an order of the platform's, by its names."""
        while value.type == "parenthesized_expression" and value.named_children:
            value = value.named_children[-1]
        match value.type:
            case "object_creation_expression" | "cast_expression":
                return self.is_collection(value.child_by_field_name("type"))
            case "identifier":
                return self._collections.get(_text(value), False)
            case "field_access":
                field = _text(value.child_by_field_name("field"))
                return self._collections.get(field, False) or self._is_platforms_order(value)
            case "method_invocation":
                name = _text(value.child_by_field_name("name"))
                known = name in _JAVA_COLLECTED or self._is_platforms_order(value)
                return self._collections.get(name, known)
        return False

    def _is_platforms_order(self, value: Node) -> bool:
        owner = _text(value).partition(".")[0]
        return _text(value) in _JAVA_ORDERS and owner not in self._types


def _of_java(node: Node, declared: _Declared) -> Iterator[str]:
    if node.type in (_JAVA_CREATION, *_JAVA_TYPES) and _is_collection(node):
        yield "a collection of its own"
    if _is_in_own_order(node, declared):
        yield "a sorted collection in an order of its own"


def _text(node: Node | None) -> str:
    return "" if node is None else (node.text or b"").decode("utf-8", "replace")


def _is_collection(node: Node) -> bool:
    """Whether a class, also a nameless one, extends or implements a collection."""
    heads = [node.child_by_field_name(name) for name in ("superclass", "interfaces")]
    heads += [each for each in node.children if each.type == "extends_interfaces"]
    inside = (each for body in node.children if body.type == "class_body" for each in body.children)
    if node.type == _JAVA_CREATION and any(e.type == "method_declaration" for e in inside):
        heads.append(node.child_by_field_name("type"))
    text = " ".join(map(_text, heads))
    while text != (text := _TYPE_ARGUMENTS.sub("", text)):
        pass
    words = re.findall(r"\w+", text)
    return any(_JAVA_COLLECTION.fullmatch(word) or word in _JAVA_TABLES for word in words)


def _is_in_own_order(node: Node, declared: _Declared) -> bool:
    """Whether the node makes a sorted collection of anything but a collection, or gives the
    function that does to a method that may call it with an argument."""
    match node.type:
        case "object_creation_expression":
            sorts = _sorts(node.child_by_field_name("type"))
        case "method_invocation":
            sorts = _text(node.child_by_field_name("name")) in _JAVA_SORTING
        case "method_reference":
            of, name = node.children[0], _text(node.children[-1])
            sorts = name in _JAVA_SORTING or (name == "new" and _sorts(of))
            return sorts and not _is_supplier(node, declared)
        case _:
            return False
    arguments = node.child_by_field_name("arguments")
    given = arguments.named_children if sorts and arguments is not None else []
    return not all(each.type.endswith("comment") or declared.holds(each) for each in given)


def _sorts(of: Node | None) -> bool:
    return bool(_JAVA_SORTED.search(_text(of).partition("<")[0]))


def _is_supplier(reference: Node, declared: _Declared) -> bool:
    """Whether it is an argument of a platform's method that calls it without arguments."""
    call = reference.parent.parent if reference.parent is not None else None
    name = _text(call.child_by_field_name("name")) if call is not None else ""
    return name in _JAVA_SUPPLIED and not declared.has(name)


def _has_arguments(call: Node | None) -> bool:
    arguments = None if call is None else call.child_by_field_name("arguments")
    return arguments is not None and bool(arguments.named_children)


def _in_java(node: Node) -> Iterator[str]:
    text = _text(node)
    if node.type.endswith("identifier"):
        if text in _JAVA_NAMES:
            yield text
        parent = node.parent
        if parent is not None and parent.type == "method_declaration" and text in _JAVA_METHODS:
            yield f"a declaration of {text}"
        if text == "printStackTrace" and _has_arguments(parent):
            yield "printStackTrace with an argument"
    elif node.type in ("string_fragment", "multiline_string_fragment", "escape_sequence"):
        yield from (word for word in _JAVA_TEXTS if word in text)
