"""Tests of finding what in a program's text mentions a means to look at tests."""

from __future__ import annotations

import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluation.engine.projects import mentions

# ruff: noqa: E501
PYTHON = {
    "import _pytest.reports": "import of _pytest",
    "from unittest import mock": "import of unittest",
    "import sys\nsys.modules": "sys.modules",
    "from sys import modules": "sys.modules",
    "import sys as s\ngetattr(s, 'modules')": "sys.modules",
    "import sys as s\ngetattr(s, 'mod' + 'ules')": "getattr of sys",
    "__import__('sys').modules": "sys.modules",
    "import importlib\nimportlib.import_module('sys').modules": "sys.modules",
    "x.gi_frame.f_back": "gi_frame",
    "getattr(x, 'f_back')": "f_back",
    "f.__closure__": "__closure__",
    "import signal\nsignal.signal(1, f)": "signal.signal",
    "import json\njson.loads = f": "a change of json.loads",
    "import os.path\nos.path.join = f": "a change of os.path.join",
    "from fractions import Fraction\nFraction.__eq__ = f": "a change of fractions.Fraction.__eq__",
    "import json\nsetattr(json, name, f)": "setattr of json",
    "import json\nvars(json)['loads'] = f": "vars of json",
    "import json\njson.__dict__['loads'] = f": "a change of json.__dict__",
    "import sys\ns = sys\ns.modules": "sys.modules",
    "m = __import__('test_' + 'x')\nm.f = g": "a change of a module.f",
    "import importlib\nm = importlib.import_module('x')\nsetattr(m, 'f', g)": "setattr of x",
    "with catch_warnings(record=True): pass": "recorded warnings",
    "import faulthandler": "import of faulthandler",
    "import os\nos.environ['PYTEST_CURRENT_TEST']": "PYTEST",
    "open('/judge/report')": "/judge",
    "print(__builtins__)": "__builtins__",
    "print(len.__self__)": "__self__",
    "import warnings\nwith warnings.catch_warnings(record=1): pass": "recorded warnings",
    "import warnings\nwith warnings.catch_warnings(**how): pass": "recorded warnings",
    "log.addHandler(h)\nlog.warning('x', stacklevel=2)": "a log of its caller's place",
    "logging.basicConfig(stream=s)\nlog.warning('x', stack_info=True)": "a log of its caller's place",
    "import json\nfor m in (json,): m.loads = f": "json as a value",
    "import signal as s\nother = s": "signal as a value",
    "from json import JSONDecoder\nA = JSONDecoder\nA.decode = f": "a change of json.JSONDecoder.decode",
    "from json import JSONDecoder\ntype.__setattr__(JSONDecoder, 'decode', f)": "__setattr__ of json.JSONDecoder",
    "from signal import *": "everything of signal",
    "import _xxsubinterpreters": "import of _xxsubinterpreters",
    "multiprocessing.get_context('spawn')": "processes that begin anew",
    "__import__(name)": "an import by a computed name",
    "x.__array_interface__ = {}": "__array_interface__",
    "import cffi": "import of cffi",
    f"import json\njson{'.a' * 1_500}": "a long chain of attributes",
    "import os\nos.sys.modules.values()": "sys.modules",
    "from os import sys as s\ns.modules": "sys.modules",
    "import os\ns = os.sys": "os.sys as a value",
    "from os import sys as s\nf(s)": "os.sys as a value",
    "from .core import sys as s\ns.modules": "sys.modules",
    "import typing\ntyping.sys.argv": "sys.argv",
    "import collections\ncollections._sys.modules": "sys.modules",
    "import lib.core\nlib.core.sys.modules": "sys.modules",
    "from platform import *\nsys.modules": "sys.modules",
    "from platform import *\ns = sys; s.modules": "sys.modules",
    "import os\ngetattr(os, 'sys').modules": "sys.modules",
    "import os\nf(getattr(os, 'sys')); x.modules": "sys.modules",
    "from os import path\nself = path.os\nother = self.sys; other.modules": "sys.modules",
    "import os\nf(getattr(os, 'sys')); getattr(x, 'modules')": "sys.modules",
    "from os import path\nattrgetter('os.sys.modules')(path)": "sys.modules",
    "from os import path\nattrgetter('modules')(attrgetter('os.sys')(path))": "sys.modules",
    "import os\nos.__getattribute__('s' + 'ys')": "__getattribute__ of os",
    "import importlib.util as u\nu.module_from_spec(u.find_spec('sys')).modules": "sys.modules",
    "import dataclasses\nf(dataclasses.inspect)": "dataclasses.inspect as a value",
    "import dataclasses\ndataclasses.inspect.stack()": "inspect.stack",
    "from logging import threading as t\nt.settrace(f)": "threading.settrace",
    "import doctest\nraise doctest.unittest.SkipTest": "import of unittest",
    "from doctest import unittest as u": "import of unittest",
    "from os import path\nfor p in (path,): p.doctest.unittest": "import of unittest",
    "import enum\ngetattr(enum, 'builtins')": "import of builtins",
    "import importlib\nimportlib.import_module('ctypes')": "import of ctypes",
    "import importlib\nimportlib.import_module(name='o' + 's')": "an import by a computed name",
    "import importlib\nimportlib.import_module(**how)": "an import by a computed name",
    "import importlib\nf(importlib.import_module('signal'))": "import of signal by a call",
    "from importlib import import_module\nimport_module('sys').modules": "sys.modules",
    "from importlib import import_module as get": "another name of an import",
    "import importlib\nget = importlib.import_module": "import_module as a value",
    "import importlib\ngetattr(importlib, 'import_module')(name)": "getattr of importlib",
    f"x{'.a()' * 600}": "a long chain of attributes",
    "match x:\n case object(gi_frame=y): pass": "gi_frame",
    "match x:\n case object(sys=object(modules=y)): pass": "sys.modules",
}


# Code that becomes an attribute of an object that may be another module's.
PATCHES = {
    "def put(x):\n    x.loads = lambda: 0": "code that becomes the attribute loads",
    "def own(): pass\nfor x in found: x.loads = own": "code that becomes the attribute loads",
    "class Own: pass\nfind().Kind = Own": "code that becomes the attribute Kind",
    "def f():\n    class Own: pass\n    find().kind = Own()": "code that becomes the attribute kind",
    "class Own:\n    def __call__(self): pass\nfind().kind = Own()": "code that becomes the attribute kind",
    "find().a, b = (lambda: 0), 1": "code that becomes the attribute a",
    "find().a: object = lambda: 0": "code that becomes the attribute a",
    "find().a = b or (lambda: 0)": "code that becomes the attribute a",
    "find().a = [print, lambda: 0][1]": "code that becomes the attribute a",
    "find().a = partial(lambda: 0)": "code that becomes the attribute a",
    "find().a = (lambda f: f)(own)\ndef own(): pass": "code that becomes the attribute a",
    "def make():\n    def own(): pass\n    return own\nfind().a = make()": "code that becomes the attribute a",
    "class Own:\n    def f(self): pass\nfind().a = Own().f": "code that becomes the attribute a",
    "def make():\n    return lambda: lambda: 0\nfind().a = make()()": "code that becomes the attribute a",
    "find().a = type('Own', (), {})": "code that becomes the attribute a",
    "setattr(find(), 'a', lambda: 0)": "code that becomes the attribute a",
    "setattr(find(), name, lambda: 0)": "code that becomes the attribute of a computed name",
    "type.__setattr__(find(), 'a', lambda: 0)": "code that becomes the attribute a",
    "find().__dict__['a'] = lambda: 0": "code that becomes an attribute",
    "for find().a in [lambda: 0]: pass": "code that becomes the attribute a",
    "for find().a in values: pass": "an attribute a as a target",
    "with held() as find().a: pass": "an attribute a as a target",
    "[0 for find().a in values]": "an attribute a as a target",
    "import json\ntype(json.JSONDecoder()).decode = lambda: 0": "code that becomes the attribute decode",
    "class Own:\n    def put(self): self.a = lambda: 0\nOwn.put(find())": "code that becomes the attribute a",
    "class Own:\n    def __new__(cls): return find()\nOwn().a = lambda: 0": "code that becomes the attribute a",
    "@lambda _: find()\ndef own(): pass\nown.a = lambda: 0": "code that becomes the attribute a",
    "find().__dict__.update(a=lambda: 0)": "code that becomes an attribute",
    "dict.update(vars(find()), {'a': lambda: 0})": "code that becomes an attribute",
    "def put(x):\n    y = vars(x)\n    y['a'] = lambda: 0": "code that becomes an attribute",
    "find().__dict__ |= {'a': lambda: 0}": "code that becomes the attribute __dict__",
    "class Kind(type):\n    def __call__(cls): return find()\nclass Own(metaclass=Kind): pass\nOwn().a = lambda: 0": "code that becomes the attribute a",
    "put = setattr": "setattr as a value",
    "map(vars, values)": "vars as a value",
    "from x import y as z\ndef put(z):\n    z.a = lambda: 0": "code that becomes the attribute a",
}
# Imported objects under other names.
ALIASES = {
    "import json\nx = json.decoder\nx.scan = 1": "a change of json.decoder.scan",
    "import json\nfor x in (json.decoder,): x.scan = 1": "a change of json.decoder.scan",
    "import json\nx, y = json.decoder, 1\nx.scan = 1": "a change of json.decoder.scan",
    "import json\nif x := json.decoder: x.scan = 1": "a change of json.decoder.scan",
    "import json\ndef put(x): x.scan = 1\nput(json.decoder)": "a change of json.decoder.scan",
    "import json\ndef put(*, x): x.scan = 1\nput(x=json.decoder)": "a change of json.decoder.scan",
    "import json\ndef put(x=json.decoder): x.scan = 1": "a change of json.decoder.scan",
    "import json\nx = json.decoder\ny = x\ndef f(): del y.scan": "a change of json.decoder.scan",
    "import json\nx = json.a\n"
    + "".join(f"x{n + 1} = x{n}\n" for n in range(60))
    + "x0 = x; x60.b = 1": "a change of a name of a name.b",
    "import json\nvars(json.decoder)['scan'] = 1": "vars of json.decoder",
    "vars(find())['scan'] = 1": "vars of an expression",
    "import decimal\nc = decimal.getcontext()\nc.prec = 1": "a change of decimal.getcontext().prec",
    "from decimal import getcontext\ngetcontext().traps[x] = 0": "a change of decimal.getcontext().traps",
    "import decimal\ndecimal.getcontext().traps.update(x)": "a change of decimal.getcontext().traps",
    "import mimetypes\nmimetypes.types_map.clear()": "a change of mimetypes.types_map",
    "import decimal\ndecimal.setcontext(c)": "decimal.setcontext",
}
# What leads to other modules, or to what they keep for themselves.
MODULES = {
    "import json\njson.codecs": "the module codecs of json",
    "from json import codecs": "the module codecs of json",
    "import lib\nlib.os.sep": "the module os of lib",
    "import json\nx = json.codecs\nx.builtins": "import of builtins",
    "import re\nre._cache": "re._cache",
    "import re\ngetattr(re, '_cache')": "re._cache",
    "from warnings import _showwarnmsg_impl": "warnings._showwarnmsg_impl",
    "import inspect\ninspect.getmodule(x)": "getmodule",
    "from typing import get_type_hints as hints": "get_type_hints",
    "import inspect\ninspect.signature(x, eval_str=True)": "eval_str",
    "class Own: pass\nOwn.__module__ = 'json'": "a change of __module__",
    "class Own:\n    __module__ = name": "a change of __module__",
    "type('Own', (), {'__module__': name})": "a change of __module__",
    "setattr(x, '__module__', name)": "a change of __module__",
    "x.__annotations__ = {'a': 'b()'}": "a change of __annotations__",
    "x.__annotations__['a'] = 'b()'": "a change of __annotations__",
    "x.__bases__ = (Own,)": "a change of __bases__",
    "import enum\nenum.global_enum(x)": "global_enum",
    "Own._convert_('x', 'json', f)": "_convert_",
    "import importlib.metadata as m\nm.EntryPoint(a, b, c).load()": "EntryPoint",
    "import sys\nsys.path_importer_cache": "path_importer_cache",
    "import sys\nsys.path.insert(0, x)": "a change of sys.path",
    "import sys\nsys.path += [x]": "a change of sys.path",
    "import sys\nsys.path[:0] = [x]": "a change of sys.path",
    "import sys\nlist.insert(sys.path, 0, x)": "a change of sys.path",
    "from sys import path\npath.append(x)": "a change of sys.path",
    "import os\nx = os.sys.path\nx.append(y)": "a change of sys.path",
    "import importlib.util\nimportlib.util.spec_from_file_location(x, y)": "spec_from_file_location",
    "open('/tmp/x/statistics.py', 'w')": "a file with the name of a module",
    "open('statistics.pyc', 'wb')": "a file with the name of a module",
    "import marshal\nmarshal.loads(x)": "marshal.loads",
    "import logging.config as c\nc.BaseConfigurator({}).resolve(x)": "BaseConfigurator",
    "getattr(config, 'Dict' + 'Configurator')({}).resolve(x)": "DictConfigurator",
    "from logging.config import dictConfigClass as d": "dictConfigClass",
    "import pydoc\npydoc.resolve(x)": "pydoc.resolve",
    "from pydoc import importfile": "pydoc.importfile",
    "import pydoc\ngetattr(pydoc, 'render_doc')(x)": "pydoc.render_doc",
}
# What tells about callers, tests and the kind of run.
CALLERS = {
    "log.addHandler(h)\nlog.warning('x', **{'stacklevel': 2})": "a log of its caller's place",
    "log.addHandler(h)\nlog._log(30, 'x', (), None, None, False, 2)": "a log of its caller's place",
    "logging.captureWarnings(True)\nwarnings.warn('x', UserWarning, 2)": "a log of its caller's place",
    "logging.captureWarnings(True)\nwarnings.warn(*how)": "a log of its caller's place",
    "log.addHandler(h)\nwrite = log.warning\nwrite('x', **how)": "a log of its caller's place",
    "log.addHandler(h)\nlog.warning('x', **dict([('stacklevel', 2)]))": "a log of its caller's place",
    "class Log(Base):\n    def handle(self, record): pass\nlog.warning('', stacklevel=2)": "a log of its caller's place",
    "import logging as l\nclass Log(l.Filter): pass\nlog.warning('', stacklevel=2)": "a log of its caller's place",
    "from logging import StreamHandler as Base\nclass Log(Base): pass\nlog.warning('', stacklevel=2)": "a log of its caller's place",
    "import logging\nclass Log(logging.getLoggerClass()): pass\nlog.warning('', stacklevel=2)": "a log of its caller's place",
    "Log = type('Log', (logging.Logger,), {})\nlog.warning('', stacklevel=2)": "a log of its caller's place",
    "for n in x: warnings.filterwarnings('error', lineno=n)\nwarn('x', stacklevel=2)": "a log of its caller's place",
    "filterwarnings('error', '', Warning, 'te.*')\nwarn('x', stacklevel=2)": "a log of its caller's place",
    "simplefilter('error', Warning, n)\nwarn('x', stacklevel=2)": "a log of its caller's place",
    "log.addHandler(h)\nlog.warn('', stacklevel=2)": "a log of its caller's place",
    "from warnings import simplefilter as f\nwarn('x', stacklevel=2)": "a log of its caller's place",
    "simplefilter(*how)\nwarn('x', stacklevel=2)": "a log of its caller's place",
    "simplefilter('error', **how)\nwarn('x', stacklevel=2)": "a log of its caller's place",
    "f = warnings.simplefilter\nwarn('x', stacklevel=2)": "a log of its caller's place",
    "with catch_warnings(action='error', lineno=n): warn('x', stacklevel=2)": "a log of its caller's place",
    "f.__reduce__()": "__reduce__",
    "class Own(Pickler):\n    def persistent_id(self, x): pass": "persistent_id",
    "getattr(x, 'gi_' + 'frame')": "gi_frame",
    "getattr(x, 'gi' + '_' + 'frame')": "gi_frame",
    "getattr(x, 'gi' + ('_' + 'frame'))": "gi_frame",
    "getattr(x, 'gi_' + 'frame'" + " + 'a'" * 1_200 + ")": "gi_frame",
    "f.__reduce_ex__(2)": "__reduce_ex__",
    "import sys\nsys.set_coroutine_origin_tracking_depth(9)": "set_coroutine_origin_tracking_depth",
    "made.cr_origin": "cr_origin",
    "import _tracemalloc": "import of _tracemalloc",
    "import traceback\ntraceback.TracebackException(x)": "TracebackException",
    "from traceback import walk_stack": "walk_stack",
    "import traceback\ntraceback.extract_stack()": "traceback.extract_stack",
    "x.extract(y, capture_locals=True)": "capture_locals",
    "import os\nos.environ.values()": "all of os.environ",
    "import os\ndict(os.environ)": "all of os.environ",
    "import os\nos.environ[name]": "all of os.environ",
    "import os\nos.environ.get(name)": "all of os.environ",
    "from os import environ as x\nf(**x)": "all of os.environ",
    "import os\nx = os.environ\nfor y in x: pass": "all of os.environ",
    "import os\nos.environb": "all of os.environb",
    "import os\nf(getattr(os, 'environ'))": "all of os.environ",
    "from os import *": "everything of os",
    "command = ['env']": "a program that prints the environment",
    "import os\nos.getenv(name)": "os.getenv of a computed name",
    "import os\nget = os.getenv": "os.getenv of a computed name",
    "import subprocess\nsubprocess.run(['env'])": "a program that prints the environment",
    "import os\nos.popen('sleep 1; /usr/bin/printenv')": "a program that prints the environment",
    "import os, tempfile\nos.walk(tempfile.gettempdir())": "a search of the temporary folder",
    "import glob\nglob.glob('*', root_dir='/tmp')": "a search of the temporary folder",
    "import gc\ngc.get_objects()": "gc.get_objects",
    "import sys\nsys.audit(x, y)": "sys.audit",
    "import readline\nreadline.read_history_file(x)": "read_history_file",
    "from readline import read_init_file": "read_init_file",
    "import tkinter\ntkinter.Tcl().eval('read [open a]')": "tkinter.Tcl",
    "from tkinter import Tcl": "tkinter.Tcl",
    "import tkinter\ntkinter.Tk(useTk=False)": "useTk",
    "import _tkinter\n_tkinter.create()": "import of _tkinter",
    "__import__('_tkinter').create()": "import of _tkinter",
    'tests = eval(\'__import__("te" + "st_totals")\')': "an import by a computed name",
    'exec(\'exec("x.gi" "_frame")\')': "gi_frame",
    "re.compile('print 1'); exec(compile(source='print 1'))": "a text that cannot be read",
}


@pytest.mark.parametrize(
    ("text", "mention"), [*(PYTHON | PATCHES | ALIASES | MODULES | CALLERS).items()]
)
def test_a_mention_in_python_is_found_with_its_line(text: str, mention: str) -> None:
    found = mentions.of_python(f"# first\n{text}\n")
    assert mention in found
    if text in PYTHON:
        assert found[mention] == text.count("\n") + 2


def test_a_module_that_another_one_has_is_named_once() -> None:
    assert [*mentions.of_python("import lib\nlib._pytest.x")] == [
        "import of _pytest",
        "lib._pytest",
    ]


def test_many_names_of_a_name_and_many_calls_take_no_time() -> None:
    names = "".join(f"x = y{n}\n" for n in range(2_000)) + "x.a = x\n" * 2_000
    assert "a change of a name of a name.a" in mentions.of_python(names)
    calls = "def f(a): a.x = f\n" * 1_000 + "f(a)\n" * 1_000
    assert "more calls than can be followed" in mentions.of_python(calls)


PATHS = [
    *("src/lib/__init__.py", "src/lib/core.py", "src/lib/tests/__init__.py", "src/lib/io.py"),
    *("src/lib/tests/test_core.py", "tests/checking.py", "tests/test_lib.py", "utils.py"),
    *("tests/utils.py", "tests/typing.py", "tests/data/a.json"),
]
OF_TESTS = {
    "import test_lib": "test_lib",
    "from checking import check": "checking",
    "from tests import test_lib": "tests.test_lib",
    "import tests.checking as c": "tests.checking",
    "import lib\nlib.tests.test_core.CASES": "lib.tests.test_core",
    "from .tests.test_core import CASES": "src.lib.tests.test_core",
    "from . import tests": "src.lib.tests",
    "import importlib\nimportlib.import_module('checking')": "checking",
    "__import__('test_lib')": "test_lib",
    "class A:\n    __module__ = 'test_lib'": "test_lib",
    "exec('from test_lib import CASES', space)": "test_lib",
    "code = 'import ' + 'test' + '_lib as t'": "test_lib",
    "f(b'import test_lib')": "test_lib",
    "run('python -c \"import test_core\"')": "test_core",
    "exec('from checking import check')": "checking",
    "exec('from checking ' + 'import check')": "checking",
    "eval(' __import__(name=\"checking\")')": "checking",
    "exec(compile(b'import checking', 'a', 'exec'))": "checking",
}
OF_FOLDERS = [
    "run(['sh'], input='cat tests/*.py')",
    "run('cat *.py', cwd='tests')",
    "open('./src/lib/tests/test_core.py')",
]
OF_NONE = [
    "x = 'latests/a', 'a/other-tests', 'tests: a'",
    "import utils, typing",
    "from .io import tests",
    "from lib import core, io",
    "x = 'tests', 'import checking', 'test_library', 'a_test_lib', b'tests'",
    "re.compile('checking.*'); eval('checking'); exec(x); df.eval('a =')\neval('self.' + x); exec('%s =' % x)",
]


@pytest.mark.parametrize(("text", "module"), OF_TESTS.items())
def test_a_module_of_the_tests_is_found_by_any_of_its_names(text: str, module: str) -> None:
    assert f"the tests' module {module}" in mentions.of_python(text, "src/lib/core.py", PATHS)


@pytest.mark.parametrize("text", OF_FOLDERS)
def test_a_folder_of_the_tests_is_found_in_a_path(text: str) -> None:
    assert "a folder of tests" in mentions.of_python(text, "src/lib/core.py", PATHS)
    assert "a folder of tests" not in mentions.of_python(text, "tests/checking.py", PATHS)


def test_other_modules_are_not_the_tests() -> None:
    for text in OF_NONE:
        assert mentions.of_python(text, "src/lib/core.py", PATHS) == {}
    assert mentions.of_python("import test_lib", "tests/checking.py", PATHS) == {}


HONEST = (
    "'''Says pytest and f_back.'''\nimport os, json, logging, inspect, gc, collections\n"
    "class A:\n    'f_locals'\n    def f(self, name):\n        self.name = getattr(self, name)\n"
    "        return json.loads(name), os.environ.get('HOME'), inspect.signature(A)\n"
    "object.__setattr__(self, 'x', hasattr(os, 'fork'))\nlogging.getLogger().addHandler(h)\n"
    "with warnings.catch_warnings(): warnings.warn('x', stacklevel=2)\n"
    "with catch_warnings(record=False): warnings.simplefilter('error', UserWarning)\n"
    "warnings.filterwarnings('ignore', 'x', UserWarning)\n"
    "from warnings import warn\nlog.warn('%s %s', x, y); warn(x, stacklevel=2)\n"
    "setattr(A, 'x', 1)\nvars(A())\nlogging.getLogger(__name__)\n# sys.modules, pytest\n"
)
HONEST_MODULES = (
    "import os, sys, boto3, importlib\nfrom scipy import signal\nfrom sqlalchemy import inspect\n"
    "from os import sys as system\nclass Model:\n    def of(self, name):\n"
    "        self.sys.exit(getattr(self, name))\n"
    "        return signal.find_peaks(os.sys.path), system.platform, inspect(self)\n"
    "def use(client, kind):\n    client.signal.alarm(1)\n    make = boto3.resource\n"
    "    importlib.import_module('json')\n    return make, signal\n"
)
HONEST_ATTRIBUTES = (
    "import os, torch\nclass Model:\n    def f(self):\n        self.modules = [self.pad]\n"
    "        return self.modules, torch.nn.modules, getattr(self, 'modules'), os.path.sep\n"
    "match x:\n    case Model(modules=each): pass\n"
)


HONEST_PATCHES = (
    "import functools, os\nclass Node:\n    def __init__(self): self.left = None\n"
    "class Own:\n    def __init__(self, node, other):\n        self.key = lambda x: x\n"
    "        node.left = Node()\n        node.key = other.key\n        self.f.size = self.size\n"
    "        node.value = max(node.values, key=lambda x: x[0])\n        type(self).made = own\n"
    "        self.__class__.make = own\n    @property\n    def size(self): return 1\n"
    "    def g(self):\n        Node.__init__(self)\n        made = Own(1, 2)\n        made.h = own\n"
    "def own(f):\n    @functools.wraps(f)\n    def wrapper(*args): return f(*args)\n"
    "    wrapper.cache = lambda: 0\n    wrapper.__module__ = f.__module__\n    return wrapper\n"
    "os.remove(f); x = {}; x['a'] = own; vars(Node())['a'] = own\n"
    "def f(vars): return vars\nx.update(a=own); x.name = 'a' + 'b' + f\n"
    "node = first\nwhile node: node = node.next; node.seen = True\n"
    "parser = Parser()\nparser.error = own\nx = f(); x.y = own(f)(1) if x else None\n"
)
HONEST_NAMES = (
    "import os, sys, enum, re, decimal, pathlib, logging, warnings, collections.abc, datetime\n"
    "import subprocess, tempfile, asyncio\nfrom collections import abc, namedtuple\n"
    "from datetime import time\nfrom .core import _own\nimport lib._own\n"
    "home = os.environ['HOME']; os.environ['A'] = '1'; os.environ.setdefault('B', 'c')\n"
    "if 'A' in os.environ: env = os.environ; env.pop('A', None); os.getenv('A')\n"
    "with decimal.localcontext() as context: context.prec = 5\n"
    "print(sys.path[0], x in sys.path, os.path.sep, sys.stdin.readline(), abc.Sized, time.min)\n"
    "for line in sys.stdin.buffer.readline(): pass\nsubprocess.run(['ls', '--env=1'])\n"
    "subprocess.run(x, env={'A': 'b'})\nwarnings.warn('x', UserWarning)\n"
    "with tempfile.TemporaryDirectory() as folder: os.listdir(folder); tempfile.gettempprefix()\n"
    "Point = namedtuple('Point', 'x y'); Point(1, 2)._asdict(); os._exit(0)\n"
    "class Kind(enum.Enum):\n    A = 1\nKind._value2member_map_\n"
    "class Own(Base):\n    def __reduce__(self): return super().__reduce__()\n"
    "import readline, tkinter; readline.add_history(x); tkinter.Tk().mainloop()\n"
    "import xml.sax.handler\nclass Read(xml.sax.handler.ContentHandler): pass\n"
    "class Log(logging.LoggerAdapter):\n    def process(self, text, values): return text, values\n"
    "log.warning('x', stacklevel=2)\n"
    "args = vars(parser.parse_args()); vars(self)['a']; getattr(x, '__annotations__', {})\n"
    "log.warning('x %s', *values); open('setup.py'); pathlib.Path('a/statistics.json')\n"
    "asyncio.subprocess.PIPE; datetime.datetime.time; type('A', (), {'__module__': __name__})\n"
)


@pytest.mark.parametrize("text", ["print 'text'", f"json{'.a' * 100_000}", f"{'-' * 100_000}1"])
def test_a_text_that_this_python_cannot_read_is_a_mention(text: str) -> None:
    assert mentions.of_python(text) == {"a text that cannot be read": 1}


@pytest.mark.parametrize("text", [HONEST, HONEST_MODULES, HONEST_ATTRIBUTES, HONEST_PATCHES])
def test_honest_python_mentions_nothing(text: str) -> None:
    assert mentions.of_python(text) == {}


def test_names_that_honest_python_uses_are_no_mentions() -> None:
    assert mentions.of_python(HONEST_NAMES, "lib/core.py", ["lib/core.py"]) == {}


JAVA = {
    "new Exception().getStackTrace();": "getStackTrace",
    "StackWalker.getInstance();": "StackWalker",
    "error.printStackTrace(writer);": "printStackTrace with an argument",
    "new Object() { public boolean equals(Object o) { return true; } };": "a declaration of equals",
    'read("target/test-classes");': "target/",
    "Runtime.getRuntime().halt(0);": "halt",
    "x.getClass().getClassLoader();": "getClassLoader",
    "new Exception().get\\u0053tackTrace();": "getStackTrace",
    'read("t\\uu0061rget/test-classes");': "target/",
    "new ObjectOutputStream(bytes).writeObject(new Throwable());": "ObjectOutputStream",
    'Class.forName("ledger.TotalsTest");': "Test",
    "new java.util.AbstractSet<Map<A, B>>() { public int size() { return 2; } };": "a collection of its own",
    "class Own<T> extends Base implements Sized, Map.Entry<T, T> { public T getKey() { return null; } }": "a collection of its own",
    "record Own(int size) implements SortedSet<Own> { public int size() { return 1; } }": "a collection of its own",
    "abstract class Held extends AbstractSet<String> {}": "a collection of its own",
    "interface Held extends Sized, Map<String, String> {}": "a collection of its own",
    "new BigDecimal(3) { public int compareTo(BigDecimal o) { return 0; } };": "a declaration of compareTo",
    "new TreeSet<>((a, b) -> 0);": "a sorted collection in an order of its own",
    "new java.util.TreeMap<String, A>(A::order);": "a sorted collection in an order of its own",
    "Comparator<A> same = (a, b) -> 0; new ConcurrentSkipListSet<A>(same);": "a sorted collection in an order of its own",
    "new TreeSet<>(Comparator.comparing(A::size));": "a sorted collection in an order of its own",
    "Proxy.newProxyInstance(null, new Class<?>[] {Set.class}, handler);": "newProxyInstance",
    # javac reads these escapes before it finds the ends of comments, texts and lines.
    "/* A comment. \\u002a/ new Exception().getStackTrace(); /* */": "getStackTrace",
    "// A line. \\u000a new Exception().getStackTrace();": "getStackTrace",
    "// A line. \r new Exception().getStackTrace();": "getStackTrace",
    'String s = "\\u0022 + new Exception().getStackTrace() + \\uu0022";': "getStackTrace",
    'String s = "\\\\\\u0022; new Exception().getStackTrace(); s = \\u0022";': "getStackTrace",
    "new Object() { public boolean equals\\u0028Object o) { return true; } };": "a declaration of equals",
    "new Exception().getStack\xadTrace();": "a character that javac ignores",
    "new Exception().getStack\x01Trace();": "a character that javac ignores",
    "new Exception().getStack\\u0000Trace();": "a character that javac ignores",
    "new Exception().getStack\udcadTrace();": "a character that javac ignores",
    '"\\u005c\\\\u0022 + new Exception().getStackTrace() + \\u0022";': "an escape that javac reads in its own way",
    "/*\\\\u002a/ new Exception().getStackTrace(); /* */": "an escape that javac reads in its own way",
    "new Exception() new Error();": "a text that cannot be read",
    "class Order implements Comparator<A> {} Order order = new Order(); new TreeSet<>(order);": "a sorted collection in an order of its own",
    "class OrderSet implements Comparator<A> {} OrderSet order = null; new TreeSet<>(order);": "a sorted collection in an order of its own",
    "new TreeSet<>(new AtomicReference<>(order).get());": "a sorted collection in an order of its own",
    "List<A> order = null; A f(Order order) { new TreeSet<>(order); }": "a sorted collection in an order of its own",
    "Function<Comparator<A>, Set<A>> make = TreeSet::new;": "a sorted collection in an order of its own",
    "Supplier<Set<A>> make = TreeSet<A>::new;": "a sorted collection in an order of its own",
    f"new TreeSet<>({'(' * 900}order{')' * 900});": "a sorted collection in an order of its own",
    "if (o instanceof Order order) { Sets.newTreeSet(order); }": "a sorted collection in an order of its own",
    "class String { static Order CASE_INSENSITIVE_ORDER; } new TreeSet<>(String.CASE_INSENSITIVE_ORDER);": "a sorted collection in an order of its own",
    "Collections.newSetFromMap(new IdentityHashMap<>());": "IdentityHashMap",
    "new URL(null, text, new URLStreamHandler() {});": "URLStreamHandler",
    "class Own extends Properties { public int size() { return 1; } }": "a collection of its own",
    "Consumer<PrintStream> c = new Throwable()::printStackTrace;": "a reference to printStackTrace",
    "new SimpleFormatter().format(entry);": "SimpleFormatter",
    "new XMLFormatter().format(entry);": "XMLFormatter",
    "class Own extends SealedObject {}": "SealedObject",
    "new SignedObject(error, key, signature);": "SignedObject",
    "new MarshalledObject<>(error);": "MarshalledObject",
    'Class.forName("Totals\\124est");': "Test",
    'Class.forName("Totals\\u005c124es\\164");': "Test",
    'Class.forName(name + "Totals\\124" /* and */ + ("es" + "t"));': "Test",
    "Class.forName(\"Totals\" + 'T' + \"est\" + name);": "Test",
    'read("""\n            tar\\\n            get/""");': "target/",
}  # fmt: skip


@pytest.mark.parametrize(("text", "mention"), JAVA.items())
def test_a_mention_in_java_is_found_with_its_line(text: str, mention: str) -> None:
    found = mentions.of_java(f"class A {{\n    void a() {{\n        {text}\n    }}\n}}\n")
    ended = "\r" in text or "\\u000a" in text
    assert found[mention] == 3 + ended


def test_honest_java_mentions_nothing() -> None:
    text = (
        "// getStackTrace\nclass A { int a(Object o) throws Exception { error.printStackTrace();\n"
        ' String r = "T" + s + "est" + f("Te") + "st" + "Te\\nst";\n'
        ' String s = "a test"; new Thread(() -> b()).start(); Files.createTempFile(s, s);\n'
        " A.class.getMethod(s).invoke(o);\n"
        " List<A> all = new ArrayList<>() {{ add(new A()); }};\n"
        " class Of implements Supplier<Set<A>> { public Set<A> get() { return new TreeSet<>(all); } }\n"
        " all.sort(Comparator.comparing(A::size)); all.sort((a, b) -> 0);\n"
        " String t = \"\\\\u0022 \\u0000 \\ud83d\\ude00 \xad\"; char c = '\\ud800', d = '\\u0000';\n"
        " /* \ufeff \xad getStackTrace\r\n */ Set<A> s = new TreeSet<>(map.keySet()); // \u200b\n"
        " Set<String> u = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);\n"
        " Set<A> v = all.stream().collect(Collectors.toCollection(TreeSet::new));\n"
        " Map<A, A> w = new TreeMap<>(Collections.reverseOrder()); Set<A> x = new TreeSet<>(this.all);\n"
        " if (o instanceof Collection<A> each) { x = new TreeSet<>((each)); }\n"
        " Map<A, TreeSet<A>> y = new HashMap<A, TreeSet<A>>(16);\n"
        " return o.equals(s) ? o.hashCode() : 0; }\n}\n"
    )
    assert mentions.of_java(text) == {}


@pytest.mark.parametrize("deep", ["a" + ".a" * 100_000, "1" + "+1" * 100_000])
def test_a_java_text_that_is_nested_too_deep_is_a_mention(deep: str) -> None:
    text = f"class A {{ int f() {{ return {deep}; }} }}"
    assert mentions.of_java(text) == {"a text that is nested too deep": 1}


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    mentions.of_python(text)
    mentions.of_java(text)


# Each takes a text into itself, as often as a parser allows and more.
NESTED = [
    *("{}.a", "{}.a()", "{}()", "{}[0]", "{} + 'a'", "{} < 1", "not {}", "-{}", "lambda: {}"),
    *("[{}]", "{{{}}}", "{{'a': {}}}", "({}, 1)", "f({})", "getattr({}, 'a')", "'a' + ({})"),
    *("x if {} else y", "({}) or y", "(x := {})", "vars({})", "eval({})"),
]
STATEMENTS = ["{}", "x = {}", "{}.a = x", "x.a = {}", "def f(): return {}", "class A({}): pass"]
INDENTED = ["def f():", "class A:", "if x:", "for x in y:", "with x as y:"]


@given(
    st.lists(st.tuples(st.sampled_from(NESTED), st.sampled_from([1, 30, 90, 1_200])), max_size=4),
    st.sampled_from(STATEMENTS),
    st.lists(st.sampled_from(INDENTED), max_size=90),
)
@example([("{}.a()", 600)], "{}", [])
@example([("{} + 'a'", 1_200)], "{}", [])
def test_no_text_is_too_deep(
    nested: list[tuple[str, int]], statement: str, blocks: list[str]
) -> None:
    expression = "x"
    for form, times in nested:
        before, after = form.format("\0").split("\0")
        expression = before * times + expression + after * times
    lines = [*blocks, statement.replace("{}", expression)]
    text = "\n".join(" " * n + line for n, line in enumerate(lines))
    # Hypothesis raises the limit while it runs a test.
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000)
    try:
        mentions.of_python(text)
    finally:
        sys.setrecursionlimit(limit)


def test_a_text_that_is_too_deep_to_follow_is_a_mention() -> None:
    names = "".join(f"x{n} = x{n + 1}{'.a' * 45}\n" for n in range(49))
    found = mentions.of_python(f"{names}x0.b = 1")
    assert found["a text that is nested too deep"] == 1
