"""Right answers of unlike forms, each of which javac accepts by itself or as members of a class."""

from dataclasses import replace

from evaluation.engine.families.aixbench_auto.declarations import method_of
from evaluation.engine.records import Task

_BASE = """package com.aixcode.autoTest;

import java.awt.*;
import java.util.List;
import java.util.*;

public abstract class GenerateMethodBase {
    public int ones(String bits) throws Exception { throw new RuntimeException("none"); }
    public List<Integer> days(List<Date> dates) throws Exception {
        throw new RuntimeException("none");
    }
    public <T extends Comparable<T>> T top(Collection<T> all) throws Exception {
        throw new RuntimeException("none");
    }
    public void swap(int[] pair) throws Exception { throw new RuntimeException("none"); }
    public Long scale(Long number, int by) throws Exception { throw new RuntimeException("none"); }
    public Short scale(Short number, short by) throws Exception {
        throw new RuntimeException("none");
    }
}
"""
_EVALUATION = """package com.aixcode.autoTest.evaluation;

import com.aixcode.autoTest.GenerateMethodBase;
import java.util.*;

public class Evaluation{id} {{
    private final GenerateMethodBase solution;

    public Evaluation{id}(String basePackage, String prefix) throws Exception {{
        solution = (GenerateMethodBase) Class.forName(basePackage + "." + prefix + "{id}")
                .getDeclaredConstructor().newInstance();
    }}

    public int[] evaluation() throws Exception {{
        int passed = 0;
        {checks}
        return new int[] {{passed, 2}};
    }}
}}
"""
_CHECKS = {
    "static int ones(String bits)": (
        'passed += solution.ones("10110") == 3 ? 1 : 0;passed += solution.ones("") == 0 ? 1 : 0;'
    ),
    "static List<Integer> days(List<Date> dates)": (
        "List<Date> dates = new ArrayList<>(List.of(new Date(86400000L), new Date(0L)));"
        "passed += solution.days(dates).equals(List.of(1, 0)) ? 1 : 0;"
        "passed += solution.days(new ArrayList<>()).isEmpty() ? 1 : 0;"
    ),
    "static <T extends Comparable<T>> T top(Collection<T> all)": (
        'passed += solution.top(List.of("a", "c", "b")).equals("c") ? 1 : 0;'
        "passed += solution.top(Set.of(4)) == 4 ? 1 : 0;"
    ),
    "static void swap(int[] pair)": (
        "int[] pair = {1, 2}; solution.swap(pair);"
        "passed += pair[0] == 2 ? 1 : 0; passed += pair[1] == 1 ? 1 : 0;"
    ),
    "static Short scale(Short number, short by)": (
        "passed += solution.scale((short) 3, (short) 4) == 12 ? 1 : 0;"
        "passed += solution.scale((short) -1, (short) 4) == -4 ? 1 : 0;"
    ),
}
_IMPORTS = ["import java.awt.*;", "import java.util.List;", "import java.util.*;"]
_ON_DEMAND = ["import java.io.*;", "import java.security.*;", "import java.util.stream.*;"]


def _task(id: int, signature: str, checks: str) -> Task:
    public = {"raw_nl": "", "signature": f"public {signature}"}
    hidden = {
        "evaluation": _EVALUATION.format(id=id, checks=checks),
        "imports": [*_IMPORTS, *_ON_DEMAND],
        "kit": "",
        "fields": None,
        "base": {"com/aixcode/autoTest/GenerateMethodBase.java": _BASE},
    }
    name = method_of(public["signature"]).name
    return Task(id, public={**public, "entry_point": name}, hidden=hidden, language="java")


TASKS = {
    task.public["entry_point"]: task
    for task in (_task(id, *pair) for id, pair in enumerate(_CHECKS.items()))
}
_COUNT = "int n = 0; for (char c : bits.toCharArray()) n += c == '1' ? 1 : 0; return n;"
_ONES = f"int ones(String bits) {{ {_COUNT} }}"
_DAYS = """List<Integer> found = new ArrayList<>();
        for (Date each : dates) found.add((int) (each.getTime() / 86400000L));
        return found;"""

ONES = {
    "bare static": f"public static {_ONES}",
    "bare of an object": f"public {_ONES}",
    "bare with @Override": f"@Override\npublic {_ONES}",
    "bare that throws": f"public static int ones(String bits) throws Throwable {{ {_COUNT} }}",
    "bare with overloads": f"""static {_ONES}
static int ones(Object bits) {{ return -1; }}
static int ones(String bits, int from) {{ return ones(bits.substring(from)); }}""",
    "utility class": f"public final class Bits {{ private Bits() {{}} public static {_ONES} }}",
    "class with a private constructor": f"public class Bits {{ private Bits() {{}} {_ONES} }}",
    "class with a constructor that throws": f"""class Bits {{
    Bits() throws java.io.IOException {{}}
    {_ONES}
}}""",
    "class with a private method": f"class Bits {{ private {_ONES} }}",
    "class in a package": f"package a.b;\n\npublic class Bits {{ public static {_ONES} }}",
    "class with a superclass": f"class Bits extends Ones {{}}\nabstract class Ones {{ {_ONES} }}",
    "class with type parameters": "class Bits<T extends CharSequence> { int ones(T bits) {"
    ' return bits.toString().replace("0", "").length(); } }',
    "class that extends the base": f"""import com.aixcode.autoTest.GenerateMethodBase;
public class Old0 extends GenerateMethodBase {{ @Override public {_ONES} }}""",
    "class in an object": f"class Outer {{ class Inner {{ {_ONES} }} }}",
    "interface with a default method": f"interface Bits {{ default {_ONES} }}",
    "interface with an implementation": """interface Bits {
    char one();
    default int ones(String bits) {
        return (int) bits.chars().filter(c -> c == one()).count();
    }
}
class Usual implements Bits { public char one() { return '1'; } }""",
    "enumeration with bodies": f"""enum Bits {{
    ONLY {{ {_ONES} }};
    abstract int ones(String bits);
    int ones(String bits, int from) {{ return ones(bits.substring(from)); }}
}}
class Calls {{ static int ones(String bits) {{ return Bits.ONLY.ones(bits, 0); }} }}""",
    "with a receiver": f"class Bits {{ {_ONES.replace('(', '(Bits this, ', 1)} }}",
    "record with a static method": f"record Bits(String text) {{ static {_ONES} }}",
    "of other types": "class Bits { static Integer ones(final CharSequence bits) {"
    ' return bits.toString().replace("0", "").length(); } }',
    "with unresolved names": """static int ones(String bits) {
    return new StringReader(bits).lines().collect(Collectors.toList()).isEmpty() ? 0
            : bits.replace("0", "").length();
}""".replace("new StringReader(bits)", "new BufferedReader(new StringReader(bits))"),
}
ONES |= {
    f"class named {name}": f"class {name} {{}}\npublic class Bits {{ static {_ONES} }}"
    for name in ("Override", "Throwable", "RuntimeException", "Exception")
}
OTHERS = {
    ("days", "beside classes with the signature's names"): """class List {}
public class Date { java.util.List<Integer> days(java.util.List<java.util.Date> dates) {
    java.util.List<Integer> found = new java.util.ArrayList<>();
    for (java.util.Date each : dates) found.add((int) (each.getTime() / 86400000L));
    return found;
} }""",
    ("days", "with imports that clash with the signature's"): """import java.awt.*;
import java.sql.*;
class Days {
    static java.util.List<Integer> days(java.util.List<java.util.Date> dates) {
        java.util.List<Integer> found = new java.util.ArrayList<>();
        for (java.util.Date each : dates) found.add((int) (each.getTime() / 86400000L));
        return found;
    }
}""",
    ("days", "of wider types"): """import java.util.*;
class Days {
    static ArrayList<Integer> days(Iterable<? extends Date> dates) {
        ArrayList<Integer> found = new ArrayList<>();
        for (Date each : dates) found.add((int) (each.getTime() / 86400000L));
        return found;
    }
}""",
    ("days", "in a private generic class"): f"""import java.util.*;
public class Days {{
    private static class Of<T> {{ private List<Integer> days(List<Date> dates) {{ {_DAYS} }} }}
}}""",
    ("top", "generic"): "static <T extends Comparable<T>> T top(Collection<T> all) {"
    " return Collections.max(all); }",
    ("top", "of other parameters"): "class Top { private static <E extends Comparable<? super E>> E"
    " top(java.util.Collection<? extends E> all) { return java.util.Collections.max(all); } }",
    ("swap", "with a result"): "static int[] swap(int pair[]) {"
    " int one = pair[0]; pair[0] = pair[1]; pair[1] = one; return pair; }",
    ("scale", "beside an overload of the base"): """class Scale {
    static Long scale(Long number, int by) { return number * by; }
    static Short scale(Short number, short by) { return (short) (number * by); }
}""",
}
FORMS: dict[str, tuple[Task, str]] = {
    **{name: (TASKS["ones"], text) for name, text in ONES.items()},
    **{f"{method} {name}": (TASKS[method], text) for (method, name), text in OTHERS.items()},
}


def from_outside(task: Task) -> Task:
    return replace(task, hidden={**task.hidden, "fields": []})
