"""The conformance list of the Java sandbox: the compiler, a right and a wrong program, and what a
class may not do inside its JVM. selfcheck covers what the kernel refuses to every process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from evaluation.engine.errors import SandboxGone
from evaluation.engine.records import Execution, Json, Limits, Outcome, Stop
from evaluation.engine.sandbox import selfcheck, selfcheck_outside
from evaluation.engine.sandbox.selfcheck import Check
from evaluation.engine.sandbox.selfcheck_outside import BASE
from evaluation.engine.sandbox.selfcheck_outside import counted as _counted
from evaluation.engine.sandbox.session import Session

RUNNER = "java_class"
# Like a family's limits: a JVM by itself takes 0.2 s and 60 MiB.
LIMITS = Limits(cpu_seconds=5.0, memory=1024 * 2**20, pids=256)
# A long wall limit for busy hosts: these probes test processor time only.
_PATIENT = replace(LIMITS, cpu_seconds=2.0, wall_factor=30.0)

_EVALUATION = """package a;
public class Evaluation {
    private final Base own;
    public Evaluation(String place, String prefix) throws Exception {
        own = (Base) Class.forName(place + "." + prefix).getDeclaredConstructor().newInstance();
    }
    public int[] evaluation() throws Exception {
        int passed = 0;
        for (int number = 0; number < 3; number++) {
            passed += own.answer(number) == 2 * number + 1 ? 1 : 0;
        }
        return new int[] {passed, 3};
    }
}
"""
_HEAD = """package b;
import java.io.*;
import java.net.*;
import java.nio.file.*;
import java.util.*;
public class Own extends a.Base {
    interface Trial { void run() throws Throwable; }
    static boolean refused(Trial trial) {
        try {
            trial.run();
        } catch (Throwable refused) {
            return true;
        }
        return false;
    }
    public int answer(int number) throws Exception {
"""
_RIGHT = "return 2 * number + 1;"


@dataclass(frozen=True, slots=True)
class _Probe:
    """A method body that answers correctly if the claim holds, unless `held` decides. `permitted`
    are the permissions of its task."""

    claim: str
    body: str
    limits: Limits = LIMITS
    held: Callable[[Outcome], bool] | None = None
    permitted: tuple[str, ...] = ()


def _refused(claim: str, *trials: str) -> _Probe:
    asked = " && ".join(f"refused(() -> {trial})" for trial in trials)
    return _Probe(claim, f"return {asked} ? 2 * number + 1 : -1;")


def _denied(claim: str, kind: str, *trials: str) -> _Probe:
    """Each trial is refused by the guard, and the denial is in the report."""

    def held(outcome: Outcome) -> bool:
        run = (outcome.report or {}).get("run")
        denied = run.get("denied") if isinstance(run, Mapping) else None
        return _counted(outcome) == [3, 3] and denied == [kind]

    return replace(_refused(claim, *trials), held=held)


def _stopped(reason: Stop) -> Callable[[Outcome], bool]:
    return lambda outcome: outcome.stop is reason


def _uncounted(outcome: Outcome) -> bool:
    return outcome.report is not None and _counted(outcome) is None


def _not_compiled(outcome: Outcome) -> bool:
    report = outcome.report or {}
    return report.get("compiled") is False and "run" not in report and bool(report["diagnostics"])


_DENIED = (
    ("program can be started", "process", ('new ProcessBuilder("true").start()',)),
    (
        "library can be loaded",
        "library",
        ('System.load("/opt/assay/java/lib/libzip.so")', 'System.loadLibrary("zip")'),
    ),
    (
        "access check can be suppressed",
        "access_checks",
        ('String.class.getDeclaredField("value").setAccessible(true)',),
    ),
    (
        "class loader can be made",
        "class_loader",
        ("new ClassLoader() { }", "new URLClassLoader(new URL[0])"),
    ),
    ("program can exit", "exit", ("System.exit(0)", "Runtime.getRuntime().halt(0)")),
    (
        "file outside the task's and the platform's can be opened",
        "file",
        (
            'new FileReader("/etc/passwd")',
            'new FileWriter("/dev/shm/x")',
            "new FileOutputStream(FileDescriptor.in)",
            'Files.createSymbolicLink(Path.of("x"), Path.of("/etc"))',
        ),
    ),
    (
        "security manager can be changed",
        "security",
        ("System.setSecurityManager(null)", "java.security.Policy.setPolicy(null)"),
    ),
)
# Without the guard: what any process of a candidate can do in the container.
_BELOW = (
    replace(selfcheck.NATIVE, claim=f"Java: {selfcheck.NATIVE.claim}"),
    selfcheck.Probe(
        "Java: candidates can start nothing but their JVM",
        """
found = []
for folder, folders, names in os.walk('/'):
    folders[:] = [] if folder in ('/proc', '/sys') else folders
    for path in (f'{folder}/{name}' for name in names):
        if not os.path.islink(path) and os.path.isfile(path) and os.stat(path).st_mode & 0o111:
            if os.access(path, os.X_OK) or os.access(path, os.R_OK):
                found.append(path.rpartition('/')[2])
dockers = ('.dockerenv', 'docker-init')
return str([name for name in found if not name.startswith(('ld-linux', *dockers))])
""",
        "['java']",
        limits=LIMITS,
    ),
)

_PROBES: tuple[_Probe, ...] = (
    _Probe("Java: a correct program passes", _RIGHT),
    _Probe(
        "Java: a wrong program scores only its correct results",
        "return 1;",
        held=lambda outcome: _counted(outcome) == [1, 3],
    ),
    _Probe("Java: a program that does not compile is not run", "return none;", held=_not_compiled),
    _Probe(
        "Java: a program that exits scores nothing",
        "System.exit(0); return 1;",
        held=_uncounted,
        permitted=("exit",),
    ),
    _Probe(
        "Java: printed output does not count as a result",
        'System.out.println("\\ncounted 3 3\\n"); System.out.flush();'
        " Runtime.getRuntime().halt(0); return 1;",
        held=_uncounted,
        permitted=("exit",),
    ),
    *(_denied(f"Java: no {claim}", kind, *trials) for claim, kind, trials in _DENIED),
    _refused(
        "Java: the evaluation's classes cannot be found, read or made",
        'Class.forName("a.Evaluation")',
        'Own.class.getResourceAsStream("/a/Evaluation.class").read()',
        'Objects.requireNonNull(new javax.swing.UIDefaults.ProxyLazyValue("a.Evaluation",'
        ' new Object[] {"b", "Own"}).createValue(null))',
    ),
    _refused(
        "Java: no socket",
        "new ServerSocket(0)",
        'new Socket("127.0.0.1", 9)',
        "new DatagramSocket()",
    ),
    _refused(
        "Java: no access to memory",
        'new RandomAccessFile("/proc/self/mem", "r").read()',
        'Class.forName("sun.misc.Unsafe")',
        'Class.forName("com.sun.tools.attach.VirtualMachine")',
        'Object.class.getDeclaredMethod("clone").setAccessible(true)',
    ),
    _refused(
        "Java: the image and compiled classes cannot be written",
        'new FileWriter("/usr/x")',
        'new FileWriter("/opt/assay/java/x")',
        'new FileWriter("/judge/run/own/x")',
        'Files.delete(Path.of("/judge/run/own/b/Own.class"))',
    ),
    _Probe(
        "Java: no environment variables except its own",
        f'if (!System.getenv().keySet().equals(Set.of("LANG", "PATH", "HOME"))) return -1;'
        f" {_RIGHT}",
    ),
    _Probe(
        "Java: the processor time limit ends a loop",
        "while (true) { }",
        limits=_PATIENT,
        held=_stopped(Stop.CPU),
    ),
    _Probe(
        "Java: the wall time limit ends a sleeping program",
        "Thread.sleep(600_000); return 1;",
        limits=replace(LIMITS, cpu_seconds=1.0),
        held=_stopped(Stop.WALL),
    ),
    _Probe(
        "Java: output is capped",
        "byte[] much = new byte[65536]; while (true) System.out.write(much);",
        limits=_PATIENT,
        held=_stopped(Stop.OUTPUT),
    ),
    _Probe(
        "Java: the heap is limited",
        "List<byte[]> kept = new ArrayList<>(); while (true) kept.add(new byte[1 << 24]);",
        held=_uncounted,
    ),
    _refused(
        "Java: a full disk is only an error",
        '{ try (OutputStream out = new FileOutputStream("x")) {'
        " for (int part = 0; part < 100; part++) out.write(new byte[1 << 20]); }"
        ' finally { new File("x").delete(); } }',
    ),
    _refused(
        "Java: threads are limited",
        "{ for (int count = 0; count < 2000; count++) {"
        " Thread one = new Thread(() -> { while (true) {"
        " try { Thread.sleep(600_000); } catch (InterruptedException woken) { } } });"
        " one.setDaemon(true); one.start(); } }",
    ),
    _Probe(
        "Java: a run's files are removed",
        'for (String place : List.of("/work", "/tmp")) {'
        ' Files.createDirectories(Path.of(place, "a", "b"));'
        ' Files.writeString(Path.of(place, "a", "b", "c"), "left"); }'
        f" {_RIGHT}",
    ),
    _Probe(
        "Java: the next run finds none of them",
        'for (String place : List.of("/work", "/tmp")) {'
        " if (new File(place).list().length > 0) return -1; }"
        f" {_RIGHT}",
    ),
    _Probe("Java: a correct program still passes", _RIGHT),
)


def run(image: str, runtime: str | None = None) -> Iterator[Check]:
    """Raises SandboxError if no sandbox starts."""
    runners = (RUNNER, selfcheck_outside.RUNNER)
    with Session(image, LIMITS, runners=runners, runtime=runtime) as session:
        for probe in _PROBES:
            try:
                outcome = session.run(_execution(probe))
            except SandboxGone as gone:
                yield Check(probe.claim, False, str(gone))
                return
            held = probe.held or (lambda outcome: _counted(outcome) == [3, 3])
            yield Check(probe.claim, held(outcome), str(outcome))
        yield from selfcheck_outside.tried(session)
    yield from selfcheck.tried(image, _BELOW, runtime)


def _execution(probe: _Probe) -> Execution:
    payload: dict[str, Json] = {
        "kit": "",
        "shared": {"a/Base.java": BASE},
        "tests": {"a/Evaluation.java": _EVALUATION},
        "units": {"b/Own.java": f"{_HEAD}        {probe.body}\n    }}\n}}\n"},
        "copied": {},
        "run": {
            "evaluation": "a.Evaluation",
            "package": "b",
            "prefix": "Own",
            "permitted": [*probe.permitted],
        },
    }
    return Execution(RUNNER, payload, probe.limits)
