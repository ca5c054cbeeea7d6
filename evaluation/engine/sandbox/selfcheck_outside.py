"""The conformance list of Java judged from outside: what a class can find out about its judge, and
do to it. Its JVM has no security manager; the kernel and the container's contents are the
defence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evaluation.engine.records import Execution, Json, Limits, Outcome
from evaluation.engine.sandbox.selfcheck import Probe

RUNNER = "java_outside"
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


def counted(outcome: Outcome) -> Any:
    run = (outcome.report or {}).get("run")
    return run.get("counted") if isinstance(run, Mapping) else None


def all_right(outcome: Outcome) -> bool:
    return bool(counted(outcome) == [3, 3])


def _finding(claim: str, search: str = "", held: Callable[[Outcome], bool] = all_right) -> Probe:
    """`search` adds to `found` what it should not find."""
    body = f"""List<Object> found = new ArrayList<>();
        {search}
        System.out.println(found);
        return found.isEmpty() ? 2 * number + 1 : -1;"""
    named: dict[str, Json] = {"class": "b.Own", "fields": []}
    judging: dict[str, Json] = {"evaluation": "a.Evaluation", "package": "b", "prefix": "Own"}
    own = OWN.replace("MEMBERS", _MEMBERS).replace("BODY", body)
    payload: dict[str, Json] = {
        "kit": "",
        "candidate": {"units": {"b/Own.java": own}, "run": named},
        "judge": {
            "kit": "",
            "shared": {"a/Base.java": BASE},
            "tests": {"a/Evaluation.java": EVALUATION},
            "run": {**judging, **named, "base": "a.Base"},
        },
    }
    return Probe(f"Java from outside: {claim}", Execution(RUNNER, payload, LIMITS), held)


PROBES = (
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
