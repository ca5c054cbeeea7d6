package assay.harness.copies;

import assay.harness.Trusted;
import assay.outside.Kinds;
import assay.outside.Malformed;
import assay.outside.NotPlain;
import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps the method that an evaluation tests from changing the evaluation's objects, and from
 * deciding what its result equals: it gets copies of its arguments, and the evaluation a copy of
 * the result. Copies are objects of the platform's classes. Objects that have no kind, such as
 * streams and beans, are not copied.
 */
public final class Copies {
    private static final Kinds KINDS = new Kinds(null, List.of());
    // The originals of the copies that this thread's last call got, by the copies' identity.
    private static final ThreadLocal<Map<Object, Object>> ORIGINALS =
            ThreadLocal.withInitial(IdentityHashMap::new);
    private static volatile String deciding = "";
    private static volatile boolean changed;

    private Copies() {}

    /** The class of a result that has an equals method of a candidate's; "" if there is none. */
    public static String deciding() {
        return deciding;
    }

    /** Whether a method that returned something has changed the copy of an argument. */
    public static boolean changed() {
        return changed;
    }

    /** Forgets the copies of the last call. */
    public static void begin() {
        ORIGINALS.get().clear();
    }

    /** The argument's copy; the argument itself if the copy is not of the parameter's type. */
    public static Object argument(Object argument, Class<?> type)
            throws ReflectiveOperationException {
        Map<Object, Object> copies = new IdentityHashMap<>();
        Object copy = copied(argument, copies);
        if (!type.isInstance(copy)) {
            return argument;
        }
        copies.forEach((original, made) -> ORIGINALS.get().put(made, original));
        return copy;
    }

    /** The result's copy; the argument itself if the method returns one that it did not change. */
    public static Object result(Object result, Class<?> type) throws ReflectiveOperationException {
        ORIGINALS.get().forEach((copy, original) -> changed |= !isUnchanged(original, copy));
        Object original = ORIGINALS.get().get(result);
        if (original != null && isUnchanged(original, result)) {
            return original;
        }
        Map<Object, Object> copies = new IdentityHashMap<>();
        Object copy = copied(result, copies);
        boolean fits = type.isInstance(copy);
        copies.forEach((object, made) -> note(object, object == made || !fits));
        return fits ? copy : result;
    }

    private static boolean isUnchanged(Object original, Object copy) {
        return original instanceof CharSequence
                ? original.toString().contentEquals((CharSequence) copy)
                : Arrays.deepEquals(new Object[] {original}, new Object[] {copy});
    }

    /** Notes the class of an object that was not copied if a candidate wrote its equals method. */
    private static void note(Object object, boolean isOriginal) {
        try {
            Class<?> type = object.getClass().getMethod("equals", Object.class).getDeclaringClass();
            if (isOriginal && !Trusted.isTrusted(type)) {
                deciding = object.getClass().getName();
            }
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }

    private static Object copied(Object object, Map<Object, Object> copies)
            throws ReflectiveOperationException {
        if (object == null || isValue(object)) {
            return object;
        }
        Object made = copies.get(object);
        if (made == null) {
            try {
                made = object.getClass().isArray() ? array(object, copies) : plain(object, copies);
            } catch (NotPlain | Malformed e) {
                made = object;
            }
            copies.put(object, made);
        }
        return made;
    }

    private static boolean isValue(Object object) {
        Class<?> type = object.getClass();
        String place = type.getPackageName();
        return type.getModule() == Object.class.getModule()
                && !type.isArray()
                && !(object instanceof Appendable)
                && (place.equals("java.lang") || place.equals("java.math")
                        || place.equals("java.util.regex"));
    }

    private static Object array(Object array, Map<Object, Object> copies)
            throws ReflectiveOperationException {
        int length = Array.getLength(array);
        Class<?> type = array.getClass().getComponentType();
        Object made = Array.newInstance(type, length);
        copies.put(array, made);
        System.arraycopy(array, 0, made, 0, length);
        for (int at = 0; at < length && !type.isPrimitive(); at++) {
            Object part = copied(Array.get(array, at), copies);
            if (type.isInstance(part)) {
                Array.set(made, at, part);
            }
        }
        return made;
    }

    private static Object plain(Object object, Map<Object, Object> copies)
            throws NotPlain, Malformed, ReflectiveOperationException {
        String kind = KINDS.of(object);
        Object[] parts = KINDS.parts(kind, object);
        Object shell = KINDS.shell(object);
        if (shell == object) {
            copyAll(parts, copies);
            return KINDS.made(kind, parts);
        }
        copies.put(object, shell);
        copyAll(parts, copies);
        KINDS.fill(kind, shell, parts);
        return shell;
    }

    private static void copyAll(Object[] parts, Map<Object, Object> copies)
            throws ReflectiveOperationException {
        for (int at = 0; at < parts.length; at++) {
            parts[at] = copied(parts[at], copies);
        }
    }
}
