"""The declarations of a Java file or class. Correct for code that compiles, else a best guess."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import pairwise

from evaluation.engine.java_tokens import Token, tokens

_MODIFIERS = frozenset(
    {
        *("public", "protected", "private", "static", "final", "abstract", "synchronized"),
        *("native", "strictfp", "transient", "volatile", "sealed"),
    }
)
# Words, the signs in a type, and annotations, with a blank between tokens.
_TYPED = re.compile(r"(?:[\w$<>\[\].,? ]|@[\w$. ]*+(?:\([^()]*+\))?)++")
# The name in a package or an import declaration, with a blank between tokens.
_NAMED = re.compile(r"(static )?[\w$]+( \. ([\w$]+|\*))*+")


class Kind(Enum):
    """OTHER: a field, a statement, or no valid Java."""

    PACKAGE = "package"
    IMPORT = "import"
    CLASS = "class"
    TYPE = "interface, enum, record or annotation"
    METHOD = "method or constructor"
    BLOCK = "initialiser"
    EMPTY = "semicolon"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Declaration:
    """`start` and `end` are positions in the text. `words` are the tokens up to the body or
    semicolon, without leading annotations and modifiers. `body` is the index of the token after the
    body's opening brace, or None."""

    kind: Kind
    start: int
    end: int
    words: list[Token]
    modifiers: list[Token]
    name: str = ""
    body: int | None = None

    def has(self, modifier: str) -> bool:
        return any(token.text == modifier for token in self.modifiers)

    @property
    def is_plain(self) -> bool:
        """Whether it is complete, and no prose precedes its words."""
        if self.kind in (Kind.EMPTY, Kind.BLOCK, Kind.TYPE):
            return True
        if self.body is None and self.end == self.words[-1].end:
            return False
        if self.kind is Kind.METHOD:
            return self.has_types and (self.body is not None or self.opening > 1)
        if self.kind is not Kind.OTHER:
            after = {*_texts(self.words[2:3])}
            return self.kind is not Kind.CLASS or after <= {"extends", "implements", "permits", "<"}
        # Brackets can follow the name of an array.
        head = self.words[: _index(self.words, "=")]
        first, *others = _parts([token for token in head if token.text not in ("[", "]")])
        return (
            (self.body is None and len(first) > 1 and not _is_prose(first[:-1]))
            and (first[0].kind == first[-1].kind == "word" and first[0].text != "return")
            and all(len(other) == 1 for other in others)
        )

    @property
    def names(self) -> str:
        """The name in a package or import declaration, with "static " before a static import's."""
        static = self.words[1].text == "static"
        return "static " * static + "".join(token.text for token in self.words[1 + static :])

    @property
    def opening(self) -> int:
        """The index of the first round bracket's word."""
        return _index(self.words, "(")

    @property
    def closing(self) -> Token:
        """The bracket that closes the first one."""
        return self.words[after_bracket(self.words, self.opening) - 1]

    @property
    def result(self) -> str:
        """The type of a method."""
        first = after_bracket(self.words, 0, "<", ">") if self.words[0].text == "<" else 0
        return " ".join(_texts(self.words[first : self.opening - 1]))

    @property
    def parameters(self) -> int:
        return len(self.parameter_words)

    @property
    def parameter_words(self) -> list[list[Token]]:
        inside = self.words[self.opening + 1 : after_bracket(self.words, self.opening) - 1]
        parts = _parts(inside)
        # A receiver parameter is none.
        return parts[parts[0][-1].text == "this" :] if inside and parts[0] else []

    @property
    def variables(self) -> list[list[Token]]:
        """The words of each type parameter of a class, without annotations."""
        parts = _parts(self.words[3 : after_bracket(self.words, 2, "<", ">") - 1])
        return [*filter(None, (_declared(part, 0, None).words for part in parts if part))]

    @property
    def types(self) -> list[list[str]]:
        """The words of the types of a method and its parameters, without annotations."""
        declared = (_declared(words, 0, None) for words in self.parameter_words if words)
        return [self.result.split(), *(_texts(parameter.words[:-1]) for parameter in declared)]

    @property
    def has_types(self) -> bool:
        """Whether its parameters have types, and only exceptions or brackets follow them."""
        after = self.words[after_bracket(self.words, self.opening) :]
        return _texts(after[:1]) in ([], ["throws"], ["["]) and all(
            _TYPED.fullmatch(" ".join(words)) for words in self.types[1:]
        )

    def is_like(self, method: "Declaration") -> bool:
        """Whether it is a method of the name and the number of parameters, with a body."""
        return (
            self.kind is Kind.METHOD
            and self.name == method.name
            and self.body is not None
            and self.opening > 1  # not a constructor
            and self.parameters == method.parameters
        )


def declarations(code_tokens: list[Token], at: int = 0) -> Iterator[Declaration]:
    """The declarations from the token at `at` up to the end of its level."""
    head: list[Token] = []
    assigned = False
    while at < len(code_tokens) and code_tokens[at].text != "}":
        text, after = code_tokens[at].text, at + 1
        if text == ";" and not head:
            token = code_tokens[at]
            yield Declaration(Kind.EMPTY, token.start, token.end, [token], [])
        elif text == ";" or (text == "{" and not assigned):
            if text == "{":
                after = after_bracket(code_tokens, at)
            last = code_tokens[after - 1]
            yield _declared(head or [last], last.end, at + 1 if text == "{" else None)
            head, assigned = [], False
        else:
            if text in ("(", "[", "{"):
                after = after_bracket(code_tokens, at)
            assigned = assigned or text == "="
            head += code_tokens[at:after]
        at = after
    if head:
        yield _declared(head, head[-1].end, None)


@dataclass(frozen=True)
class Owner:
    """A class, interface, enumeration or record of an answer, and the one that it is in."""

    declared: Declaration
    members: list[Declaration]
    outer: "Owner | None" = None

    @property
    def path(self) -> str:
        return f"{self.outer.path}.{self.declared.name}" if self.outer else self.declared.name

    @property
    def word(self) -> str:
        """The first word of the declaration: class, interface, enum or record."""
        return self.declared.words[0].text

    @property
    def places(self) -> list["Owner"]:
        """Itself and the classes that it is in, the outermost last."""
        return [self, *(self.outer.places if self.outer else [])]

    @cached_property
    def constructors(self) -> list[Declaration]:
        methods = (member for member in self.members if member.kind is Kind.METHOD)
        return [method for method in methods if method.name == self.declared.name]

    @property
    def enclosing(self) -> "Owner | None":
        """The class of the object that an object of an inner class needs."""
        is_inner = self.word == "class" and not self.declared.has("static")
        return self.outer if is_inner and self.outer and self.outer.word != "interface" else None

    @property
    def is_abstract(self) -> bool:
        return self.word == "interface" or self.declared.has("abstract")

    @cached_property
    def is_made(self) -> bool:
        """Whether an object is made without arguments."""
        without = any(constructor.parameters == 0 for constructor in self.constructors)
        if self.word not in ("class", "interface"):
            return self.word == "enum" or without or self.declared.parameters == 0
        methods = (member for member in self.members if member.kind is Kind.METHOD)
        return (
            (without or not self.constructors)
            and (self.enclosing is None or self.enclosing.is_made)
            and not (self.is_abstract and any(method.body is None for method in methods))
        )

    @property
    def making(self) -> str:
        """The expression that makes an object."""
        if self.word == "enum":
            return f"{self.path}.values()[0]"
        body = " {}" * self.is_abstract
        if self.enclosing:
            return f"{self.enclosing.making}.new {self.declared.name}(){body}"
        return f"new {self.path}(){body}"


def owners_in(
    code_tokens: list[Token], top: Iterable[Declaration], outer: Owner | None = None, depth: int = 4
) -> Iterator[Owner]:
    """The classes among the declarations, and down to a depth those in them: each level takes as
    long as all within it."""
    for declared in top:
        if declared.kind in (Kind.CLASS, Kind.TYPE) and declared.body is not None:
            owner = Owner(declared, list(declarations(code_tokens, declared.body)), outer)
            yield owner
            if depth > 0:
                yield from owners_in(code_tokens, owner.members, owner, depth - 1)


def method_of(signature: str) -> Declaration:
    """Raises ValueError if the signature is not that of one method."""
    code_tokens = list(declarations(tokens(signature)))
    if (
        len(code_tokens) != 1
        or code_tokens[0].kind is not Kind.METHOD
        or code_tokens[0].body is not None
    ):
        raise ValueError("signature is not that of one method")
    return code_tokens[0]


def _declared(head: list[Token], end: int, body: int | None) -> Declaration:
    modifiers, at = [], 0
    while at < len(head) and _texts(head[at : at + 2]) != ["@", "interface"]:
        if _texts(head[at : at + 3]) == ["non", "-", "sealed"]:
            at += 3
            continue
        if head[at].text in _MODIFIERS:
            modifiers.append(head[at])
            at += 1
            continue
        if head[at].text != "@":
            break
        at += 2
        while at < len(head) and head[at].text == ".":
            at += 2
        if at < len(head) and head[at].text == "(":
            at = after_bracket(head, at)
    words = head[at:]
    kind, name = _kind(words, bare=at == 0, body=body)
    return Declaration(kind, head[0].start, end, words, modifiers, name, body)


def _kind(words: list[Token], *, bare: bool, body: int | None) -> tuple[Kind, str]:
    """The kind and the name. `bare` means that no modifier or annotation precedes the words."""
    if not words or words[0].text in ("{", "}", ";"):
        return (Kind.EMPTY if body is None else Kind.BLOCK), ""
    first, second, third = [*_texts(words[:3]), "", ""][:3]
    is_named = first in ("package", "import") and _NAMED.fullmatch(" ".join(_texts(words[1:])))
    if bare and body is None and is_named:
        return Kind(first), ""
    if body is not None and (first, second) == ("@", "interface"):
        return Kind.TYPE, third
    if body is not None and words[1:] and words[1].kind == "word":
        if first == "class":
            return Kind.CLASS, second
        if first in ("interface", "enum") or (first == "record" and third in ("(", "<")):
            return Kind.TYPE, second
    opening = _index(words, "(")
    is_called = 0 < opening < min(len(words), _index(words, "="))
    if is_called and words[opening - 1].kind == "word" and not _is_prose(words[: opening - 1]):
        return Kind.METHOD, words[opening - 1].text
    return Kind.OTHER, ""


def _is_prose(words: list[Token]) -> bool:
    """Whether words before a name are more than type parameters, annotations and one type."""
    joining = ("default", "extends", "super", *"<>[].,?&")
    pairs = pairwise([*words[:1], *words])
    words = [token for before, token in pairs if "@" not in (before.text, token.text)]
    return (
        not _MODIFIERS.isdisjoint(_texts(words))
        or any(token.kind != "word" and token.text not in joining for token in words)
        or any(a.text not in joining and b.text not in joining for a, b in pairwise(words))
    )


def _parts(words: list[Token]) -> list[list[Token]]:
    """Splits at the commas that are in no brackets."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in words:
        depth += (token.text in ("(", "[", "{", "<")) - (token.text in (")", "]", "}", ">"))
        if token.text == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _index(words: list[Token], text: str) -> int:
    return next((at for at, token in enumerate(words) if token.text == text), len(words))


def _texts(words: list[Token]) -> list[str]:
    return [token.text for token in words]


def after_bracket(words: list[Token], at: int, opening: str = "([{", closing: str = ")]}") -> int:
    """The index after the closing bracket of any kind, or the number of words."""
    depth = 0
    for index in range(at, len(words)):
        depth += (words[index].text in opening) - (words[index].text in closing)
        if depth == 0:
            return index + 1
    return len(words)
