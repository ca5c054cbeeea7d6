"""Serves the expected values of Java tests, and notes how the tests end.

A test's class connects when its first test begins (projects/java_helper.py) and asks for each value
when an assertion needs it: no file of the container holds one. In a control the first expectations
of a test get another value. Only this process knows which kind a run is.

A message is a kind, the number of the test that the connection has begun, and a number: b begins a
test (the number of characters, then its name), a asks for a value (its place), h says that an
assertion held, r asks whether one that failed ends the test, e asks whether the ended test has to
fail (1 if it threw). An answer is a flag (keep it), a number of characters, and these."""

import socket
import struct
from collections import Counter
from typing import Any

# Above the ports that Linux assigns by itself, and that tests often listen on.
PORT = 61977
STOPPED, THROUGH = "control: stopped", "control: went through"
# Wrong expectations that may fail in a test; later ones are right.
MOST = 12
# A value that was requested more often is then kept by the test's class.
OFTEN = 1000
CONNECTIONS_MOST, NAME_MOST = 4000, 4000
_MESSAGE = struct.Struct(">cii")
_ANSWER = struct.Struct(">?i")


def listener() -> socket.socket:
    made = socket.create_server(("127.0.0.1", PORT), backlog=128)
    made.setblocking(False)
    return made


class Begun:
    """A test that has begun."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.refused = 0
        self.through = self.altered = False


class Served:
    """The tests' values [right, wrong] by test, and counts: how often each test sent which message
    about an expectation, ended, threw and went through."""

    def __init__(self, watch: "dict[str, Any]") -> None:
        self._control: bool = watch["control"]
        self._values: dict[str, list[list[str]]] = watch["tests"]
        self.ended: dict[str, list[Any]] = {}
        self.sound = True
        self._connections = 0

    def accepted(self, listening: socket.socket) -> "Connection | None":
        try:
            connected, _ = listening.accept()
        except BlockingIOError:
            return None
        except OSError:
            self.sound = False
            return None
        self._connections += 1
        if self._connections > CONNECTIONS_MOST:
            self.sound = False
            connected.close()
            return None
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return Connection(self, connected)

    def begin(self, name: str) -> Begun:
        if name not in self._values:
            raise ValueError(name)
        self.ended.setdefault(name, [Counter(), 0, 0, 0])
        return Begun(name)

    def value(self, test: Begun, at: int) -> "tuple[bool, str]":
        values = self._values[test.name]
        if not 0 <= at < len(values):
            raise ValueError(at)
        keep = self._count(test, f"value {at}") > OFTEN
        test.altered = self._control and test.refused < MOST and not keep
        return keep, values[at][test.altered]

    def _count(self, test: Begun, message: str) -> int:
        messages = self.ended[test.name][0]
        messages[message] += 1
        return int(messages[message])

    def held(self, test: Begun) -> None:
        self._count(test, "held")
        test.through = test.through or test.altered
        test.altered = False

    def refused(self, test: Begun) -> bool:
        """Whether the failed assertion ends the test."""
        self._count(test, "refused")
        test.altered = False
        test.refused += 1
        return not self._control or test.refused > MOST

    def end(self, test: Begun, threw: bool) -> str:
        """The failure with which the test has to end; "" if none."""
        counts = self.ended[test.name]
        counts[1] += 1
        counts[2] += threw
        counts[3] += test.through
        if not self._control:
            return ""
        return THROUGH if test.through or not self._values[test.name] else STOPPED


class Connection:
    def __init__(self, served: Served, connected: socket.socket) -> None:
        self._served, self._socket = served, connected
        connected.setblocking(False)
        self._received = bytearray()
        self._tests: dict[int, Begun] = {}

    def fileno(self) -> int:
        return self._socket.fileno()

    def take(self, data: bytes) -> None:
        """Reads messages. One that our class does not send makes the run's report incomplete."""
        if not self._served.sound:
            return
        self._received += data
        try:
            while self._message():
                pass
        except (KeyError, OSError, ValueError):
            self._served.sound = False

    def _message(self) -> bool:
        if len(self._received) < _MESSAGE.size:
            return False
        kind, number, at = _MESSAGE.unpack_from(self._received)
        size, served = _MESSAGE.size, self._served
        if kind == b"b":
            if not 0 <= at <= NAME_MOST:
                raise ValueError(at)
            size += 2 * at
            if len(self._received) < size:
                return False
            name = bytes(self._received[_MESSAGE.size : size]).decode("utf-16-be")
            self._tests[number] = served.begin(name)
        elif kind == b"a":
            self._send(*served.value(self._tests[number], at))
        elif kind == b"h":
            served.held(self._tests[number])
        elif kind == b"r":
            self._send(False, "ends" if served.refused(self._tests[number]) else "")
        elif kind == b"e":
            self._send(False, served.end(self._tests.pop(number), at == 1))
        else:
            raise ValueError(kind)
        del self._received[:size]
        return True

    def _send(self, keep: bool, text: str) -> None:
        """Raises ValueError if the answers are not read, OSError if the connection has ended."""
        data = _ANSWER.pack(keep, len(text.encode("utf-16-be", "surrogatepass")) // 2)
        data += text.encode("utf-16-be", "surrogatepass")
        if self._socket.send(data) < len(data):
            raise ValueError("unread answers")
