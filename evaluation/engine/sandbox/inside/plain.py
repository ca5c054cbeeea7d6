"""Plain data as JSON and back: what may cross between a candidate and its judge.

Plain are None, bool, int, float, complex, str, bytes, bytearray, range, list,
tuple, dict, set, frozenset, Counter, OrderedDict, Decimal and Fraction, by exact type:
a subclass can lie about itself, so it is not plain. An iterator of the interpreter's
own types crosses as a number, by which the other side asks for its items. Mutable
containers are numbered, so that aliases and cycles survive, and so that a container
the other side knows is filled anew in place: that is how arguments changed by a call
come back.

    None, bool, str, finite float, int below 2**63 in size   themselves
    ["I", hex] ["F", "nan"] ["c", real, imaginary] ["b", hex] ["g", start, stop, step]
    ["t", [..]] ["z", [..]]                tuple, frozenset
    ["l", n, [..]] ["s", n, [..]] ["d", n, [[key, value], ..]] ["a", n, hex]
    ["C", n, [..]] ["O", n, [..]]          Counter, OrderedDict, pairs as for dict
    ["D", text] ["Q", numerator, denominator] ["it", n]    Decimal, Fraction, iterator
    ["r", n]                               the container numbered n, again
"""

from collections import Counter, OrderedDict
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from types import GeneratorType
from typing import Any

DEPTH = 150
NODES = 500_000
_SMALL = 1 << 63
_LETTERS: "dict[type, str]" = {
    list: "l",
    set: "s",
    dict: "d",
    bytearray: "a",
    Counter: "C",
    OrderedDict: "O",
}
_ITERABLES: "tuple[Any, ...]" = ([], (), "", {}, set(), b"", range(0), {}.items(), {}.values())
_ITERATORS = (
    *(GeneratorType, map, filter, zip, enumerate, reversed),
    *(type(iter(iterable)) for iterable in _ITERABLES),
)


class NotPlain(Exception):
    """The value can't cross; the text says why."""


class Encoder:
    """Encodes values that share one numbering. `known` holds containers that have a number already.

    Iterators are added to `iterators`, so that their items can be requested. Without it an iterator
    is not plain.
    """

    def __init__(
        self, known: "dict[int, Any] | None" = None, iterators: "list[Any] | None" = None
    ) -> None:
        self._iterators = iterators
        self.objects: dict[int, Any] = dict(known or {})
        self._numbers = {id(value): n for n, value in self.objects.items()}
        self._written: set[int] = set()
        self._nodes = 0

    def encode(self, value: Any, depth: int = 0) -> Any:
        """The JSON of a value. Raises NotPlain."""
        kind = type(value)
        self._nodes += 1
        if depth > DEPTH or self._nodes > NODES:
            raise NotPlain("too deep or too large")
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            return value if -_SMALL < value < _SMALL else ["I", hex(value)]
        if kind is float:
            return value if value - value == 0 else ["F", repr(value)]
        if kind in _LETTERS:
            return self._numbered(value, kind, depth)
        return self._fixed(value, kind, depth)

    def _fixed(self, value: Any, kind: type, depth: int) -> Any:
        if kind is tuple:
            return ["t", [self.encode(item, depth + 1) for item in value]]
        if kind is frozenset:
            return ["z", [self.encode(item, depth + 1) for item in value]]
        if kind is bytes:
            return ["b", value.hex()]
        if kind is complex:
            return ["c", self.encode(value.real), self.encode(value.imag)]
        if kind is range:
            return ["g", *map(self.encode, (value.start, value.stop, value.step))]
        if kind is Decimal:
            return ["D", str(value)]
        if kind is Fraction:
            return ["Q", self.encode(value.numerator), self.encode(value.denominator)]
        if kind in _ITERATORS and self._iterators is not None:
            self._iterators.append(value)
            return ["it", len(self._iterators) - 1]
        raise NotPlain(f"a value of type {kind.__name__}")

    def _numbered(self, value: Any, kind: type, depth: int) -> Any:
        number = self._numbers.get(id(value))
        if number is None:
            number = len(self.objects)
            self._numbers[id(value)] = number
            self.objects[number] = value
        if number in self._written:
            return ["r", number]
        self._written.add(number)
        if kind is bytearray:
            return ["a", number, value.hex()]
        if kind in (dict, Counter, OrderedDict):
            pairs = [
                [self.encode(k, depth + 1), self.encode(v, depth + 1)] for k, v in value.items()
            ]
            return [_LETTERS[kind], number, pairs]
        return [_LETTERS[kind], number, [self.encode(item, depth + 1) for item in value]]


class Decoder:
    """Decodes what an Encoder made. Containers in `known` are filled anew in place.

    `iterator` makes the replacement of the iterator with a number; without it none occurs.
    """

    def __init__(
        self,
        known: "dict[int, Any] | None" = None,
        iterator: "Callable[[int], Any] | None" = None,
    ) -> None:
        self._iterator = iterator
        self.objects: dict[int, Any] = dict(known or {})
        self._filled: set[int] = set()

    def decode(self, tree: Any, depth: int = 0) -> Any:
        """The value. Raises ValueError for anything that an Encoder does not write."""
        if tree is None or type(tree) in (bool, str, int, float):
            return tree
        if type(tree) is not list or not tree or depth > DEPTH + 2:
            raise ValueError("not an encoded value")
        try:
            return self._tagged(tree[0], tree[1:], depth + 1)
        except (TypeError, KeyError, ArithmeticError) as error:
            raise ValueError(f"not an encoded value: {error}") from None

    def _tagged(self, tag: Any, rest: list[Any], depth: int) -> Any:
        match tag, rest:
            case "t", [items]:
                return tuple(self._all(items, depth))
            case "z", [items]:
                return frozenset(self._all(items, depth))
            case "r", [number]:
                return self.objects[number]
            case (("l" | "s" | "d" | "a" | "C" | "O"), [number, content]):
                return self._container(tag, number, content, depth)
            case "I", [text]:
                return int(text, 16)
            case "F", [("nan" | "inf" | "-inf") as text]:
                return float(text)
            case "c", [real, imaginary]:
                return complex(self.decode(real, depth), self.decode(imaginary, depth))
            case "b", [text]:
                return bytes.fromhex(text)
            case "g", [start, stop, step]:
                return range(*self._all([start, stop, step], depth))
            case "D", [str(text)]:
                return Decimal(text)
            case "Q", [numerator, denominator]:
                return Fraction(*self._all([numerator, denominator], depth))
            case "it", [int(number)] if self._iterator is not None:
                return self._iterator(number)
        raise ValueError(f"not an encoded value: {tag!r}")

    def _all(self, items: Any, depth: int) -> list[Any]:
        if type(items) is not list:
            raise ValueError("not an encoded value")
        return [self.decode(item, depth) for item in items]

    def _container(self, tag: str, number: Any, content: Any, depth: int) -> Any:
        kind: Any = next(k for k, letter in _LETTERS.items() if letter == tag)
        value: Any = self.objects.get(number)
        if value is None:
            value = self.objects[number] = kind()
        if type(value) is not kind or type(number) is not int or number in self._filled:
            raise ValueError("a container that contradicts what is known of it")
        self._filled.add(number)
        if tag == "a":
            value[:] = bytes.fromhex(content)
        elif tag in "dCO":
            pairs = [self._all(pair, depth) for pair in content]
            value.clear()
            for key, item in pairs:
                value[key] = item
        else:
            items = self._all(content, depth)
            value.clear()
            (value.extend if tag == "l" else value.update)(items)
        return value


def encode(value: Any) -> Any:
    """The JSON of one value. Raises NotPlain."""
    return Encoder().encode(value)


def decode(tree: Any) -> Any:
    """The value of one JSON tree. Raises ValueError."""
    return Decoder().decode(tree)
