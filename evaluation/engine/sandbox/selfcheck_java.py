"""The conformance list of the Java sandbox: the compiler, a right and a wrong program, and what a
class may not do inside its JVM. selfcheck covers what the kernel refuses to every process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from evaluation.engine.records import Execution, Json, Limits, Outcome, Stop
from evaluation.engine.sandbox import selfcheck, selfcheck_outside
from evaluation.engine.sandbox.selfcheck import Check, Probe
from evaluation.engine.sandbox.selfcheck_outside import (
    BASE,
    EVALUATION,
    LIMITS,
    OWN,
    all_right,
    counted,
)

RUNNER = "java_class"
RUNNERS = (RUNNER, selfcheck_outside.RUNNER)
# A long wall limit for busy hosts: these probes test processor time only.
_PATIENT = replace(LIMITS, cpu_seconds=2.0, wall_factor=30.0)

_RIGHT = "return 2 * number + 1;"


def _answering(
    claim: str,
    body: str,
    *,
    limits: Limits = LIMITS,
    held: Callable[[Outcome], bool] = all_right,
    permitted: tuple[str, ...] = (),
) -> Probe:
    """A method body that answers correctly if the claim holds, unless `held` decides. `permitted`
    are the permissions of its task."""
    judging = {"evaluation": "a.Evaluation", "package": "b", "prefix": "Own"}
    payload: dict[str, Json] = {
        "kit": "",
        "shared": {"a/Base.java": BASE},
        "tests": {"a/Evaluation.java": EVALUATION},
        "units": {"b/Own.java": OWN.replace("MEMBERS", "").replace("BODY", body)},
        "copied": {},
        "run": {**judging, "permitted": [*permitted]},
    }
    return Probe(f"Java: {claim}", Execution(RUNNER, payload, limits), held)


def _refused(
    claim: str,
    *trials: str,
    held: Callable[[Outcome], bool] = all_right,
    permitted: tuple[str, ...] = (),
) -> Probe:
    refused = " && ".join(f"refused(() -> {trial})" for trial in trials)
    body = f"return {refused} ? 2 * number + 1 : -1;"
    return _answering(claim, body, held=held, permitted=permitted)


def _denied(kind: str, claim: str, *trials: str, permitted: tuple[str, ...] = ()) -> Probe:
    """Each trial is refused by the guard, and the denial is in the report."""

    def held(outcome: Outcome) -> bool:
        run = (outcome.report or {}).get("run")
        denied = run.get("denied") if isinstance(run, Mapping) else None
        return all_right(outcome) and denied == [kind]

    return _refused(f"no {claim}", *trials, held=held, permitted=permitted)


def _uncompiled(outcome: Outcome) -> bool:
    report = outcome.report or {}
    return report.get("compiled") is False and "run" not in report and bool(report["diagnostics"])


def _uncounted(outcome: Outcome) -> bool:
    return outcome.report is not None and counted(outcome) is None


# For each permission: what is refused without it.
_DENIED = {
    "process": ("program can be started", 'new ProcessBuilder("true").start()'),
    "library": (
        "library can be loaded",
        'System.load("/opt/assay/java/lib/libzip.so")',
        'System.loadLibrary("zip")',
    ),
    "access_checks": (
        "access check can be suppressed",
        'String.class.getDeclaredField("value").setAccessible(true)',
    ),
    "class_loader": (
        "class loader can be made",
        "new ClassLoader() { }",
        "new URLClassLoader(new URL[0])",
    ),
    "exit": ("program can exit", "System.exit(0)", "Runtime.getRuntime().halt(0)"),
    "file": (
        "file outside the task's and the platform's can be opened",
        'new FileReader("/etc/passwd")',
        'new FileWriter("/dev/shm/x")',
        "new FileOutputStream(FileDescriptor.in)",
        'Files.createSymbolicLink(Path.of("x"), Path.of("/etc"))',
    ),
    "security": (
        "security manager can be changed",
        "System.setSecurityManager(null)",
        "java.security.Policy.setPolicy(null)",
    ),
}
# Without the guard: what any process of a candidate can do in the container.
_BELOW = (
    replace(selfcheck.NATIVE, claim=f"Java: {selfcheck.NATIVE.claim}"),
    selfcheck.calling(
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

_PROBES: tuple[Probe, ...] = (
    _answering("a correct program passes", _RIGHT),
    _answering(
        "a wrong program scores only its correct results",
        "return 1;",
        held=lambda outcome: counted(outcome) == [1, 3],
    ),
    _answering("a program that does not compile is not run", "return none;", held=_uncompiled),
    _answering(
        "a program that exits scores nothing",
        "System.exit(0); return 1;",
        held=_uncounted,
        permitted=("exit",),
    ),
    _answering(
        "printed output does not count as a result",
        'System.out.println("\\ncounted 3 3\\n"); System.out.flush();'
        " Runtime.getRuntime().halt(0); return 1;",
        held=_uncounted,
        permitted=("exit",),
    ),
    *(_denied(kind, *words) for kind, words in _DENIED.items()),
    _refused(
        "the evaluation's classes cannot be found, read or made",
        'Class.forName("a.Evaluation")',
        'Own.class.getResourceAsStream("/a/Evaluation.class").read()',
        'Objects.requireNonNull(new javax.swing.UIDefaults.ProxyLazyValue("a.Evaluation",'
        ' new Object[] {"b", "Own"}).createValue(null))',
    ),
    _refused(
        "no socket", "new ServerSocket(0)", 'new Socket("127.0.0.1", 9)', "new DatagramSocket()"
    ),
    _refused(
        "no access to memory",
        'new RandomAccessFile("/proc/self/mem", "r").read()',
        'Class.forName("sun.misc.Unsafe")',
        'new FileInputStream("/proc/self/environ").read()',
        'Class.forName("com.sun.tools.attach.VirtualMachine")',
        'Class.forName("com.sun.management.HotSpotDiagnosticMXBean")',
        'Object.class.getDeclaredMethod("clone").setAccessible(true)',
    ),
    _refused(
        "the image and compiled classes cannot be written",
        'new FileWriter("/usr/x")',
        'new FileWriter("/opt/assay/java/x")',
        'new FileWriter("/judge/run/own/x")',
        'Files.delete(Path.of("/judge/run/own/b/Own.class"))',
    ),
    _answering(
        "no environment variables except its own",
        f'if (!System.getenv().keySet().equals(Set.of("LANG", "PATH", "HOME"))) return -1;'
        f" {_RIGHT}",
    ),
    _answering(
        "the processor time limit ends a loop",
        "while (true) { }",
        limits=_PATIENT,
        held=selfcheck.stopped(Stop.CPU),
    ),
    _answering(
        "the wall time limit ends a sleeping program",
        "Thread.sleep(600_000); return 1;",
        limits=replace(LIMITS, cpu_seconds=1.0),
        held=selfcheck.stopped(Stop.WALL),
    ),
    _answering(
        "output is capped",
        "byte[] much = new byte[65536]; while (true) System.out.write(much);",
        limits=_PATIENT,
        held=selfcheck.stopped(Stop.OUTPUT),
    ),
    _answering(
        "the heap is limited",
        "List<byte[]> kept = new ArrayList<>(); while (true) kept.add(new byte[1 << 24]);",
        held=_uncounted,
    ),
    _refused(
        "a full disk is only an error",
        '{ try (OutputStream out = new FileOutputStream("x")) {'
        " for (int part = 0; part < 100; part++) out.write(new byte[1 << 20]); }"
        ' finally { new File("x").delete(); } }',
    ),
    _refused(
        "threads are limited",
        "{ for (int count = 0; count < 2000; count++) {"
        " Thread one = new Thread(() -> { while (true) {"
        " try { Thread.sleep(600_000); } catch (InterruptedException woken) { } } });"
        " one.setDaemon(true); one.start(); } }",
    ),
    _answering(
        "a run's files are removed",
        'for (String place : List.of("/work", "/tmp")) {'
        ' Files.createDirectories(Path.of(place, "a", "b"));'
        ' Files.writeString(Path.of(place, "a", "b", "c"), "left"); }'
        f" {_RIGHT}",
    ),
    _answering(
        "the next run finds none of them",
        'for (String place : List.of("/work", "/tmp")) {'
        " if (new File(place).list().length > 0) return -1; }"
        f" {_RIGHT}",
    ),
    _answering("a correct program still passes", _RIGHT),
)


def run(image: str, runtime: str | None = None) -> Iterator[Check]:
    """Raises SandboxError if no sandbox starts."""
    probes = (*_PROBES, *selfcheck_outside.PROBES)
    yield from selfcheck.tried(image, probes, runtime, limits=LIMITS, runners=RUNNERS)
    yield from selfcheck.tried(image, _BELOW, runtime)
