"""Decides at import whether a task can be judged from outside: its evaluation in one JVM, the
generation's class in another, so that arguments and results cross as plain data.

The rule looks at the text only: a type that is not listed here keeps a task in one JVM.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, repeat
from typing import NamedTuple

from evaluation.engine.families.aixbench_auto.declarations import (
    Declaration,
    Kind,
    declarations,
    method_of,
)
from evaluation.engine.java_tokens import Token, tokens

# Types of arguments and results that cross (sandbox/java/outside/Kinds.java).
_CROSSING = frozenset(
    {
        *("String", "Object", "Integer", "Long", "Double", "Float", "Short", "Byte", "Character"),
        *("Boolean", "List", "ArrayList", "LinkedList", "Collection", "Set", "HashSet", "Map"),
        *("HashMap", "Entry", "Properties", "StringBuffer", "StringBuilder", "Date", "Calendar"),
        *("BigDecimal", "BigInteger", "ByteBuffer", "Charset", "Pattern", "Point"),
    }
)
_PRIMITIVE = frozenset({"int", "long", "double", "float", "short", "byte", "char", "boolean"})
# Types of immutable values.
_FIXED = _PRIMITIVE | {
    *("String", "Integer", "Long", "Double", "Float", "Short", "Byte", "Character", "Boolean"),
    *("BigDecimal", "BigInteger", "Charset", "Pattern", "final"),
}
# Further types that an evaluation may use on its own side.
_BESIDE = frozenset(
    {
        *("AbstractBaseEvaluation", "Override", "SuppressWarnings", "Math", "Arrays"),
        *("Exception", "RuntimeException", "IllegalArgumentException", "NullPointerException"),
        *("IndexOutOfBoundsException", "ArrayIndexOutOfBoundsException", "NumberFormatException"),
        *("SimpleDateFormat", "DateFormat", "ParsePosition", "Locale", "Random", "SortedMap"),
        *("TreeMap", "TreeSet", "LinkedHashMap", "LinkedHashSet", "System", "StandardCharsets"),
        *("GregorianCalendar", "Base64", "Number", "NaN", "Collections"),
    }
)
# Members that inspect objects, classes or the machine, or that start threads and processes.
_HINDERING = frozenset(
    {
        *("getClass", "class", "forName", "getResource", "getResourceAsStream", "newInstance"),
        *("identityHashCode", "getenv", "exit", "exec", "load", "loadLibrary", "currentThread"),
        *("wait", "notify", "notifyAll", "iterator", "stream", "parallelStream"),
        *("getProperty", "setProperty", "setIn", "setOut", "setErr", "setDefault"),
    }
)
_TYPE_PARAMETER = re.compile(r"[A-Z]\d?")
_RESOURCES = "src/main"
_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")
# A call in more loops than these counts as one whose arguments are read again.
_MOST_LOOPS = 50


def crossing(evaluation: str, signature: str, shared: Mapping[str, str]) -> list[str] | None:
    """Returns the classes whose objects cross as their fields, or None if the task stays in one
    JVM. `shared` maps the simple names of the tasks' shared classes to their full names."""
    text, method = _Text(tokens(evaluation)), method_of(signature)
    pairs = [*zip(text.tokens, text.tokens[1:], strict=False)]
    types = _types(text.tokens)
    classes = {name.text for keyword, name in pairs if keyword.text == "class"}
    crossing_types = _CROSSING | {*shared}
    # Capitalised names of variables: after a type, and before a sign that ends or fills a
    # declaration.
    variables = {
        name.text
        for (before, name), after in zip(pairs, text.tokens[2:], strict=False)
        if after.text in ("=", ";", ",", ":", ")") and name.kind == "word"
        if before.kind == "word" or before.text in (">", "]")
    }
    reads_files = any(token.kind == "literal" and _RESOURCES in token.text for token in text.tokens)
    looks_around = any(
        token.text == "synchronized" or (before.text == "." and token.text in _HINDERING)
        for before, token in pairs
    )
    unknown = types - crossing_types - _BESIDE - classes - variables
    if unknown or _types(tokens(signature)) - crossing_types or reads_files or looks_around:
        return None
    returned = method.words[method.opening - 2].text
    if returned != "void" and _reads_arguments_again(text, method):
        return None
    # Results cross as other objects, but interned texts stay interned.
    if returned not in {"String", *_PRIMITIVE} and _compares_identity(text, method.name):
        return None
    return [*shared.values()] if types & {*shared} else []


def field_classes(sources: Iterable[str]) -> dict[str, str]:
    """The full names by simple ones of public classes that only have fields and methods: they have
    no superclass, and can be made without arguments."""
    names = {}
    for source in sources:
        source_tokens = tokens(source)
        top = [*declarations(source_tokens)]
        if not top or top[0].kind is not Kind.PACKAGE:
            continue
        for declared in top[1:]:
            is_plain = declared.kind is Kind.CLASS and len(declared.words) == 2
            if is_plain and declared.has("public") and not declared.has("abstract"):
                members = declarations(source_tokens, declared.body or 0)
                constructors = [
                    m for m in members if (m.kind, m.name) == (Kind.METHOD, declared.name)
                ]
                if not constructors or any(m.parameters == 0 for m in constructors):
                    names[declared.name] = f"{top[0].names}.{declared.name}"
    return names


def _types(code_tokens: list[Token]) -> set[str]:
    """Capitalised words, except for type parameters and constants of a type."""
    befores = [*([Token("other", "", 0)] * 2), *code_tokens]
    return {
        token.text
        for owner, before, token in zip(befores, befores[1:], code_tokens, strict=False)
        if token.kind == "word" and token.text[0].isupper()
        if not _TYPE_PARAMETER.fullmatch(token.text)
        if not (token.text.isupper() and before.text == "." and owner.text[:1].isupper())
    }


class _Argument(NamedTuple):
    first: int
    length: int


class _Text:
    """The tokens of an evaluation, and indexes of them, made in time linear in their number.

    `places`: the indexes of a text. `arguments`: those in an opening bracket. `end`: of each token,
    the index of the brace or semicolon that ends its statement. An index is the number of tokens if
    there is no such token.
    """

    def __init__(self, code_tokens: list[Token]) -> None:
        self.tokens = code_tokens
        self.texts = [token.text for token in code_tokens]
        self.places: dict[str, list[int]] = defaultdict(list)
        self._closing: dict[int, int] = {}
        self.arguments: dict[int, list[_Argument]] = {}
        open_ones: list[int] = []
        for at, text in enumerate(self.texts):
            self.places[text].append(at)
            if text in _CLOSING and open_ones:
                self._closing[open_ones.pop()] = at
            if open_ones:
                arguments = self.arguments[open_ones[-1]]
                if text == ",":
                    arguments.append(_Argument(at + 1, 0))
                else:
                    arguments[-1] = arguments[-1]._replace(length=arguments[-1].length + 1)
            if text in _OPENING:
                open_ones.append(at)
                self.arguments[at] = [_Argument(at + 1, 0)]
        self.end = [len(code_tokens)] * (len(code_tokens) + 2)
        for at, text in reversed([*enumerate(self.texts)]):
            closing = self.closing(at)
            if text == ";" or text in _CLOSING:
                self.end[at] = at
            elif text not in _OPENING:
                self.end[at] = self.end[at + 1]
            else:
                ends_there = self.text(closing) == "}"
                self.end[at] = closing if ends_there else self.end[closing + 1]

    def text(self, at: int) -> str:
        return self.texts[at] if 0 <= at < len(self.texts) else ""

    def closing(self, at: int) -> int:
        """The index itself if there is no opening bracket."""
        return self._closing.get(at, len(self.texts)) if self.text(at) in _OPENING else at

    def first(self, text: str, start: int, end: int) -> int | None:
        """The first place of a text from `start` up to `end`, except after a dot."""
        places = self.places.get(text, [])
        for at in places[bisect_left(places, start) :]:
            if at >= end:
                return None
            if self.text(at - 1) != ".":
                return at
        return None

    def calls(self, name: str) -> list[int]:
        return [at for at in self.places.get(name, []) if self.text(at + 1) == "("]

    def loops(self) -> Iterator[tuple[int, int]]:
        """The ranges of loops. A lambda counts as one: the call that gets it may run it more than
        once."""
        for at, text in enumerate(self.texts):
            if text == "do":
                yield at, self.closing(self.end[at + 1] + 1)
            elif text in ("for", "while"):
                yield at, self.end[min(self.closing(at + 1) + 1, len(self.texts))]
            elif text == "-" and self.text(at + 1) == ">":
                yield at, self.end[min(at + 2, len(self.texts))]


def _reads_arguments_again(text: _Text, method: Declaration) -> bool:
    """Whether the evaluation uses a variable again after passing it to the method. From outside,
    only methods without a result change their arguments (sandbox/java/outside/Bridge.java), so such
    an evaluation could not see that a generation changes its input."""
    fixed = [all(word.text in _FIXED for word in words[:-1]) for words in method.parameter_words]
    around: list[tuple[int, int]] = []
    loops = iter([*text.loops(), (len(text.texts), 0)])
    following = next(loops)
    for call in text.calls(method.name):
        end = text.closing(call + 1)
        while following[0] < end:
            around.append(following)
            following = next(loops)
        around = [loop for loop in around if loop[1] > end]
        if len(around) > _MOST_LOOPS:
            return True
        paths = [[(end + 1, len(text.texts))]]
        paths += [[(end + 1, last), (start, end + 1)] for start, last in around]
        arguments = zip(text.arguments[call + 1], chain(fixed, repeat(False)), strict=False)
        variables = [a.first for a, is_fixed in arguments if a.length == 1 and not is_fixed]
        if any(_is_read(text, text.text(at), path) for at in variables for path in paths):
            return True
    return False


def _is_read(text: _Text, variable: str, path: list[tuple[int, int]]) -> bool:
    """Whether the variable is used in these ranges before it gets another value."""
    places = (text.first(variable, start, end) for start, end in path)
    at = next((place for place in places if place is not None), None)
    if at is None:
        return False
    if text.text(at + 1) == ":":
        is_set = text.text(at - 1) in (">", "]") or text.tokens[at - 1].kind == "word"
    else:
        is_set = text.text(at + 1) == "=" and text.text(at + 2) != "="
    return not is_set or text.first(variable, at + 1, text.end[at]) is not None


def _compares_identity(text: _Text, name: str) -> bool:
    """Whether `==` or `!=` compares the method's call, or a variable with its result, with anything
    but a literal."""
    calls = {at: text.closing(at + 1) for at in text.calls(name)}
    starts = sorted(at for sign in ";{}" for at in text.places.get(sign, []))
    assigned, ends, holders = text.places.get("=", []), {*calls.values()}, set()
    for call, end in calls.items():
        place = bisect_left(starts, call)
        sign = bisect_left(assigned, (starts[place - 1] if place else -1) + 2)
        if text.text(end + 1) == ";" and sign < len(assigned) and assigned[sign] < call:
            holders.add(text.text(assigned[sign] - 1))

    def starts_a_result(at: int) -> bool:
        """Whether the operand that starts there is a result, and not a member of one."""
        end = at
        if text.text(at) not in holders:
            while end not in calls and text.text(end + 1) == ".":
                end += 2
            if end not in calls:
                return False
            end = calls[end]
        return text.text(end + 1) not in (".", "[", "(")

    for at in assigned:
        if text.text(at - 1) in ("=", "!") and at > 2 and at + 1 < len(text.texts):
            before, after = at - 2, at + 1
            holds = text.text(before) in holders and text.text(before - 1) != "."
            if (before in ends or holds) and not _is_literal(text.tokens[after]):
                return True
            if starts_a_result(after) and not _is_literal(text.tokens[before]):
                return True
    return False


def _is_literal(token: Token) -> bool:
    words = ("null", "true", "false", "-")
    return token.kind == "literal" or token.text[0].isdigit() or token.text in words
