package assay.harness.control;

import java.lang.reflect.Array;
import java.util.AbstractMap.SimpleEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Calendar;
import java.util.Collection;
import java.util.Comparator;
import java.util.Date;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Properties;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.Stack;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Vector;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Keeps a call from changing its caller's objects: the control passes copies of the arguments to a
 * method, and copies a result that is of a candidate's class or in a candidate's order. Copies are
 * objects of the platform's classes; objects of other kinds, such as beans, are not copied.
 */
public final class Copies {
    // The originals of the copies that this thread's current call got, by the copies' identity.
    private static final ThreadLocal<Map<Object, Object>> MADE =
            ThreadLocal.withInitial(IdentityHashMap::new);

    private Copies() {}

    /** An argument's copy; the argument itself if the copy is not of the parameter's type. */
    public static Object of(Object original, Class<?> type) {
        Map<Object, Object> seen = new IdentityHashMap<>();
        Object copy = copied(original, seen);
        if (original != null && !type.isInstance(copy)) {
            Uncopied.note(original);
            return original;
        }
        Uncopied.note(seen);
        seen.forEach((one, other) -> MADE.get().put(other, one));
        return copy;
    }

    /** The result for the caller: the original if the method returns an unchanged argument. */
    public static Object back(Object returned, Class<?> type) {
        Object original = MADE.get().get(returned);
        if (original != null && isUnchanged(original, returned)) {
            return original;
        }
        if (returned == null || !Orders.isCandidates(returned)) {
            return returned;
        }
        Object copy = copied(returned, new IdentityHashMap<>());
        return type.isInstance(copy) ? copy : returned;
    }

    /** Forgets the copies of a call, however it ended. */
    public static void end() {
        MADE.get().clear();
    }

    private static boolean isUnchanged(Object original, Object copy) {
        if (original instanceof CharSequence) {
            return original.toString().contentEquals((CharSequence) copy);
        }
        return java.util.Arrays.deepEquals(new Object[] {original}, new Object[] {copy});
    }

    private static Object copied(Object original, Map<Object, Object> seen) {
        if (original == null || seen.containsKey(original)) {
            return seen.get(original);
        }
        if (original.getClass().isArray()) {
            return array(original, seen);
        }
        if (original instanceof Map) {
            Map<Object, Object> made = like((Map<?, ?>) original);
            seen.put(original, made);
            ((Map<?, ?>) original)
                    .forEach((key, value) -> made.put(copied(key, seen), copied(value, seen)));
            return made;
        }
        if (original instanceof Collection) {
            Collection<Object> made = like((Collection<?>) original);
            if (made == null) {
                return original;
            }
            seen.put(original, made);
            ((Collection<?>) original).forEach(each -> made.add(copied(each, seen)));
            return made;
        }
        if (original instanceof AtomicReference) {
            AtomicReference<Object> made = new AtomicReference<>();
            seen.put(original, made);
            made.set(copied(((AtomicReference<?>) original).get(), seen));
            return made;
        }
        Object made = other(original, seen);
        seen.put(original, made);
        return made;
    }

    private static Object array(Object original, Map<Object, Object> seen) {
        int length = Array.getLength(original);
        Class<?> of = original.getClass().getComponentType();
        Object made = Array.newInstance(of, length);
        seen.put(original, made);
        System.arraycopy(original, 0, made, 0, length);
        for (int n = 0; !of.isPrimitive() && n < length; n++) {
            Object each = copied(Array.get(original, n), seen);
            if (of.isInstance(each)) {
                Array.set(made, n, each);
            }
        }
        return made;
    }

    private static Object other(Object original, Map<Object, Object> seen) {
        if (original instanceof Map.Entry) {
            Map.Entry<?, ?> entry = (Map.Entry<?, ?>) original;
            return new SimpleEntry<>(copied(entry.getKey(), seen), copied(entry.getValue(), seen));
        }
        if (original instanceof Optional) {
            return ((Optional<?>) original).map(each -> copied(each, seen));
        }
        if (original instanceof StringBuilder) {
            return new StringBuilder((StringBuilder) original);
        }
        if (original instanceof StringBuffer) {
            return new StringBuffer((StringBuffer) original);
        }
        if (!original.getClass().getModule().isNamed()) {
            return original;
        }
        if (original instanceof BitSet) {
            return ((BitSet) original).clone();
        }
        if (original instanceof Date) {
            return ((Date) original).clone();
        }
        return original instanceof Calendar ? ((Calendar) original).clone() : original;
    }

    // The first matching class decides. Classes with insertion order iterate as the original does.
    @SuppressWarnings("unchecked")
    private static Map<Object, Object> like(Map<?, ?> original) {
        if (original instanceof Properties) {
            return new Properties();
        }
        if (original instanceof Hashtable) {
            return new Hashtable<>();
        }
        boolean concurrent = original instanceof ConcurrentMap;
        if (original instanceof SortedMap) {
            Comparator<Object> order = Orders.of((SortedMap<Object, Object>) original);
            return concurrent ? new ConcurrentSkipListMap<>(order) : new TreeMap<>(order);
        }
        if (concurrent) {
            return new ConcurrentHashMap<>();
        }
        return new LinkedHashMap<>();
    }

    @SuppressWarnings("unchecked")
    private static Collection<Object> like(Collection<?> original) {
        if (original instanceof SortedSet) {
            return new TreeSet<>(Orders.of((SortedSet<Object>) original));
        }
        if (original instanceof PriorityQueue) {
            return new PriorityQueue<>(((PriorityQueue<Object>) original).comparator());
        }
        for (Map.Entry<Class<?>, Supplier<Collection<Object>>> each : KINDS.entrySet()) {
            if (each.getKey().isInstance(original)) {
                return each.getValue().get();
            }
        }
        return null;
    }

    private static final Map<Class<?>, Supplier<Collection<Object>>> KINDS = new LinkedHashMap<>();

    static {
        KINDS.put(Set.class, LinkedHashSet::new);
        KINDS.put(Stack.class, Stack::new);
        KINDS.put(Vector.class, Vector::new);
        KINDS.put(LinkedList.class, LinkedList::new);
        KINDS.put(List.class, ArrayList::new);
        KINDS.put(ArrayDeque.class, ArrayDeque::new);
        KINDS.put(BlockingDeque.class, LinkedBlockingDeque::new);
        KINDS.put(BlockingQueue.class, LinkedBlockingQueue::new);
        KINDS.put(Queue.class, LinkedList::new);
        KINDS.put(Collection.class, ArrayList::new);
    }
}
