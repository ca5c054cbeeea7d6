"""The conformance list of the Java sandbox: the compiler, a right and a wrong program, and what a
class may not do inside its JVM. selfcheck covers what the kernel refuses to every process. If a
class is judged from outside, its JVM has no security manager; the kernel and the container's
contents are the defence: the last probes try what a class can find out about its judge, and do to
it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from evaluation.engine.records import Execution, Json, Limits, Outcome, Stop
from evaluation.engine.sandbox import selfcheck
from evaluation.engine.sandbox.selfcheck import Check, Probe

RUNNERS = ("java_class", "java_outside")
# Like a family's limits: a JVM by itself takes 0.2 s and 60 MiB.
LIMITS = Limits(cpu_seconds=5.0, memory=1024 * 2**20, pids=256)
BASE = """package a;
public abstract class Base { public abstract int answer(int number) throws Exception; }
"""
# The probes search for the word and must not hold it themselves.
_WORD = "assay-expects-"
EVALUATION = f"""package a;
public class Evaluation {{
    private final Base own;
    public Evaluation(String place, String prefix) throws Exception {{
        own = (Base) Class.forName(place + "." + prefix).getDeclaredConstructor().newInstance();
    }}
    public int[] evaluation() throws Exception {{
        int passed = 0;
        for (int number = 0; number < 3; number++) {{
            String expected = "{_WORD}" + (2 * number + 1);
            passed += expected.endsWith("-" + own.answer(number)) ? 1 : 0;
        }}
        return new int[] {{passed, 3}};
    }}
}}
"""
# MEMBERS and BODY are replaced.
OWN = """package b;
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
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
    MEMBERS
    public int answer(int number) throws Exception {
        BODY
    }
}
"""
_MEMBERS = f"""
    static final String WORD = new StringBuilder("{_WORD[::-1]}").reverse().toString();
    static final long PID = ProcessHandle.current().pid();
    static void search(File place, List<Object> found) {{
        File[] inside = Files.isSymbolicLink(place.toPath()) ? null : place.listFiles();
        for (File each : inside == null ? new File[0] : inside) {{
            search(each, found);
        }}
        if (place.isFile() && text(place.getPath()).contains(WORD)) {{
            found.add(place);
        }}
    }}
    static String text(String file) {{
        try {{
            return new String(Files.readAllBytes(Path.of(file)), StandardCharsets.ISO_8859_1);
        }} catch (IOException refused) {{
            return "";
        }}
    }}
    static List<String> others() {{
        return Stream.of(new File("/proc").list())
                .filter(each -> each.matches("[0-9]+") && Long.parseLong(each) != PID)
                .collect(Collectors.toList());
    }}
    static String user(Object process) {{
        return text("/proc/" + process + "/status").replaceAll("(?s).*\\nUid:\\t([0-9]+).*", "$1");
    }}
"""
_TASK: dict[str, Json] = {
    "kit": "",
    "shared": {"a/Base.java": BASE},
    "tests": {"a/Evaluation.java": EVALUATION},
}
_JUDGING: dict[str, Json] = {"evaluation": "a.Evaluation", "package": "b", "prefix": "Own"}
# A long wall limit for busy hosts: these probes test processor time only.
_PATIENT = replace(LIMITS, cpu_seconds=2.0, wall_factor=30.0)

_RIGHT = "return 2 * number + 1;"


def counted(outcome: Outcome) -> Any:
    run = (outcome.report or {}).get("run")
    return run.get("counted") if isinstance(run, Mapping) else None


def all_right(outcome: Outcome) -> bool:
    return bool(counted(outcome) == [3, 3])


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
    payload: dict[str, Json] = {
        **_TASK,
        "units": {"b/Own.java": OWN.replace("MEMBERS", "").replace("BODY", body)},
        "copied": {},
        "run": {**_JUDGING, "permitted": [*permitted]},
    }
    return Probe(f"Java: {claim}", Execution("java_class", payload, limits), held)


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


def _finding(claim: str, search: str = "", held: Callable[[Outcome], bool] = all_right) -> Probe:
    """`search` adds to `found` what it should not find."""
    body = f"""List<Object> found = new ArrayList<>();
        {search}
        System.out.println(found);
        return found.isEmpty() ? 2 * number + 1 : -1;"""
    named: dict[str, Json] = {"class": "b.Own", "fields": []}
    source = OWN.replace("MEMBERS", _MEMBERS).replace("BODY", body)
    payload: dict[str, Json] = {
        "kit": "",
        "candidate": {"units": {"b/Own.java": source}, "run": named},
        "judge": {**_TASK, "run": {**_JUDGING, **named, "base": "a.Base"}},
    }
    return Probe(f"Java from outside: {claim}", Execution("java_outside", payload, LIMITS), held)


_OUTSIDE_PROBES = (
    _finding("a correct program passes"),
    _finding(
        "a wrong program scores only its correct results",
        "if (true) return 1;",
        lambda outcome: counted(outcome) == [1, 3],
    ),
    _finding(
        "a program that ends its JVM scores nothing",
        "Runtime.getRuntime().halt(0);",
        lambda outcome: "run" in (outcome.report or {}) and counted(outcome) is None,
    ),
    _finding(
        "the class's JVM has no class of the evaluation",
        """
if (!refused(() -> Class.forName("a.Evaluation"))) found.add("class");
found.addAll(Collections.list(ClassLoader.getSystemResources("a/Evaluation.class")));
""",
    ),
    _finding(
        "no file holds an expected value",
        """
for (String place : List.of("/judge", "/work", "/tmp", "/dev/shm")) {
    search(new File(place), found);
}
for (String each : others()) {
    String process = "/proc/" + each + "/";
    String texts = text(process + "cmdline") + text(process + "environ");
    if (texts.contains(WORD)) found.add(each);
}
""",
    ),
    _finding(
        "the class's JVM holds no descriptor except its channel, its output and its own files",
        """
for (File each : new File("/proc/self/fd").listFiles()) {
    try {
        String target = Files.readSymbolicLink(each.toPath()).toString();
        String kind = List.of("socket:", "pipe:", "pipe:", "file").get(
                Math.min(3, Integer.parseInt(each.getName())));
        boolean own = target.startsWith("/opt/assay/java/") || target.startsWith("/judge/run/");
        if (kind.equals("file") ? !own : !target.startsWith(kind)) found.add(target);
    } catch (IOException closed) { }
}
""",
    ),
    _finding(
        "no other process belongs to the class's user",
        'for (String each : others()) if (user(each).equals(user("self"))) found.add(each);',
    ),
    _finding(
        "no other process can be read or signalled",
        """
for (String each : others()) {
    for (String name : List.of("mem", "environ", "maps")) {
        String file = "/proc/" + each + "/" + name;
        if (!refused(() -> new FileInputStream(file).read())) found.add(file);
    }
    if (new File("/proc/" + each + "/fd").list() != null) found.add("fd of " + each);
    Optional<ProcessHandle> other = ProcessHandle.of(Long.parseLong(each));
    if (other.isPresent() && !refused(() -> {
        if (!other.get().destroyForcibly()) throw new IOException();
    })) found.add("a signal to " + each);
}
""",
    ),
    _finding("a correct program still passes"),
)


def run(image: str, runtime: str | None = None) -> Iterator[Check]:
    """Raises SandboxError if no sandbox starts."""
    probes = (*_PROBES, *_OUTSIDE_PROBES)
    yield from selfcheck.tried(image, probes, runtime, limits=LIMITS, runners=RUNNERS)
    yield from selfcheck.tried(image, _BELOW, runtime)
