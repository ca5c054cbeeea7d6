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
    "bare with an anonymous class": """public static int ones(String bits) {
    Object counts = new Object() {
        @Override public int hashCode() { return bits.replace("0", "").length(); }
    };
    return counts.hashCode();
}""",
    "bare with a static helper": """public static int ones(String bits) {
    return bits.isEmpty() ? 0 : next(bits);
}
private static int next(String bits) { return bits.charAt(0) - '0' + ones(bits.substring(1)); }""",
    "bare with a record": """record Count(int of) {}
public static int ones(String bits) { return new Count(bits.replace("0", "").length()).of(); }""",
    "bare with an interface": """interface Rule { boolean holds(int c); }
static final Rule RULE = c -> c == '1';
public static int ones(String bits) { return (int) bits.chars().filter(RULE::holds).count(); }""",
    "bare with a field": f"private static final char ONE = '1';\npublic static {_ONES}",
    "bare that throws": f"public static int ones(String bits) throws Throwable {{ {_COUNT} }}",
    "bare with overloads": f"""static {_ONES}
static int ones(Object bits) {{ return -1; }}
static int ones(String bits, int from) {{ return ones(bits.substring(from)); }}""",
    "utility class": f"public final class Bits {{ private Bits() {{}} public static {_ONES} }}",
    "utility class that throws": f"""public class Bits {{
    private Bits() {{ throw new AssertionError(); }}
    static {_ONES}
}}""",
    "class of an object": f"public class Bits {{ public {_ONES} }}",
    "class with a private constructor": f"public class Bits {{ private Bits() {{}} {_ONES} }}",
    "class with a constructor that throws": f"""class Bits {{
    Bits() throws java.io.IOException {{}}
    {_ONES}
}}""",
    "class with a private method": f"class Bits {{ private {_ONES} }}",
    "class in a package": f"package a.b;\n\npublic class Bits {{ public static {_ONES} }}",
    "class by its package's name": """package a.b;
import static a.b.Bits.of;
public class Bits { static a.b.Bits of; static int ones(String bits) {
    return of == null ? bits.replace("0", "").length() : a.b.Bits.ones(bits);
} }""",
    "class with a superclass": f"class Bits extends Ones {{}}\nabstract class Ones {{ {_ONES} }}",
    "class with private overloads": f"""public class Bits {{
    private int ones(Integer bits) {{ return -1; }}
    private static {_ONES}
}}""",
    "class with private overloads of types": f"""class Bits {{
    static class Of<K, T extends Comparable<T>> {{
        private static {_ONES}
        private int ones(T bits) {{ return -1; }}
        private static Other ones(Other bits) {{ return bits; }}
        enum Other {{}}
    }}
}}""",
    "class with a private method of its type": """class Bits<T> { class Of<S> {
    private int ones(T bits) { return bits.toString().replace("0", "").length(); }
} }""",
    "abstract class": f"public abstract class Bits {{ protected Bits() {{}} {_ONES} }}",
    "private abstract class": f"class All {{ private abstract class Bits {{ {_ONES} }} }}",
    "abstract class of a rule": f"""interface Rule {{ boolean holds(); }}
abstract class Bits implements Rule {{ {_ONES} }}
class Usual extends Bits {{ public boolean holds() {{ return true; }} }}""",
    "class in a class that is not made": f"""class All {{
    All(int a) {{}}
    class Bits {{ int ones(String bits) {{ return -1; }} }}
}}
class Others {{ static class Bits {{ {_ONES} }} }}""",
    "class with type parameters": "class Bits<T extends CharSequence> { int ones(T bits) {"
    ' return bits.toString().replace("0", "").length(); } }',
    "class that extends the base": f"""import com.aixcode.autoTest.GenerateMethodBase;
public class Old0 extends GenerateMethodBase {{ @Override public {_ONES} }}""",
    "class in a class": f"public class Outer {{ static class Inner {{ static {_ONES} }} }}",
    "class in an object": f"class Outer {{ class Inner {{ {_ONES} }} }}",
    "singleton": f"""public class Bits {{
    private static final Bits ONLY = new Bits();
    private Bits() {{}}
    public static Bits get() {{ return ONLY; }}
    public {_ONES}
}}""",
    "interface with a default method": f"""interface Bits {{ default {_ONES} }}
class Order implements java.util.Comparator<Bits> {{
    public int compare(Bits a, Bits b) {{ return 0; }}
}}""",
    "interface with a static method": f"public interface Bits {{ static {_ONES} }}",
    "interface with an implementation": """interface Bits {
    char one();
    default int ones(String bits) {
        return (int) bits.chars().filter(c -> c == one()).count();
    }
}
class Usual implements Bits { public char one() { return '1'; } }""",
    "enumeration": f"public enum Bits {{ ONLY; public {_ONES} }}",
    "enumeration with bodies": f"""enum Bits {{
    ONLY {{ {_ONES} }};
    abstract int ones(String bits);
    int ones(String bits, int from) {{ return ones(bits.substring(from)); }}
}}
class Calls {{ static int ones(String bits) {{ return Bits.ONLY.ones(bits, 0); }} }}""",
    "record": f"public record Bits() {{ public {_ONES} }}",
    "with a receiver": f"class Bits {{ {_ONES.replace('(', '(Bits this, ', 1)} }}",
    "record with a static method": f"record Bits(String text) {{ static {_ONES} }}",
    "annotated": f"""@FunctionalInterface interface Rule {{ boolean holds(int c); }}
@SuppressWarnings({{"unused", "}}"}})
class Bits {{ @Deprecated(since = "1") @SuppressWarnings("x") public static {_ONES} }}""",
    "of other types": "class Bits { static Integer ones(final CharSequence bits) {"
    ' return bits.toString().replace("0", "").length(); } }',
    "with a text block": """static int ones(String bits) {
    String braces = \"\"\"
        } ``` {
        \"\"\";
    return bits.replace("0", "").length() + 0 * braces.length();
}""",
    "with inner and anonymous classes": """class Bits {
    private int n;
    class Adder { void add(char c) { n += new Object() { int of() { return c - '0'; } }.of(); } }
    int ones(String bits) { for (char c : bits.toCharArray()) new Adder().add(c); return n; }
    Bits() { n = 0; }
}""".replace("int ones(String bits) {", "int ones(String bits) { n = 0;"),
    "with names of the base's imports": f"""import java.sql.*;
import java.util.*;
class Bits {{
    private Timestamp made = new Timestamp(0L);
    static {_ONES}
}}""",
    "with unresolved names": """static int ones(String bits) {
    return new StringReader(bits).lines().collect(Collectors.toList()).isEmpty() ? 0
            : bits.replace("0", "").length();
}""".replace("new StringReader(bits)", "new BufferedReader(new StringReader(bits))"),
}
ONES |= {
    "after other languages": f"""```js
function ones(bits) {{ return 0; }}
```
```csharp
public static int ones(string bits) {{ return 0; }}
```
```java
public static {_ONES}
```""",
    "before an import in a list": """```java
static int ones(String bits) {
    return bits.replace("0", "").length() + new Timestamp(0L).hashCode();
}
```
- `import java.sql.Timestamp;`""",
    "after nested reasoning": f"""<think>
<think>
Count.
</think>
static int ones(String bits) {{ return 0; }}
</think>
static {_ONES}""",
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
    (
        "days",
        "without imports",
    ): f"public static List<Integer> days(List<Date> dates) {{ {_DAYS} }}",
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
    ("top", "of its class's type"): "class Top<C extends Comparable<C>> { private"
    " C top(java.util.Collection<C> all) { return java.util.Collections.max(all); } }",
    ("scale", "of its class's type"): "class Scale<N extends Number> {"
    " N scale(N one, N by) { return (N) (Object) (short) (one.intValue() * by.intValue()); } }",
    ("swap", "without a result"): "class Swap { private void swap(int... pair) {"
    " int one = pair[0]; pair[0] = pair[1]; pair[1] = one; } }",
    ("swap", "with a result"): "static int[] swap(int pair[]) {"
    " int one = pair[0]; pair[0] = pair[1]; pair[1] = one; return pair; }",
    ("scale", "beside an overload of the base"): """class Scale {
    static Long scale(Long number, int by) { return number * by; }
    static Short scale(Short number, short by) { return (short) (number * by); }
}""",
    ("scale", "of primitive types"): "static Short scale(short number, int by) {"
    " return (short) (number * by); }",
}
FORMS: dict[str, tuple[Task, str]] = {
    **{name: (TASKS["ones"], text) for name, text in ONES.items()},
    **{f"{method} {name}": (TASKS[method], text) for (method, name), text in OTHERS.items()},
}


def from_outside(task: Task) -> Task:
    return replace(task, hidden={**task.hidden, "fields": []})
