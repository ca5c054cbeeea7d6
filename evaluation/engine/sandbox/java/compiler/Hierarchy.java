package assay.compiler;

import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import jdk.internal.org.objectweb.asm.ClassReader;

/** The types above a class: first the generation's own, then the libraries' and the platform's. */
final class Hierarchy {
    private final Map<String, byte[]> own;
    private final ClassLoader others;

    /** Classes are loaded with `others`, but never initialised. */
    Hierarchy(Map<String, byte[]> own, ClassLoader others) {
        this.own = own;
        this.others = others;
    }

    boolean isOwn(String name) {
        return own.containsKey(name);
    }

    /** The class itself, or its nearest superclass that is not the generation's own. */
    String platformsOf(String name) {
        while (own.containsKey(name)) {
            name = new ClassReader(own.get(name)).getSuperName();
        }
        return name;
    }

    /** All types above a class, the generation's own and others. */
    Set<String> above(String name) {
        Set<String> found = new LinkedHashSet<>();
        addAbove(name, found);
        return found;
    }

    private void addAbove(String name, Set<String> found) {
        if (own.containsKey(name)) {
            ClassReader read = new ClassReader(own.get(name));
            Stream.concat(Stream.of(read.getSuperName()), Arrays.stream(read.getInterfaces()))
                    .filter(found::add)
                    .forEach(each -> addAbove(each, found));
            return;
        }
        Set<Class<?>> platforms = new LinkedHashSet<>();
        add(loaded(name), platforms);
        platforms.forEach(each -> found.add(slashed(each)));
    }

    /** The types that are not the generation's, from this one upwards, that declare the method. */
    Stream<String> declaring(String name, String method, String type) {
        Set<Class<?>> above = new LinkedHashSet<>();
        add(loaded(platformsOf(name)), above);
        return above.stream()
                .filter(each -> declares(each, method, type))
                .map(Hierarchy::slashed);
    }

    private static String slashed(Class<?> type) {
        return type.getName().replace('.', '/');
    }

    private static boolean declares(Class<?> type, String method, String wanted) {
        try {
            return Arrays.stream(type.getDeclaredMethods())
                    .filter(each -> each.getName().equals(method))
                    .map(each ->
                            MethodType.methodType(each.getReturnType(), each.getParameterTypes()))
                    .anyMatch(each -> each.toMethodDescriptorString().equals(wanted));
        } catch (LinkageError e) {
            // A library's class may have methods whose types are in no jar.
            return false;
        }
    }

    private static void add(Class<?> type, Set<Class<?>> above) {
        if (type != null && above.add(type)) {
            add(type.getSuperclass(), above);
            Arrays.stream(type.getInterfaces()).forEach(each -> add(each, above));
        }
    }

    private Class<?> loaded(String name) {
        try {
            return Class.forName(name.replace('/', '.'), false, others);
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }
}
