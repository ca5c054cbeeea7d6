"""Makes the archives of classes from one compilation and one run of our own programs.

    python3 warm_up.py MODULES JAVA_OF_THE_COMPILER JAVA_OF_CANDIDATES SOURCES

Runs in the build container of the image.
"""

import socket
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HOME = "/opt/assay/compiler"
JAR = f"{HOME}/compiler.jar"
EXPORTS = (
    "--add-exports=java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED",
    "--add-exports=java.base/jdk.internal.org.objectweb.asm.commons=ALL-UNNAMED",
    "--add-exports=jdk.compiler/com.sun.tools.javac.api=ALL-UNNAMED",
)
_OFF = "-Xshare:off"
JUDGE_EXPORTS = (
    "--add-exports=java.base/jdk.internal.org.objectweb.asm=assay.outside",
    "--add-exports=java.base/jdk.internal.org.objectweb.asm.commons=assay.outside",
)


def _text(text: str) -> bytes:
    return struct.pack(">I", len(text.encode())) + text.encode()


def _request(units: "list[Path]", method: str) -> bytes:
    body = _text("") + struct.pack(">I", len(units))
    for unit in units:
        body += _text(f"warm/{unit.name}") + _text(unit.read_text())
    body += _text(method) + struct.pack(">IIII", 2, 0, 0, 0)
    return struct.pack(">I", len(body)) + body


def _classes(answer: bytes) -> "tuple[dict[str, bytes], bytes]":
    """The classes of an answer, and what follows it."""
    assert answer[4] == 1 and answer[5:9] == bytes(4), answer[:400]
    (count,), at, parts = struct.unpack_from(">I", answer, 9), 13, []
    for _ in range(2 * count):
        (size,) = struct.unpack_from(">I", answer, at)
        parts.append(answer[at + 4 : at + 4 + size])
        at += 4 + size
    at += 4
    names = [name.decode() for name in parts[::2]]
    return dict(zip(names, parts[1::2], strict=True)), answer[at:]


def _compiled(
    java: str, modules: str, sources: Path, *options: str
) -> "tuple[dict[str, bytes], dict[str, bytes]]":
    """The classes of all units for a run in one JVM, and for a run from outside."""
    units = sorted(sources.glob("*/*.java"))
    command = [java, *options, "-XX:+UseSerialGC", *EXPORTS, "-cp", JAR]
    done = subprocess.run(
        [*command, "assay.compiler.Compiler", modules],
        input=_request(units, "joined") + _request(units, ""), stdout=subprocess.PIPE, check=True,
    )  # fmt: skip
    joined, rest = _classes(done.stdout)
    return joined, _classes(rest)[0]


def _utf(text: str) -> bytes:
    return struct.pack(">H", len(text)) + text.encode()


def _run(java: str, class_path: Path, tests: "dict[str, bytes]", *options: str) -> None:
    request = b"".join(map(_utf, ("a word", "warm.Evaluation0", "warm", "Own")))
    request += struct.pack(">II", 0, len(tests))
    for name, content in tests.items():
        request += _utf(name) + struct.pack(">I", len(content)) + content
    export = "--add-exports=java.base/jdk.internal.module=assay.harness"
    command = [java, *options, "-XX:+UseSerialGC", "-Djava.security.manager=allow", export]
    ours, theirs = socket.socketpair()
    ours.sendall(request)
    subprocess.run(
        [*command, "-cp", str(class_path), "assay.harness.Start"], stdin=theirs.fileno(), check=True
    )
    theirs.close()
    said = ours.makefile("rb").read()
    assert said == b"\na word counted 1 1\na word denied \n", said


def _run_outside(
    java: str,
    classes: Path,
    tests: "dict[str, bytes]",
    options: "list[str]",
    others: "list[str]",
) -> None:
    """The same run from outside; `options` are those of the judge's JVM, `others` the
    candidate's."""
    judge, theirs = socket.socketpair()
    candidate, its = socket.socketpair()
    command = [java, *options, *JUDGE_EXPORTS, "-XX:+UseSerialGC", "-cp", "/nonexistent"]
    judging = subprocess.Popen([*command, "assay.outside.Judge"], stdin=theirs.fileno())
    command = [java, *others, "-XX:+UseSerialGC", "-cp", str(classes), "assay.outside.Candidate"]
    answering = subprocess.Popen([*command, "warm.Own0"], stdin=its.fileno())
    for end in (theirs, its):
        end.close()
    assert _frame(judge) == b""
    names = [f"{classes}/", "warm.Evaluation0", "warm", "Own", "warm.Own0", "warm.Base"]
    body = b"".join(map(_text, names)) + struct.pack(">II", 0, len(tests))
    for name, content in tests.items():
        body += _text(name) + struct.pack(">I", len(content)) + content
    judge.sendall(struct.pack(">I", len(body)) + body)
    while (said := _frame(judge))[:1] == b"Q":
        candidate.sendall(struct.pack(">I", len(said) - 1) + said[1:])
        answer = _frame(candidate)
        judge.sendall(struct.pack(">I", len(answer) + 1) + b"A" + answer)
    assert said == b"Dcounted 1 1", said
    for end, process in ((judge, judging), (candidate, answering)):
        end.close()
        process.wait(60)


def _frame(end: socket.socket) -> bytes:
    (size,) = struct.unpack(">I", end.recv(4, socket.MSG_WAITALL))
    return end.recv(size, socket.MSG_WAITALL) if size else b""


def main() -> None:
    modules, compiler_java, java, sources = sys.argv[1:]
    scratch = Path(tempfile.mkdtemp())
    (scratch / "warm").mkdir()
    archive = f"-XX:ArchiveClassesAtExit={HOME}/compiler.jsa"
    tests, outside = _compiled(compiler_java, modules, Path(sources), archive)
    for name in [name for name in tests if not name.startswith("warm/Evaluation")]:
        (scratch / f"{name}.class").write_bytes(tests.pop(name))
        outside.pop(name)
    lists = [scratch / name for name in ("one", "judge", "candidate")]
    joined, judge, candidate = ([_OFF, f"-XX:DumpLoadedClassList={path}"] for path in lists)
    _run(java, scratch, tests, *joined)
    _run_outside(java, scratch, outside, judge, candidate)
    lists.insert(0, Path(java).parent.parent / "lib" / "classlist")
    lines = [line for path in lists for line in path.read_text().splitlines()]
    listed = scratch / "listed"
    listed.write_text("".join(f"{line}\n" for line in dict.fromkeys(lines) if "warm/" not in line))
    subprocess.run([java, "-Xshare:dump", f"-XX:SharedClassListFile={listed}"], check=True)
    _run(java, scratch, tests, "-Xshare:on")
    _run_outside(java, scratch, outside, [], ["-Xshare:on"])


if __name__ == "__main__":
    main()
