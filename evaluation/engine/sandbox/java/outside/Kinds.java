package assay.outside;

import java.awt.Point;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.util.AbstractMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.Stack;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Vector;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;

/**
 * The kinds of objects that cross, each as its parts. A kind is the name of a class of the JDK, of
 * an array, or of a listed class that the tasks share, whose objects cross as their fields. An
 * object of another class crosses as an object of the nearest class that has a kind, without a
 * candidate's own methods, such as equals. Streams, iterators, readers, functions, classes, threads
 * and enums have no kind.
 */
public final class Kinds {
    private static final String FIXED = "java.util.Arrays$ArrayList";
    private static final String CONSTANT = "java.util.Collections$Unmodifiable";
    private static final String ENTRY = "java.util.AbstractMap$SimpleEntry";
    private static final int DIMENSIONS = 8;

    private final ClassLoader loader;
    private final Set<String> shared;

    /** `shared` are the classes that cross by their fields; both sides have them. */
    public Kinds(ClassLoader loader, Collection<String> shared) {
        this.loader = loader;
        this.shared = new HashSet<>(shared);
    }

    private boolean isShared(Class<?> type) {
        return type.getClassLoader() == loader && shared.contains(type.getName());
    }

    /** The kind of an object that is neither a scalar nor a text. */
    public String of(Object object) throws NotPlain {
        Class<?> type = object.getClass();
        if (type.isArray()) {
            requireKnown(type);
            return type.getName();
        }
        for (Class<?> each = type; each != Object.class; each = each.getSuperclass()) {
            if (isShared(each) && !isContainer(object)) {
                return each.getName();
            }
            if (each.getClassLoader() == null && isNamed(each.getName())) {
                return refined(each.getName(), object);
            }
        }
        return byInterface(object);
    }

    private static boolean isContainer(Object object) {
        return object instanceof Collection || object instanceof Map
                || object instanceof Map.Entry;
    }

    private static boolean isNamed(String name) {
        switch (name) {
            case "java.math.BigDecimal": case "java.math.BigInteger":
            case "java.nio.ByteBuffer": case "java.nio.charset.Charset":
            case "java.util.regex.Pattern": case "java.util.Optional":
            case FIXED:
                return true;
            default:
                return emptied(name) != null;
        }
    }

    /**
     * The named class, or a kind that keeps the present order, because comparators do not cross.
     */
    private static String refined(String name, Object object) throws NotPlain {
        if (object instanceof PriorityQueue && ((PriorityQueue<?>) object).comparator() != null) {
            throw new NotPlain("a queue with an order of its own");
        }
        if (object instanceof SortedMap && ((SortedMap<?, ?>) object).comparator() != null) {
            return "java.util.LinkedHashMap";
        }
        if (object instanceof SortedSet && ((SortedSet<?>) object).comparator() != null) {
            return "java.util.LinkedHashSet";
        }
        if (object instanceof ByteBuffer && ((ByteBuffer) object).isReadOnly()) {
            throw new NotPlain("a buffer that cannot be written");
        }
        return name;
    }

    private static String byInterface(Object object) throws NotPlain {
        String name = object.getClass().getName();
        boolean constant = name.startsWith("java.util.ImmutableCollections$")
                || name.startsWith("java.util.Collections$")
                        && !name.startsWith("java.util.Collections$Synchronized");
        if (object instanceof List) {
            return constant ? CONSTANT + "List" : "java.util.ArrayList";
        } else if (object instanceof Set) {
            return constant ? CONSTANT + "Set" : "java.util.LinkedHashSet";
        } else if (object instanceof Map) {
            return constant ? CONSTANT + "Map" : "java.util.LinkedHashMap";
        } else if (object instanceof Collection) {
            return constant ? CONSTANT + "Collection" : "java.util.ArrayList";
        } else if (object instanceof Map.Entry) {
            return ENTRY;
        }
        throw new NotPlain("an object of " + name);
    }

    /** Whether an object can come back with other contents. */
    boolean canChange(Object object) {
        try {
            return !(object instanceof String) && changes(of(object));
        } catch (NotPlain e) {
            return false;
        }
    }

    /**
     * An object of the same kind and size for other contents, or the object itself if it cannot
     * change.
     */
    public Object shell(Object object) throws Malformed, NotPlain {
        if (!canChange(object)) {
            return object;
        }
        String kind = of(object);
        if (kind.startsWith("[")) {
            return Array.newInstance(object.getClass().getComponentType(), Array.getLength(object));
        } else if (kind.equals(FIXED)) {
            return Arrays.asList(new Object[((List<?>) object).size()]);
        } else if (object instanceof ByteBuffer) {
            return ByteBuffer.allocate(((ByteBuffer) object).capacity());
        }
        return created(kind);
    }

    private static boolean changes(String kind) {
        switch (kind) {
            case "java.math.BigDecimal": case "java.math.BigInteger":
            case "java.nio.charset.Charset": case "java.util.regex.Pattern":
            case "java.util.Optional":
            case ENTRY:
                return false;
            default:
                return !kind.startsWith(CONSTANT);
        }
    }

    public Object[] parts(String kind, Object object) throws NotPlain {
        if (kind.startsWith("[")) {
            Object[] parts = new Object[Array.getLength(object)];
            for (int at = 0; at < parts.length; at++) {
                parts[at] = Array.get(object, at);
            }
            return parts;
        } else if (object instanceof Collection) {
            return ((Collection<?>) object).toArray();
        } else if (object instanceof Map) {
            return pairs((Map<?, ?>) object);
        } else if (object instanceof Map.Entry) {
            Map.Entry<?, ?> entry = (Map.Entry<?, ?>) object;
            return new Object[] {entry.getKey(), entry.getValue()};
        }
        return fixedParts(kind, object);
    }

    private static Object[] pairs(Map<?, ?> map) {
        List<Object> parts = new ArrayList<>();
        for (Map.Entry<?, ?> each : map.entrySet()) {
            parts.add(each.getKey());
            parts.add(each.getValue());
        }
        return parts.toArray();
    }

    private Object[] fixedParts(String kind, Object object) throws NotPlain {
        switch (kind) {
            // These products read fields and call no method that a candidate's class overrides.
            case "java.math.BigDecimal":
                return new Object[] {BigDecimal.ONE.multiply((BigDecimal) object).toString()};
            case "java.math.BigInteger":
                return new Object[] {BigInteger.ONE.multiply((BigInteger) object).toString()};
            case "java.lang.StringBuilder": case "java.lang.StringBuffer":
                return new Object[] {object.toString()};
            case "java.nio.charset.Charset":
                return new Object[] {((Charset) object).name()};
            case "java.util.regex.Pattern":
                return new Object[] {((Pattern) object).pattern(), ((Pattern) object).flags()};
            case "java.util.Optional":
                return new Object[] {((Optional<?>) object).orElse(null)};
            case "java.util.Date":
                return new Object[] {((Date) object).getTime()};
            case "java.util.GregorianCalendar":
                GregorianCalendar day = (GregorianCalendar) object;
                return new Object[] {
                    day.getTimeInMillis(), day.getTimeZone().getID(), day.isLenient()
                };
            case "java.awt.Point":
                return new Object[] {((Point) object).x, ((Point) object).y};
            case "java.nio.ByteBuffer":
                ByteBuffer buffer = (ByteBuffer) object;
                byte[] bytes = new byte[buffer.capacity()];
                buffer.duplicate().clear().get(bytes);
                return new Object[] {bytes, buffer.position(), buffer.limit()};
            default:
                return fieldsOf(object, kind);
        }
    }

    /** An object that is filled later; null if it can only be made from its parts. */
    Object created(String kind) throws Malformed {
        Object made = emptied(kind);
        if (made != null || !shared.contains(kind)) {
            return made;
        }
        try {
            return Class.forName(kind, true, loader).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new Malformed("a class that cannot be made: " + kind);
        }
    }

    private static Object emptied(String kind) {
        switch (kind) {
            case "java.util.ArrayList": return new ArrayList<>();
            case "java.util.LinkedList": return new LinkedList<>();
            case "java.util.Vector": return new Vector<>();
            case "java.util.Stack": return new Stack<>();
            case "java.util.ArrayDeque": return new ArrayDeque<>();
            case "java.util.PriorityQueue": return new PriorityQueue<>();
            case "java.util.concurrent.CopyOnWriteArrayList": return new CopyOnWriteArrayList<>();
            case "java.util.HashSet": return new HashSet<>();
            case "java.util.LinkedHashSet": return new LinkedHashSet<>();
            case "java.util.TreeSet": return new TreeSet<>();
            case "java.util.HashMap": return new HashMap<>();
            case "java.util.LinkedHashMap": return new LinkedHashMap<>();
            case "java.util.TreeMap": return new TreeMap<>();
            case "java.util.Hashtable": return new Hashtable<>();
            case "java.util.Properties": return new Properties();
            case "java.util.concurrent.ConcurrentHashMap": return new ConcurrentHashMap<>();
            case "java.lang.StringBuilder": return new StringBuilder();
            case "java.lang.StringBuffer": return new StringBuffer();
            case "java.util.Date": return new Date(0);
            case "java.util.GregorianCalendar": return new GregorianCalendar();
            case "java.awt.Point": return new Point();
            default: return null;
        }
    }

    public Object made(String kind, Object[] parts)
            throws Malformed, ReflectiveOperationException {
        if (kind.startsWith("[")) {
            return array(kind, parts);
        }
        switch (kind) {
            case FIXED: return Arrays.asList(parts);
            case CONSTANT + "Collection":
                return Collections.unmodifiableCollection(Arrays.asList(parts));
            case CONSTANT + "List": return Collections.unmodifiableList(Arrays.asList(parts));
            case CONSTANT + "Set":
                return Collections.unmodifiableSet(new LinkedHashSet<>(Arrays.asList(parts)));
            case CONSTANT + "Map":
                Map<Object, Object> map = new LinkedHashMap<>();
                put(map, parts);
                return Collections.unmodifiableMap(map);
            case ENTRY: return new AbstractMap.SimpleEntry<>(parts[0], parts[1]);
            case "java.math.BigDecimal": return new BigDecimal((String) parts[0]);
            case "java.math.BigInteger": return new BigInteger((String) parts[0]);
            case "java.util.Optional": return Optional.ofNullable(parts[0]);
            case "java.nio.charset.Charset": return Charset.forName((String) parts[0]);
            case "java.util.regex.Pattern":
                return Pattern.compile((String) parts[0], (Integer) parts[1]);
            case "java.nio.ByteBuffer":
                return ByteBuffer.wrap((byte[]) parts[0])
                        .limit((Integer) parts[2]).position((Integer) parts[1]);
            default: throw new Malformed("no kind of object: " + kind);
        }
    }

    private Object array(String kind, Object[] parts)
            throws Malformed, ReflectiveOperationException {
        if (kind.lastIndexOf('[') >= DIMENSIONS) {
            throw new Malformed("an array of too many dimensions");
        }
        Class<?> type = Class.forName(kind, false, loader);
        try {
            requireKnown(type);
        } catch (NotPlain e) {
            throw new Malformed(e.getMessage());
        }
        Object made = Array.newInstance(type.getComponentType(), parts.length);
        fill(kind, made, parts);
        return made;
    }

    private void requireKnown(Class<?> array) throws NotPlain {
        Class<?> type = array;
        while (type.isArray()) {
            type = type.getComponentType();
        }
        if (type.getClassLoader() != null && !isShared(type)) {
            throw new NotPlain("an array of " + type.getName());
        }
    }

    @SuppressWarnings("unchecked")
    public void fill(String kind, Object object, Object[] parts)
            throws Malformed, ReflectiveOperationException {
        if (kind.startsWith("[")) {
            requireSame(Array.getLength(object), parts.length);
            for (int at = 0; at < parts.length; at++) {
                Array.set(object, at, parts[at]);
            }
        } else if (kind.equals(FIXED)) {
            requireSame(((List<?>) object).size(), parts.length);
            for (int at = 0; at < parts.length; at++) {
                ((List<Object>) object).set(at, parts[at]);
            }
        } else if (object instanceof Collection) {
            ((Collection<Object>) object).clear();
            ((Collection<Object>) object).addAll(Arrays.asList(parts));
        } else if (object instanceof Map) {
            ((Map<Object, Object>) object).clear();
            put((Map<Object, Object>) object, parts);
        } else {
            fillFixed(kind, object, parts);
        }
    }

    private static void put(Map<Object, Object> map, Object[] parts) {
        for (int at = 0; at < parts.length; at += 2) {
            map.put(parts[at], parts[at + 1]);
        }
    }

    private void fillFixed(String kind, Object object, Object[] parts)
            throws Malformed, ReflectiveOperationException {
        switch (kind) {
            case "java.lang.StringBuilder":
                ((StringBuilder) object).replace(0, Integer.MAX_VALUE, (String) parts[0]);
                break;
            case "java.lang.StringBuffer":
                ((StringBuffer) object).replace(0, Integer.MAX_VALUE, (String) parts[0]);
                break;
            case "java.util.Date":
                ((Date) object).setTime((Long) parts[0]);
                break;
            case "java.util.GregorianCalendar":
                ((GregorianCalendar) object).setTimeZone(TimeZone.getTimeZone((String) parts[1]));
                ((GregorianCalendar) object).setLenient((Boolean) parts[2]);
                ((GregorianCalendar) object).setTimeInMillis((Long) parts[0]);
                break;
            case "java.awt.Point":
                ((Point) object).setLocation((Integer) parts[0], (Integer) parts[1]);
                break;
            case "java.nio.ByteBuffer":
                ByteBuffer buffer = (ByteBuffer) object;
                buffer.duplicate().clear().put((byte[]) parts[0]);
                buffer.clear().limit((Integer) parts[2]).position((Integer) parts[1]);
                break;
            default:
                fillFields(object, kind, parts);
        }
    }

    private Object[] fieldsOf(Object object, String kind) throws NotPlain {
        List<Object> parts = new ArrayList<>();
        try {
            for (Field each : fields(object, kind)) {
                parts.add(each.get(object));
            }
        } catch (ReflectiveOperationException e) {
            throw new NotPlain("an object of " + kind);
        }
        return parts.toArray();
    }

    private void fillFields(Object object, String kind, Object[] parts)
            throws Malformed, ReflectiveOperationException {
        List<Field> fields = fields(object, kind);
        requireSame(fields.size(), parts.length);
        for (int at = 0; at < parts.length; at++) {
            fields.get(at).set(object, parts[at]);
        }
    }

    /** The fields of the shared class and of the classes that it extends. */
    private List<Field> fields(Object object, String kind) throws ReflectiveOperationException {
        List<Field> found = new ArrayList<>();
        Class<?> type = Class.forName(kind, false, loader);
        for (; type != Object.class; type = type.getSuperclass()) {
            if (!isShared(type)) {
                throw new ReflectiveOperationException(type.getName());
            }
            for (Field each : type.getDeclaredFields()) {
                if (!Modifier.isStatic(each.getModifiers())) {
                    each.setAccessible(true);
                    found.add(each);
                }
            }
        }
        return found;
    }

    private static void requireSame(int own, int told) throws Malformed {
        if (own != told) {
            throw new Malformed(told + " parts of what has " + own);
        }
    }
}
