"""The conformance list of Java judged from outside: what a class can find out about its judge, and
do to it. Its JVM has no security manager; the kernel and the container's contents are the
defence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.engine.errors import SandboxGone
from evaluation.engine.records import Execution, Json, Limits, Outcome
from evaluation.engine.sandbox.selfcheck import Check
from evaluation.engine.sandbox.session import Session

RUNNER = "java_outside"
BASE = """package a;
public abstract class Base { public abstract int answer(int number) throws Exception; }
"""
# The probes search for the word and must not hold it themselves.
_WORD = "assay-expects-"
_EVALUATION = f"""package a;
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
_OWN = f"""package b;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
public class Own extends a.Base {{
    static final String WORD = new StringBuilder("{_WORD[::-1]}").reverse().toString();
    static final long PID = ProcessHandle.current().pid();
    interface Trial {{ void run() throws Throwable; }}
    static boolean refused(Trial trial) {{
        try {{
            trial.run();
        }} catch (Throwable refused) {{
            return true;
        }}
        return false;
    }}
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
    public int answer(int number) throws Exception {{
        List<Object> found = new ArrayList<>();
        BODY
        System.out.println(found);
        return found.isEmpty() ? 2 * number + 1 : -1;
    }}
}}
"""


@dataclass(frozen=True, slots=True)
class _Probe:
    """A body that adds to `found` what it should not find, unless `held` decides."""

    claim: str
    body: str
    held: Callable[[Outcome], bool]


def counted(outcome: Outcome) -> Any:
    run = (outcome.report or {}).get("run")
    return run.get("counted") if isinstance(run, Mapping) else None


def _all_right(outcome: Outcome) -> bool:
    return bool(counted(outcome) == [3, 3])


_PROBES = tuple(
    _Probe(f"Java from outside: {claim}", body, held)
    for claim, body, held in (
        ("a correct program passes", "", _all_right),
        (
            "a wrong program scores only its correct results",
            "if (true) return 1;",
            lambda outcome: counted(outcome) == [1, 3],
        ),
        (
            "a program that ends its JVM scores nothing",
            "Runtime.getRuntime().halt(0);",
            lambda outcome: "run" in (outcome.report or {}) and counted(outcome) is None,
        ),
        (
            "the class's JVM has no class of the evaluation",
            """
if (!refused(() -> Class.forName("a.Evaluation"))) found.add("class");
found.addAll(Collections.list(ClassLoader.getSystemResources("a/Evaluation.class")));
""",
            _all_right,
        ),
        (
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
            _all_right,
        ),
        (
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
            _all_right,
        ),
        (
            "no other process belongs to the class's user",
            'for (String each : others()) if (user(each).equals(user("self"))) found.add(each);',
            _all_right,
        ),
        (
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
            _all_right,
        ),
        ("a correct program still passes", "", _all_right),
    )
)


def tried(session: Session) -> Iterator[Check]:
    """The session needs the runners of both ways of judging."""
    limits = Limits(cpu_seconds=5.0, memory=1024 * 2**20, pids=256)
    for probe in _PROBES:
        try:
            outcome = session.run(Execution(RUNNER, _payload(probe), limits))
        except SandboxGone as gone:
            yield Check(probe.claim, False, str(gone))
            return
        yield Check(probe.claim, probe.held(outcome), str(outcome))


def _payload(probe: _Probe) -> dict[str, Json]:
    named: dict[str, Json] = {"class": "b.Own", "fields": []}
    judging: dict[str, Json] = {"evaluation": "a.Evaluation", "package": "b", "prefix": "Own"}
    return {
        "kit": "",
        "candidate": {"units": {"b/Own.java": _OWN.replace("BODY", probe.body)}, "run": named},
        "judge": {
            "kit": "",
            "shared": {"a/Base.java": BASE},
            "tests": {"a/Evaluation.java": _EVALUATION},
            "run": {**judging, **named, "base": "a.Base"},
        },
    }
