"""Who decides the comparisons of tests. PYTEST_DONT_REWRITE

A method decides that is the generation's own: its code lies in a file that a generation changes, in
one that the run made, or in none. The references' runs show which of these the tests expect."""

import builtins
import types
from collections import deque
from typing import Any

from . import operations, values

globals()["__builtins__"] = dict(vars(builtins))  # a program may replace them

CHANGED = "changed"
_NUMBERS = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor"),
    *("lshift", "rshift", "matmul", "divmod"),
)
# Methods by which an object answers a comparison, also after a calculation with it.
METHODS = frozenset(
    (
        *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__", "__hash__"),
        *("__bool__", "__len__", "__abs__", "__round__", "__array_ufunc__", "__array_function__"),
        *("__" + prefix + name + "__" for name in _NUMBERS for prefix in ("", "r")),
    )
)
_EQUAL = frozenset(("__eq__", "__ne__", "__hash__"))
_ORDER = _EQUAL.union(("__lt__", "__le__", "__gt__", "__ge__"))
# The methods that plain types ask of others in a comparison; other types may ask any.
_METHODS_OF = {"==": _EQUAL, "!=": _EQUAL, **dict.fromkeys(("<", "<=", ">", ">="), _ORDER)}
# Assertions of unittest that compare once and ask nothing else.
_EXACT = (
    *("assertEqual", "assertListEqual", "assertTupleEqual", "assertDictEqual", "assertNotEqual"),
    *("assertIn", "assertNotIn"),
)
# Maximum values of a comparison, and objects among them whose attributes are values too.
_MOST, _MOST_OBJECTS = 5000, 100
# Its objects may equal everything, except recorded calls.
_MOCK, _CALLS = "/mock.py", ("_Call.__eq__", "_CallList.__contains__")
_id = id
_ABSENT = object()


class Deciders:
    """is_foreign(path) -> whether code of this file is the generation's or nobody's."""

    def __init__(self, is_foreign: Any) -> None:
        self._is_foreign = is_foreign
        # By file: whether it is foreign.
        self._files: Any = {}
        # The holders of names in test files, and what they held after the import.
        self._holders: Any = []
        self._functions_of_tests: Any = set()

    def decider(self, how: str, *sides: Any) -> str:
        """The name of a method that may decide a comparison of these values; "" if none may."""
        queue, objects = deque(sides), 0
        methods = _METHODS_OF.get(how, METHODS)
        # Another method of the generation's, and whether something may ask it.
        further, asks_further = "", False
        by_id: Any = {}
        while queue and len(by_id) < _MOST:
            value = queue.popleft()
            kind = type(value)
            if values.scalar(value) or _id(value) in by_id:
                continue
            by_id[_id(value)] = value
            if _id(kind) in values.PROXIES:
                return f"{values.name_of(kind)}.__eq__"
            compares = False
            mro = values.mro_of(kind)
            if not asks_further and _id(kind) not in values.PLAIN:
                comparing = (c for c in mro if methods.intersection(values.members_of(c)))
                asks_further = _id(next(comparing, None)) not in values.PLAIN
            for owner in mro if values.is_made(kind) else ():
                names = values.members_of(owner)
                compares = compares or ("__eq__" in names and owner is not object)
                for name in sorted(METHODS.intersection(names)) if values.is_made(owner) else ():
                    method = names[name]
                    of_mock = (
                        type(method) is types.FunctionType
                        and method.__qualname__ not in _CALLS
                        and method.__code__.co_filename.endswith(_MOCK)
                    )
                    if of_mock or self._decides(method, owner):
                        if name in methods:
                            return f"{values.name_of(owner)}.{name}"
                        further = further or f"{values.name_of(owner)}.{name}"
            queue += values.elements_of(value)
            # Objects without a comparison of their own equal only themselves.
            if objects < _MOST_OBJECTS and (compares or kind is types.SimpleNamespace):
                queue += values.attributes_of(value)
                objects += 1
        return further if asks_further or queue else ""

    def of_mock(self, name: str, mock: Any) -> str:
        """The same for an assertion of a mock: a method in place of its class's."""
        owner, method = values.attribute_of(mock, name)
        if owner is not None and self._decides(method, None):
            return f"{values.name_of(type(mock))}.{name}"
        calls = getattr(mock, "mock_calls", None)
        return self.decider("", *calls) if isinstance(calls, list) else ""

    def is_own_attribute(self, value: Any, name: str) -> bool:
        """Whether the attribute is data or the generation's method: it asks no element itself."""
        owner, attribute = values.attribute_of(value, name)
        if owner is None:
            return False
        data = owner is value or type(attribute) in (property, types.MemberDescriptorType)
        return data or self._decides(attribute, owner)

    def of_function(self, function: Any) -> str:
        """The name of an assertion that is no library's: a program put its own in its place."""
        inner = function.__func__ if type(function) is types.MethodType else function
        return str(getattr(inner, "__name__", "")) or "?" if self._decides(inner, None) else ""

    def operation_of(self, function: Any) -> str:
        """The comparison that an assertion makes, "" if it may make further ones."""
        inner = function.__func__ if type(function) is types.MethodType else None
        code: Any = inner.__code__ if type(inner) is types.FunctionType else None
        of_unittest = code is not None and code.co_filename.endswith("/unittest/case.py")
        exact = of_unittest and code.co_name in _EXACT
        return operations.COMPARING[code.co_name] if exact else ""

    def _decides(self, method: Any, kind: Any) -> bool:
        if type(method) is types.FunctionType:
            of_tests = _id(method) in self._functions_of_tests
            return not of_tests and self._foreign(method.__code__.co_filename)
        # None takes a method away; those of `object` ask others. Further types of methods are no
        # program's if an interpreter's or an extension's class has its own.
        if method is None or values.is_made(type(method)):
            return method is not None
        owner = getattr(method, "__objclass__", _ABSENT)
        return owner is not kind and owner is not object

    def guarded(self, function: Any) -> Any:
        """The function of an iterator that ends at a StopIteration: one that the generation's code
        raises, in no iterator, becomes an error."""

        def call(*args: Any, **named: Any) -> Any:
            try:
                return function(*args, **named)
            except StopIteration as error:
                trace: Any = error.__traceback__
                while trace.tb_next is not None:
                    trace = trace.tb_next
                code = trace.tb_frame.f_code
                if code.co_name == "__next__" or not self._foreign(code.co_filename):
                    raise
                raise RuntimeError("a function raised StopIteration") from error

        return call

    def _foreign(self, path: str) -> bool:
        if path not in self._files:
            self._files[path] = bool(self._is_foreign(path))
        return bool(self._files[path])

    def remember(self, path: str, module: Any) -> None:
        """Keeps what the module of a test file and its classes hold after the import."""
        names, plain = vars(module), (type, types.FunctionType)
        held = {name: value for name, value in names.items() if type(value) in plain}
        self._holders.append((path, names, held, ""))
        self._holders.append((path, names["__builtins__"], __builtins__, "builtins."))
        for kind in names.values():
            if not issubclass(type(kind), type):
                continue
            members = values.class_dict(kind)
            if members.get("__module__") == module.__name__:
                self._holders.append((path, members, dict(members), f"{values.name_of(kind)}."))
                self._functions_of_tests.update(map(_id, members.values()))

    def changes(self) -> Any:
        """(path, name) of what is another object now."""
        for path, names, held, prefix in self._holders:
            for name, value in held.items():
                if names.get(name, _ABSENT) is not value:
                    yield path, prefix + name
            for name in set(names) - set(held):
                if type(names[name]) is types.FunctionType and self._decides(names[name], None):
                    yield path, prefix + name
