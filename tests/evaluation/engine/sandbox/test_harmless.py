"""Tests of finding program texts that could interfere with tests in the same process.

No text is run. Each text of INTERFERING is found by one rule only, so it shows what is open without
that rule.
"""

# Programs read best in a line each.
# ruff: noqa: E501

from __future__ import annotations

import ast
import importlib

import pytest

from evaluation.engine.sandbox.inside import harmless
from evaluation.engine.sandbox.inside.harmless_lists import MODULES
from evaluation.engine.sandbox.inside.harmless_program import Program

TESTS = "shelf = make_shelf()\nassert len(shelf.names()) == 2\nassert isinstance(shelf, Shelf)\n"
HINTS = "from typing import get_type_hints\nassert get_type_hints(make_shelf) == {}\n"
SOURCE = "import inspect\nassert 'x' in inspect.getsource(make_shelf)\n"
CASES = """
import math, random
from collections import namedtuple
def close(a, b):
    return math.isclose(a, b)
for points, expected in points_of(3):
    assert close(spread(points), expected)
class points_of: ...
"""
PATHS = "import os.path\nassert f() == os.path.sep\n"
CALLS = "from unittest.mock import Mock\nseen = Mock()\nshow(seen)\nseen.assert_called_with(3)\n"
EXECUTES = "exec(make_shelf())\n"
STARTS = "assert make_tag().label().startswith('<oak')\n"
ENUM = "from enum import Enum\n\n"
COUNTER = "from collections import Counter\n\n"
FIELD = "from dataclasses import dataclass, field\n\n"
BAG = (
    "class Bag:\n    def __init__(self, update):\n        self.update = update\n\n"
    "    def put(self, given):\n        self.update = given\n\n"
)
SMALL = BAG + "class Small(Bag):\n    def __init__(self):\n        super().__init__(max)\n\n"

# `ast.unparse` writes it with more parentheses than the interpreter parses.
NESTED = "sum(" * 101 + "b" + " for a in b)" * 101
INTERFERING = {
    "imports": [
        "import os",
        "import random\nrandom._os.kill(0, 9)",
        "import collections\ncollections._sys.exit",
        "from random import _os as chance",
        "import enum\nenum.bltns.eval('1')",
        "import typing\ntyping.sys.exit()",
        "from dataclasses import sys",
        "from string import Formatter\nFormatter().get_field('0.a', [1], {})",
        "import string\nstring.Formatter().vformat('{0.a}', [1], {})",
        "from dataclasses import make_dataclass",
        "from operator import attrgetter, methodcaller",
        "from functools import singledispatch",
        "from functools import update_wrapper",
        "from functools import cached_property",
        "from functools import partialmethod",
        "from dataclasses import fields",
        "import dataclasses\ndataclasses.fields",
        "from typing import get_type_hints, ForwardRef",
        "from enum import EnumMeta",
        "from abc import ABCMeta",
        "from datetime import tzinfo",
        "from decimal import getcontext, setcontext",
        "from random import *",
        "from . import random",
        "import random\nhidden = random\nhidden.choice",
        "import random\n[random][0].choice",
        "import random\n\ndef f(r=random): ...",
        "import random\nrandom.choice = max",
        "import re\nmatch re:\n    case object(enum=e): ...",
        "import collections as r\n\ndef g():\n    import dataclasses as r\n    return r.abc",
        "def g():\n    from random import choice as type\n",
        "import logging\nlogging.Formatter('{x.y}', style='{')",
        "import inspect",
        "import warnings",
        "import weakref",
        "import pickle",
        "import gc",
    ],
    "names": [
        "eval('1')",
        "getattr(1, 'real')",
        "from functools import reduce\nreduce(getattr, ['a'], 1)",
        "open('/work/program.py')",
        "globals()['f'] = 1",
        "vars()",
        "setattr(max, 'a', 1)",
        "__import__('os')",
        "__builtins__",
        "__loader__",
        "().__class__.__base__.__subclasses__()",
        "make_shelf.__globals__",
        "def f(): ...\nf.__code__ = 1",
        "class A:\n    def __eq__(self, other): return True",
        "class A:\n    __eq__ = max",
        "class A:\n    def __getattr__(self, name): ...",
        "class A:\n    def __reduce__(self): ...",
        "class A:\n    match max:\n        case __eq__: ...",
        "class A:\n    from random import choice as __eq__",
        "class A:\n    for __eq__ in [max]: ...",
        "async def __aenter__(): ...",
        "class A:\n    __slots__ = ('__eq__',)",
        "class A:\n    __slots__ = ('__e' + 'q__',)",
        "class A:\n    __slots__ = ('__deepcopy__',)",
        "class A:\n    names = __slots__ = ['x']",
        "class A:\n    __slots__, x = ['x'], 1",
        "from dataclasses import dataclass\n\n@dataclass\nclass A:\n    x: int = 0\n\n    def __post_init__(self): ...",
        "match max:\n    case object(__self__=b): ...",
        "try: 1 / 0\nexcept Exception as e: e.__traceback__",
        "__name__ = 'other'",
        "class A:\n    def f(self): super().__init__ = max",
    ],
    "attributes": [
        "g = (x for x in [])\ng.gi_frame",
        "g = (x for x in [])\ng.gi_frame.f_back.f_code.co_consts",
        "async def f(): ...\nf().cr_frame",
        "async def f(): yield\nf().ag_frame",
        "try: 1 / 0\nexcept Exception as e: e.tb_next",
        "match (x for x in []):\n    case object(gi_frame=frame): ...",
        ENUM + "class A(Enum):\n    x = 1\n\nA.mro()[1]('B', {'y': 2})",
        "[1]._private",
        "class A:\n    _member_map_ = 1\n\nimport re\nre.A._member_map_.clear()",
        "class A:\n    def _convert_(self): ...\n\nA._convert_('B', '__main__', max)",
        "from collections.abc import Sequence\n\nclass A:\n    _abc_caches_clear = 1\n\nSequence._abc_caches_clear()",
        "try: max.low\nexcept AttributeError as error: error.obj",
        "match max:\n    case AttributeError(obj=kind): ...",
        "match 1:\n    case object(_private=x): ...",
        "from collections.abc import Sequence\n\nclass A: ...\n\nSequence.register(A)",
    ],
    "stores": [
        "from collections import Counter\nCounter.total = max",
        "from collections import Counter\ndel Counter.total",
        COUNTER + "alias = Counter\nalias.update = max",
        COUNTER + "def f(kind):\n    kind.update = max",
        COUNTER + "Counter().update = max",
        "class A: ...\n\nA.x = 1",
        "class A: ...\n\nA().x = 1",
        "def f(a):\n    a.x, b = 1, 2",
        "def f(a):\n    for a.x in [max]: ...",
        "def f(a):\n    with a as a.x: ...",
        "def f(a):\n    a.x += 1",
        "def f(a):\n    a.x: int = 1",
        "def f(a):\n    [1 for a.x in [max]]",
        "def f(self):\n    self.x = 1",
        "def f(a):\n    del a.x",
        "class A:\n    def f(self, a): a.x = 1",
        "class A:\n    def f(self): type(self).__name__.x = 1",
        "class A:\n    def f(this): this.x = 1",
        "class A:\n    def f(*self): self.x = 1",
        "class A:\n    def f(a, self): self.x = 1",
        "class A:\n    f = lambda self: [1 for self.x in [1]]",
        "class A:\n    async def f(self): self.x = 1",
        "class A:\n    if A:\n        def f(self): self.x = 1",
        "class A:\n    def f(self):\n        self = max\n        self.x = 1",
        "class A:\n    def f(self):\n        if (self := max): self.x = 1",
        "class A:\n    def f(self):\n        [1 for self in [max] for self.x in [1]]",
        "class A:\n    def f(self):\n        def g():\n            nonlocal self\n            self = max\n        g()\n        self.x = 1",
        "class A:\n    def f(self):\n        def g(self): self.x = 1\n        g(max)",
        "class A:\n    def f(self):\n        match max:\n            case self: self.x = 1",
        "class A:\n    def f(self):\n        class self: ...\n        self.x = 1",
        "class A:\n    def f(self):\n        from math import pi as self\n        self.x = 1",
        "class A:\n    def f(self):\n        try: 1 / 0\n        except ValueError as self: self.x = 1",
        "self = max\n\nclass A:\n    def f(self, a=[1 for self.x in [1]]): ...",
        "class A:\n    global f\n\n    def f(self): self.x = 1\n\nf(max)",
        "def g():\n    f = 1\n\n    class A:\n        nonlocal f\n\n        def f(self): self.x = 1\n    f(max)",
        COUNTER + BAG + "Bag.put(Counter, max)",
        BAG + "alias = Bag\nalias.put(max, 1)",
        BAG + "def f(kind=Bag):\n    return kind.put",
        BAG + "list(map(Bag.put, [max], [1]))",
        BAG + "[Bag][0].put(max, 1)",
        BAG
        + "from functools import partial as issubclass\n\nissubclass(print, Bag).args[0].put(max, 1)",
        "from functools import partial as property\n\nclass A:\n    @property\n    def f(self): ...\n\n    @f.setter\n    def f(self, x): self.x = x",
        BAG + "[k.put for k in (Bag,)]",
        BAG + "Bag[int].put(max, 1)",
        BAG + "match [Bag]:\n    case [object(put=f)]: f(max, 1)",
        BAG + "match max:\n    case object(Bag=kind): ...",
        BAG + "class Other(Bag): ...\n\nOther.put(max, 1)",
        BAG + "def issubclass(a, b): b.put(a, 1)\n\ndef f(a): issubclass(a, Bag)",
        BAG
        + "from collections import defaultdict\n\nd = defaultdict(list)\n\nclass A:\n    x: d[Bag]",
        BAG + "class A:\n    x: (k := Bag)",
        BAG + "class A:\n    x: Bag % max",
        ENUM + BAG + "class A(Enum):\n    B = 1\n\nclass C:\n    x: A[Bag]",
        "class A:\n    class __B:\n        def put(self): self.x = 1\n\n    class C(__B): ...",
        "from collections import defaultdict\n\n"
        + BAG
        + "defaultdict(Bag).default_factory.put(max, 1)",
        "from functools import lru_cache\n\n" + BAG + "lru_cache(Bag).put(max, 1)",
        "from functools import wraps\n\n" + BAG + "@wraps(Bag)\ndef f(): ...\n\nf.put(max, 1)",
        "class Out:\n    " + BAG.replace("\n", "\n    ") + "\n\nOut.Bag.put(max, 1)",
        "class Out:\n    class __In:\n        def put(self): self.x = 1\n\n    def _Out__In(self): ...\n\nOut._Out__In.put(max)",
        "class A:\n    def __put(self): self.x = 1\n\n    def _B__put(self): ...\n\nA._A__put(max)\nA._A__put = 1",
        BAG + "    @classmethod\n    def go(cls): cls.put(max, 1)",
        BAG + "    @classmethod\n    def go(cls): return [cls]",
        BAG + "    @classmethod\n    def go(*cls): cls[0].put(max, 1)",
        BAG + "    @classmethod\n    def go(__cls): _Bag__cls.put(max, 1)",
        BAG
        + "class A:\n    @classmethod\n    def go(cls): cls.put(max, 1)\n\nclass B(A, Bag): ...",
        BAG + "    kept = put",
        BAG + "    def f(self, kept=put): ...",
        BAG + "    [put][0](max, 1)",
        BAG + "    size = property(None, put)",
        "class A:\n    @classmethod\n    def f(self): self.x = 1",
        "class A:\n    @staticmethod\n    def f(self): self.x = 1",
        "from functools import cache\n\nclass A:\n    @cache\n    def f(self): self.x = 1",
        "def keep(f): return f\n\nclass A:\n    @keep\n    def f(self): self.x = 1",
        "def property(f): return f\n\nclass A:\n    @property\n    def f(self): self.x = 1",
        "class A:\n    @f.setter\n    def f(self, x): self.x = x",
        "class A:\n    f = max\n\n    @f.setter\n    def f(self, x): self.x = x",
        "class A:\n    @property\n    def f(self): ...\n\n    class f: ...\n\n    @f.setter\n    def f(self, x): self.x = x",
        "class A:\n    @property\n    def f(self): ...\n\n    @max\n    def f(self): ...\n\n    @f.setter\n    def f(self, x): self.x = x",
        "class A:\n    @property\n    def f(self): ...\n\n    del f\n\n    @f.setter\n    def f(self, x): self.x = x",
        "class A:\n    @property\n    def f(self): ...\n\n    @f.setter\n    def f(self, x): self.x = x\n\nA.f.fset(max, 1)",
        "def keep(kind): return kind\n\n@keep\n" + BAG,
        SMALL + "    def f(self): super().__init__(max)\n\nSmall.f(Small)",
        ENUM + "class A(Enum):\n    def _missing_(self): self.x = 1\n    B = 1",
        ENUM + "class M:\n    def __repr__(self): self.x = 1\n\nclass A(M, Enum):\n    B = 1",
        "class A(list):\n    def put(self): self.x = 1",
    ],
    "answers": [
        "class A(str):\n    def startswith(self, *given): return True",
        "class A(int):\n    def bit_length(self): return 3",
        "class A(str):\n    startswith = max",
        "class A(str):\n    def __init__(self): self.startswith = max",
        "class A(str):\n    from math import gcd as startswith",
        "class A(list):\n    def __len__(self): return 3",
        "class A(set):\n    def __len__(self): return 3",
        "class A(dict):\n    def __iter__(self): return iter(())",
        "class A(dict[str, int]):\n    def get(self, key): return 3",
        "class M:\n    def lower(self): return 'a'\n\nclass A(M, str): ...",
        "class A(str): ...\n\nclass B(A):\n    def lower(self): return 'a'",
        COUNTER + "class A(Counter):\n    def __iter__(self): return iter(())",
        COUNTER + "class A(Counter):\n    def most_common(self): return []",
        "from typing import Counter\n\nclass A(Counter):\n    def most_common(self): return []",
        "from decimal import Decimal\n\nclass A(Decimal):\n    def quantize(self, x): return self",
        "from random import Random\n\nclass A(Random):\n    def random(self): return 0.5",
        "from typing import NamedTuple\n\nclass A(NamedTuple):\n    x: int\n\n    def count(self, x): return 3",
        "from enum import StrEnum\n\nclass A(StrEnum):\n    B = 'b'\n\n    def lower(self): return 'c'",
    ],
    "formats": [
        "'{0.__class__}'.format(1)",
        "'{0[0]}'.format([1])",
        "'{a.b}'.format_map({'a': 1})",
        "'{:{0.a}}'.format(1)",
        "pattern = '{0' + '.a}'\npattern.format(1)",
        "str.format('{0.a}', 1)",
        "list(map(str.format, ['{0.a}'], [1]))",
        "match '{0.a}':\n    case str(format=say): say(1)",
        "class A(str): ...\n\nA('{0.a}').format(1)",
    ],
    "uses": [
        "type('A', (), {'a': 1})",
        "make = type\nmake('A', (), {})",
        "type(int)('A', (), {})",
        "class A(type): ...",
        "from typing import Type\n\nclass A(Type): ...",
        "import typing\n\nclass A(typing.Type[int]): ...",
        "from typing import Type\n\nkind = Type",
        "super(int, 1).real",
        ENUM + "Enum('A', {'a': 1})",
        ENUM + "make = Enum",
        "import enum\nenum.Enum('A', 'a')",
        "from dataclasses import dataclass\nfrom collections import Counter\ndataclass(Counter)",
        "from dataclasses import dataclass\nfrom collections import Counter\n\n@dataclass\n@(lambda kind: Counter)\nclass A: ...",
        "from dataclasses import dataclass\n\nclass A(dataclass): ...",
        "from dataclasses import dataclass\nfrom enum import unique\n\ndef unique(kind): ...\n\n@dataclass\n@unique\nclass A: ...",
        "from functools import total_ordering\ntotal_ordering(int)",
        "from functools import wraps\nwraps(max, assigned=['__code__'])(min)",
        "from functools import wraps\n\n@wraps(max, assigned=['a'])\ndef f(): ...",
        "from functools import wraps\n\ndef f(): ...\n\nwraps(max)(f)",
        "from functools import wraps\n\ndef h(f): return max\n\n@wraps(h)\n@h\ndef f(): ...",
        "from functools import wraps\n\n@wraps(max)\nclass A: ...",
        "from abc import abstractmethod\nabstractmethod(max)",
        "class A:\n    go = classmethod(lambda kind: kind)",
        "class A(classmethod): ...",
        "def f(a): return a\n\nclass A:\n    @classmethod\n    @f\n    def go(cls): ...",
        "def classmethod(f): return f\n\nclass A:\n    @classmethod\n    def go(cls): ...",
        "class A:\n    @classmethod\n    def go(cls): super().__init__(max)",
        "class A:\n    def go(self):\n        def f(kind): super().__init__(max)",
        "class A:\n    def go(self):\n        self = A\n        super().__init__(max)",
        FIELD + "kept = field(default=0)",
        FIELD + "@dataclass\nclass A:\n    x: int = field(default=field())",
        FIELD + "@dataclass\nclass A:\n    x: int = field()\n    kept = [x]",
        FIELD + "@dataclass\nclass A:\n    x: int = field()\n\n    def f(self, kept=x): ...",
        FIELD + "@dataclass\nclass A:\n    __x: int = field()\n    kept = [_A__x]",
        FIELD + "@dataclass\nclass A:\n    x = field()",
        FIELD + "@dataclass\nclass A:\n    x: int = [field()]",
        FIELD + "class A:\n    x: int = field()",
        FIELD + "make = field",
    ],
    "classes": [
        "class A(metaclass=max): ...",
        "class A(**{}): ...",
        "class A(ValueError, KeyError): ...",
        "from fractions import Fraction\n\nclass A(Fraction):\n    def half(self): return self",
        "class V(ValueError): ...\n\nclass K(KeyError): ...\n\nclass A(V, K): ...",
        "class V(ValueError): ...\n\nclass A(V, V): ...\n\nclass V: ...",
        "from decimal import InvalidOperation\n\nclass A(InvalidOperation, ValueError): ...",
        "kind = ValueError\n\nclass A(kind, KeyError): ...",
        "def f(list, dict):\n    class A(list, dict): ...",
        "class A(max(1, 2)): ...",
        "from typing import Annotated\n\nclass A(Annotated[ValueError, 1], Annotated[KeyError, 1]): ...",
        "import typing\n\nclass A(typing.Union[list]):\n    def __len__(self): return 3",
        "from typing import Optional\n\nclass A(Optional[list]): ...",
        "from collections import ChainMap\n\nclass A(ChainMap):\n    def half(self): return 3",
        "from typing import MutableMapping\n\nclass A(MutableMapping):\n    def __len__(self): return 3",
        "from collections import abc\n\nclass A(abc.Set, list):\n    def half(self): return 3",
        "from collections.abc import MutableSet as Own\n\nclass A(Own[int], list): ...",
        ENUM + "class A(Enum): ...",
        ENUM + "class A(Enum):\n    _ignore_ = ['x']\n    x = 1",
        ENUM + "class A(Enum):\n    x = max\n",
        "from enum import Enum, auto\n\ndef auto():\n    return max\n\nclass A(Enum):\n    x = auto()",
        "def f():\n    class ValueError: ...\n\n    class KeyError: ...\n\nclass A(ValueError, KeyError): ...",
        ENUM + "class A(Enum):\n    x = 1\n    del x",
    ],
    "shadows": [
        "def isinstance(a, b): return True",
        "len = max",
        "def f():\n    global len\n    len = max",
        "from math import dist as len",
        "class len: ...",
        "def f(x=(len := max)): ...",
        "f = lambda x=(len := max): x",
        "@(len := max)\ndef f(): ...",
        "for len in [max]: ...",
        "match max:\n    case len: ...",
    ],
}
INTERFERING_WITH = {
    "annotations": [
        (HINTS, "def make_shelf(x: 'max(1)'): ..."),
        (HINTS, "def make_shelf(x: 'ma' + 'x(1)'): ..."),
        (HINTS, "text = 'max(1)'\n\ndef make_shelf(x: text): ..."),
        (HINTS, "def make_shelf() -> list['max(1)']: ..."),
        (HINTS, "def make_shelf(x: f'{1}'): ..."),
        (HINTS, "def make_shelf(x: max(1)): ..."),
    ],
    "sources": [
        (SOURCE, "if True:\n    def make_shelf(): ...\nelse:\n    def make_shelf(): ..."),
        (SOURCE, "make_shelf = max"),
        (SOURCE, "class inspect:\n    getsource = max\n\n\nmake_shelf = 1"),
        (SOURCE, "def short(f):\n    return lambda: f()\n\n@short\ndef make_shelf(): ..."),
        (SOURCE, "from functools import wraps\n\ndef f(): ...\n\n@wraps(f)\ndef make_shelf(): ..."),
    ],
    "stores": [
        (CALLS, "def show(seen):\n    seen.assert_called_with = max"),
        (CALLS, "class A:\n    def f(self): self.assert_called_with = max"),
    ],
    "answers": [
        (STARTS, "class A:\n    def startswith(self, *given): return True"),
        (STARTS, "class A:\n    startswith = max"),
        (STARTS, "class A:\n    startswith: object"),
        (STARTS, "from typing import NamedTuple\n\nclass A(NamedTuple):\n    startswith: object"),
        (STARTS, "from typing import NamedTuple\n\nA = NamedTuple('A', [('x', int)])"),
        (STARTS, "from collections import namedtuple\n\nA = namedtuple('A', 'x,startswith')"),
        (STARTS, "from collections import namedtuple\n\nA = namedtuple('A', ['startswith'])"),
        (STARTS, "from collections import namedtuple\n\nA = namedtuple('A', 'starts' + 'with')"),
        (STARTS, "from collections import namedtuple\n\nmake = namedtuple"),
        (STARTS, "import collections\n\ncollections.namedtuple(*['A', 'x'])"),
    ],
    "globals": [
        (CASES, "def spread(points):\n    return expected"),
        (CASES, "expected = 0\n\ndef spread(points):\n    return expected"),
        (CASES, "def spread(points):\n    global expected\n    expected = -1\n    return -1"),
        (CASES, "def spread(points):\n    global close\n\n    def close(a, b): return True\n    return 2"),
        (CASES, "def spread(points):\n    return math.inf"),
        (CASES, "def spread(points):\n    return [lambda: points_of][0]"),
        (CASES, "class A:\n    def f(self): return random.random()\n\n    x = 1"),
        (CASES, "def spread(points):\n    class A:\n        expected = expected\n    return A.expected"),
        (CASES, "import math\n\ndef spread(points):\n    global math\n    math = max\n    return 2"),
        (CASES, "from collections import namedtuple\n\nnamedtuple = max\n\ndef f():\n    return namedtuple"),
        (PATHS, "def f():\n    return os"),
        (CASES, "def top():\n    global expected\n    expected = 3"),
        (TESTS, "def f():\n    return of_nobody"),
        (CASES, f"def f(b):\n    return {NESTED}\ndef spread(points):\n    global close\n    close = max"),
        (CASES, "def f(a):\n    nonlocal a"),
        ("from cases import *\nassert f() == expected", "def f():\n    return expected"),
    ],
    "executed": [(EXECUTES, "def make_shelf(): return 'x'")],
}  # fmt: skip
EVERY = [
    *((rule, TESTS, text) for rule, texts in INTERFERING.items() for text in texts),
    *((rule, *pair) for rule, pairs in INTERFERING_WITH.items() for pair in pairs),
]

HONEST = {
    "random": "import random\nfrom random import Random\n\ndef f(x):\n    random.seed(3)\n    return Random(3).choice(x), random.sample(x, 2)",
    "collections": "import collections\nfrom collections import Counter, namedtuple\nfrom collections.abc import Mapping\n\nPoint = namedtuple('Point', 'x y')\n\ndef f(x):\n    return Counter(x).most_common(1), Point(1, 2)._replace(x=3), isinstance(x, collections.abc.Sized)",
    "patterns": "import re\n\nWORD = re.compile(r'\\w+', re.IGNORECASE)\n\ndef f(x):\n    return WORD.sub(lambda found: found.group(0).upper(), x), re.findall('a', x)",
    "formats": "def f(x):\n    print(f'{x.name!r:>10}', '{} {1:>{width}} {name}'.format(x, 2, width=3, name='n'), '%s' % x, format(x, '>3'))",
    "enumerations": "from enum import Enum, auto, unique\n\n@unique\nclass Colour(Enum):\n    '''Colours.'''\n    RED = 1\n    BLUE = auto()\n\n    def label(self):\n        return self.name.lower() + str(self.value)\n\ndef f(x):\n    return Colour(x).label(), Colour['RED'], list(Colour)",
    "data classes": "from dataclasses import asdict, dataclass, field\n\n@dataclass(frozen=True, order=True)\nclass Item:\n    name: str\n    tags: list = field(default_factory=list)\n\ndef f(x):\n    return asdict(Item(x))",
    "own attributes": "class Node:\n    __slots__ = ('_next', '__value', 'f_score')\n\n    def __init__(self, value):\n        self.__value = value\n        self._next = None\n        self.f_score = self._hidden()\n\n    def _hidden(self):\n        return self.__value\n\n    def __repr__(self):\n        return f'{type(self).__name__}({self._next})'",
    "own methods": "from collections.abc import Iterator\n\nclass Stack:\n    LIMIT = 3\n\n    def __init__(self):\n        self.items = []\n        self.size = 0\n\n    def push(self, item):\n        self.items.append(item)\n        self.size += 1\n        return self\n\n    @property\n    def top(self):\n        return self.items[-1]\n\n    @top.setter\n    def top(self, item):\n        self.items[-1] = item\n        self.first, *self.others = self.items\n\n    @classmethod\n    def of(cls, *items):\n        made = cls()\n        for item in items[:cls.LIMIT]:\n            made.push(item)\n        return made\n\n    def same(self, other: 'Stack') -> bool:\n        return isinstance(other, (Stack, list)) and type(other) is Stack\n\nclass Count(Iterator):\n    def __init__(self):\n        self.number = 0\n\n    def __next__(self):\n        self.number += 1\n        return self.number\n\ndef f(stacks: list[Stack]) -> Stack | None:\n    return Stack.of(3).push(len(stacks) + Stack.LIMIT)",
    "inheritance": "from abc import ABC, abstractmethod\n\nclass Shape(ABC):\n    def __init__(self, side):\n        self.side = side\n\n    @abstractmethod\n    def area(self): ...\n\nclass Square(Shape):\n    def __init__(self, side):\n        super().__init__(side)\n\n    @property\n    def area(self):\n        return self.side ** 2",
    "decorators": "from functools import lru_cache, wraps\n\ndef twice(inner):\n    @wraps(inner)\n    def both(*args, **named):\n        inner(*args, **named)\n        return inner(*args, **named)\n    return both\n\n@twice\n@lru_cache(maxsize=None)\ndef f(x):\n    return x",
    "exceptions": "class ShelfError(ValueError):\n    def __init__(self, name):\n        super().__init__(name)\n        self.name = name\n\nclass Missing(ShelfError): ...\n\ndef f(x):\n    try:\n        raise Missing(x)\n    except ShelfError as error:\n        return error.args, error.name",
    "generators": "from itertools import chain, islice\n\ndef f(x):\n    numbers = (n for n in chain(x, [1]))\n    yield from islice(numbers, 2)\n    numbers.close()",
    "classes of builtin ones": "from collections import Counter\n\nclass Names(list):\n    def longest(self):\n        return max(self, key=len)\n\nclass Label(str):\n    def __repr__(self):\n        return f'<{self}>'\n\nclass Counts(Counter):\n    def __init__(self, items):\n        super().__init__(items)\n        self.given = items",
    "types": "from typing import Generic, NamedTuple, Type, TypeVar\n\nT = TypeVar('T')\n\nclass Stack(Generic[T]):\n    items: list[int]\n\nclass Pair(NamedTuple):\n    a: int\n    b: 'str'\n\ndef g(kind: Type[Stack]) -> list[Type[Stack[int]]]: ...\n\ndef f(x: 'Stack[int]') -> Pair | None:\n    if type(x) is int or type(x) == str:\n        return Pair(1, type(x).__name__ + f'{type(x)}')",
    "names of builtins": "def f(list, sum=0):\n    for id in list:\n        sum += id\n    return sum",
    "a main guard": "def f(x):\n    return x\n\nif __name__ == '__main__':\n    print(f(1))",
    "managers": "from contextlib import contextmanager, suppress\n\n@contextmanager\ndef shelf(x):\n    with suppress(KeyError):\n        yield x",
    "a function named top": "def top(items, expected=0):\n    points = items\n    return [points for items in points]",
    "names of a class": "class A:\n    first = 1\n    second = first + 1\n    def f(self): return self.second",
    "names of the tests": "import math\nfrom collections import namedtuple\n\nexpected = 3\n\ndef f(points, expected=0):\n    close = math.floor(expected)\n    return [random for random in range(close)], namedtuple",
    "a space that Python cannot write in a format": "def f(x):\n    return f\"{'\u00a0'.join(x)}\"",
    "numbers": "import math\nimport statistics as s\nfrom decimal import ROUND_HALF_UP, Decimal\nfrom fractions import Fraction\n\ndef f(x):\n    return math.sqrt(x), s.mean([x]), Decimal(x).quantize(Decimal('1'), ROUND_HALF_UP), Fraction(x)",
}  # fmt: skip


def found_by(tests: str, program: str) -> set[str]:
    """The rules that find something in the program."""
    looked_at = Program(program, ast.parse(tests), {"sum"})
    return {name for name, rule in harmless.RULES.items() if list(rule(looked_at))}


@pytest.mark.parametrize(("rule", "tests", "program"), EVERY)
def test_a_text_that_could_interfere_is_found_by_its_rule_alone(
    rule: str, tests: str, program: str
) -> None:
    assert found_by(tests, program) == {rule}


@pytest.mark.parametrize("program", HONEST.values(), ids=HONEST.keys())
def test_an_honest_text_is_harmless(program: str) -> None:
    for tests in (TESTS, HINTS, CASES):
        assert harmless.findings(program, ast.parse(tests), set()) == []


def test_every_rule_has_a_text_that_only_it_finds() -> None:
    assert {rule for rule, _, _ in EVERY} == harmless.RULES.keys()


def test_a_finding_names_its_line_and_what_is_there() -> None:
    program = "import random\n\n\ndef f():\n    eval('1')\n    return random._os\n"
    found = harmless.findings(program, ast.parse(TESTS), set())
    assert found == [(5, "eval"), (6, "random._os")]


def test_a_builtin_that_the_task_defines_is_no_shadow() -> None:
    tests = ast.parse("assert sum([1]) == 1")
    program = "def sum(x):\n    return 1\n"
    assert harmless.findings(program, tests, {"sum"}) == []
    assert harmless.findings(program, tests, set()) != []


@pytest.mark.parametrize("module", MODULES)
def test_what_is_listed_exists_and_is_no_module_but_a_listed_one(module: str) -> None:
    imported = importlib.import_module(module)
    for name in MODULES[module].split():
        found = getattr(imported, name)
        assert type(found) is not type(importlib) or f"{module}.{name}" in MODULES
