"""The JVMs of ours that stay warm in a container: the compiler, and the judge of Java from outside.

Each is a process of its own user. The compiler never sees a running candidate, and runs no compiled
code."""

import os
import select
import signal
import socket
import time
from typing import Any

from . import frames, java_jvm

# Seconds of processor time for one compilation, and of wall time; after these the host counts as
# too busy to judge the compilation.
MOST_CPU, MOST_WALL = 10.0, 25.0
_LOOK_SECONDS = 0.25
_TICKS = os.sysconf("SC_CLK_TCK")
ANSWER_MOST = 16 * 2**20
# Limits of a generation's classes: a text of a few KiB can compile to any size, and the guardian's
# directory holds the kit too. A file's name is as long as Linux allows.
CLASSES_MOST, CLASSES_BYTES, NAME_MOST = 500, 2 * 2**20, 255
_TOO_MUCH = "it compiles to more or larger classes than are allowed"
_JDKS, _COMPILER = "/usr/lib/jvm", "/opt/assay/compiler"
_ASM = "--add-exports=java.base/jdk.internal.org.objectweb.asm"
_COMPILER_OPTIONS = (
    f"-XX:SharedArchiveFile={_COMPILER}/compiler.jsa",
    *("-Xshare:auto", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
    # Enough for a unit of the largest size allowed; a unit that needs more does not compile.
    *("-Xmx192m", "-Xss4m", "-XX:MaxMetaspaceSize=96m", "-XX:ReservedCodeCacheSize=48m"),
    *("-XX:-UsePerfData", "-XX:+ExitOnOutOfMemoryError", "-XX:+DisplayVMOutputToStderr"),
    f"{_ASM}=ALL-UNNAMED",
    f"{_ASM}.commons=ALL-UNNAMED",
    "--add-exports=jdk.compiler/com.sun.tools.javac.api=ALL-UNNAMED",
    *("-cp", f"{_COMPILER}/compiler.jar", "assay.compiler.Compiler"),
)


class Garbled(Exception):
    """Not a compiler's answer."""


class Refusal(Exception):
    """The JVM gave no answer. The message replaces the missing diagnostics."""


class Starved(Exception):
    """The JVM got too little of the processor to answer."""


class Compiled:
    """A compiler's answer. Raises Garbled unless it is exactly one answer."""

    def __init__(self, answer: bytes) -> None:
        self._bytes, self._at = answer, 0
        self.done = self._take(1) == b"\x01"
        self.diagnostics = [
            [self._text(), self._int(), self._int(), self._text()] for _ in range(self._int())
        ]
        self.classes = {self._text(): self._take(self._int()) for _ in range(self._int())}
        self.imports_added = self._text()
        if self._at != len(answer):
            raise Garbled

    @classmethod
    def failed(cls, reason: str) -> "Compiled":
        nothing = cls(bytes(13))
        nothing.diagnostics = [["", 0, 0, reason]]
        return nothing

    def fault(self) -> str:
        """Why the classes cannot be used; "" if they can."""
        if any(len(name.rpartition("/")[2].encode()) + 6 > NAME_MOST for name in self.classes):
            return "the name of a class is longer than that of a file can be"
        size = sum(map(len, self.classes.values()))
        return _TOO_MUCH if len(self.classes) > CLASSES_MOST or size > CLASSES_BYTES else ""

    def _take(self, size: int) -> bytes:
        self._at += size
        if self._at > len(self._bytes):
            raise Garbled
        return self._bytes[self._at - size : self._at]

    def _int(self) -> int:
        return int.from_bytes(self._take(4), "big")

    def _text(self) -> str:
        return self._take(self._int()).decode("utf-8", "replace")


def framed_text(text: str) -> bytes:
    return frames.framed(text.encode("utf-8", "replace"))


def request(class_path: str, units: "dict[str, str]", further: "dict[str, Any]") -> bytes:
    """The bytes of a request to a compiler; see java/compiler/Compiler.java. `further` holds what
    it copies or imports."""
    body = framed_text(class_path) + frames.PREFIX.pack(len(units))
    for path, text in units.items():
        body += framed_text(path) + framed_text(text)
    body += framed_text(further.get("method", ""))
    body += frames.PREFIX.pack(further.get("parameters", 0))
    for texts in (further.get(name, []) for name in ("imported", "declared", "importable")):
        body += frames.PREFIX.pack(len(texts)) + b"".join(map(framed_text, texts))
    return body


class _Warm:
    def __init__(
        self, zygote: Any, uid: int, command: "list[str]", *, prints_answers: bool
    ) -> None:
        self._zygote = zygote
        self._program = frames.dump({"command": command, "prints_answers": prints_answers})
        self._request = {
            "fork": "java_jvm", "uid": uid, "quiet": True, "cwd": "/", "ours": True, "cpu": 10**6,
        }  # fmt: skip
        self._start()

    def _start(self) -> None:
        self._socket, theirs = socket.socketpair()
        program_r, program_w = os.pipe()
        report_r, report_w = os.pipe()
        nothing = os.open("/dev/null", os.O_RDWR)
        fds = [program_r, report_w, nothing, nothing, theirs.detach()]
        self._pid = self._zygote.ask(self._request, fds)["pid"]
        frames.write(program_w, self._program)
        for fd in {*fds, program_w, report_r}:
            os.close(fd)

    def end(self) -> None:
        self._socket.close()
        os.kill(self._pid, signal.SIGKILL)
        self._zygote.ask({"reap": self._pid})

    def cpu(self) -> float:
        """Processor seconds that the process has used."""
        try:
            with open(f"/proc/{self._pid}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def receive(self, size: int, spent: float, began: float) -> bytes:
        """`spent` and `began`: processor time and clock at the begin of the work. Raises Refusal,
        Starved, EOFError, OSError."""
        data = bytearray()
        while len(data) < size:
            if not select.select([self._socket], [], [], _LOOK_SECONDS)[0]:
                if self.cpu() - spent > MOST_CPU:
                    raise Refusal("the compiler took too long")
                if time.monotonic() - began > MOST_WALL:
                    raise Starved
                continue
            part = self._socket.recv(min(size - len(data), 1 << 20))
            if not part:
                raise EOFError
            data += part
        return bytes(data)


class Compiler(_Warm):
    def __init__(self, zygote: Any, uid: int) -> None:
        (jdk,) = (name for name in os.listdir(_JDKS) if name.startswith("java-17-openjdk-"))
        with open(f"{_COMPILER}/modules.txt") as file:
            modules = file.read().strip()
        command = [f"{_JDKS}/{jdk}/bin/java", *_COMPILER_OPTIONS, modules]
        super().__init__(zygote, uid, command, prints_answers=True)

    def ask(self, body: bytes) -> Compiled:
        """Raises Refusal, Starved. After either, another process gets the next request."""
        spent, began = self.cpu(), time.monotonic()
        try:
            self._socket.settimeout(MOST_WALL)
            self._socket.sendall(frames.framed(body))
            (size,) = frames.PREFIX.unpack(self.receive(frames.PREFIX.size, spent, began))
            if size > ANSWER_MOST:
                raise Refusal(_TOO_MUCH)
            return Compiled(self.receive(size, spent, began))
        except (Refusal, Starved, EOFError, OSError, Garbled) as error:
            self.end()
            self._start()
            if isinstance(error, (Refusal, Starved)):
                raise
            raise Refusal("the compiler ran out of memory") from None


class Judge(_Warm):
    """Starting raises Starved."""

    def __init__(self, zygote: Any, uid: int) -> None:
        # It generates the byte code of stand-ins with the JDK's internal library.
        exports = (f"{_ASM}=assay.outside", f"{_ASM}.commons=assay.outside")
        command = [java_jvm.JAVA, *java_jvm.OPTIONS, *exports]
        command += ["-cp", "/nonexistent", "assay.outside.Judge"]
        super().__init__(zygote, uid, command, prints_answers=False)
        try:
            # It sends an empty frame when it is ready.
            self.receive(frames.PREFIX.size, self.cpu(), time.monotonic())
        except (EOFError, OSError, Refusal):
            raise Starved from None

    def descriptor(self) -> int:
        return os.dup(self._socket.fileno())
