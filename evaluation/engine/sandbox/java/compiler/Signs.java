package assay.compiler;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.ClassVisitor;
import jdk.internal.org.objectweb.asm.Handle;
import jdk.internal.org.objectweb.asm.Label;
import jdk.internal.org.objectweb.asm.MethodVisitor;
import jdk.internal.org.objectweb.asm.Opcodes;

/**
 * Finds what in a class could forge a pass: means to look into other objects or up the stack, or to
 * make classes that nothing has examined, and values that decide themselves what they equal.
 */
final class Signs extends ClassVisitor {
    private static final String[] MEANS = {
        "java/lang/StackWalker", "java/lang/instrument/", "java/lang/invoke/", "java/beans/",
        "java/lang/reflect/Proxy", "javax/management/", "java/rmi/", "javax/script/",
        "javax/tools/", "javax/swing/UIDefaults", "java/net/URLClassLoader",
        "java/net/URLStreamHandler", "sun/", "jdk/",
    };
    private static final String FIELD = "java/lang/reflect/Field";
    private static final Map<String, Set<String>> CALLS = Map.of(
            "java/lang/reflect/AccessibleObject", Set.of("setAccessible", "trySetAccessible"),
            "java/lang/reflect/Method", Set.of("invoke"),
            "java/lang/reflect/Constructor", Set.of("newInstance"),
            "java/lang/Thread", Set.of("getStackTrace", "getAllStackTraces"),
            "java/lang/Throwable", Set.of("getStackTrace", "printStackTrace"),
            "java/lang/Module", Set.of("addOpens", "addExports"));
    private static final Set<String> CALLED = CALLS.values().stream()
            .flatMap(Set::stream).collect(Collectors.toSet());
    // Methods that describe a field and do not read its value.
    private static final Set<String> OF_FIELDS = Set.of(
            "getName", "getType", "getModifiers", "getGenericType", "getDeclaringClass",
            "getAnnotation", "getAnnotations", "getDeclaredAnnotations", "getAnnotatedType",
            "isAnnotationPresent", "isEnumConstant", "isSynthetic", "toString", "toGenericString",
            "equals", "hashCode");
    // With any parameters, such as compareTo(BigDecimal).
    private static final Set<String> EQUALITY = Set.of("equals", "hashCode", "compareTo");
    private static final String[] COLLECTIONS = {
        "List", "Set", "Map", "Collection", "Queue", "Deque", "Entry", "Vector", "Stack",
        "Hashtable", "Properties", "Date", "Calendar",
    };
    private static final Set<String> VALUES =
            Set.of("java/lang/CharSequence", "java/lang/Number", "java/math/BigDecimal",
                    "java/math/BigInteger", "java/io/File");

    private static final int MOST_CHARACTERS = 200;

    private final Hierarchy hierarchy;
    private final Map<String, String> found;
    private String type = "";
    private String source = "";
    private boolean value;

    private Signs(Hierarchy hierarchy, Map<String, String> found) {
        super(Opcodes.ASM8);
        this.hierarchy = hierarchy;
        this.found = found;
    }

    /**
     * For each sign its name, and the unit, line and method of its first place, separated by tabs.
     * Other classes are those of the loader.
     */
    static Collection<String> of(Map<String, byte[]> classes, ClassLoader others) {
        Map<String, String> found = new TreeMap<>();
        Hierarchy hierarchy = new Hierarchy(classes, others);
        for (byte[] each : classes.values()) {
            new ClassReader(each).accept(new Signs(hierarchy, found), ClassReader.SKIP_FRAMES);
        }
        return found.values();
    }

    private void add(String sign, String method, int line) {
        int last = type.lastIndexOf('/') + 1;
        String unit = type.substring(0, last) + source;
        String place = cut(type.substring(last) + method);
        found.putIfAbsent(sign, cut(sign) + "\t" + unit + "\t" + line + "\t" + place);
    }

    private static String cut(String text) {
        return text.substring(0, Math.min(text.length(), MOST_CHARACTERS));
    }

    @Override
    public void visit(
            int version, int access, String name, String generic, String of, String[] interfaces) {
        type = name;
        Set<String> above = hierarchy.above(name);
        value = above.stream().anyMatch(Signs::isValue);
        if (value) {
            above.stream().filter(each -> hierarchy.isOwn(each) && !isBelowValue(each))
                    .forEach(each -> add("a value with the methods of " + each, "", 0));
        }
        if (above.contains("java/lang/reflect/InvocationHandler")) {
            add("java.lang.reflect.InvocationHandler", "", 0);
        }
        if (hierarchy.platformsOf(of).endsWith("ClassLoader")) {
            add("a class loader of its own", "", 0);
        }
    }

    @Override
    public void visitSource(String file, String debug) {
        source = file;
    }

    private boolean isBelowValue(String type) {
        return hierarchy.above(type).stream().anyMatch(Signs::isValue);
    }

    private static boolean isValue(String type) {
        for (String each : COLLECTIONS) {
            if (type.startsWith("java/util/") && type.endsWith(each)) {
                return true;
            }
        }
        return VALUES.contains(type);
    }

    @Override
    public MethodVisitor visitMethod(
            int access, String name, String type, String generic, String[] thrown) {
        boolean own = (access & (Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE)) == 0;
        boolean plain = name.startsWith("<") || name.equals("removeEldestEntry");
        boolean decides = own && !plain && (value || EQUALITY.contains(name));
        return new MethodVisitor(Opcodes.ASM8) {
            private boolean written = decides;
            private int first;
            private int line;

            @Override
            public void visitLineNumber(int number, Label start) {
                line = number;
                first = first == 0 ? number : first;
            }

            @Override
            public void visitMethodInsn(
                    int code, String owner, String called, String type, boolean isInterface) {
                calls(owner, called, type);
            }

            private void calls(String owner, String called, String type) {
                if (isMeans(owner, called, type)) {
                    String platforms = hierarchy.platformsOf(owner).replace('/', '.');
                    add(platforms + "." + called, "." + name, line);
                }
            }

            @Override
            public void visitInvokeDynamicInsn(
                    String called, String type, Handle maker, Object... arguments) {
                // The methods that javac generates for a record.
                written &= !maker.getOwner().equals("java/lang/runtime/ObjectMethods");
                for (Object each : arguments) {
                    if (each instanceof Handle) {
                        Handle named = (Handle) each;
                        calls(named.getOwner(), named.getName(), named.getDesc());
                    }
                }
            }

            @Override
            public void visitEnd() {
                if (written) {
                    add("a value with its own " + name, "." + name, first);
                }
            }
        };
    }

    /** `owner` is the static type of a call; a supertype of it may declare the method. */
    private boolean isMeans(String owner, String called, String type) {
        String platforms = hierarchy.platformsOf(owner);
        boolean means = owner.equals(FIELD) && !OF_FIELDS.contains(called);
        // Without an argument it prints to the standard error stream.
        means |= CALLED.contains(called)
                && !(called + type).equals("printStackTrace()V")
                && hierarchy.declaring(owner, called, type).anyMatch(
                        each -> CALLS.getOrDefault(each, Set.of()).contains(called));
        for (String each : MEANS) {
            means |= platforms.startsWith(each);
        }
        return means;
    }
}
