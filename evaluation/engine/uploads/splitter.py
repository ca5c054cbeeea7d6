"""Splits a stream of JSON into the elements of an array, holding one element at a time. Finds the
bounds of values; a parser checks them."""

import json
import re
from collections.abc import Callable, Iterator

from evaluation.engine.texts import Message, Text
from evaluation.engine.uploads import texts

CHUNK = 256 * 1024

_SPACE = re.compile(rb"[ \t\n\r]*+")
# Possessive or atomic throughout, so that neither time nor memory depends on the following text.
# Groups with backtracking inside are atomic, (?>(?:x)*): as possessive groups, (?:x)*+, they never
# end in Python 3.11.0 to 3.11.4 (gh-106052), and Debian 12 has 3.11.2. Possessive groups need no
# memory per repetition.
_STRING_REST = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
# A quote is escaped after an odd number of backslashes. Looking back from the quotes is several
# times faster than stopping at every escape. _STRING_REST handles strings with more than three
# backslashes before a quote.
_ESCAPED = rb'(?:(?<=[^\\]\\")|(?<=[^\\]\\\\\\"))'
_CLOSED = rb'(?:(?<!\\")|(?<=[^\\]\\\\"))'
_STRING = rb'"[^"]*+"(?>(?:' + _ESCAPED + rb'[^"]*+")*)' + _CLOSED
_FLAT = rb'[^"\[\]{}]++|' + _STRING
_NO_BRACKETS = re.compile(rb"(?>(?:" + _FLAT + rb")*)")
_SCALAR = re.compile(rb'[^ \t\n\r,:"\[\]{}]*+')
_OPENING = re.compile(rb"[\[{]++")
_CLOSING = re.compile(rb"[\]}]++")
_QUOTE = ord('"')
_BLANK = ord(" ")
_CONTAINER = tuple(b"[{")
_END = -1


def _nested(depth: int) -> bytes:
    inside = _FLAT if depth == 1 else _FLAT + rb"|" + _nested(depth - 1)
    return rb"[\[{](?>(?:" + inside + rb")*)[\]}]"


_SHALLOW = re.compile(_nested(4))  # matches most records at once


class SplitError(Exception):
    """The stream is not JSON at a place where its structure matters."""

    def __init__(self, line: int, sentence: Message) -> None:
        super().__init__(sentence)
        self.line, self.sentence = line, sentence


class Scanner:
    """Reads JSON structure from `begun` and then `read(size)`. `line` is the line of the next byte,
    from 1. A value longer than `limit` bytes is skipped and returned as None. Every method raises
    SplitError."""

    def __init__(
        self,
        read: Callable[[int], bytes],
        *,
        limit: int,
        chunk: int = CHUNK,
        begun: bytes = b"",
        line: int = 1,
    ) -> None:
        self._read, self._limit, self._chunk = read, limit, chunk
        self._buffer, self.line = begun, line
        self._at = self._held = 0
        self._pieces: list[bytes] | None = None

    def peek(self) -> int:
        """Returns the next byte that is not white space, or -1 at the end."""
        if self._at < len(self._buffer) and self._buffer[self._at] > _BLANK:
            return self._buffer[self._at]
        while True:
            match = _SPACE.match(self._buffer, self._at)
            assert match is not None
            self._advance(match.end())
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._refill():
                return _END

    def elements(self) -> Iterator[tuple[int, bytes | None]]:
        """Yields the line and the raw bytes of each element of the next array."""
        for _ in self._items(b"[", b"]"):
            self.peek()
            yield self.line, self.value()

    def members(self) -> Iterator[str]:
        """Yields the keys of the next object; the caller consumes each one's value."""
        for _ in self._items(b"{", b"}"):
            if self.peek() != _QUOTE:
                raise self._unexpected(texts.WANTED_KEY())
            raw = self.value()
            try:
                key = json.loads((raw or b"").decode("utf-8", "replace"))
            except ValueError:
                raise SplitError(self.line, texts.KEY_NO_STRING()) from None
            self._expect(b":")
            yield str(key)

    def _items(self, opening: bytes, closing: bytes) -> Iterator[None]:
        """Stops before each item of an array or object; the caller consumes it."""
        self._expect(opening)
        if self.peek() == ord(closing):
            self._expect(closing)
            return
        while True:
            yield
            if self._expect(b"," + closing) == ord(closing):
                return

    def value(self) -> bytes | None:
        """Returns the raw bytes of the next value. Counts brackets without matching them."""
        first = self.peek()
        if whole := _SHALLOW.match(self._buffer, self._at):
            self._advance(whole.end())
            return whole.group() if whole.end() - whole.start() <= self._limit else None
        self._pieces, self._held = [], 0
        if first == _QUOTE:
            end = self._string_end(self._at + 1)
        elif first in _CONTAINER:
            end = self._container_end(self._at)
        else:
            end = self._scalar_end(self._at)
        pieces = self._keep(end)
        self._advance(end)
        self._pieces = None
        return b"".join(pieces) if self._held <= self._limit else None

    def end(self) -> None:
        if self.peek() != _END:
            raise SplitError(self.line, texts.GOES_ON_AFTER_END())

    def _expect(self, allowed: bytes) -> int:
        byte = self.peek()
        if byte == _END or byte not in allowed:
            first, *others = (f"`{chr(char)}`" for char in allowed)
            raise self._unexpected(
                texts.WANTED_EITHER(one=first, other=others[0]) if others else first
            )
        self._advance(self._at + 1)
        return byte

    def _unexpected(self, wanted: Message | str) -> SplitError:
        if self._at >= len(self._buffer):
            return SplitError(self.line, texts.ENDS_BEFORE(wanted=wanted))
        char = ascii(chr(self._buffer[self._at]))
        return SplitError(self.line, texts.UNEXPECTED(found=char, wanted=wanted))

    def _string_end(self, at: int) -> int:
        while True:
            match = _STRING_REST.match(self._buffer, at)
            assert match is not None
            at = match.end()
            if at < len(self._buffer) and self._buffer[at] == _QUOTE:
                return at + 1
            escaping = at < len(self._buffer)  # the buffer's last byte is a backslash
            self._need_more(texts.CUT_OFF_IN_STRING)
            at = 1 if escaping else 0

    def _container_end(self, at: int) -> int:
        depth = 0
        while True:
            match = _NO_BRACKETS.match(self._buffer, at)
            assert match is not None
            at = match.end()
            if at == len(self._buffer):
                self._need_more(texts.CUT_OFF_IN_BRACKETS)
                at = 0
            elif self._buffer[at] == _QUOTE:
                at = self._string_end(at + 1)
            elif opening := _OPENING.match(self._buffer, at):
                depth += opening.end() - at
                at = opening.end()
            elif closing := _CLOSING.match(self._buffer, at):
                if closing.end() - at >= depth:
                    return at + depth
                depth -= closing.end() - at
                at = closing.end()

    def _scalar_end(self, at: int) -> int:
        while True:
            match = _SCALAR.match(self._buffer, at)
            assert match is not None
            at = match.end()
            if at < len(self._buffer):
                break
            self._need_more(texts.CUT_OFF_IN_VALUE)
            at = 0
        if at == self._at and not self._held:
            raise self._unexpected(texts.WANTED_VALUE())
        return at

    def _need_more(self, cut_off: Text) -> None:
        if not self._refill():
            raise SplitError(self.line, cut_off())

    def _refill(self) -> bool:
        if self._pieces is not None:
            self._keep(len(self._buffer))
        self._advance(len(self._buffer))
        self._buffer, self._at = self._read(self._chunk), 0
        return bool(self._buffer)

    def _keep(self, end: int) -> list[bytes]:
        assert self._pieces is not None
        self._held += end - self._at
        if self._held > self._limit:
            self._pieces.clear()
        else:
            self._pieces.append(self._buffer[self._at : end])
        return self._pieces

    def _advance(self, to: int) -> None:
        if self._buffer.find(b"\n", self._at, to) >= 0:  # much faster than count if there is none
            self.line += self._buffer.count(b"\n", self._at, to)
        self._at = to
