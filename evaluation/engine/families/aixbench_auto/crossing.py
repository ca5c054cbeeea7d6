"""Decides at import whether a task can be judged from outside: its evaluation in one JVM, the
generation's class in another, so that arguments and results cross as plain data.

The rule looks at the text only: a type that is not listed here keeps a task in one JVM.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, product, repeat

from evaluation.engine.families.aixbench_auto.declarations import Declaration, Kind, declarations
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
        *(
            "AbstractBaseEvaluation",
            "Override",
            "SuppressWarnings",
            "Math",
            "Arrays",
            "Collections",
        ),
        *("Exception", "RuntimeException", "IllegalArgumentException", "NullPointerException"),
        *("IndexOutOfBoundsException", "ArrayIndexOutOfBoundsException", "NumberFormatException"),
        *("SimpleDateFormat", "DateFormat", "ParsePosition", "Locale", "Random", "SortedMap"),
        *("TreeMap", "TreeSet", "LinkedHashMap", "LinkedHashSet", "System", "StandardCharsets"),
        *("GregorianCalendar", "Base64", "Number", "NaN"),
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


def crossing(evaluation: str, signature: str, shared: Mapping[str, str]) -> list[str] | None:
    """Returns the classes whose objects cross as their fields, or None if the task stays in one
    JVM. `shared` maps the simple names of the tasks' shared classes to their full names."""
    found = tokens(evaluation)
    known = _CROSSING | {*shared}
    own = {name.text for kind, name in zip(found, found[1:], strict=False) if kind.text == "class"}
    words = _types(found)
    used = words - known - _BESIDE - own - _variables(found)
    resources = any(one.kind == "literal" and _RESOURCES in one.text for one in found)
    head = tokens(signature)
    if _types(head) - known or used or resources or _looks_around(found):
        return None
    if _reads_what_it_gave(found, head) or _compares_identity(found, head):
        return None
    return [*shared.values()] if words & {*shared} else []


def field_classes(sources: Iterable[str]) -> dict[str, str]:
    """The full names by simple ones of public classes that only have fields and methods: they have
    no superclass, and can be made without arguments."""
    return {
        one.name: f"{package.names}.{one.name}"
        for text in sources
        if (top := [*declarations(found := tokens(text))]) and top[0].kind is Kind.PACKAGE
        for package, one in product(top[:1], top)
        if one.kind is Kind.CLASS and one.has("public") and not one.has("abstract")
        if len(one.words) == 2 and _is_made_of_nothing(one, found)
    }


def _is_made_of_nothing(one: Declaration, found: list[Token]) -> bool:
    members = declarations(found, one.body or 0)
    made = [each for each in members if each.kind is Kind.METHOD and each.name == one.name]
    return not made or any(each.parameters == 0 for each in made)


def _types(found: list[Token]) -> set[str]:
    """Capitalised words, except for type parameters and constants of a type."""
    befores = [*([Token("other", "", 0)] * 2), *found]
    return {
        one.text
        for owner, before, one in zip(befores, befores[1:], found, strict=False)
        if one.kind == "word" and one.text[0].isupper()
        if not _TYPE_PARAMETER.fullmatch(one.text)
        if not (one.text.isupper() and before.text == "." and owner.text[:1].isupper())
    }


def _variables(found: list[Token]) -> set[str]:
    """Capitalised names of variables: after a type, and before a sign that ends or fills a
    declaration."""
    triples = zip(found, found[1:], found[2:], strict=False)
    return {
        name.text
        for before, name, after in triples
        if after.text in ("=", ";", ",", ":", ")")
        and name.kind == "word"
        and (before.kind == "word" or before.text in (">", "]"))
    }


def _reads_what_it_gave(found: list[Token], signature: list[Token]) -> bool:
    """Whether the evaluation uses a variable again after passing it to the method. From outside,
    only methods without a result change their arguments (sandbox/java/outside/Bridge.java), so such
    an evaluation could not see that a generation changes its input."""
    words = [one.text for one in signature]
    name = _method(words)
    if not name or "void" in words[: words.index(name)]:
        return False
    types, _ = _arguments(signature, words.index("("), brackets=("([{<", ")]}>"))
    fixed = [all(one.text in _FIXED for one in given[:-1]) for given in types]
    calls = (_arguments(found, at + 1) for at in _calls(found, name))
    loops = [*_loops(found)]
    return any(
        _is_read(argument[0].text, path)
        for given, end in calls
        for argument, is_fixed in zip(given, chain(fixed, repeat(False)), strict=False)
        if len(argument) == 1 and not is_fixed
        for path in _after(found, end, loops)
    )


def _method(signature: list[str]) -> str:
    return signature[signature.index("(") - 1] if "(" in signature else ""


def _calls(found: list[Token], name: str) -> list[int]:
    pairs = enumerate(zip(found, found[1:], strict=False))
    return [at for at, (one, after) in pairs if one.text == name and after.text == "("]


def _compares_identity(found: list[Token], signature: list[Token]) -> bool:
    """Whether `==` or `!=` compares the method's call, or a variable with its result, with anything
    but a literal. Results cross as other objects, but interned texts stay interned."""
    words = [one.text for one in signature]
    name = _method(words)
    returned = words[: words.index(name)] if name else []
    if not name or returned[-1:] == ["String"] or ({*returned[-1:]} & _PRIMITIVE):
        return False
    calls = {at: _arguments(found, at + 1)[1] for at in _calls(found, name)}
    held = {*_holders(found, calls)}
    return any(
        (_ends_a_result(found, at, calls, held) and not _is_literal(found[at + 3]))
        or (_starts_a_result(found, at + 3, calls, held) and not _is_literal(found[at]))
        for at in range(1, len(found) - 3)
        if found[at + 2].text == "=" and found[at + 1].text in ("=", "!")
    )


def _holders(found: list[Token], calls: Mapping[int, int]) -> Iterator[str]:
    """The variables that hold the result of a call."""
    for call, end in calls.items():
        start = max(at for at in range(-1, call) if at < 0 or found[at].text in (";", "{", "}"))
        before = [one.text for one in found[start + 1 : call]]
        if found[end + 1 : end + 2] and found[end + 1].text == ";" and "=" in before[1:]:
            yield before[before.index("=", 1) - 1]


def _ends_a_result(
    found: list[Token], at: int, calls: Mapping[int, int], held: Collection[str]
) -> bool:
    return at in calls.values() or (found[at].text in held and found[at - 1].text != ".")


def _starts_a_result(
    found: list[Token], at: int, calls: Mapping[int, int], held: Collection[str]
) -> bool:
    """Whether the operand that starts there is a result, and not a member of one."""
    end = at
    if found[at].text not in held:
        while end not in calls and [one.text for one in found[end + 1 : end + 2]] == ["."]:
            end += 2
        if end not in calls:
            return False
        end = calls[end]
    return [one.text for one in found[end + 1 : end + 2]] not in (["."], ["["], ["("])


def _is_literal(one: Token) -> bool:
    words = ("null", "true", "false", "-")
    return one.kind == "literal" or one.text[0].isdigit() or one.text in words


def _after(found: list[Token], at: int, loops: list[tuple[int, int]]) -> Iterator[list[Token]]:
    """The tokens that may run after the one at `at`: the rest, or the next round of a loop."""
    yield found[at + 1 :]
    for start, end in loops:
        if start < at < end:
            yield found[at + 1 : end] + found[start : at + 1]


def _loops(found: list[Token]) -> Iterator[tuple[int, int]]:
    """The ranges of loops. A lambda counts as one: the call that gets it may run it more than
    once."""
    for at, one in enumerate(found):
        if one.text == "do":
            yield at, _arguments(found, _end_of_statement(found, at + 1) + 1)[1]
        elif one.text in ("for", "while"):
            _, end = _arguments(found, at + 1)
            yield at, _end_of_statement(found, end + 1)
        elif one.text == "-" and [each.text for each in found[at + 1 : at + 2]] == [">"]:
            yield at, _end_of_statement(found, at + 2)


def _end_of_statement(found: list[Token], start: int) -> int:
    """The index of the brace or semicolon that ends the statement at `start`."""
    depth = 0
    for at in range(start, len(found)):
        text = found[at].text
        depth += (text in _OPENING) - (text in _CLOSING)
        if depth < 0 or (depth == 0 and text in (";", "}")):
            return at
    return len(found)


def _arguments(
    found: list[Token], opening: int, brackets: tuple[str, str] = ("([{", ")]}")
) -> tuple[list[list[Token]], int]:
    """The arguments in the bracket at `opening`, and the index of its end."""
    depth, given = 0, [list[Token]()]
    for at in range(opening, len(found)):
        text = found[at].text
        depth += (text in brackets[0]) - (text in brackets[1])
        if depth == 0:
            return given, at
        if depth == 1 and text == ",":
            given.append([])
        elif at > opening:
            given[-1].append(found[at])
    return given, len(found)


def _is_read(variable: str, found: list[Token]) -> bool:
    """Whether the variable is used before it gets another value."""
    texts = [one.text for one in found]
    for at, text in enumerate(texts):
        if text == variable and texts[at - 1] != ".":
            if not _is_set(found, at):
                return True
            value = texts[at + 2 : _end_of_statement(found, at)]
            return variable in value
    return False


def _is_set(found: list[Token], at: int) -> bool:
    """Whether the variable at `at` gets a value there, or is the variable of a loop over
    elements."""
    before, after = found[at - 1], [one.text for one in found[at + 1 : at + 3]]
    if after[:1] == [":"]:
        return before.kind == "word" or before.text in (">", "]")
    return after[:1] == ["="] and after[1:] != ["="]


def _looks_around(found: list[Token]) -> bool:
    pairs = zip(found, found[1:], strict=False)
    return any(
        one.text == "synchronized" or (before.text == "." and one.text in _HINDERING)
        for before, one in pairs
    )
