"""Messages of Python's compiler about a generation, with line numbers of the uploaded text.

The compiler runs again, on the host and without the program, because what a sandbox reports after
a program ran may be the program's own text."""

import bisect
import json
import os
import re
import select
import signal
import subprocess
import sys
import threading
import unicodedata
from collections import defaultdict
from contextlib import suppress
from functools import cache
from typing import NamedTuple

from evaluation.engine import compiler_process
from evaluation.engine.characters import UNSEEN, named

_MOST = 300
# To wait for the compiler on a busy host.
_PATIENCE_SECONDS = 20.0
# The process answers one text after the other.
_lock = threading.Lock()
# Lines of code that are looked for within lines of the uploaded text, which takes quadratic time.
_MOST_WITHIN = 20
# Words of models that end or begin a text.
MARKER = r"<[|｜][^|｜\s]{1,40}[|｜]>|</s>|<(?:eos|bos|pad|(?:start|end)_of_turn)>|\[/?INST\]"
# Line ends for compilers; form feeds and Unicode's separators are none. Lines of the uploaded text
# are numbered as on pages, which count "\n".
LINE_END = re.compile(r"\r\n|\r|\n")
_OPENING, _CLOSING = re.compile("```(?:python|java)"), re.compile(r"(?<=[^`\s])\s*```$")
_ANOTHER_LINE = re.compile(r"( \(detected at line | on line )(\d+)(\)?)")


class Refusal(NamedTuple):
    """Where the compiler that counts stops: that of the sandbox's or the project's Python."""

    python: str
    line: int | None
    column: int | None

    @classmethod
    def read(cls, place: object) -> "Refusal | None":
        """From a report: the version, the line and the column, 0 if unknown. It may be forged, so
        that it has no words."""
        match = re.fullmatch(r"(\d\.\d{1,2}) (\d{1,9}) (\d{1,9})", str(place), re.ASCII)
        return match and cls(match[1], int(match[2]) or None, int(match[3]) or None)


class Program(NamedTuple):
    """A file's text. Its part `code`, which begins at line `first`, comes from the generation.
    Lines count from 1."""

    text: str
    first: int
    code: str
    refusal: Refusal | None = None


def compiler_message(program: Program, uploaded: str) -> str:
    """The message of this Python's compiler about the uploaded text, or the place where another
    Python's stops, which alone refuses the program or refuses another line. "" if neither is known.
    Other lines of the program are not mentioned."""
    fault, refusal = _fault(LINE_END.sub("\n", program.text)), program.refusal
    if refusal is not None:
        alike = refusal.python == "{}.{}".format(*sys.version_info)
        if fault is None or not (alike or refusal.line in (None, fault[1])):
            fault = f"Python {refusal.python} does not accept it.", refusal.line, refusal.column
    if fault is None:
        return ""
    message, line, column = fault
    if line is None:
        return message[:_MOST]
    return located(program, uploaded, message, line, column)


def _fault(text: str) -> tuple[str, int | None, int | None] | None:
    """The compiler's message, line and column; None if the text compiles or the compiler ends."""
    with _lock:
        process = _compiler(os.getpid())
        assert process.stdin is not None and process.stdout is not None, "both are pipes"
        try:
            process.stdin.write(json.dumps(text).encode("ascii") + b"\n")
            process.stdin.flush()
            if not select.select([process.stdout], [], [], _PATIENCE_SECONDS)[0]:
                raise TimeoutError
            if (answer := process.stdout.readline()) == b"\n":
                return None
            process.stdout.readline()
            fault: tuple[str, int | None, int | None] | None = json.loads(answer)
            return fault
        except (OSError, ValueError):  # it takes too long, or somebody has ended it
            _compiler.cache_clear()
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None


@cache
def _compiler(_of_process: int) -> subprocess.Popen[bytes]:
    """The process of `compiler_process` for this process; it ends when this one does."""
    return subprocess.Popen(
        [sys.executable, "-I", "-S", compiler_process.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # It does not end by Ctrl-C, and ends with its children.
    )


def located(
    program: Program, uploaded: str, message: str, line: int, column: int | None = None
) -> str:
    """The message about a line of the program, with the line's place in the uploaded text and its
    characters that cannot be seen. Columns count from 1."""
    first, judged = program.first, _lines(program.code)
    places = places_in(uploaded, program.code)

    starts = line_starts(uploaded)

    def place(number: int) -> tuple[int, int] | None:
        """The number of the uploaded line and the index in it at which this line starts."""
        if not 0 <= number - first < len(places) or (at := places[number - first]) is None:
            return None
        before = uploaded[: starts[at - 1]]
        return before.count("\n") + 1, len(before) - before.rfind("\n") - 1

    if (start := place(line)) is None:
        return "It does not end where the code around it goes on." if line >= first else ""

    def another(match: re.Match[str]) -> str:
        mentioned = place(int(match[2]))
        return "" if mentioned is None else f"{match[1]}{mentioned[0]}{match[3]}"

    message = _ANOTHER_LINE.sub(another, message[:_MOST])
    number, index = start
    text = uploaded.split("\n")[number - 1]
    code, in_program = judged[line - first], _lines(program.text)[line - 1]
    continues = line == first and in_program.endswith(code) and in_program != code
    moved = max(text.find(code.strip(), index), index) - (len(code) - len(code.lstrip()))
    moved -= (len(in_program) - len(code)) * continues
    words = [f"line {number}, column {max((column or 1) + moved, 1)}: {message}"]
    if continues:
        words.append(f"Line {number} continues the last line of the text before it.")
    if names := unseen_in(text):
        words.append(f"Line {number} contains {', '.join(names)}.")
    return "\n".join(words)


def places_in(uploaded: str, code: str) -> list[int | None]:
    """The line of the uploaded text from which each line of the code comes, None if from none. The
    code may have lost lines and beginnings of lines, and have other indents."""
    lines, code_lines = (
        [_CLOSING.sub("", line.strip()) for line in _lines(text)] for text in (uploaded, code)
    )
    last = next(filter(None, reversed(code_lines)), "")
    opening = next((n for n, line in enumerate(lines) if _OPENING.search(line)), 0)
    if any(last in line for line in lines[opening:]):
        lines[:opening] = [""] * opening  # a draft before the fence may have equal lines
    whole, rest = "\n".join(["", *lines, ""]), list[int | None]()
    for skipped in range(min(len(code_lines), _MOST_WITHIN)):  # kept imports stand elsewhere
        part = "\n".join(code_lines[skipped:]).strip("\n")
        if part and (at := whole.find(f"\n{part}\n")) >= 0:
            # The last before a fence: what was dropped before the code may have equal lines.
            whole = whole[: whole.find("\n```", at + len(part) + 1) + 1 or None]
            end = len(whole) - whole[::-1].find(f"\n{part}\n"[::-1])  # rfind takes quadratic time
            first = whole.count("\n", 0, end - 1 - len(part))
            first -= code_lines.index(part.split("\n")[0], skipped) - skipped
            numbers = range(first, first + len(code_lines) - skipped)
            rest = [n if 1 <= n <= len(lines) else None for n in numbers]
            lines, code_lines = lines[: max(first - 1, 0)], code_lines[:skipped]
            break
    equal: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines, 1):
        for piece in {line, *map(str.strip, line.split("```"))}:
            equal[piece].append(number)
    places: list[int | None] = []
    latest = within = 0
    for line in code_lines:
        equal_lines = equal[line] if line else []
        if line and not equal_lines and (within := within + 1) <= _MOST_WITHIN:
            equal_lines = sorted(n for text, ns in equal.items() if text.endswith(line) for n in ns)
        at = bisect.bisect_right(equal_lines, latest)
        places.append(equal_lines[at] if at < len(equal_lines) else None)
        latest = places[-1] or latest
    return places + rest


def line_starts(text: str) -> list[int]:
    """Offset of each line, including the empty line after a final line end."""
    return [0, *(end.end() for end in LINE_END.finditer(text))]


def unseen_in(line: str) -> list[str]:
    """The characters of a line that cannot be seen or are unassigned, and models' markers."""
    unassigned = {char for char in line if unicodedata.category(char) in ("Co", "Cn")}
    unseen = sorted(unassigned.union(re.findall(UNSEEN, line)))
    return [*map(named, unseen), *sorted(set(re.findall(MARKER, line)))]


def _lines(code: str) -> list[str]:
    return LINE_END.sub("\n", code).removesuffix("\n").split("\n")
