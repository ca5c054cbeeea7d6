package assay.harness.control;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The order of sorted sets and maps. A candidate's comparator decides what such a set holds: if it
 * calls all elements equal, the set equals every set of its size.
 */
final class Orders {
    // These and their views are not sorted. Others may be views of something sorted.
    private static final List<String> UNSORTED =
            List.of(
                    "java.util.HashMap", "java.util.HashSet", "java.util.LinkedHashMap",
                    "java.util.LinkedHashSet", "java.util.ImmutableCollections",
                    "java.util.Hashtable", "java.util.Properties");

    // Orders without any code of a candidate. Other orders of the platform may call a candidate's
    // function, as those of Comparator.comparing() do, or call different values equal.
    private static final List<String> NATURAL =
            List.of(
                    "java.util.Collections$ReverseComparator",
                    "java.util.Comparators$NaturalOrderComparator");

    private Orders() {}

    static Comparator<Object> of(SortedSet<Object> sorted) {
        return own(sorted.comparator(), sorted);
    }

    static Comparator<Object> of(SortedMap<Object, Object> sorted) {
        return own(sorted.comparator(), sorted.keySet());
    }

    /** The comparator; a candidate's is replaced by the order that the elements have now. */
    private static Comparator<Object> own(
            Comparator<? super Object> comparator, Collection<Object> elements) {
        if (!isOwn(comparator)) {
            return comparator == null ? null : comparator::compare;
        }
        Map<Object, Integer> places = new HashMap<>();
        elements.forEach(each -> places.putIfAbsent(each, places.size()));
        return (one, other) -> {
            int place = places.getOrDefault(one, places.size());
            int difference = place - places.getOrDefault(other, places.size());
            return difference != 0 || Objects.equals(one, other) ? difference : 1;
        };
    }

    private static boolean isOwn(Comparator<?> comparator) {
        if (comparator == null || NATURAL.contains(comparator.getClass().getName())) {
            return false;
        }
        // Those of the evaluation and of this class are not a candidate's.
        String module = comparator.getClass().getModule().getName();
        return module == null || !module.startsWith("assay.");
    }

    /**
     * Whether the object is of a candidate's class, or holds a set or a map in a candidate's order.
     */
    static boolean isCandidates(Object returned) {
        return !returned.getClass().getModule().isNamed()
                || holdsOwn(returned, Collections.newSetFromMap(new IdentityHashMap<>()));
    }

    private static boolean holdsOwn(Object value, Set<Object> seen) {
        if (value == null || !seen.add(value)) {
            return false;
        }
        if (mayOrder(value)) {
            return true;
        }
        if (value instanceof Map) {
            return anyHoldsOwn(((Map<?, ?>) value).keySet(), seen)
                    || anyHoldsOwn(((Map<?, ?>) value).values(), seen);
        }
        if (value instanceof Map.Entry) {
            Map.Entry<?, ?> entry = (Map.Entry<?, ?>) value;
            return holdsOwn(entry.getKey(), seen) || holdsOwn(entry.getValue(), seen);
        }
        if (value instanceof Optional) {
            return holdsOwn(((Optional<?>) value).orElse(null), seen);
        }
        if (value instanceof AtomicReference) {
            return holdsOwn(((AtomicReference<?>) value).get(), seen);
        }
        if (value instanceof Object[]) {
            return anyHoldsOwn(java.util.Arrays.asList((Object[]) value), seen);
        }
        return value instanceof Collection && anyHoldsOwn((Collection<?>) value, seen);
    }

    /** Whether a candidate's class or comparator may decide what a collection or a map holds. */
    private static boolean mayOrder(Object value) {
        if (value instanceof Collection && !value.getClass().getModule().isNamed()) {
            return true;
        }
        if (value instanceof SortedMap) {
            return isOwn(((SortedMap<?, ?>) value).comparator());
        }
        if (value instanceof SortedSet) {
            return isOwn(((SortedSet<?>) value).comparator());
        }
        String name = value.getClass().getName();
        return (value instanceof Map || value instanceof Set)
                && UNSORTED.stream().noneMatch(name::startsWith);
    }

    private static boolean anyHoldsOwn(Collection<?> values, Set<Object> seen) {
        for (Object each : values) {
            if (holdsOwn(each, seen)) {
                return true;
            }
        }
        return false;
    }
}
