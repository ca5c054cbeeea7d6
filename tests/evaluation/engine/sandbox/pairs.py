"""Programs with tests, and their results in one process, which stand-ins have to equal."""

# Programs and tests read best in a line each.
# ruff: noqa: E501

from typing import NamedTuple


class Pair(NamedTuple):
    name: str
    program: str
    tests: str
    passes: bool = True
    falls_back: bool = False


_STYLE = """import inspect
import os
import pycodestyle
def check(function, filename="temp.py"):
    try:
        with open(filename, "w") as file:
            file.write(inspect.getsource(function))
        assert pycodestyle.StyleGuide(quiet=True).check_files([filename]).total_errors == 0
    finally:
        if os.path.exists(filename):
            os.remove(filename)
check(f)"""
_NEAT = "def f(x):\n    return x\n"
_FLAGS = "from enum import IntFlag\nclass R(IntFlag):\n    X = 1\n    W = 2\n    @classmethod\n    def of(cls, x):\n        return cls(x)\ndef f(x):\n    return R.of(x)\n"
_ORDERED = "from collections import Counter, OrderedDict\nclass C(Counter, OrderedDict):\n    pass\ndef f(x):\n    return C(x)\n"

PAIRS = (
    Pair("right", "def f(x):\n    return x + 1\n", "assert f(1) == 2\nassert f(-1) == 0"),
    Pair("argument changed", "def f(v):\n    v.sort()\n", "v = [2, 1]\nassert f(v) is None\nassert v == [1, 2]"),
    Pair("argument returned", "def f(v):\n    v.append(1)\n    return v\n", "v = []\nassert f(v) is v\nassert v == [1]"),
    Pair("copy returned", "def f(v):\n    return list(v)\n", "v = [1]\nassert f(v) is v", passes=False),
    Pair("keyword arguments", "def f(a, *, b=2):\n    return a * b\n", "assert f(3) == 6\nassert f(3, b=3) == 9"),
    Pair("raises as asked", "def f(x):\n    raise ValueError('no')\n",
         "try:\n    f(1)\n    assert False\nexcept ValueError as e:\n    assert str(e) == 'no'\n    assert type(e) is ValueError"),
    Pair("own exception", "class Bad(ValueError):\n    pass\ndef f(x):\n    raise Bad('no', 1)\n",
         "try:\n    f(1)\n    assert False\nexcept ValueError as e:\n    assert type(e).__name__ == 'Bad'\n    assert str(e) == \"('no', 1)\""),
    Pair("own exception with two bases", "class Bad(KeyError, AttributeError):\n    pass\ndef f(x):\n    raise Bad('no')\n",
         "for kind in (KeyError, AttributeError, LookupError):\n    try:\n        f(1)\n        assert False\n    except kind as e:\n        assert str(e) == \"'no'\""),
    Pair("own exception caught by its name", "class Bad(ValueError):\n    pass\ndef f(x):\n    raise Bad('no')\n",
         "try:\n    f(1)\n    assert False\nexcept Bad as e:\n    assert str(e) == 'no'", falls_back=True),
    Pair("exception with text of its own", "class Bad(Exception):\n    def __str__(self):\n        return 'told'\ndef f(x):\n    raise Bad(1, 2)\n",
         "try:\n    f(1)\nexcept Exception as e:\n    assert str(e) == 'told'"),
    Pair("exception group", "def f(x):\n    raise ExceptionGroup('g', [ValueError('no')])\n",
         "try:\n    f(1)\n    assert False\nexcept ExceptionGroup as e:\n    assert e.message == 'g'", falls_back=True),
    Pair("argument changed before raising", "def f(v):\n    v.clear()\n    raise ValueError\n",
         "v = [1]\ntry:\n    f(v)\nexcept ValueError:\n    pass\nassert v == []"),
    Pair("exits", "def f(x):\n    raise SystemExit(0)\n", "f(1)", passes=False),
    Pair("source", "import os\n\n# about f\ndef f(x):\n    # inside\n    return x\n",
         "import inspect\nassert inspect.getsource(f) == 'def f(x):\\n    # inside\\n    return x\\n'"),
    Pair("source at the end of the program", "def f(x):\n    return x", "import inspect\nassert 'assert' not in inspect.getsource(f)"),
    Pair("source of a decorated one", "import functools\n@functools.lru_cache\ndef f(x):\n    return x\n",
         "import inspect\nassert inspect.getsource(f).startswith('@functools')"),
    Pair("style kept", _NEAT, _STYLE),
    Pair("style broken", "def f( x ) :\n  return  x\n", _STYLE, passes=False),
    Pair("complexity", "def f(x):\n    if x:\n        return 1\n    return 2\n",
         "import inspect\nfrom mccabe import get_code_complexity\nfrom radon.complexity import cc_visit\n"
         "assert get_code_complexity(inspect.getsource(f)) <= 3\nassert cc_visit(inspect.getsource(f))[0].complexity == 2"),
    Pair("docstring", 'def f(x):\n    """Doubles."""\n    return 2 * x\n', "assert f.__doc__ == 'Doubles.'\nassert f.__name__ == 'f'"),
    Pair("annotations", "from typing import List, Optional\ndef f(a: int, b: List[str], c: Optional[int] = None) -> dict[str, int]:\n    return {}\n",
         "from typing import List, Optional\nassert f.__annotations__ == {'a': int, 'b': List[str], 'c': Optional[int], 'return': dict[str, int]}"),
    Pair("type hints", "from __future__ import annotations\ndef f(a: int | None = None) -> list[str]:\n    return []\n",
         "from typing import get_type_hints\nassert get_type_hints(f) == {'a': int | None, 'return': list[str]}"),
    Pair("type hints unknown", "def f(a: 'Unknown'):\n    return a\n",
         "from typing import get_type_hints\ntry:\n    get_type_hints(f)\n    assert False\nexcept NameError as e:\n    assert 'Unknown' in str(e)"),
    Pair("signature", "def f(a, /, b: int, *c, d=3, **e) -> None:\n    pass\n",
         "import inspect\nassert str(inspect.signature(f)) == '(a, /, b: int, *c, d=3, **e) -> None'"),
    Pair("recursion", "def f(n):\n    return n and n + f(n - 1)\n", "assert f(500) == 125250"),
    Pair("recursion without end", "def f(n):\n    return f(n)\n",
         "try:\n    f(1)\n    assert False\nexcept RecursionError:\n    pass"),
    Pair("generator that raises", "def f(n):\n    yield 1\n    raise ValueError('no')\n",
         "i = f(1)\nassert next(i) == 1\ntry:\n    next(i)\n    assert False\nexcept ValueError as e:\n    assert str(e) == 'no'"),
    Pair("object", "class A:\n    def __init__(self, x):\n        self.x = x\ndef f(x):\n    return A(x)\n", "assert f(3).x == 3 and not hasattr(f(3), 'y') and f(3) != f(3)"),
    Pair("comparison of an object", "class A:\n    def __eq__(self, other):\n        return True\ndef f(x):\n    return A()\n", "assert f(3) == 3", falls_back=True),
    Pair("attribute of an object set by the tests", "class A:\n    n = 1\n    @property\n    def m(self):\n        return self.n + 1\ndef f():\n    return A()\n",
         "a = f()\nassert a.m == 2\na.n = 5\nassert a.m == 6", falls_back=True),
    Pair("one object twice", "class A:\n    pass\nONE = A()\ndef f():\n    return ONE\n", "assert f() is f() and f() == f() and len({f(), f()}) == 1"),
    Pair("object as a sequence", "from collections.abc import Sequence\nclass A(Sequence):\n    def __len__(self):\n        return 3\n    def __getitem__(self, i):\n        return (4, 5, 6)[i]\ndef f():\n    return A()\n",
         "a = f()\nassert (len(a), a[-1], list(a), 5 in a, 7 in a, bool(a)) == (3, 6, [4, 5, 6], True, False, True)"),
    Pair("object that is asked for its library's class", "from collections.abc import Sequence\nclass A(Sequence):\n    def __len__(self):\n        return 0\n    def __getitem__(self, i):\n        raise IndexError\ndef f():\n    return A()\n",
         "from collections.abc import Sequence\nassert isinstance(f(), Sequence)", falls_back=True),
    Pair("named tuple with a method", "from typing import NamedTuple\nclass P(NamedTuple):\n    a: int\n    b: int\n    @property\n    def size(self):\n        return self.b - self.a\ndef f(a, b):\n    return P(a, b)\n",
         "assert f(1, 3) == (1, 3) and f(1, 3).a == 1 and f(1, 3).size == 2"),
    Pair("enumeration with a method", "from enum import IntEnum\nclass L(IntEnum):\n    LOW = 1\n    HIGH = 2\n    def __str__(self):\n        return self.name.title()\ndef f(x):\n    return L(x)\n",
         "assert f(1) == 1 and f(2) > f(1) and str(f(2)) == 'High' and f(1).name == 'LOW' and isinstance(f(1), int)"),
    Pair("flags", "from enum import IntFlag\nclass R(IntFlag):\n    X = 1\n    W = 2\ndef f(x):\n    return R(x)\n", "assert f(3) == 3 and f(3) & 2 and f(0) == 0"),
    Pair("flags with a method", _FLAGS,
         "assert f(3) == 3 and f(3) & 2 and f(1) | 2 == 3 and repr(f(1)) == '<R.X: 1>'"),
    Pair("flags with a method, by their class", _FLAGS,
         "from enum import IntFlag\nassert ~f(1) == 2\nassert isinstance(f(1), IntFlag)", falls_back=True),
    Pair("counter that keeps an order", _ORDERED,
         "assert list(f('abca').items()) == [('a', 2), ('b', 1), ('c', 1)] and sum(f('aa').values()) == 2 and f('a').get('z', 0) == 0"),
    Pair("counter that keeps an order, by its class", _ORDERED,
         "from collections import OrderedDict\nassert isinstance(f('a'), OrderedDict)", falls_back=True),
    Pair("dictionary of a class that makes items", "class C(dict):\n    def __missing__(self, key):\n        return key * 2\ndef f():\n    return C(a=1)\n", "assert f()['a'] == 1 and f()['b'] == 'bb'"),
    Pair("data class made at run time", "import dataclasses\ndef f():\n    return dataclasses.make_dataclass('D', ['a', 'b'])(1, 2)\n", "assert f().a == 1 and f().b == 2"),
    Pair("attributes of an own exception", "class Bad(ValueError):\n    def __init__(self, number):\n        super().__init__('no', number)\n        self.number = number\ndef f(x):\n    raise Bad(x)\n",
         "try:\n    f(3)\n    assert False\nexcept ValueError as e:\n    assert e.number == 3 and e.args == ('no', 3) and not hasattr(e, 'other')"),
    Pair("annotations of its own", "import typing\nT = typing.TypeVar('T')\nN = typing.NewType('N', int)\nclass Box(typing.Generic[T]):\n    pass\ndef f(a: Box[T], b: 'list[N]', c: T, d: Box) -> T:\n    pass\n",
         "import inspect, typing\nhints = typing.get_type_hints(f)\nassert hints['c'] is hints['return'] != int and list(hints) == ['a', 'b', 'c', 'd', 'return']\n"
         "assert hints['d'].__name__ == 'Box' and typing.get_origin(hints['b']) is list and f.__annotations__['d'] is typing.get_origin(hints['a'])\n"
         "assert all(p.annotation != inspect.Parameter.empty for p in inspect.signature(f).parameters.values())"),
    Pair("defaults of its own", "NONE = object()\nclass A:\n    pass\ndef f(a=NONE, b=A(), c=lambda x: x, d=A, *, e=NONE):\n    pass\n",
         "import inspect\nfound = inspect.signature(f).parameters\nassert all(p.default != p.empty and p.default is not None for p in found.values())\n"
         "assert found['a'].default is found['e'].default != found['b'].default and callable(found['c'].default)"),
    Pair("function as a default that is called", "def f(a=lambda x: x + 1):\n    pass\n", "import inspect\nassert inspect.signature(f).parameters['a'].default(1) == 2"),
    Pair("class of a default", "def f(a=lambda x: x):\n    pass\n", "import inspect\nassert inspect.isfunction(inspect.signature(f).parameters['a'].default)", falls_back=True),
    Pair("own list", "class L(list):\n    def total(self):\n        return sum(self)\ndef f(*x):\n    return L(x)\n",
         "r = f(2, 1)\nassert r == [2, 1] and sorted(r) == [1, 2] and isinstance(r, list)\nassert type(r) is type(f()) is not list and type(r).__name__ == 'L'"),
    Pair("method of an own list", "class L(list):\n    def total(self):\n        return sum(self)\ndef f(*x):\n    return L(x)\n",
         "assert f(2, 1).total() == 3", falls_back=True),
    Pair("slice of an own list", "class L(list):\n    def __getitem__(self, i):\n        return list.__getitem__(self, i)\ndef f(*x):\n    return L(x)\n", "assert f(2, 1, 3)[1:] == [1, 3] and f(2)[::-1] == [2]"),
    Pair("ordered dictionary that sets its items", "from collections import OrderedDict\nclass D(OrderedDict):\n    def __setitem__(self, key, value):\n        super().__setitem__(key.lower(), value)\ndef f(k):\n    return D({k: 1})\n",
         "assert f('A') == {'a': 1} and f('A')['a'] == 1"),
    Pair("counter with an update of its own", "from collections import Counter\nclass C(Counter):\n    def update(self, *x):\n        super().update(*x)\ndef f(x):\n    return C(x)\n",
         "assert f('aab') == {'a': 2, 'b': 1} and len(f('aab')) == 2"),
    Pair("object with all that sequences have", "class A:\n    def __init__(self, *x):\n        self.x = x\n    def __len__(self):\n        return len(self.x)\n    def __iter__(self):\n        return iter(self.x)\n    def __reversed__(self):\n        return iter(self.x[::-1])\n    def __getitem__(self, i):\n        return self.x[i]\n    def __bool__(self):\n        return bool(self.x)\ndef f(*x):\n    return A(*x)\n",
         "r = f(1, 2)\nassert len(r) == 2 and r and not f() and list(r) == [1, 2] == [*reversed(r)][::-1] and 2 in r and r[-1] == 2 and r[:1] == (1,)\ntry:\n    r[2]\n    assert False\nexcept IndexError:\n    pass"),
    *(
        Pair(f"{name} that hides its items", f"class A{base}:\n    n = 0\n    def __len__(self):\n        A.n += 1\n        return {length}\n{method}def f():\n    return A()\n", "r = f()\nassert len(r) == 3 and all(x == 5 for x in r)", falls_back=True)
        for name, base, length, method in (
            ("object", "", "3", "    def __iter__(self):\n        return iter(())\n"),
            ("object that changes its length and", "", "4 - A.n", "    def __iter__(self):\n        return iter(())\n"),
            ("object with an index", "", "3", "    def __getitem__(self, i):\n        raise IndexError\n"),
            ("list", "(list)", "3", "    def __iter__(self):\n        return iter(())\n"),
            ("list with another length", "(list)", "3", ""),
        )
    ),
    Pair("truth of an empty list", "class A(list):\n    def __bool__(self):\n        return True\ndef f():\n    return A()\n", "r = f()\nassert r and all(x == 5 for x in r)", falls_back=True),
    Pair("reversed list that hides its items", "class A(list):\n    def __reversed__(self):\n        return iter(())\ndef f():\n    return A('ab')\n", "r = f()\nassert len(r) == 2 and all(x == 5 for x in reversed(r))", falls_back=True),
    Pair("attribute that is called like a method", "class Yes:\n    def __call__(self, x):\n        return True\nclass A:\n    startswith = Yes()\ndef f():\n    return A()\n", "assert f().startswith('no')", falls_back=True),
    Pair("attribute of an exception that is called", "class Yes:\n    def __call__(self, x):\n        return True\nclass Bad(ValueError):\n    has = Yes()\ndef f():\n    raise Bad\n", "try:\n    f()\nexcept ValueError as e:\n    assert e.has('no')", falls_back=True),
    Pair("class in an attribute", "from collections import namedtuple\nclass A:\n    startswith = namedtuple('Yes', 'x')\ndef f():\n    return A()\n", "assert f().startswith('no')", falls_back=True),
    Pair("class in a named tuple", "from collections import namedtuple\nA = namedtuple('A', 'startswith')\ndef f():\n    return A(namedtuple('Yes', 'x'))\n", "assert f().startswith('no')", falls_back=True),
    Pair("class in a namespace", "from collections import namedtuple\nfrom types import SimpleNamespace\ndef f():\n    return SimpleNamespace(startswith=namedtuple('Yes', 'x'))\n", "assert f().startswith('no')", falls_back=True),
    Pair("comparisons of own classes whose data are equal", "class L(list):\n    def __eq__(self, other):\n        return list(self) == list(other)\n    def __ne__(self, other):\n        return not self == other\n    def __contains__(self, x):\n        return any(x == y for y in self)\ndef f(*x):\n    return L(x)\n",
         "assert f(1, 2) == [1, 2] == f(1, 2) and not f(1) != [1] and [1] == f(1) and 1 in f(1) and [f(1)] == [[1]]"),
    Pair("own comparison of other data", "class L(list):\n    def __contains__(self, x):\n        return list.__contains__(self, str(x))\ndef f(*x):\n    return L(x)\n", "assert 1 in f('1')", falls_back=True),
    Pair("list in an attribute that the tests change", "class A:\n    def __init__(self):\n        self.x = []\n    n = property(lambda self: len(self.x))\ndef f():\n    return A()\n", "a = f()\na.x.append(1)\nassert a.n == 1", falls_back=True),
    Pair("instance of an annotated class", "class A:\n    pass\ndef f() -> A:\n    return A()\n", "assert isinstance(f(), f.__annotations__['return'])", falls_back=True),
    Pair("attribute of an annotated class", "class A:\n    most = 3\ndef f(a: A):\n    return a\n", "assert f.__annotations__['a'].most == 3", falls_back=True),
    Pair("own number that is asked for an item", "class N(int):\n    def __contains__(self, x):\n        return self >= x\ndef f(x):\n    return N(x)\n", "assert 2 in f(3)", falls_back=True),
    Pair("own dates", "import datetime as d\nclass D(d.date):\n    def __str__(self):\n        return 'day'\nclass T(d.datetime):\n    pass\ndef f(kind, *x):\n    return (D if kind else T)(*x, **({} if kind else {'tzinfo': d.timezone.utc}))\n",
         "import datetime as d\nr = f(1, 2024, 2, 29)\nassert r == d.date(2024, 2, 29) and r.isoformat() == '2024-02-29' and str(r) == 'day' and {r: 1}[d.date(2024, 2, 29)]\nassert r + d.timedelta(1) == d.date(2024, 3, 1)\nassert f(0, 2024, 2, 29, 5) == d.datetime(2024, 2, 29, 5, tzinfo=d.timezone.utc)"),
    Pair("own date that the tests derive", "import datetime as d\nclass D(d.date):\n    def __str__(self):\n        return 'day'\ndef f(*x):\n    return D(*x)\n", "import datetime as d\nassert str(f(2024, 1, 1) + d.timedelta(1)) == 'day'", falls_back=True),
    Pair("own lists and dictionaries of the library", "from collections import UserDict, UserList\nclass L(UserList):\n    def __init__(self, items=()):\n        super().__init__(x for x in items if x)\nclass D(UserDict):\n    def __getitem__(self, key):\n        return self.data[key.lower()]\ndef f(x):\n    return L(x)\ndef g(x):\n    return D(x)\n",
         "r = f([0, 2, 4])\nassert r == [2, 4] and list(r) == [2, 4] and 4 in r and len(r) == 2 and r[0] == 2 and not f([0])\nr.append(5)\nassert r == [2, 4, 5]\nassert g({'a': 1})['A'] == 1 and len(g({'a': 1})) == 1"),
    Pair("own tuple", "class P(tuple):\n    __slots__ = ()\n    def __new__(cls, a, b):\n        return super().__new__(cls, (a, b))\n    left = property(lambda p: p[0])\ndef f(x):\n    return [P(x, 2)]\n",
         "assert f(1) == [(1, 2)] and {f(1)[0]} == {(1, 2)}"),
    Pair("comparison of an own number", "class N(int):\n    def __eq__(self, other):\n        return True\n    __hash__ = int.__hash__\ndef f(x):\n    return N(x)\n",
         "assert f(1) == 2", falls_back=True),
    Pair("own iterator that begins anew", "class I:\n    def __iter__(self):\n        self.n = 2\n        return self\n    def __next__(self):\n        if not self.n:\n            raise StopIteration\n        self.n -= 1\n        return self.n\ndef f():\n    return I()\n",
         "i = f()\nassert list(i) == list(i) == [1, 0]"),
    Pair("struct_time", "import time\ndef f():\n    return time.gmtime(0)\n", "import time\nassert isinstance(f(), time.struct_time)", falls_back=True),
    Pair("own list as an argument", "class L(list):\n    pass\ndef f(x):\n    x.append(1)\n    return L(x)\n", "r = f([])\nf(r)\nassert r == [1, 1]", falls_back=True),
    # The tests look at the state of the process in which the program runs.
    Pair("captured output", "def f():\n    print('x')\n", "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as b:\n    f()\nassert b.getvalue() == 'x\\n'", falls_back=True),
    Pair("captured output that is wrong", "def f():\n    print('y')\n", "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as b:\n    f()\nassert b.getvalue() == 'x\\n'", passes=False),
    Pair("input in place of the keyboard's", "def f():\n    return input()\n", "from unittest.mock import patch\nwith patch('builtins.input', return_value='x'):\n    assert f() == 'x'", falls_back=True),
    Pair("recorded warning", "import warnings\ndef f():\n    warnings.warn('x', stacklevel=2)\n", "import warnings\nwith warnings.catch_warnings(record=True) as w:\n    warnings.simplefilter('always')\n    f()\nassert len(w) == 1", falls_back=True),
    Pair("file that the program writes", "def f():\n    with open('a.txt', 'w') as file:\n        file.write('x')\n", "f()\nassert open('a.txt').read() == 'x'", falls_back=True),
    Pair("cause of an exception", "def f():\n    raise ValueError from KeyError()\n", "try:\n    f()\nexcept ValueError as e:\n    assert type(e.__cause__) is KeyError", falls_back=True),
    Pair("iterator with a length", "class D:\n    def __init__(self, n):\n        self.n = n\n    def __iter__(self):\n        return self\n    def __next__(self):\n        if not self.n:\n            raise StopIteration\n        self.n -= 1\n        return self.n\n    def __len__(self):\n        return self.n\ndef f(n):\n    return D(n)\n", "assert list(f(2)) == [1, 0]"),
    Pair("iterator with a length that is wrong", "class D:\n    def __iter__(self):\n        return self\n    def __next__(self):\n        raise StopIteration\n    def __len__(self):\n        return 2\ndef f():\n    return D()\n", "for n in f():\n    assert n == 3", falls_back=True),
    Pair("slice of unusual parts", "def f():\n    return slice(0, 2, True)\n", "assert [1, 2, 3][f()] == [1, 2]", falls_back=True),
    Pair("view of an own mapping", "from collections.abc import Mapping\nfrom types import MappingProxyType\nclass M(Mapping):\n    def __getitem__(self, key):\n        return key\n    def __iter__(self):\n        return iter('a')\n    def __len__(self):\n        return 1\ndef f():\n    return MappingProxyType(M())\n", "assert f()['a'] == 'a'", falls_back=True),
    Pair("function returned", "def f(x):\n    return lambda y: x + y\n", "assert f(1)(2) == 3"),
    Pair("function with attributes", "def f(x):\n    def g():\n        return x\n    g.x = x\n    return g\n", "g = f(2)\nassert callable(g) and g() == g.x == 2 and g is not f(2)"),
    Pair("counting by a method", "import itertools\ndef f():\n    return itertools.count(1).__next__\n", "g = f()\nassert [g(), g()] == [1, 2] and list(iter(g, 5)) == [3, 4]"),
    Pair("class returned", "def f(x):\n    return type('S', (), {'x': x})\n", "assert f(3).x == 3"),
    Pair("class returned, and called", "def f(x):\n    class S:\n        y = x\n    return S\n", "assert f(3)().y == 3"),
    Pair("class returned, for its instances", "def f(x):\n    class S:\n        pass\n    return S\n", "c = f(3)\nassert isinstance(c(), c)", falls_back=True),
    Pair("module returned", "import types\ndef f(x):\n    m = types.ModuleType('m')\n    m.x = x\n    return m\n", "assert f(3).x == 3"),
    Pair("object of the library", "import argparse\ndef f(x):\n    return argparse.Namespace(x=x)\n", "r = f([1])\nassert r.x == [1] and not hasattr(r, 'y')"),
    Pair("equal objects of the library", "import argparse\ndef f(x):\n    return argparse.Namespace(x=x)\n", "assert f(1) == f(1) != f(2)", falls_back=True),
    Pair("match", "import re\ndef f(x):\n    return re.match('(.)b', x)\n", "assert f('ab')[1] == 'a' and f('ba') is None"),
    Pair("iterator with a hint of its length", "from collections.abc import Iterator\nclass D(Iterator):\n    def __init__(self, n):\n        self.n = n\n    def __next__(self):\n        if not self.n:\n            raise StopIteration\n        self.n -= 1\n        return self.n\n    def __length_hint__(self):\n        return self.n\ndef f(n):\n    return D(n)\n", "assert list(f(3)) == [2, 1, 0]"),
    Pair("own decimals and complex numbers", "from decimal import Decimal\nclass D(Decimal):\n    def __str__(self):\n        return f'{self:.2f}'\nclass C(complex):\n    def __abs__(self):\n        return 7\ndef f(x):\n    return D(x)\ndef g(x):\n    return C(x)\n",
         "assert f('1.5') == 1.5 and f(1) + f(2) == 3 and str(f(2)) == '2.00' and round(f('0.25'), 1) == f('0.2')\nassert g(1j) == 1j and abs(g(1)) == 7 and isinstance(g(1), complex)"),
    Pair("own queue, time and duration", "from collections import deque\nfrom datetime import time, timedelta\nclass Q(deque):\n    def put(self, x):\n        self.append(x)\nclass T(time):\n    pass\nclass D(timedelta):\n    pass\ndef f(*x):\n    q = Q(maxlen=2)\n    for n in x:\n        q.put(n)\n    return q\ndef g():\n    return T(12, 30), D(hours=1)\n",
         "from collections import deque\nfrom datetime import time, timedelta\nassert f(1, 2, 3) == deque([2, 3]) and f(1)[0] == 1 and list(f(4)) == [4] and f().maxlen == 2\nassert g() == (time(12, 30), timedelta(hours=1)) and g()[0].hour == 12"),
    # The judge's counters must not ask for the items that the tests expect.
    Pair("counter with items of its own", "from collections import Counter\nclass C(Counter):\n    def __getitem__(self, key):\n        return 1\ndef f(x):\n    return C()\n",
         "from collections import Counter\nassert f('ab') == Counter('ab') and Counter('ab') <= f('ab')", falls_back=True),
    Pair("counter with a default of its own", "from collections import Counter\nclass C(Counter):\n    def __missing__(self, key):\n        return 1\ndef f(x):\n    return C()\n",
         "from collections import Counter\nassert Counter('ab') == f('ab')", falls_back=True),
    Pair("counter compared by another class of the library", "from collections import Counter, OrderedDict\nclass C(Counter, OrderedDict):\n    __eq__ = OrderedDict.__eq__\n    def __missing__(self, key):\n        return 1\ndef f(x):\n    return C()\n",
         "from collections import Counter\nassert f('ab') == Counter('ab')", passes=False, falls_back=True),
    Pair("function as argument", "def f(g):\n    return g(2)\n", "assert f(lambda x: x + 1) == 3", falls_back=True),
    Pair("class", "class f:\n    def __init__(self, x):\n        self.x = x\n", "assert isinstance(f(1), f)\nassert f(1).x == 1", falls_back=True),
    Pair("value that is not a function", "LIMIT = [1, 2]\ndef f(x):\n    return LIMIT\n", "assert LIMIT == [1, 2]\nassert f(0) == LIMIT"),
    Pair("name that is missing", "def g(x):\n    return x\n", "assert f(1) == 1", passes=False),
    Pair("tests with a syntax error", _NEAT, "assert f(1) ==", passes=False),
    Pair("program that exits", "def f(x):\n    return x\nraise SystemExit(0)\n", "assert f(1) == 1", passes=False),
    Pair("inspect that the tests do not import", "import inspect\n" + _NEAT, "assert 'return' in inspect.getsource(f)"),
    Pair("a builtin's name", "def sum(values):\n    return 7\n", "assert sum([1]) == 7"),
    Pair("swallowed by a bracket", _NEAT + "x = (", "assert f(1) == 2", passes=False),
    Pair("long chain of branches",
         "def f(x):\n    if x == 0:\n        return 0\n" + "".join(f"    elif x == {n}:\n        return {n}\n" for n in range(1, 400)),
         "assert f(399) == 399"),
    Pair("coding line", "# -*- coding: utf-8 -*-\ndef f(x):\n    return 'é'\n", "import inspect\nassert f(1) == 'é' and 'é' in inspect.getsource(f)"),
    Pair("prints and reads", "def f(x):\n    print('x' * 10000)\n    return x\n", "assert f(1) == 1\nprint(f(2))"),
    Pair("main guard", _NEAT + "if __name__ == '__main__':\n    done = 1\n", "assert done == 1"),
    Pair("tests that execute text", _NEAT, "exec('assert f(1) == 1')", falls_back=True),
)  # fmt: skip
